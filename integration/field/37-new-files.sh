# SPDX-License-Identifier: Apache-2.0
# A name that was looked up before it existed is there at once; a changed size within a second (two, and
# the machine's own slowness).
# shape: netns
. "$here/kora.sh"
nodes
daemons
share demo
refuse "nothing there yet" on agent test -e /workspaces/demo/sandbox/x
as 10001 sandbox 'echo 1 >/workspaces/local/demo/x'
check "it is there at once" on agent test -e /workspaces/demo/sandbox/x
equal "its size" 2 "$(on agent stat -c %s /workspaces/demo/sandbox/x)"
as 10001 sandbox 'echo 23456 >/workspaces/local/demo/x'
wait_on agent 2 '[ $(stat -c %s /workspaces/demo/sandbox/x) = 6 ]'
equal "an open sees it at once" 23456 "$(on agent cat /workspaces/demo/sandbox/x)"
