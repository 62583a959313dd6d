# SPDX-License-Identifier: Apache-2.0
# A loop of writes and looks in a mount whose server falls silent, and then the run is deleted: the mount
# is gone at once, no program of ours is stuck in the kernel.
# shape: netns
. "$here/kora.sh"
nodes
daemons
share demo
spawn agent 'cd /; while :; do echo x >>/workspaces/demo/sandbox/x; stat /workspaces/demo/sandbox/x >/dev/null; echo in >/run/loop; done'
wait_on agent 20 '[ -s /run/loop ]'
cut sandbox $PORT
step "the run is deleted while the server is silent"
on agent "timeout $(seconds 15) kora-mountctl release demo"
equal "the mount is gone" "" "$(mounted_at demo)"
equal "ours in D state" "" "$(on agent "ps -eo stat=,comm= | grep '^D.*kora' || true")"
check "the daemon answers" on agent kora-mountctl status --timeout 2
