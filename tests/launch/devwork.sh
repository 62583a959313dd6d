#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A developer's day as an unprivileged user under the launcher, with both filters. What is not
# installed is skipped with a line.
#
#   devwork.sh KORA-LAUNCH
set -u
[ "$(id -u)" = 0 ] || { echo "skip  devwork: root is needed, to become another user"; echo "0 passed, 0 failed"; exit 0; }
W=$(mktemp -d "${KORA_TEST_DIR:-/var/lib}/kora-devwork.XXXXXX")
trap 'rm -rf "$W"' EXIT
chmod 755 "$W"
install -m 755 "$1" "$W/kora-launch"
passed=0 failed=0
export PATH=/usr/local/bin:/usr/bin:/bin

# as FILTER TITLE SCRIPT: in a fresh workspace, with a deadline.
as() {
  local filter=$1 title=$2 out code
  rm -rf "$W/ws"
  install -d -m 755 "$W/ws"
  install -d -m 700 -o 10001 -g 10001 "$W/ws/r" "$W/ws/r/sandbox"
  out=$(timeout 300 "$W/kora-launch" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 --seccomp "$filter" \
    --tcp-bind 38100-38110 --tcp-connect 38100-38110 -- bash -ec "$3" 2>&1 < /dev/null)
  code=$?
  if [ $code = 0 ]; then
    passed=$((passed + 1)); echo "ok    $filter: $title"
  else
    failed=$((failed + 1)); echo "FAIL  $filter: $title: exit $code"; printf '%s\n' "$out" | tail -20 | sed 's/^/      /'
  fi
}

# both TITLE NEEDS SCRIPT: under both filters, if the tools are there for that user.
both() { for filter in strict dev; do only "$filter" "$@"; done; }
only() {
  local filter=$1 tool
  for tool in $3; do
    if ! setpriv --reuid 10001 --regid 10001 --clear-groups sh -c "command -v $tool" > /dev/null; then
      echo "skip  $filter: $2: no $tool"
      return
    fi
  done
  as "$filter" "$2" "$4"
}

both "git init, commit, clone, gc, worktree" git '
  git config --global user.email a@b; git config --global user.name a; git config --global init.defaultBranch main
  git init -q one; cd one; for i in 1 2 3 4 5; do echo $i > f$i; git add .; git commit -q -m $i; done
  git gc -q; git clone -q . ../two; git worktree add -q ../three; cd ../two; git log --oneline | wc -l | grep -qx 5; git fsck'
both "gcc, a threaded program" gcc '
  cat > t.c <<E
#include <pthread.h>
#include <stdio.h>
static void *f(void *p) { return p; }
int main(void) { pthread_t t[8]; for (int i = 0; i < 8; i++) if (pthread_create(&t[i], 0, f, 0)) return 1;
for (int i = 0; i < 8; i++) pthread_join(t[i], 0); puts("threads"); return 0; }
E
  gcc -O2 -pthread -o t t.c; ./t | grep -qx threads'
both "make -j" "make gcc" '
  for i in 1 2 3 4 5 6; do echo "int f$i(void) { return $i; }" > f$i.c; done
  printf "all: f1.o f2.o f3.o f4.o f5.o f6.o\n\tar rcs l.a \$^\n" > Makefile
  make -j4; ar t l.a | wc -l | grep -qx 6'
both "python: venv" python3 '/usr/bin/python3 -m venv --without-pip v; v/bin/python -c "import sys; assert sys.prefix != sys.base_prefix"'
both "python: multiprocessing, locks and queues" python3 '
  cat > m.py <<E
import multiprocessing as mp
def f(x): return x * x
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        with mp.get_context(method).Pool(2) as p: assert p.map(f, range(9)) == [x * x for x in range(9)]
    q = mp.Queue(); w = mp.Process(target=q.put, args=(1,)); w.start(); assert q.get() == 1; w.join()
E
  /usr/bin/python3 m.py'
both "python: asyncio, subprocess, tempfile" python3 '
  cat > a.py <<E
import asyncio, os, tempfile
async def main():
    p = await asyncio.create_subprocess_exec("echo", "hello", stdout=asyncio.subprocess.PIPE)
    assert (await p.communicate())[0] == b"hello\n"
    s = await asyncio.start_server(lambda r, w: (w.write(b"x"), w.close()), "127.0.0.1", 38101)
    r, w = await asyncio.open_connection("127.0.0.1", 38101)
    assert await r.read() == b"x"; s.close()
