# SPDX-License-Identifier: Apache-2.0
# The folder is deleted and made anew at the same place: its next incarnation shows, without a restart.
# shape: netns
. "$here/kora.sh"
nodes
daemons
share demo
as 10001 agent 'echo old >/workspaces/demo/sandbox/old'
on sandbox 'rm -rf /workspaces/local/demo'
folder demo
on sandbox 'echo anew >/workspaces/local/demo/id'
serve demo second
attach demo second
equal "the new folder" "id" "$(on agent ls /workspaces/demo/sandbox)"
as 10001 agent 'echo x >/workspaces/demo/sandbox/x'
equal "one mount" 1 "$(on agent "grep -c ' /workspaces/demo/sandbox ' /proc/self/mountinfo")"
