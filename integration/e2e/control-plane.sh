# SPDX-License-Identifier: Apache-2.0
# Sourced: etcd, API server, controllers and scheduler on this host, in the network and process namespaces of their
# own that `make e2e-kubernetes` begins with. The machines reach the API server at the address of the cluster's own
# service, 10.96.0.1:443, by way of QEMU's user network, whose host that is.
# shellcheck shell=bash disable=SC2154
kube=$build/kubernetes

plane_start() {
	local name=$1
	shift
	"$kube/bin/$name" "$@" >"$CASE_DIR/$name.log" 2>&1 </dev/null 8>&- &
}

control_plane() {
	local data=$CASE_DIR/plane
	ip link set lo up
	plane_start etcd --data-dir "$data/etcd" --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 \
		--advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
	(
		cd "$kube/pki" || exit
		plane_start kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address=127.0.0.1 --secure-port=443 \
			--advertise-address=10.96.0.1 --service-cluster-ip-range=10.96.0.0/24 --authorization-mode=Node,RBAC \
			--enable-admission-plugins=NodeRestriction --allow-privileged=true --client-ca-file=ca.crt \
			--tls-cert-file=apiserver.crt --tls-private-key-file=apiserver.key --cert-dir="$data/apiserver" \
			--service-account-issuer=https://kubernetes.default.svc --service-account-key-file=accounts.key \
			--service-account-signing-key-file=accounts.key
		wait_for 120 'kubectl get --raw /readyz'
		plane_start kube-controller-manager --kubeconfig=admin.conf --leader-elect=false --root-ca-file=ca.crt \
			--cert-dir="$data/controllers" --service-account-private-key-file=accounts.key
		plane_start kube-scheduler --kubeconfig=admin.conf --leader-elect=false --cert-dir="$data/scheduler"
	)
}

kubectl() { "$kube/bin/kubectl" --kubeconfig "$kube/pki/admin.conf" "$@"; }
