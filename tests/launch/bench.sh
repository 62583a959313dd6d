#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench needs its programs where another user can reach them, and peers to compare with: those that are
# installed (integration/deps.sh bench), and below build/bench a setpriv that knows Landlock where the
# machine's does not.
#
#   bench.sh KORA-LAUNCH FOLDER-OF-PROGRAMS OUTPUT [ROUNDS]      writes OUTPUT.json and OUTPUT.svg
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath -m "$3")
build=${B:-build}
[[ $build == /* ]] || build=$PWD/$build

die() {
	echo "bench: $*" >&2
	exit 1
}

newer_setpriv() {
	[ ! -e "$build/bench/setpriv" ] || return 0
	# shellcheck source=integration/apt.sh
	. "$here/../../integration/apt.sh"
	tmp=$(mktemp -d "$build/bench/setpriv.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	apt_suites trixie
	apt_unpack "$tmp" util-linux libc6 libcap-ng0
	chmod 755 "$tmp"
	[ ! -x "$tmp/usr/bin/setpriv" ] || mv "$tmp" "$build/bench/setpriv"
}

if ! setpriv --help | grep -q landlock; then
	(newer_setpriv) || echo "bench: no newer setpriv" >&2
	if [ -d "$build/bench/setpriv" ]; then export NEWER=$build/bench/setpriv; fi
fi

dir=$(mktemp -d /var/lib/kora-bench.XXXXXX)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
mkdir "$dir/bin"
cp "$1" "$2/bench" "$2/static-true" "$2/musl-true" "$2/floor" "$dir/bin/"
# Before everything else on the machine: the work is measured, not the wait for a processor.
first=()
if chrt -f 10 true 2>/dev/null; then first=(chrt -f 10); fi
# crun refuses the two hierarchies that some machines still have side by side.
# shellcheck disable=SC2016
"${first[@]}" unshare --mount --propagation private sh -c '
	[ -e /sys/fs/cgroup/cgroup.controllers ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup || true
	exec "$@"' sh "$dir/bin/bench" "$dir/bin/kora-launch" "$dir/measures" "${4:-500}"
"$here/../../integration/bench/report" "$dir" "$out" "launcher on Linux $(uname -r)"
