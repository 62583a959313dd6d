# SPDX-License-Identifier: Apache-2.0
# The life of many sandboxes as the cluster's pods tell it: made, replaced, deleted, failed, refused; a node is lost.
# The pods of the daemon are replaced meanwhile, and a write loop sees no error.
#
#   API server ◀── watch ─▶ daemon, sandbox ═══ runs ═══▶ agent, daemon ◀─ watch ──▶ API server
#
# 20 runs, on one kernel; KORA_PODS=all (make kubernetes-scenarios): 50, in both shapes on all of them.
#
# shape: netns two-vm
# timeout: 400
[ "$SHAPE.$KERNEL" = netns.6.12 ] || [ "${KORA_PODS-}" = all ] || skip "make kubernetes-scenarios"
. "$here/kubernetes.sh"
n=20
[ "${KORA_PODS-}" != all ] || n=50
replaced=$((n / 5)) ended=$((n * 3 / 5)) failed=$((n * 3 / 5 + 1))
nodes
cluster_up
DAEMON_OPTIONS=--lost-after=5
for node in sandbox agent; do
	host $node
	pod_up $node
done
pod_ready sandbox
pod_ready agent

# sandboxes FORMAT FIRST LAST: pods, each of the run of its number.
sandboxes() {
	local i words=()
	# shellcheck disable=SC2059
	for ((i = $2; i <= $3; i++)); do words+=("sandbox $(printf "$1" "$i") run-$i sandbox agent"); done
	# shellcheck disable=SC2046
	empty_dirs $(seq -f "${1/\%d/%g}" "$2" "$3")
	cluster "${words[@]}"
}
# cluster_each WORD FORMAT FIRST LAST
cluster_each() {
	local words
	mapfile -t words < <(seq -f "$1 $2" "$3" "$4")
	cluster "${words[@]}"
}
# shows FORMAT FIRST LAST: each run shows its own pod's folder.
shows() {
	on agent "for i in \$(seq $2 $3); do
		[ \"\$(cat /workspaces/a/run-\$i/sandbox/id)\" = \$(printf $1 \$i) ] || { echo \"run-\$i shows \$(cat /workspaces/a/run-\$i/sandbox/id)\"; exit 1; }; done"
}
kernel_exports() { on sandbox "grep -c '^/.*(rw' /proc/net/rpc/nfsd.export/content || true"; }
nfs_mounts() { on agent "grep -c ' /workspaces/a/.* - nfs4 ' /proc/self/mountinfo || true"; }

step "$n sandboxes and their agent"
cluster "runtime runtime agent"
sandboxes s%d 1 $n
cluster_says 90 $n "told True Mounted"
shows s%d 1 $n
equal "NFS mounts" $n "$(nfs_mounts)"
equal "exports in the kernel" $n "$(kernel_exports)"
step "the pods of the daemon are replaced during a write loop"
put agent /root/loop <<'LOOP'
n=0
while [ ! -e /run/stop ]; do
	n=$((n + 1))
	echo $n >/workspaces/a/run-1/sandbox/n && [ "$(cat /workspaces/a/run-1/sandbox/n)" = $n ] || echo "round $n failed" >>/run/failed
	echo $n >/run/round
done
LOOP
spawn agent 'exec bash /root/loop 2>>/run/failed'
wait_on agent 20 '[ -s /run/round ]'
rounds() { on agent "r=\$(cat /run/round); i=0; until [ \$(cat /run/round) -ge \$((r + 3)) ]; do sleep 0.05; i=\$((i + 1)); [ \$i -lt $((1200 * KORA_SLOW)) ] || exit 1; done" || fail "the loop stands still after $now"; }
for node in agent sandbox; do
	now="the end of $node's pod"
	pod_down $node
	rounds
	pod_up $node
	pod_ready $node
	now="the start of $node's pod"
	rounds
done
on agent 'touch /run/stop'
equal "failures in $(on agent cat /run/round) rounds" "" "$(on agent 'cat /run/failed' 2>/dev/null)"
equal "NFS mounts" $n "$(nfs_mounts)"

step "$replaced are replaced, and the older ones of both deleted afterwards"
sandboxes t%d 1 $replaced
cluster_says 60 $replaced "told True Mounted t"
shows t%d 1 $replaced
cluster_each delete s%g 1 $replaced
cluster_each remove s%g 1 $replaced

step "$((ended - replaced)) end: the agent lets go first"
cluster_each delete s%g $((replaced + 1)) $ended
cluster_says 60 $((ended - replaced)) "told False Unmounted s"
equal "NFS mounts" $((n - ended + replaced)) "$(nfs_mounts)"
cluster_each remove s%g $((replaced + 1)) $ended
wait_on sandbox 30 "[ \$(kora-mountctl runs | grep -c 'run-[0-9]') = $((n - ended + replaced)) ]"

step "one fails, one is refused"
cluster "fail s$failed" "sandbox u1 Run_60 sandbox agent"
cluster_says 30 1 "told False Unmounted s$failed"
cluster_says 30 1 "told False InvalidRun u1"
cluster_says 30 1 "events SandboxMountRefused u1"
cluster "remove u1" "remove s$failed"

step "a sandbox's folder is deleted behind everybody's back"
on sandbox "rm -rf /var/lib/kubelet/pods/uid-s$((failed + 1))/volumes"
cluster_says 30 1 "events SandboxExportLost s$((failed + 1))"
cluster_says 60 1 "events SandboxMountStale s$((failed + 1))"
cluster_says 30 1 "told False Retrying s$((failed + 1))"
empty_dirs s$((failed + 1))
cluster_says 60 0 "told False Retrying"

step "the sandbox's node is lost"
cut agent 20490
cluster_says 60 yes "has SandboxMountForcedOff"
cluster "lose sandbox"
wait_on agent 60 '! grep -q " - nfs4 " /proc/self/mountinfo'
heal agent
cluster_each delete s%g $((failed + 1)) $n
cluster_each remove s%g $((failed + 1)) $n
cluster_each remove t%g 1 $replaced
wait_on sandbox 60 '! kora-mountctl runs | grep -q "run-[0-9]"'
wait_on agent 60 '! kora-mountctl runs | grep -q "run-[0-9]"'

step "nothing is left"
equal "mounts of the agent" 0 "$(on agent "grep -c 'run-[0-9]*/sandbox' /proc/self/mountinfo || true")"
equal "exports in the kernel" 0 "$(kernel_exports)"
equal "specs left" "" "$(on sandbox 'ls /var/lib/kora-sandbox-mount/specs')"
check "kubelet can delete the folders" on sandbox 'rm -rf /workspaces/kubelet/pods/*'
for reason in SandboxExported SandboxMounted SandboxUnmounted; do
	check "$reason" test "$(cluster "events $reason")" -gt 0
done
say "events: $(cluster reasons)"
