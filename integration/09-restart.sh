# SPDX-License-Identifier: Apache-2.0
# The daemon is killed and started again on either side, and nfsd itself is stopped and started,
# during a loop of writes and reads: not one I/O error.
#
#   sandbox: daemon ✗ ✓, nfsd ✗ ✓ ──▶ agent: write loop, daemon ✗ ✓
#
# shape: netns two-vm
# timeout: 200
. "$here/kora.sh"
[ "$SHAPE" = netns ] || enough 6.1
nodes
daemons
share demo

put agent /root/loop <<'LOOP'
n=0
while [ ! -e /run/stop ]; do
	n=$((n + 1))
	echo $n >/workspaces/demo/sandbox/n && [ "$(cat /workspaces/demo/sandbox/n)" = $n ] || echo "round $n failed" >>/run/failed
	echo $n >/run/round
done
LOOP
spawn agent 'exec bash /root/loop 2>>/run/failed'

# rounds N: so many more rounds of the loop are done.
rounds() { on agent "r=\$(cat /run/round); i=0; until [ \$(cat /run/round) -ge \$((r + $1)) ]; do sleep 0.05; i=\$((i + 1)); [ \$i -lt $((1200 * KORA_SLOW)) ] || exit 1; done" || fail "the loop stands still after: $now"; }
now="its start"
wait_on agent 20 '[ -s /run/round ]'
rounds 3

for node in sandbox agent; do
	for signal in KILL TERM; do
		now="$signal of $node's daemon"
		step "$now"
		daemon_end $node $signal
		rounds 5
		daemon $node
		wait_on $node 20 'kora-mountctl describe demo -o json | tr -d " \n" | grep -q "\"state\":\"ready\""'
		rounds 5
	done
done

now="the stop of nfsd behind a new daemon's back"
step "$now"
daemon_end sandbox KILL
daemon sandbox
wait_on sandbox 20 'kora-mountctl runs | grep demo | grep -qw ready'
on sandbox 'echo 0 >/proc/fs/nfsd/threads'
wait_on sandbox 30 '[ $(cat /proc/fs/nfsd/threads) -gt 0 ]'
rounds 5

now="the restart of nfsd"
step "$now"
on sandbox 'n=$(cat /proc/fs/nfsd/threads); echo 0 >/proc/fs/nfsd/threads; kill -HUP $(cat /run/kora.pid)'
daemon_end sandbox TERM
daemon sandbox
rounds 5

on agent touch /run/stop
equal "failures in $(on agent cat /run/round) rounds" "" "$(on agent 'cat /run/failed' 2>/dev/null)"
equal "one mount" 1 "$(on agent "grep -c ' /workspaces/demo/sandbox ' /proc/self/mountinfo")"

step "what is held since a former daemon is taken back"
share held
spawn agent 'exec 3>/workspaces/held/sandbox/open; echo >/run/opened; exec sleep infinity'
wait_on agent 20 '[ -e /run/opened ]'
on sandbox 'cat /proc/fs/nfsd/clients/*/states' | grep -q 'held/open' || fail "it is not held"
daemon_end sandbox KILL
daemon sandbox
wait_on sandbox 20 'kora-mountctl runs | grep held | grep -qw ready'
on sandbox 'kora-mountctl release held --timeout 60'
equal "what clients hold" "" "$(on sandbox 'cat /proc/fs/nfsd/clients/*/states 2>/dev/null | grep held/ || true')"
