# SPDX-License-Identifier: Apache-2.0
# A lock of an agent node that lost its power: another client gets it within the lease and a margin.
#
#   sandbox 10.20.0.1 ──▶ agent 10.20.0.2 ✗, other 10.20.0.3
#
# shape: netns
# timeout: 200
. "$here/kora.sh"
nodes
node other 10.20.0.3/24
daemon sandbox --lease 10
daemon agent --lost-after 300
daemon other
folder demo
serve demo first demo --client 10.20.0.3
attach demo first
on other "kora-mountctl mount demo --incarnation first --server $S --volume /workspaces --uid 10001 --gid 10001"
spawn agent 'exec 9>/workspaces/demo/sandbox/lock; flock -x 9; echo in >/run/in; exec sleep 1000'
wait_on agent 20 '[ -s /run/in ]'
refuse "the lock is free" on other 'flock -n /workspaces/demo/sandbox/lock true'
cut agent $PORT
begin=$SECONDS
wait_on other 25 'flock -n /workspaces/demo/sandbox/lock true'
say "after $((SECONDS - begin)) s"
