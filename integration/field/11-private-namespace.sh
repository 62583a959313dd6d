# SPDX-License-Identifier: Apache-2.0
# Somebody holds the mount in a mount namespace of its own: a release is not held up, nor the folder.
# shape: netns
. "$here/kora.sh"
nodes
daemons
share demo
spawn agent 'exec unshare -m --propagation private bash -c "exec 7>/workspaces/demo/sandbox/held; echo \$\$ >/run/holder; exec sleep 1000"'
wait_on agent 20 '[ -s /run/holder ]'
on agent "timeout $(seconds 20) kora-mountctl release demo"
equal "the mount is gone" "" "$(mounted_at demo)"
on sandbox "timeout $(seconds 30) kora-mountctl release demo"
check "the folder can be deleted" on sandbox rm -r /workspaces/local/demo
equal "held on the server" "" "$(on sandbox 'cat /proc/fs/nfsd/clients/*/states 2>/dev/null | grep -v revoked || true')"
check "the holder is killable" on agent 'kill -9 $(cat /run/holder)'
wait_on agent 10 '! kill -0 $(cat /run/holder)'
