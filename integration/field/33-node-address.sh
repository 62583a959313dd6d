# SPDX-License-Identifier: Apache-2.0
# A server is named by its node's address and by nothing that could become another node.
# shape: netns
. "$here/kora.sh"
nodes
daemons
for server in sandbox sandbox.local 10.20.0.0/24 127.0.0.1.example 0.0.0.0 fe80::1; do
	status=0
	SERVER=$server attach demo first --no-wait >/dev/null 2>&1 || status=$?
	[ $status -ne 0 ] || fail "$server was taken"
done
share demo
equal "the mount names the address" "nfs4 $S:/workspaces/demo/first" "$(mounted_at demo)"
