# SPDX-License-Identifier: Apache-2.0
# Below a mountpoint without its mount nothing can be written, and nothing is.
# shape: netns
. "$here/kora.sh"
nodes
daemons
share demo
on agent kora-mountctl release demo
refuse "the harness writes below it" as 10001 agent 'touch /workspaces/demo/sandbox/lost'
equal "below it" "" "$(on agent ls -A /workspaces/demo/sandbox)"
