#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A Kubernetes from Debian 12: etcd, containerd, runc and kubectl are its packages; API server, controllers,
# scheduler and kubelet are built from its source package, which has them but makes no packages of them.
# Once, into build/kubernetes/bin; ten minutes on two cores. Nothing is installed.
#
#   programs.sh
set -euo pipefail
here_e2e=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
. "$here_e2e/../common.sh"
takes 0 0 "$@"
. "$here_e2e/../apt.sh"
out=$build/kubernetes
suite=bookworm
built=(kube-apiserver kube-controller-manager kube-scheduler kubelet)

unpack() {
	say "kubernetes: unpacking etcd, containerd, runc, kubectl and the source ($suite)"
	apt_suites $suite
	apt_unpack "$tmp/packages" etcd-server containerd runc kubernetes-client containernetworking-plugins
	apt_unpack "$tmp/tools" golang-1.19-go golang-1.19-src golang-github-modern-go-reflect2-dev
	apt_sources
	mkdir "$tmp/source"
	(cd "$tmp" && apt-get "${APT[@]}" source --download-only kubernetes) >"$tmp/source.log" 2>&1 || {
		tail -n 5 "$tmp/source.log" >&2
		die "cannot download the source of kubernetes"
	}
	tar -xf "$tmp"/kubernetes_*.orig.tar.gz -C "$tmp/source" --strip-components=1
}

# The API server's vendored reflect2 crashes when built with this Go.
compile() {
	local vendored=$tmp/source/vendor/github.com/modern-go/reflect2 go=$tmp/tools/usr/lib/go-1.19
	say "kubernetes: building ${built[*]}: ten minutes"
	rm -rf "$vendored"
	cp -r "$tmp/tools/usr/share/gocode/src/github.com/modern-go/reflect2" "$vendored"
	# All that their build asks of rsync is to copy a file.
	mkdir "$tmp/bin"
	printf '#!/bin/sh\nexec cp -p "$2" "$3"\n' >"$tmp/bin/rsync"
	chmod +x "$tmp/bin/rsync"
	printf '%s\n' KUBE_GIT_COMMIT=none KUBE_GIT_TREE_STATE=archive KUBE_GIT_VERSION=v1.20.2 KUBE_GIT_MAJOR=1 KUBE_GIT_MINOR=20 >"$tmp/version"
	env GOROOT="$go" PATH="$go/bin:$tmp/bin:$PATH" HOME="$tmp/home" GOPATH="$tmp/gopath" GOFLAGS=-p=2 CGO_ENABLED=0 \
		KUBE_GIT_VERSION_FILE="$tmp/version" MAKEFLAGS= MAKELEVEL= \
		make -C "$tmp/source" GOLDFLAGS='-s -w' WHAT="$(printf 'cmd/%s ' "${built[@]}")" >"$out/build.log" 2>&1 || {
		grep -v 'parse.go' "$out/build.log" | tail -n 20 >&2
		die "kubernetes does not build: $out/build.log"
	}
}

main() {
	local name
	lock kubernetes
	[ ! -e "$out/bin" ] || return 0
	mkdir -p "$out" "$build/apt"
	tmp=$(mktemp -d "$build/kubernetes.XXXXXX")
	trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
	mkdir "$tmp/home" "$tmp/done"
	unpack
	compile
	for name in "${built[@]}"; do cp -L "$tmp/source/_output/bin/$name" "$tmp/done/"; done
	cp "$tmp"/packages/usr/bin/{etcd,containerd,containerd-shim-runc-v2,ctr,kubectl} "$tmp/packages/usr/sbin/runc" "$tmp/done/"
	mkdir "$tmp/done/cni"
	cp "$tmp"/packages/usr/lib/cni/{bridge,host-local,loopback} "$tmp/done/cni/"
	mv "$tmp/done" "$out/bin"
}
main "$@"
