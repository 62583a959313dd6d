# SPDX-License-Identifier: Apache-2.0
# KORA_RUNS (1,000) runs, the daemon killed half-way: every filesystem number is another, and stays.
# shape: netns
# timeout: 1200
. "$here/kora.sh"
nodes
daemon sandbox
runs=${KORA_RUNS:-1000}
# exports FROM TO
exports() {
	on sandbox "cd /var/lib/kora-sandbox-mount/specs; for ((i = $1; i <= $2; i++)); do
		mkdir -p /workspaces/local/r\$i
		printf '{\"kind\":\"export\",\"run\":\"r%d\",\"incarnation\":\"one\",\"volume\":\"/workspaces/local\",\"folder\":\"r%d\",\"clients\":[\"$A\"],\"uid\":10001,\"gid\":10001}' \$i \$i >.new
		mv .new r\$i.json
	done"
	wait_on sandbox 300 "[ \$(kora-mountctl runs | grep -cw ready) = $2 ]"
}
# numbers TO: run and filesystem number, as a client is told; the inode number before it is the folder's.
numbers() {
	on agent "raw_client $S $PORT walk \$(seq -f /workspaces/r%g/one $1)" | awk '{ print NR, substr($2, length($2) - 31) }'
}
exports 1 $((runs / 2))
numbers $((runs / 2)) >"$CASE_DIR/before"
daemon_end sandbox KILL
daemon sandbox
exports $((runs / 2 + 1)) "$runs"
numbers "$runs" >"$CASE_DIR/after"
equal "numbers that are told" "$runs" "$(awk 'length($2) == 32' "$CASE_DIR/after" | wc -l)"
equal "distinct numbers" "$runs" "$(awk '{ print $2 }' "$CASE_DIR/after" | sort -u | wc -l)"
check "they stay" diff "$CASE_DIR/before" <(head -n $((runs / 2)) "$CASE_DIR/after")
