#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The disk that both machines of the test cluster have, read-only: programs, images, certificates. The control plane's
# certificates and all manifests are put beside it.
#
#   disk.sh OUTPUT      after programs.sh, make image and make chart
set -euo pipefail
here_e2e=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
. "$here_e2e/../common.sh"
takes 1 1 "$@"
output=$1
root=$(mktemp -d "$build/kubernetes/disk.XXXXXX")
trap 'rm -rf "$root"' EXIT

libraries() {
	local file
	mkdir "$root/lib"
	for file in "$root"/bin/* "$root"/bin/cni/*; do
		{ ldd "$file" 2>/dev/null || true; } | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
	done | sort -u | while read -r file; do cp -L "$file" "$root/lib/"; done
}

# image NAME UID ENTRYPOINT PATH=FILE...: an image of these files alone.
image() {
	local name=$1 uid=$2 entrypoint=$3 pair tree
	shift 3
	tree=$(mktemp -d "$root/tree.XXXXXX")
	for pair; do install -D -m 755 "${pair#*=}" "$tree${pair%%=*}"; done
	"$top/daemonset/oci.sh" "$root/images/${name##*/}.tar" "$name" "$uid:$uid" "$entrypoint" "$tree"
	rm -rf "$tree"
}

images() {
	mkdir "$root/images"
	cp "$build"/oci/kora-sandbox-mount-*.tar "$root/images/"
	${CC:-gcc} -std=gnu17 -D_GNU_SOURCE -O2 -Wall -Wextra -static -s -o "$root/pods" "$here_e2e/pods.c"
	image kora/pause:1 65534 /pause /pause="$root/pods"
	image kora/kora-base:1.0.0 10001 /usr/bin/sandbox-exec \
		/usr/bin/sandbox-exec="$root/pods" /usr/local/bin/kora-launch="$build/kora-launch"
	image kora/agent-runtime:1.0.0 10001 /app/harness \
		/app/harness="$root/pods" /usr/local/bin/kora-launch="$build/kora-launch"
	rm "$root/pods"
}

# certificate NAME SUBJECT [EXTENSION]
certificate() {
	(cd "$root/pki" && openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -out "$1.csr" -subj "$2" &&
		openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out "$1.crt" \
			-extfile <(echo "${3-extendedKeyUsage=clientAuth}")) 2>/dev/null
}

# kubeconfig NAME SERVER: for the user of that certificate, which lies beside it.
kubeconfig() {
	cat >"$root/pki/$1.conf" <<-END
		apiVersion: v1
		kind: Config
		current-context: e2e
		clusters: [{name: e2e, cluster: {server: "https://$2:443", certificate-authority: ca.crt}}]
		users: [{name: $1, user: {client-certificate: $1.crt, client-key: $1.key}}]
		contexts: [{name: e2e, context: {cluster: e2e, user: $1}}]
	END
}

pki() {
	local node
	mkdir "$root/pki"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$root/pki/ca.key" -out "$root/pki/ca.crt" \
		-days 30 -subj /CN=e2e 2>/dev/null
	openssl genrsa -out "$root/pki/accounts.key" 2048 2>/dev/null
	certificate apiserver /CN=kube-apiserver \
		'subjectAltName=IP:10.96.0.1,IP:127.0.0.1,DNS:kubernetes,DNS:kubernetes.default.svc'
	certificate admin /O=system:masters/CN=admin
	for node in sandbox-node-1 agent-node-1; do
		certificate $node /O=system:nodes/CN=system:node:$node
		kubeconfig $node 10.96.0.1
	done
	kubeconfig admin 127.0.0.1
}

# render FILE OPTION...: the chart as it is, for the oldest Kubernetes it is for.
render() {
	local file=$1
	shift
	"$build/helm/helm4" template kora-sandbox-mount "$top/daemonset/chart" --namespace kora-system --kube-version 1.25.0 \
		--set 'node.workspaceRoots={/srv/workspaces}' "$@" >"$root/manifests/$file"
}

manifests() {
	mkdir "$root/manifests"
	render chart.yaml
	render drain.yaml --set sandboxMount.drain=true
	cp "$top"/daemonset/examples/*.yaml "$here_e2e/cluster.yaml" "$root/manifests/"
}

mkdir "$root/bin"
cp -r "$build"/kubernetes/bin/{kubelet,containerd,containerd-shim-runc-v2,ctr,runc,cni} "$here_e2e"/guest/* "$root/bin/"
libraries
images
pki
manifests
rm -rf "$build"/kubernetes/{pki,manifests}
mv "$root/manifests" "$build/kubernetes/"
cp -r "$root/pki" "$build/kubernetes/"
rm -f "$root"/pki/{ca.key,accounts.key,ad*,ap*,*.csr}
rm -f "$output"
truncate -s 700M "$output.new"
PATH=$PATH:/usr/sbin:/sbin mke2fs -q -t ext4 -m 0 -O ^has_journal -d "$root" "$output.new"
mv "$output.new" "$output"
