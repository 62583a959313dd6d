#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building, checking, testing and running need on Debian 12 and 13: what is missing, nothing else.
#
#   deps.sh [build] [check] [test] [bench] [run]      the first three by default
#   deps.sh list GROUP...                             says what it would look for
set -euo pipefail

# a|b: the first that is installed, otherwise the first that the archive has.
build_packages=(gcc make pkg-config libc6-dev libmount-dev libnl-3-dev libnl-genl-3-dev libnl-route-3-dev libtirpc-dev
	libcap-ng-dev libseccomp-dev libuv1-dev libjansson-dev libssl-dev libcurl4-openssl-dev
	libmicrohttpd-dev musl-dev)
check_packages=(clang clang-format clang-tidy cppcheck mandoc shellcheck
	'libclang-rt-dev|libclang-rt-19-dev')
test_packages=(libcriterion-dev python3 openssl nghttp2-proxy busybox-static cpio kmod xz-utils e2fsprogs xfsprogs iproute2 nftables strace
	util-linux procps debian-archive-keyring)
# What a node needs that gets the programs made elsewhere, on the same release.
run_packages=(libmount1 libnl-3-200 libnl-genl-3-200 libnl-route-3-200 libjansson4 'libtirpc3t64|libtirpc3' 'libuv1t64|libuv1'
	'libssl3t64|libssl3' 'libcurl4t64|libcurl4' 'libmicrohttpd12t64|libmicrohttpd12')
# What the measurements alone need: plots, and the launcher's peers.
bench_packages=(gnuplot-nox python3 util-linux bubblewrap firejail crun debian-archive-keyring)
# Debian 12's own QEMU is not reliable with newer kernels: kernels.sh unpacks a newer one there.
grep -q '^VERSION_CODENAME=bookworm' /etc/os-release || test_packages+=(qemu-system-x86)

say() { printf '%s\n' "$*" >&2; }
die() {
	say "deps: $*"
	exit 1
}

available() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }

# What of the wanted packages is missing, one a line.
missing() {
	local want name names present have
	IFS='|' read -ra names <<<"$(IFS='|' && echo "$*")"
	have=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "${names[@]}" 2>/dev/null || true)"
	for want; do
		present=
		IFS='|' read -ra names <<<"$want"
		for name in "${names[@]}"; do
			case $have in *" installed:$name "*) present=1 ;; esac
		done
		[ -n "$present" ] || echo "$want"
	done
}

choose() {
	local names name
	IFS='|' read -ra names <<<"$1"
	for name in "${names[@]}"; do
		if available "$name"; then
			echo "$name"
			return
		fi
	done
	die "no package ${1//|/ or } in this machine's apt sources"
}

main() {
	local group wanted=() lacking want install=() root=() list=
	case ${1-} in -h | --help) sed -n 's/^#   \(deps.sh .*\)/usage: \1/p' "${BASH_SOURCE[0]}" && exit ;; esac
	[ "${1-}" != list ] || { list=yes && shift; }
	command -v dpkg-query apt-get >/dev/null || die "this is not Debian: install by hand: ${build_packages[*]}"
	[ $# -gt 0 ] || set -- build check test
	for group; do
		case $group in
		build) wanted+=("${build_packages[@]}") ;;
		check) wanted+=("${check_packages[@]}") ;;
		test) wanted+=("${test_packages[@]}") ;;
		bench) wanted+=("${bench_packages[@]}") ;;
		run) wanted+=("${run_packages[@]}") ;;
		*)
			say "deps: unknown group '$group': one of build, check, test, bench, run"
			exit 2
			;;
		esac
	done
	[ -z "$list" ] || { printf '%s\n' "${wanted[@]}" && return; }
	mapfile -t lacking < <(missing "${wanted[@]}")
	[ ${#lacking[@]} -gt 0 ] || return 0
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || die "needs root or sudo to install: ${lacking[*]//|*/}"
		root=(sudo)
		"${root[@]}" -n true 2>/dev/null || [ -t 0 ] || die "sudo asks for a password and there is no terminal; to install: ${lacking[*]//|*/}"
	fi
	available "${lacking[0]%%|*}" || "${root[@]}" apt-get -q update >/dev/null || die "apt-get update failed"
	for want in "${lacking[@]}"; do install+=("$(choose "$want")"); done
	say "deps: installing ${install[*]}"
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 \
		install --no-install-recommends "${install[@]}" >/dev/null || die "apt-get could not install ${install[*]}"
}
main "$@"