asyncio.run(main())
with tempfile.NamedTemporaryFile(delete=False) as f: f.write(b"x")
os.rename(f.name, "moved"); assert os.path.exists("moved")
E
  /usr/bin/python3 a.py'
both "python: sqlite with a write-ahead log" python3 '
  /usr/bin/python3 -c "
import sqlite3
d = sqlite3.connect(\"d.db\"); d.execute(\"pragma journal_mode=wal\"); d.execute(\"create table t(x)\")
d.executemany(\"insert into t values(?)\", [(i,) for i in range(1000)]); d.commit()
assert d.execute(\"select count(*) from t\").fetchone()[0] == 1000"'
both "node: http server and client" node '
  node -e "
const http = require(\"http\");
const s = http.createServer((q, r) => r.end(\"hello\")).listen(38102, \"127.0.0.1\", () =>
  http.get(\"http://127.0.0.1:38102\", r => r.on(\"data\", d => { process.exitCode = String(d) === \"hello\" ? 0 : 1; s.close(); })));"'
both "node: worker threads, network interfaces" node '
  node -e "
const { Worker, isMainThread, parentPort } = require(\"worker_threads\");
require(\"os\").networkInterfaces();
const w = [1, 2, 3].map(i => new Promise((ok, no) => { const x = new Worker(\"require(\\\"worker_threads\\\").parentPort.postMessage(\" + i + \")\", { eval: true }); x.on(\"message\", ok); x.on(\"error\", no); }));
Promise.all(w).then(v => { if (v.join() !== \"1,2,3\") process.exit(1); });"'
both "node: fs.watch and child_process" node '
  node -e "
const fs = require(\"fs\");
const w = fs.watch(\".\", () => { w.close(); console.log(require(\"child_process\").execSync(\"echo child\").toString()); });
setTimeout(() => fs.writeFileSync(\"x\", \"\"), 50); setTimeout(() => process.exit(1), 20000).unref();"'
both "npm: init, pack, install offline" "npm node" '
  mkdir lib app; cd lib; npm init -y > /dev/null; echo "module.exports = 42" > index.js; npm pack --silent
  cd ../app; npm init -y > /dev/null; npm install --offline --no-audit --no-fund ../lib/lib-1.0.0.tgz
  node -e "if (require(\"lib\") !== 42) process.exit(1)"'
both "go build" go 'export GOCACHE=$PWD/c GOFLAGS=-mod=mod; go mod init x; printf "package main\nfunc main() { println(1) }\n" > m.go; go build -o x && ./x'
both "cargo build" cargo 'export CARGO_HOME=$PWD/c; cargo init --name x -q; cargo build -q --offline; target/debug/x'
both "javac, java" "java javac" 'printf "class A { public static void main(String[] a) throws Exception { Thread t = new Thread(() -> System.out.println(\"t\")); t.start(); t.join(); } }" > A.java; javac A.java; java -Xmx64m A | grep -qx t'
both "fifo, pty, job control" script '
  mkfifo p; echo through > p & grep -q through p
  script -qec "tty; echo in-pty" log; grep -q in-pty log; grep -q /dev/pts log'
both "tar, sed -i, find, sort" tar 'mkdir d; seq 2000 > d/f; tar czf d.tgz d; rm -r d; tar xzf d.tgz; sed -i s/^1/x/ d/f; sort -n d/f | wc -l | grep -qx 2000; find . -name f | grep -q f'
only dev "strace a program" strace 'strace -f -o log true; grep -q execve log'
only dev "gdb: breakpoint, backtrace, attach" "gdb gcc" '
  printf "int g;\nint f(int x) { g = x; return x; }\nint main(void) { return f(0); }\n" > g.c; gcc -g -O0 -o g g.c
  gdb -nx -batch -ex "break f" -ex run -ex bt -ex "print x" -ex "set var x=0" -ex cont ./g > log 2>&1
  grep -q "#1 .*main" log; grep -q "exited normally" log
  sleep 60 & p=$!; gdb -nx -batch -ex "attach $p" -ex detach > log2 2>&1; grep -q -i "detaching\|detached" log2; kill $p'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
