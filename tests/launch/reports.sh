#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What went wrong with launchers in the field, each as a test of this one.
. "$(dirname "$0")/lib.sh"

# Errnos that the C library falls back on
run -- "$PROBE" thread
says "clone3 denied breaks threads" "ok"
run -- "$PROBE" syscall 435
says "clone3 is ENOSYS" "ENOSYS"
run -- "$PROBE" syscall 439
says "faccessat2 is allowed" "EFAULT"
for nr in 600 1000 5000; do
  run -- "$PROBE" syscall $nr
  says "syscall $nr, of the future, is ENOSYS" "ENOSYS"
done

# No mode without no_new_privs and without the filter
for mode in "" --best-effort --verify=no --init --setsid --keep-env --verbose "--profile runtime" \
  "--profile none --chdir $W/ws/r" "--seccomp dev"; do
  # shellcheck disable=SC2086
  run $mode -- "$PROBE" attributes
  says "no_new_privs and filter with '$mode'" "nnp=1 secbits=0xef seccomp=2"
done
run --seccomp none -- "$PROBE" attributes
says "no_new_privs even without filter" "nnp=1"

# A parent that ends while its child tries to signal it: before the restrictions are in force, and after
if [ "$(uname -m)" = x86_64 ] && command -v strace >/dev/null; then
  for nth in 1 2; do
    # shellcheck disable=SC2016
    timeout 30 bash -c 'nnp=$(($1 - 1)) nth=$1; shift
      strace -D -qq -o /dev/null -e trace=kill -e inject=kill:delay_enter=1000000:when=$nth "$@" &
      until grep -q "^NoNewPrivs:.*$nnp" /proc/$!/status && grep -q "^62 " /proc/$!/syscall; do
        [ -e /proc/$! ] || break
      done 2>/dev/null' bash $nth "$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 \
      -- touch "$W/ws/r/orphan$nth" >"$W/orphan" 2>&1
    until_true 20 test -e "$W/ws/r/orphan$nth" -o -s "$W/orphan"
    text=$(cat "$W/orphan" && ls "$W/ws/r")
    says "a parent that ends at signal $nth of the start" "orphan$nth"
    lacks "a parent that ends at signal $nth of the start" "canary"
  done
fi

# A missing path is that path's problem only
run --read "-$W/absent" --read "$W/out" -- sh -c "ls $W/out && $PROBE open /"
says "a missing optional path leaves the rules in force" "EACCES"

