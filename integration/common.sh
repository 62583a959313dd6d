# SPDX-License-Identifier: Apache-2.0
# Sourced by every script here: where things are, how to say things.
# shellcheck shell=bash
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")
build=${KORA_BUILD:-$top/build}
KORA_SLOW=${KORA_SLOW:-1}
KERNELS=(6.1 6.12 7.x)

say() { printf '%s\n' "$*" >&2; }
die() {
	say "${0##*/}: $*"
	exit 1
}

# One at a time: two callers must not fill the same cache.
lock() {
	mkdir -p "$build"
	exec 9>"$build/.$1.lock"
	flock 9
}
unlock() { exec 9>&-; }
