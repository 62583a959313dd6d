# SPDX-License-Identifier: Apache-2.0
# The agent node is shut down while its server is silent: drain, and the daemon's end, are bounded.
# shape: netns
. "$here/kora.sh"
nodes
daemons
share demo
spawn agent 'cd /workspaces/demo/sandbox; echo in >/run/in; while :; do echo x >x; done'
wait_on agent 20 '[ -s /run/in ]'
cut sandbox $PORT
step "drain and stop"
on agent "timeout $(seconds 20) kora-mountctl drain"
refuse "a mount is left to wait for" on agent "grep ' - nfs4 ' /proc/self/mountinfo"
daemon_end agent TERM
