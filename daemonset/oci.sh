#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes an OCI image archive: one layer for each file tree. The same trees give the same bytes.
#
#   oci.sh ARCHIVE NAME USER ENTRYPOINT TREE...
#
# SOURCE_DATE_EPOCH is the time of everything in it; the last commit's by default.
set -euo pipefail
umask 022
export LC_ALL=C
archive=$1 name=$2 user=$3 entrypoint=$4
shift 4
epoch=${SOURCE_DATE_EPOCH:-$(git -C "${BASH_SOURCE[0]%/*}" log -1 --format=%ct 2>/dev/null || echo 0)}
created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
work=$(mktemp -d "${archive%/*}/oci.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/blobs/sha256"

pack() {
	tar -c --format=posix --pax-option='exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime' --sort=name \
		--mtime="@$epoch" --owner=0 --group=0 --numeric-owner -C "$1" "${@:2}"
}

digest() { sha256sum "$1" | cut -d' ' -f1; }

# The file becomes a blob; prints its descriptor.
blob() {
	local hash
	hash=$(digest "$2")
	mv "$2" "$work/blobs/sha256/$hash"
	printf '{"mediaType":"%s","digest":"sha256:%s","size":%s%s}' "$1" "$hash" \
		"$(stat -c %s "$work/blobs/sha256/$hash")" "${3-}"
}

main() {
	local tree layers=() diffs=() history=() version=${name##*:} IFS=,
	for tree; do
		pack "$tree" . >"$work/layer.tar"
		diffs+=("\"sha256:$(digest "$work/layer.tar")\"")
		history+=("{\"created\":\"$created\",\"created_by\":\"${tree##*/}\"}")
		gzip -n -9 <"$work/layer.tar" >"$work/layer.gz"
		layers+=("$(blob application/vnd.oci.image.layer.v1.tar+gzip "$work/layer.gz")")
	done
	rm -f "$work/layer.tar"
	local labels="\"org.opencontainers.image.title\":\"${name%:*}\",\"org.opencontainers.image.version\":\"$version\""
	labels+=',"org.opencontainers.image.licenses":"Apache-2.0"'
	printf '{"created":"%s","architecture":"%s","os":"linux","config":{"User":"%s","Env":["PATH=/usr/sbin:/usr/bin"],"Entrypoint":["%s"],"WorkingDir":"/","Labels":{%s}},"rootfs":{"type":"layers","diff_ids":[%s]},"history":[%s]}' \
		"$created" "$(dpkg --print-architecture)" "$user" "$entrypoint" "$labels" "${diffs[*]}" "${history[*]}" >"$work/config"
	printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s,"layers":[%s],"annotations":{%s}}' \
		"$(blob application/vnd.oci.image.config.v1+json "$work/config")" "${layers[*]}" "$labels" >"$work/manifest"
	printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s]}' \
		"$(blob application/vnd.oci.image.manifest.v1+json "$work/manifest" \
			",\"annotations\":{\"io.containerd.image.name\":\"docker.io/$name\",\"org.opencontainers.image.ref.name\":\"$version\"}")" \
		>"$work/index.json"
	printf '{"imageLayoutVersion":"1.0.0"}' >"$work/oci-layout"
	pack "$work" blobs index.json oci-layout >"$archive.tmp"
	mv "$archive.tmp" "$archive"
}
main "$@"
