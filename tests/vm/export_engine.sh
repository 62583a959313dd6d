#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Inside a test machine: the answering half of the export engine on a real nfsd, which is started
# by hand, so that nothing but this half is under test.
#
#   sandbox 10.20.0.1, fd20::1 ──┐
#   other   10.20.0.3 ───────────┼── bridge ── agent 10.20.0.2, fd20::2
#                                ┘
#   integration/vm KERNEL --share export_engine --share tests/vm/export_engine.sh -- \
#           '/t/export_engine.sh [procfs]'            procfs keeps netlink from being used
# shellcheck disable=SC2016 # the texts are commands for the nodes
set -euo pipefail
PATH=$PATH:/usr/lib/kora-test
bin=$(dirname "$0") mask=${1-} failed=0
disk=/disk/nodes/sandbox

S() { node-run sandbox "$*"; }
A() { node-run agent "$*"; }
O() { node-run other "$*"; }

# ok WHAT COMMAND...; no WHAT COMMAND...; is WHAT EXPECTED COMMAND...
ok() {
	if out=$("${@:2}" 2>&1); then pass "$1"; else fail "$1: $out"; fi
}
no() {
	if out=$("${@:3}" 2>&1); then fail "$1: succeeded"; elif [[ $out = *"$2"* ]]; then pass "$1"; else fail "$1: $out"; fi
}
is() {
	out=$("${@:3}" 2>&1) || true
	if [ "$out" = "$2" ]; then pass "$1"; else fail "$1: '$out' instead of '$2'"; fi
}
pass() { printf 'ok    %3d s  %s\n' $SECONDS "$1"; }
fail() {
	echo "FAIL  $*"
	failed=$((failed + 1))
}

# C LINE: one command to the engine, its answer; fails with it.
C() {
	local answer
	answer=$(S "/workspaces/engine-say $*")
	echo "$answer"
	[[ $answer = ok* ]]
}
start_engine() { S "/workspaces/engine-start"; }
# at: address of the server, own address, protocol, what, where
mount_on() {
	node-run "$1" "mkdir -p $6; timeout 20 mount -i -t nfs4 -o vers=4.2,port=20490,addr=$2,clientaddr=$3,proto=$4,sec=sys $5 $6" 2>&1
}
mount_v4() { mount_on agent 10.20.0.1 10.20.0.2 tcp "10.20.0.1:$1" "$2"; }

node-up sandbox 10.20.0.1/24 fd20::1/64
node-up agent 10.20.0.2/24 fd20::2/64
node-up other 10.20.0.3/24

cat >$disk/engine-say <<'SAY'
#!/bin/bash
n=$(wc -l </run/out)
echo "$*" 1<>/run/cmd >&1
for ((i = 0; i < 3000; i++)); do [ "$(wc -l </run/out)" -gt "$n" ] && break; sleep 0.02; done
tail -n +$((n + 1)) /run/out
SAY
cat >$disk/engine-start <<START
#!/bin/bash
n=\$(wc -l </run/out)
$bin/export_engine /var/lib/kora /run/cmd $mask >>/run/out 2>>/run/err </dev/null &
echo \$! >/run/engine.pid
for ((i = 0; i < 3000; i++)); do [ "\$(wc -l </run/out)" -gt "\$n" ] && break; sleep 0.02; done
tail -n +\$((n + 1)) /run/out
START
chmod 755 $disk/engine-*
for run in a b c; do
	mkdir -p $disk/$run
	echo "$run" >$disk/$run/id
	chown 10001:10001 $disk/$run
done
S 'set -e; mkdir -m 700 /var/lib/kora; mkfifo /run/cmd; : >/run/out
	mkdir /workspaces/t /workspaces/s; mount -t tmpfs -o size=10m none /workspaces/t; mount -t tmpfs -o size=10m none /workspaces/s
	mkdir /workspaces/s/sub /workspaces/s/sib; chown 10001 /workspaces/t /workspaces/s/s*; echo t >/workspaces/t/id; echo s >/workspaces/s/sub/id; echo s >/workspaces/s/sib/id'
