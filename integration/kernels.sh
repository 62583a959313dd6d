#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's own cloud kernels, and on Debian 12 a QEMU that boots them reliably: fetched by package
# name, unpacked below build/, never installed. A second call does nothing and needs no network.
#
#   kernels.sh [6.1|6.12|7.x ...]      KORA_MIRROR=<archive URI> names another Debian archive
#   kernels.sh --known [NAME ...]      fails where one is none of these
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/common.sh"
. "$here/apt.sh"

# Modules are decompressed: busybox and old kmod cannot read .ko.xz, and it saves time in the guest.
install_kernel() {
	local kernel=$1 tmp=$2 version modules
	modules=$(find "$tmp" -type d -path '*/lib/modules/*' -name kernel -printf '%h\n' | head -n 1)
	[ -n "$modules" ] || die "$kernel: no modules in the packages"
	version=${modules##*/}
	mkdir -p "$tmp/out/lib/modules"
	mv "$(find "$tmp" \( -name "vmlinuz-$version" -o -path "*/$version/vmlinuz" \) -type f | head -n 1)" "$tmp/out/vmlinuz"
	mv "$modules" "$tmp/out/lib/modules/"
	find "$tmp/out" -name '*.ko.xz' -print0 | xargs -0r xz -d
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$tmp/out" "$version"
	echo "$version" >"$tmp/out/version"
	mkdir -p "$build/kernels"
	mv "$tmp/out" "$build/kernels/$kernel"
}

# try KERNEL SUITE PATTERN...: the newest package of each pattern; fails when the suite lacks one.
# Patterns after the first take the version found by the first: @ stands for it.
try() {
	local kernel=$1 suite=$2 name version tmp pattern names=()
	shift 2
	apt_suites "$suite"
	name=$(apt_newest "$1")
	[ -n "$name" ] || return 1
	names=("$name")
	version=${name#linux-*-}
	for pattern in "${@:2}"; do names+=("${pattern//@/$version}"); done
	say "kernels: $kernel: unpacking ${names[*]} ($suite)"
	tmp=$(mktemp -d "$build/kernel.XXXXXX")
	apt_unpack "$tmp" "${names[@]}"
	install_kernel "$kernel" "$tmp"
	rm -rf "$tmp"
}

fetch_kernel() {
	case $1 in
	6.1) try 6.1 bookworm 'linux-image-6\.1\.[0-9.-]+-cloud-amd64' ;;
	6.12) try 6.12 trixie 'linux-image-6\.12\.[0-9]+.*-cloud-amd64' ||
		try 6.12 bookworm-backports 'linux-image-6\.12\.[0-9]+.*-cloud-amd64' ;;
	7.x) try 7.x trixie-backports 'linux-binary-7\.[0-9]+.*-cloud-amd64' linux-modules-@ linux-base-@ ||
		try 7.x sid 'linux-binary-7\.[0-9]+.*-cloud-amd64' linux-modules-@ linux-base-@ ;;
	esac || die "$1: no such kernel in the archive"
}

# QEMU 7.2 (Debian 12) panics newer guests at random under TCG.
fetch_qemu() {
	local tmp
	[ "$(codename)" = bookworm ] || return 0
	[ ! -e "$build/qemu" ] || return 0
	say "kernels: unpacking qemu-system-x86 (bookworm-backports)"
	apt_suites bookworm bookworm-backports
	tmp=$(mktemp -d "$build/qemu.XXXXXX")
	apt_unpack_missing "$tmp" -t bookworm-backports qemu-system-x86 qemu-system-data
	chmod 755 "$tmp"
	mv "$tmp" "$build/qemu"
}

main() {
	local kernel
	case ${1-} in -h | --help) usage && exit ;; esac
	if [ "${1-}" = --known ]; then
		known_kernels "${@:2}"
		return
	fi
	known_kernels "$@"
	lock kernels
	trap 'rm -rf "$build"/kernel.?????? "$build"/qemu.?????? "$build"/apt/debs.??????' EXIT
	[ $# -gt 0 ] || set -- "${KERNELS[@]}"
	for kernel; do
		[ -e "$build/kernels/$kernel" ] || fetch_kernel "$kernel"
	done
	fetch_qemu
}
main "$@"
