# SPDX-License-Identifier: Apache-2.0
# The network is away for longer than a lease: what nobody else wanted meanwhile is still the agent's,
# its lock among it.
#
#   sandbox ✗ ✓ ──▶ agent: lock
#
# shape: netns
# timeout: 120
. "$here/kora.sh"
nodes
daemon sandbox --lease 10
daemon agent --lost-after 300
share demo
spawn agent 'exec 9>/workspaces/demo/sandbox/lock; flock -x 9; echo in >/run/in
	until [ -e /run/go ]; do sleep 0.2; done
	dd if=/dev/zero bs=1 count=1 conv=fsync,notrunc >&9 2>/dev/null; echo $? >/run/said'
wait_on agent 20 '[ -s /run/in ]'
cut agent $PORT
wait_on sandbox 40 'grep -q "seconds from last renew: [23][0-9]" /run/kora-sandbox-mount/nfsd/clients/*/info'
heal agent
on agent touch /run/go
wait_on agent 60 '[ -s /run/said ]'
equal "the write under the lock" 0 "$(on agent cat /run/said)"
refuse "a client was expired" on sandbox "grep -q event=client- $LOG"