is "the engine starts" ready start_engine
[ $failed = 0 ] || exit 1
S 'mount -t nfsd nfsd /proc/fs/nfsd; echo "-2 -3 +4 -4.0 -4.1 +4.2" >/proc/fs/nfsd/versions
	echo "tcp 20490" >/proc/fs/nfsd/portlist; echo 4 >/proc/fs/nfsd/threads'

add_all() {
	ok "add a" C add a 1 /workspaces/a 10001 10001 async 10.20.0.2 fd20::2
	ok "add b" C add b 1 /workspaces/b 10001 10001 sync 10.20.0.2
	ok "add a filesystem's root" C add t 1 /workspaces/t 10001 10001 async 10.20.0.2
	ok "add a folder of another" C add s 1 /workspaces/s/sub 10001 10001 async 10.20.0.2
}
add_all
ok "serve" C serve
rung=$(C fd-wakeups 0)
rung=${rung#*rung=}
echo "      rung ${rung%% *}"
# Before any mount over IPv4: a client that knows the server already would use that connection.
ok "IPv6" mount_on agent fd20::1 fd20::2 tcp6 '[fd20::1]:/workspaces/a/1' /mnt/v6
is "the same over IPv6" a A cat /mnt/v6/id
no "unlisted over IPv6" "" mount_on agent fd20::1 fd20::2 tcp6 '[fd20::1]:/workspaces/b/1' /mnt/none
A umount /mnt/v6
for run in a b t s; do
	ok "mount $run" mount_v4 /workspaces/$run/1 /mnt/$run
	is "$run shows itself" $run A cat /mnt/$run/id
done
is "four superblocks" 4 A "stat -c %d /mnt/a /mnt/b /mnt/t /mnt/s | sort -u | wc -l"
ok "write" A 'echo hello >/mnt/a/new'
is "read on the server" hello S cat /workspaces/a/new
is "squashed" 10001:10001 S stat -c %u:%g /workspaces/a/new
no "no chown" "not permitted" A chown 0:0 /mnt/a/new

ok "mount the pseudo-root" mount_v4 / /mnt/root
for dir in "" /workspaces /workspaces/a; do no "list '$dir'" "Permission denied" A ls "/mnt/root$dir"; done
no "an unknown run by name" "No such file" A ls /mnt/root/workspaces/zz
no "write into the pseudo-root" "" A touch /mnt/root/x
A umount /mnt/root
no "an unknown run" "does not exist" mount_v4 /workspaces/zz/1 /mnt/none
no "an unknown incarnation" "does not exist" mount_v4 /workspaces/a/2 /mnt/none
no "an unlisted address" "" mount_on other 10.20.0.1 10.20.0.3 tcp 10.20.0.1:/workspaces/a/1 /mnt/a
is "idle" "ok 0" bash -c "$(declare -f C S); C fd-wakeups 3 | cut -d' ' -f1,2"

cat >/disk/nodes/agent/loop <<'LOOP'
exec 2>/tmp/loop.err
for ((i = 1; ; i++)); do
	[ ! -e /tmp/stop ] || break
	echo $i >>/mnt/a/loop && cat /mnt/b/id >/dev/null && echo $i >/mnt/t/f$((i % 20)) && stat /mnt/s/id >/dev/null || exit 1
	echo $i >/tmp/count
done
echo ended >/tmp/ended
LOOP
progress() { A 'n=$(cat /tmp/count 2>/dev/null || echo 0); for ((i = 0; i < 600; i++)); do [ $(cat /tmp/count) -gt $((n + 3)) ] && exit 0; sleep 0.05; done; cat /tmp/loop.err; exit 1'; }
A 'bash /workspaces/loop >/dev/null </dev/null &'
ok "the loop runs" progress
for round in 1 2; do
	S 'kill -9 $(cat /run/engine.pid)'
	ok "the loop goes on without an engine" progress
	is "the engine is back" ready start_engine
	add_all
	ok "serve again" C serve
	ok "the loop goes on after restart $round" progress
done
for round in 1 2 3; do ok "flushed and preloaded under load" C serve; done
A touch /tmp/stop
is "not one error" "" A 'for ((i = 0; i < 600; i++)); do [ -e /tmp/ended ] && break; sleep 0.05; done; cat /tmp/loop.err'
is "nothing was lost" same A '[ "$(tail -n 1 /mnt/a/loop)" = "$(cat /tmp/count)" ] && echo same'

ok "another client" C add a 1 /workspaces/a 10001 10001 async 10.20.0.2 10.20.0.3 fd20::2
ok "may mount" mount_on other 10.20.0.1 10.20.0.3 tcp 10.20.0.1:/workspaces/a/1 /mnt/a
ok "and no longer" C add a 1 /workspaces/a 10001 10001 async 10.20.0.2 fd20::2
no "its mount is stale" "Stale" O ls /mnt/a
is "the other's is not" a A cat /mnt/a/id
O umount -l /mnt/a
ok "another owner" C add c 1 /workspaces/c 10002 10003 async 10.20.0.2
ok "mount c" mount_v4 /workspaces/c/1 /mnt/c
S chmod 777 /workspaces/c
ok "write as" A touch /mnt/c/new
is "the other owner" 10002:10003 S stat -c %u:%g /workspaces/c/new

ok "a second incarnation" C add c 2 /workspaces/b 10001 10001 async 10.20.0.2
ok "mount it" mount_v4 /workspaces/c/2 /mnt/c2
ok "the first one goes" C remove c 1
no "stale at once" "Stale" A touch /mnt/c/more
is "the second stays" b A cat /mnt/c2/id
no "the same id over another folder" "another folder" C add c 2 /workspaces/a 10001 10001 async 10.20.0.2
is "which is what it was" b A cat /mnt/c2/id
ok "that one goes" C remove c 2
ok "the same id over another folder" C add c 2 /workspaces/a 10001 10001 async 10.20.0.2
no "the old handle is stale" "Stale" A touch /mnt/c2/more
ok "a new mount" mount_v4 /workspaces/c/2 /mnt/c3
is "shows the other folder" a A cat /mnt/c3/id

A umount /mnt/s
ok "a sibling on its filesystem" C add s 2 /workspaces/s/sib 10001 10001 async 10.20.0.2
ok "mount it" mount_v4 /workspaces/s/2 /mnt/sib
ok "remove s" C remove s 1
no "refused" "does not exist" mount_v4 /workspaces/s/1 /mnt/s
is "the sibling stays" s A cat /mnt/sib/id
ok "exported again" C add s 1 /workspaces/s/sub 10001 10001 async 10.20.0.2
ok "mount s" mount_v4 /workspaces/s/1 /mnt/s
is "s shows itself" s A cat /mnt/s/id
A umount /mnt/s /mnt/sib
ok "remove s" C remove s 1
ok "remove its sibling" C remove s 2
ok "let go" C release
ok "their filesystem can be unmounted" S umount /workspaces/s
ok "remove t, which is mounted" C remove t 1
ok "let go" C release
ok "its filesystem can be unmounted" S umount /workspaces/t
no "t is stale" "Stale" A touch /mnt/t/more
no "removed twice" "not exported" C remove t 1
for run in a/1 b/1 c/2; do ok "remove $run" C remove ${run/\// }; done
is "no folder left" /workspaces S 'cd /proc/$(cat /run/engine.pid)/fd && for fd in *; do [ "$(readlink $fd)" = / ] && [ -d $fd/workspaces ] && [ ! -d $fd/proc ] && find $fd/ -mindepth 1 -printf "/%P\n"; done'
is "nothing was said" "" S cat /run/err
if [ $failed != 0 ]; then
	echo "export engine: $failed failed"
	exit 1
fi
echo "export engine: all good"
