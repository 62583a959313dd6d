# SPDX-License-Identifier: Apache-2.0
# Sandbox and agent are deleted at the same moment, KORA_ROUNDS (50) times: nothing is left on either node.
# shape: netns
# timeout: 1200
. "$here/kora.sh"
nodes
daemons
for ((round = 1; round <= ${KORA_ROUNDS:-50}; round++)); do
	share demo "n$round"
	as 10001 agent 'echo x >/workspaces/demo/sandbox/x'
	on sandbox "timeout $(seconds 30) kora-mountctl release demo" &
	on agent "timeout $(seconds 30) kora-mountctl release demo"
	wait $!
	equal "round $round: the mount is gone" "" "$(mounted_at demo)"
	check "round $round: the folder can be deleted" on sandbox rm -r /workspaces/local/demo
	equal "round $round: what the server remembers" "" "$(on sandbox 'cat /proc/fs/nfsd/clients/*/states 2>/dev/null' || true)"
done
equal "runs that are known" "" "$(on sandbox 'kora-mountctl runs -o json | grep incarnation || true')"
