# SPDX-License-Identifier: Apache-2.0
# The server is gone while processes wait for it: within the deadline its mounts are cut off, every
# process gets its error and can end, and nothing stays in the way. When it is back, so are the mounts.
#
#   sandbox ✗ (packets dropped, or power cut) ──▶ agent: read, write, stat, open, cwd blocked
#
# shape: netns two-vm
# timeout: 240
. "$here/kora.sh"
[ "$SHAPE" = netns ] || enough 6.1 7.x
nodes
daemon sandbox
daemon agent --lost-after 8
share demo
share second
on sandbox 'head -c 50M /dev/zero >/workspaces/local/demo/big'

lose() { if [ "$SHAPE" = two-vm ]; then power_off sandbox; else cut sandbox $PORT; fi; }

# The processes of a harness, each in the way of another system call.
block() {
	on agent 'mkdir -p /run/blocked; rm -f /run/blocked/*'
	spawn agent 'cd /workspaces/demo/sandbox; until [ -e /run/blocked/go ]; do sleep 0.05; done
		echo $$ >/run/blocked/cwd.pid; ls . >/dev/null 2>&1; echo $? >/run/blocked/cwd.end'
	spawn agent 'exec 8</workspaces/demo/sandbox/big; until [ -e /run/blocked/go ]; do sleep 0.05; done
		echo $$ >/run/blocked/read.pid; cat <&8 >/dev/null 2>&1; echo $? >/run/blocked/read.end'
	spawn agent 'exec 8>/workspaces/demo/sandbox/written; until [ -e /run/blocked/go ]; do sleep 0.05; done
		echo $$ >/run/blocked/write.pid; dd if=/dev/zero bs=64k count=16 conv=fsync >&8 2>/dev/null; echo $? >/run/blocked/write.end'
	spawn agent 'until [ -e /run/blocked/go ]; do sleep 0.05; done; sleep 1.5
		echo $$ >/run/blocked/stat.pid; stat /workspaces/demo/sandbox/big >/dev/null 2>&1; echo $? >/run/blocked/stat.end'
	spawn agent 'until [ -e /run/blocked/go ]; do sleep 0.05; done
		echo $$ >/run/blocked/open.pid; cat /workspaces/demo/sandbox/never-seen >/dev/null 2>&1; echo $? >/run/blocked/open.end'
	wait_on agent 20 '[ $(ls /workspaces/demo/sandbox | grep -c written) = 1 ]'
}

step "a launcher that waits for the mount starts at once"
launch() { echo "kora-launch --profile runtime --run demo --uid 10001 --landlock-min 1 --wait-mount /workspaces/demo/sandbox $*"; }
on agent "$(launch --timeout 60 -- sh -c "'head -c 1 sandbox/big | wc -c'")" | grep -qx 1 || fail "it cannot read"

step "processes are at work, one sits in what was replaced, then the server is gone"
block
share third
on sandbox 'echo text >/workspaces/local/third/read'
spawn agent 'cd /workspaces/third/sandbox && exec 7<read && cat <&7 >/dev/null && echo in >/run/inside && exec sleep 1002'
wait_on agent 20 '[ -s /run/inside ]'
serve third second
attach third second
wait_on agent 20 'grep -q " /workspaces/third/sandbox .*/workspaces/third/second " /proc/self/mountinfo'
lose
on agent touch /run/blocked/go

step "who looks is told that it is silent, a launcher that waits, too"
wait_on agent 20 'kora-mountctl runs | grep -q "ready .* server 10.20.0.1:20490 silent since .* cut off after 8 s"'
said=$(on agent "$(launch --timeout 2 -- true) 2>&1; echo exit \$?")
grep -q 'not ready after 2 s: nfs4 10.20.0.1:.* is mounted there but does not answer' <<<"$said" || fail "it says: $said"
grep -qx 'exit 124' <<<"$said" || fail "it says: $said"

step "within the deadline the mounts are cut off"
wait_on agent 40 '! grep -q " - nfs4 " /proc/self/mountinfo'
on agent 'kora-mountctl describe demo' | grep -q 'cut off: server 10.20.0.1:20490 unreachable since' || fail "no word of it: $(on agent kora-mountctl describe demo)"
on agent kora-mountctl status | grep -q '^lost server *10.20.0.1:20490 silent for ' || fail "no word of it: $(on agent kora-mountctl status)"
step "every process has its end, and none is stuck in the kernel"
wait_on agent 20 '[ $(ls /run/blocked/*.end | wc -l) = 5 ]'
equal "processes in D state" "" "$(on agent "ps -eo stat=,args= | grep '^D' || true")"
on agent 'for end in /run/blocked/*.end; do echo "$end $(cat $end)"; done'

step "who sat in what was replaced can be killed"
on agent 'pkill -KILL -f "sleep 100[2]"'
wait_on agent 20 '! pgrep -f "sleep 100[2]"'
on agent 'kora-mountctl release third'

step "the log: a line when it fell silent, one when it was lost, not more"
equal "lines" "1 1" "$(on agent "echo \$(grep -c event=server-silent $LOG) \$(grep -c event=server-lost $LOG)")"

step "the server is back: mounted anew"
if [ "$SHAPE" = two-vm ]; then
	power_on sandbox
	wait_on agent 60 "ping -c 1 -W 1 $S"
	daemon sandbox
	folder demo
	folder second
	serve demo first
	serve second first
else
	heal sandbox
fi
wait_on agent 60 '[ $(grep -c " /workspaces/.* - nfs4 " /proc/self/mountinfo) = 2 ]'
as 10001 agent 'echo back >/workspaces/demo/sandbox/back'
equal "on the sandbox node" back "$(on sandbox cat /workspaces/local/demo/back)"
equal "the run" ready "$(state_of agent demo)"
equal "routing rules left" 0 "$(on agent "ip rule | grep -c 'proto 75' || true")"

step "silent for a while: nothing is said of it when it answers"
if [ "$SHAPE" = netns ]; then
	lose
	wait_on agent 40 'kora-mountctl describe demo | grep -q "^fault .* since "'
	heal sandbox
	wait_on agent 60 '! kora-mountctl runs | grep -q " since "'
	equal "the run" ready "$(state_of agent demo)"
fi

step "a release while the server is silent does not wait for the deadline"
lose
on agent 'timeout 30 kora-mountctl release second'
equal "the mount is gone" "" "$(mounted_at second)"
[ "$SHAPE" = two-vm ] || heal sandbox
