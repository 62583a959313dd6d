# SPDX-License-Identifier: Apache-2.0
# Sourced by every script here: where things are, how to say things.
# shellcheck shell=bash
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")
build=${KORA_BUILD:-$top/build}
KORA_SLOW=${KORA_SLOW:-1}
KERNELS=(6.1 6.12 7.x) # their names, everywhere

say() { printf '%s\n' "$*" >&2; }
die() {
	say "${0##*/}: $*"
	exit 1
}

# wrong WORDS...: the command line is, or a variable of the environment; nothing has been done.
wrong() {
	say "${0##*/}: $*"
	exit 2
}

# usage: the lines of the caller's head that say how it is called.
usage() { sed -n "s|^#   \\(\\([a-z]*/\\)\\?${0##*/}\\( .*\\)\\?\\)\$|usage: \\1|p" "$0"; }

# takes LEAST MOST ARGUMENT...: of a script without options: so many arguments, or --help.
takes() {
	case ${3-} in
	-h | --help) usage && exit ;;
	-*) wrong "unknown option $3 ($(usage))" ;;
	esac
	[ $(($# - 2)) -ge "$1" ] || wrong "$(usage)"
	[ $(($# - 2)) -le "$2" ] || wrong "one argument too many: '${*: -1}' ($(usage))"
}

# has_value OPTION [VALUE ...]: as the options are parsed.
has_value() { [ $# -gt 1 ] || wrong "$1 needs a value ($(usage))"; }

is_kernel() {
	local kernel
	for kernel in "${KERNELS[@]}"; do [ "$kernel" != "$1" ] || return 0; done
	return 1
}

# known_kernels NAME...: before anything is fetched, built or booted for one that is none.
known_kernels() {
	local kernel
	for kernel; do is_kernel "$kernel" || wrong "unknown kernel '$kernel': one of ${KERNELS[*]}"; done
}

# whole_number WHOSE VALUE MIN [MAX]: before anything is done with it.
whole_number() {
	local max=${4:-999999999999999999}
	[[ $2 =~ ^(0|[1-9][0-9]{0,17})$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$max" ] ||
		wrong "$1 '$2' is not a whole number from $3 to $max"
}
whole_number KORA_SLOW "$KORA_SLOW" 1 100

# One at a time: two callers must not fill the same cache.
lock() {
	mkdir -p "$build"
	exec 9>"$build/.$1.lock"
	flock 9
}
unlock() { exec 9>&-; }
