# SPDX-License-Identifier: Apache-2.0
# The tombstone, on every kernel: a lost server's place is taken for this node's NFS client alone, so
# that its return is noticed even while a process sits in a mount that was cut off; a killed worker is
# replaced; nothing of the routing is left, whoever is killed.
#
#   sandbox ✗ ✓ ──▶ agent: cwd in the mount, writer blocked, no shutdown
#
# shape: netns
# timeout: 300
. "$here/kora.sh"
enough 6.1 7.x
nodes
daemon sandbox
daemon agent --lost-after 6 --mask-rung shutdown
share demo
rules() { on agent 'ip rule; ip -6 rule; ip route show table 20490 2>/dev/null' | grep -c 'proto 75' || true; }

step "a process sits inside, another writes"
spawn agent 'cd /workspaces/demo/sandbox && echo in >/run/inside && exec sleep 1000'
spawn agent 'exec 8>/workspaces/demo/sandbox/log; echo in >/run/writing; while dd if=/dev/zero bs=4k count=1 conv=fsync >&8 2>/dev/null; do sleep 0.1; done; echo ended >/run/writer.end'
wait_on agent 20 '[ -s /run/inside ] && [ -s /run/writing ]'

step "the server is lost: the writer has its error"
cut sandbox $PORT
wait_on agent 60 "grep -q event=server-lost $LOG"
wait_on agent 30 '[ -s /run/writer.end ]'
equal "the mount is gone" "" "$(mounted_at demo)"
[ "$(rules)" -gt 0 ] || fail "no tombstone stands"

step "its worker is killed: another one stands"
on agent 'pkill -KILL -x tombstone'
wait_on agent 30 'pgrep -x tombstone'

step "the server is back, while the process still sits inside"
heal sandbox
wait_on agent 120 'kora-mountctl wait demo --timeout 1'
as 10001 agent 'echo back >/workspaces/demo/sandbox/back'
equal "routing left" 0 "$(rules)"

step "the daemon is killed with a tombstone standing: the next one takes the routing away"
spawn agent 'exec 9>/workspaces/demo/sandbox/held; echo in >/run/holding; exec sleep 1001'
wait_on agent 20 '[ -s /run/holding ]'
cut sandbox $PORT
wait_on agent 60 '[ $(grep -c event=server-lost '$LOG') = 2 ]'
wait_on agent 20 'pgrep -x tombstone'
daemon_end agent KILL
daemon agent --lost-after 6 --mask-rung shutdown
equal "routing left" 0 "$(rules)"

step "… and has one of its own, though nothing is mounted: who sits in what was cut off can end"
wait_on agent 60 'pgrep -x tombstone'
on agent 'pkill -KILL -f "sleep 100[01]"'
wait_on agent 30 '! pgrep -f "sleep 100[01]"'
heal sandbox
wait_on agent 120 'kora-mountctl wait demo --timeout 1'
equal "routing left" 0 "$(rules)"