# File types
mkfifo "$W/fifo" && chmod 666 "$W/fifo"
text=$(timeout 10 "$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 --exec "$PROBES" \
  --write "$W/fifo" -- "$PROBE" open "$W/fifo" rw 2>&1)
says "a FIFO does not block" "ok"
run --read /dev/null --work /dev/zero -- true
exits "directory rights on a device" 0
for d in null zero full random urandom; do
  run -- "$PROBE" open /dev/$d
  says "/dev/$d is there" "ok"
done
run -- sh -c 'echo x > /dev/null'
exits "writing to /dev/null" 0

# Diagnosis of the last step
script() { printf '%s\n' "$2" > "$W/ws/r/$1"; chmod "${3:-755}" "$W/ws/r/$1"; chown 10001:10001 "$W/ws/r/$1"; }
script bad-interp '#!/nowhere/bash'
run -- "$W/ws/r/bad-interp"
exits "a script's missing interpreter" 126
says "a script's missing interpreter" "its interpreter /nowhere/bash does not exist"
script plain 'exit 0'
run -- "$W/ws/r/plain"
exits "no interpreter line" 126
says "no interpreter line" "neither a program nor a script"
script no-mode '#!/bin/sh' 644
run -- "$W/ws/r/no-mode"
exits "no execute bit" 126
says "no execute bit" "mode or noexec mount"
run -- "$W/ws/r"
says "a directory" "is a directory"
run -- no-such-program
exits "not in PATH" 127
says "not in PATH" "no-such-program: not found in PATH /"
run -- /usr/bin/no-such-program
exits "no such file" 127
# A dynamic program whose loader's name is changed: what a musl program says in a glibc image
loader=$(LC_ALL=C grep -aom1 '/lib64/ld-linux-x86-64.so.2' "$(command -v env)" || :)
if [ -n "$loader" ]; then
  LC_ALL=C sed 's|/lib64/ld-linux-x86-64.so.2|/lib64/ld-linux-x86-64.so.9|' "$(command -v env)" > "$W/ws/r/foreign"
  chmod 755 "$W/ws/r/foreign"
  run -- "$W/ws/r/foreign"
  exits "a missing dynamic loader" 126
  says "a missing dynamic loader" "its interpreter /lib64/ld-linux-x86-64.so.9 does not exist (built for another"
else
  skip "a missing dynamic loader: env is static here"
fi
cp "$PROBE" "$W/out/program"
run -- "$W/out/program" fds
exits "a program outside of what is granted" 126
says "a program outside of what is granted" "execution is not granted: add --exec"

# Links
mkdir "$W/elsewhere" && echo nameserver > "$W/elsewhere/resolv.conf" && ln -s elsewhere/resolv.conf "$W/resolv.conf"
run --verbose --read "$W/resolv.conf" -- cat "$W/resolv.conf"
says "a link is followed" "nameserver"
says "a link is said" "$W/resolv.conf leads to $W/elsewhere/resolv.conf"
ln -s elsewhere "$W/store"
run --read "$W/store" -- cat "$W/store/resolv.conf"
says "a link to a directory is followed" "nameserver"

# Terminals
run -- "$PROBE" tiocsti
says "TIOCSTI" "EPERM"
run -- "$PROBE" tiocsti high
says "TIOCSTI with high bits set" "EPERM"

# Descriptors and directories
text=$("$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 --exec "$PROBES" -- "$PROBE" fds \
  2>&1 </dev/null 5</ 9</etc/passwd 47</)
[ "$text" = "0 1 2 " ] && ok "leaked descriptors are closed" || fail "leaked descriptors: $text"
text=$("$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 --exec "$PROBES" -- "$PROBE" fds <&- 2>&-)
[ "$text" = "0 1 2 " ] && ok "closed standard descriptors are filled with /dev/null" || fail "closed standard descriptors: $text"
mkdir "$W/gone" && mount -t tmpfs kora-test "$W/gone"
text=$(cd "$W/gone" && umount -l . && "$LAUNCH" --uid 10001 --landlock-min 1 -- true 2>&1)
code=$?
exits "a working directory outside the root" 125
says "a working directory outside the root" "working directory"
text=$(cd "$W/out" && "$LAUNCH" --uid 10001 --landlock-min 1 -- true 2>&1)
says "a working directory outside of what is granted" "working directory $W/out: Permission denied (not granted: see --chdir"

# rename(2): EXDEV from TMPDIR, and under stacked layers without REFER
run -- sh -c 'set -e; echo 1 > $TMPDIR/f; mkdir -p a b; mv $TMPDIR/f a/f; mv a/f b/; rm -r a b'
exits "rename from TMPDIR and between directories" 0
[ "$(stat -c %d "$W/ws/r/sandbox/.tmp")" = "$(stat -c %d "$W/ws/r/sandbox")" ] &&
  ok "TMPDIR is on the workspace's filesystem" || fail "TMPDIR is elsewhere"
cat > "$W/ws/r/rename.py" <<'PY'
import os
os.makedirs("a", exist_ok=True); os.makedirs("b", exist_ok=True)
open("a/f", "w").close(); os.rename("a/f", "b/f"); os.link("b/f", "a/f")
PY
if command -v python3 > /dev/null && [ -x /usr/bin/python3 ]; then
  run -- /usr/bin/python3 "$W/ws/r/rename.py"
  exits "rename(2) and link(2) between directories, no fallback to copying" 0
else
  skip "rename(2) without fallback: no python3"
fi
nested="$LAUNCH --workspaces $W/ws --run r --landlock-min 1 --read-only-root=no --exec $(dirname "$LAUNCH") --exec $PROBES --"
# shellcheck disable=SC2086
run --exec "$(dirname "$LAUNCH")" -- $nested sh -c 'mkdir -p c d && echo 1 > c/f && mv c/f d/f'
exits "rename in two layers" 0
layers=()
for _ in {1..16}; do
  # shellcheck disable=SC2206
  layers+=($nested)
done
run --exec "$(dirname "$LAUNCH")" -- "${layers[@]}" true
exits "a seventeenth layer" 125
says "a seventeenth layer" "16 layers are in force already"

# The parent's death
mkdir "$W/late"
(
  "$LAUNCH" --wait-mount "$W/late" --timeout 60 --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 \
    --pdeathsig KILL -- true > "$W/died" 2>&1 &
  echo $! > "$W/waiter"
  wait
) &
parent=$!
waits() { find "/proc/$(cat "$W/waiter")/fd" -lname '*/mountinfo' | grep -q .; }
until_true 20 waits
kill -9 $parent
wait $parent 2>/dev/null
mount -t tmpfs kora-test "$W/late"
until_true 20 grep -q . "$W/died"
text=$(cat "$W/died")
says "a parent that died before prctl(2)" "the parent died while this was starting"

# PID 1: zombies and signals
run --init -- "$PROBE" orphan
says "orphans are reaped by --init" "ok"
text=$(unshare --pid --fork --mount-proc "$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 \
  --exec "$PROBES" --init -- "$PROBE" orphan 2>&1 </dev/null)
says "orphans are reaped by --init as PID 1" "ok"
"$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 --exec "$PROBES" --init -- \
  sh -c "trap 'echo got TERM; exit 7' TERM; echo ready; while :; do read -rt 1 x < $W/fifo || sleep 0.1; done" > "$W/init" 2>&1 &
init=$!
until_true 20 grep -q ready "$W/init"
kill -TERM $init
wait $init
code=$?
text=$(cat "$W/init")
exits "--init forwards TERM and passes the status on" 7
says "--init forwards TERM" "got TERM"
"$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 --exec "$PROBES" -- "$PROBE" stay > "$W/stay" 2>&1 &
init=$!
until_true 20 grep -q ready "$W/stay"
kill -TERM $init
wait $init
code=$?
exits "without --init the program takes the signal itself" 143

# What is mounted later
mkdir -p "$W/shared" && mount -t tmpfs kora-test "$W/shared" && mount --make-shared "$W/shared"
mkdir -p "$W/shared/r/sandbox" && chown -R 10001 "$W/shared/r"
"$LAUNCH" --profile runtime --workspaces "$W/shared" --run r --uid 10001 --landlock-min 1 --exec "$PROBES" -- \
  "$PROBE" await "$W/shared/r/sandbox/hello" > "$W/awaited" 2>&1 &
await=$!
until_true 20 grep -q ready "$W/awaited"
mount -t tmpfs kora-test "$W/shared/r/sandbox" && echo hello > "$W/shared/r/sandbox/hello"
wait $await
text=$(cat "$W/awaited")
says "a sandbox that is mounted later, read-only root and all" "ready
ok"

# The launcher's own proof, from the program's side
run --exec "$(dirname "$LAUNCH")" -- "$LAUNCH" verify -o json
says "verify inside: Landlock" '"evidence": "ABI'
says "verify inside: filter" '"evidence": "Seccomp: 2'
run --exec "$(dirname "$LAUNCH")" -- "$LAUNCH" verify
says "verify inside: a table" "pass     restricted  allowPrivilegeEscalation"
says "verify inside: the filter is tried" "unshare: Operation not permitted"
says "verify inside: Landlock is proven" "opening /: Permission denied"
bare verify --pid $$
exits "verify of a process without posture" 1
says "verify of a process without posture" "fail     restricted  runAsNonRoot"
says "verify of a process without posture: the host's namespaces" "hostNetwork"
text=$(unshare --net --ipc --pid --fork --mount-proc "$LAUNCH" verify 2>&1)
says "verify: namespaces of its own hold" "pass     restricted  hostNetwork"
run --exec "$(dirname "$LAUNCH")" -- "$LAUNCH" verify
if [ "$ABI" -lt 6 ]; then
  # What this kernel's Landlock lacks cannot be in force, and verify does not pretend.
  says "verify after a start on an old Landlock" "fail     kora        landlock"
  exits "verify after a start on an old Landlock" 1
  skip "verify outside of a pod: Landlock ABI $ABI"
elif [ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ]; then
  lacks "verify after a good start: nothing of the launcher's fails" "fail     "
  exits "verify after a good start outside of a pod" 2
  says "verify after a good start outside of a pod" "pod      restricted  hostPID"
  says "verify says whose matter it is" "the pod's specification decides it"
  run --exec "$(dirname "$LAUNCH")" -- "$LAUNCH" verify -o json
  exits "verify -o json outside of a pod" 2
  says "verify -o json outside of a pod: verdict" '"verdict": "pod"'
  says "verify -o json outside of a pod: holds" '"holds": false'
  says "verify -o json outside of a pod: launcher_holds" '"launcher_holds": true'
else
  skip "verify outside of a pod: this is in a container"
fi
bare verify --pid 4194303
exits "verify of no process" 125
bare verify --bad
exits "verify: usage" 125
says "verify: usage" "option '--bad': there is none such"
bare verify -o yaml
exits "verify: a wrong format" 125
says "verify: a wrong format" "--output 'yaml': table or json is needed"
bare verify --pid self
says "verify: a wrong process" "--pid 'self': a process's number is needed"
bare verify --pid
says "verify: no value" "option '--pid': it needs a value"
bare verify 1
says "verify: an argument" "argument '1': there are options only"
bare verify --help
exits "verify --help" 0
says "verify --help" "usage: kora-launch verify"
finish
