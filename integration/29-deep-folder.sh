# SPDX-License-Identifier: Apache-2.0
# A folder too deep to be walked by descriptors ends like any other.
#
#   sandbox ──▶ agent
#
# shape: netns
# timeout: 150
. "$here/kora.sh"
nodes
daemon sandbox --mask-rung unlock-export --mask-rung unlock-filesystem
daemon agent
share demo
step "a deep folder ends like any other"
share other
on sandbox 'cd /workspaces/local/demo; for ((i = 0; i < 600; i++)); do mkdir d && cd d; done'
spawn agent 'exec 8>>/workspaces/demo/sandbox/held 9>>/workspaces/other/sandbox/held; touch /run/holds; sleep 1000'
wait_on agent 20 'test -e /run/holds'
on sandbox kora-mountctl release demo --timeout 40
equal "the other goes on" first "$(on agent 'echo first >/workspaces/other/sandbox/file && cat /workspaces/other/sandbox/file')"
