# SPDX-License-Identifier: Apache-2.0
# A rename between directories below the launcher's rules.
# shape: netns
. "$here/kora.sh"
nodes
daemons
share demo
kernel_at_least 5.19 || skip "Landlock allows it from 5.19 on"
on agent "setpriv --reuid 10001 --regid 10001 --clear-groups kora-launch --workspaces /workspaces --run demo --landlock-min 2 --best-effort -- \
	sh -c 'set -e; cd /workspaces/demo/sandbox; mkdir a b; touch a/f; mv a/f b/'"
check "it is there" on sandbox test -e /workspaces/local/demo/b/f
