# SPDX-License-Identifier: Apache-2.0
# The chart and the examples, as they are, on a real Kubernetes: both pods start, the agent sees the sandbox's file,
# the DaemonSet is rolled during its write loop, either pod can be deleted, and after a drain nothing is left.
#
#   host: etcd, API server, controllers, scheduler
#   machines: kubelet, sandbox-node-1 ══ NFS ══▶ kubelet, agent-node-1
#
# shape: two-vm
# timeout: 1800
# shellcheck shell=bash disable=SC2154
. "$here/kora.sh"
. "$here/e2e/control-plane.sh"
export KORA_MEMORY=${KORA_MEMORY:-2G} KORA_PROCESSORS=${KORA_PROCESSORS:-2}
# shellcheck disable=SC2034
MORE=(-drive "file=$kube/disk.img,format=raw,if=virtio,readonly=on"
	-netdev user,id=api,net=10.96.0.0/24,host=10.96.0.1,dns=10.96.0.3 -device virtio-net-pci,netdev=api,romfile=)
manifests=$kube/manifests

# shows SECONDS 'what kubectl is asked' 'grep expression': until its answer has that.
shows() {
	local end=$((SECONDS + $(seconds "$1")))
	# shellcheck disable=SC2086
	until grep -Eq -- "$3" <<<"$(kubectl $2 2>&1)"; do
		[ $SECONDS -lt $end ] || fail "not within $1 s: kubectl $2: $3: $(kubectl $2 2>&1 | tail -n 3)"
		sleep 0.5
	done
}
# deleted POD: and gone while kubelet's patience lasts.
deleted() {
	local begin=$SECONDS
	kubectl delete pod -n tenant-a "$1" --wait=false
	shows 90 "get pod -n tenant-a $1" NotFound
	say "$1 was gone after $((SECONDS - begin)) s"
}
rolled() { kubectl rollout status daemonset -n kora-system kora-sandbox-mount --timeout="$(seconds 300)s"; }
nfs_mounts() { on agent "grep ' - nfs4 ' /proc/self/mountinfo | awk '{ print \$(NF - 1) }' | sort -u | wc -l"; }
heard() { on agent 'cat /var/log/pods/tenant-a_runtime-0_*/harness-4f2a/*.log 2>/dev/null' | sed 's/^[^ ]* [^ ]* [FP] //'; }
round() { heard | sed -n 's/^round //p' | tail -n 1; }

step "control plane and two machines"
nodes
control_plane
for node in sandbox agent; do
	on $node 'mkdir /kube && mount -o ro /dev/vdb /kube && ip address add 10.96.0.15/24 dev eth1 && ip link set eth1 up'
	spawn $node "/kube/bin/kube-host 10.244.$((${#node} - 4)).0/24 && touch /run/kube-host.done"
done
for node in sandbox agent; do
	wait_on $node 240 '[ -e /run/kube-host.done ]'
	on $node /kube/bin/kube-node $node-node-1 "${NODE_ADDRESSES[$node]%%/*}"
done
shows 240 "get nodes" 'sandbox-node-1 +Ready'
shows 240 "get nodes" 'agent-node-1 +Ready'

step "the chart"
kubectl apply -f "$manifests/cluster.yaml"
# This server does not know maxSurge yet, and leaves it out.
kubectl apply --validate=false -n kora-system -f "$manifests/chart.yaml"
wait_for 60 'kubectl get pods -n kora-system -o name | grep pod/'
rolled
kubectl get pods -n kora-system -o wide

step "the agent, then the sandbox"
kubectl apply -f "$manifests/workspaces-pvc.yaml"
kubectl cordon sandbox-node-1
kubectl apply -f "$manifests/runtime-pod.yaml"
shows 60 "get pod -n tenant-a runtime-0 -o wide" agent-node-1
kubectl uncordon sandbox-node-1
kubectl cordon agent-node-1
kubectl apply -f "$manifests/sandbox-pod.yaml"
wait_for 240 'grep -q "^sees from the sandbox" <<<"$(heard)"'
shows 60 "get pod -n tenant-a sandbox-4f2a -o wide" '1/1 +Running .* 1/1'
shows 60 "get pod -n tenant-a sandbox-4f2a -o jsonpath={.status.conditions}" '"reason":"Mounted","status":"True","type":"kora.dev/SandboxMountReady"'
equal "NFS mounts" 1 "$(nfs_mounts)"

step "the DaemonSet is rolled during a write loop"
before=$(round)
kubectl rollout restart daemonset -n kora-system kora-sandbox-mount
rolled
after=$(round)
wait_for 60 '[ "$(round)" -gt $((after + 5)) ]'
say "rounds $before to $(round)"
equal "errors of the write loop" "" "$(heard | grep ERROR || true)"
equal "NFS mounts" 1 "$(nfs_mounts)"

step "the sandbox is deleted"
deleted sandbox-4f2a
wait_for 30 '[ "$(nfs_mounts)" = 0 ]'
kubectl apply -f "$manifests/sandbox-pod.yaml"
shows 240 "get pod -n tenant-a sandbox-4f2a -o yaml" 'reason: Mounted'
equal "NFS mounts" 1 "$(nfs_mounts)"
step "the agent is deleted"
deleted runtime-0
wait_for 30 '[ "$(nfs_mounts)" = 0 ]'
shows 60 "get pod -n tenant-a sandbox-4f2a -o yaml" 'reason: (Unmounted|WaitingForRuntimePod)'
deleted sandbox-4f2a
kubectl get events -n tenant-a -o custom-columns=AT:.lastTimestamp,REASON:.reason,OBJECT:.involvedObject.name,MESSAGE:.message
for reason in SandboxExported SandboxMounted SandboxUnmounted; do
	shows 5 "get events -n tenant-a" $reason
done

step "drain, then uninstall"
kubectl apply --validate=false -n kora-system -f "$manifests/drain.yaml"
rolled
equal "threads of the NFS server" 0 "$(on sandbox 'cat /run/kora-sandbox-mount-nfsd/threads || echo 0')"
kubectl delete -n kora-system -f "$manifests/drain.yaml"
shows 90 "get pods -n kora-system" 'No resources'
wait_for 30 '[ "$(nfs_mounts)" = 0 ]'
