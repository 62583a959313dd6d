#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench needs its programs where another user can reach them.
#
#   bench.sh KORA-LAUNCH FOLDER-OF-PROGRAMS OUTPUT.json [ROUNDS]
set -eu
out=$(realpath -m "$3")
dir=$(mktemp -d /var/lib/kora-bench.XXXXXX)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
mkdir "$dir/bin"
cp "$1" "$2/bench" "$2/static-true" "$dir/bin/"
"$dir/bin/bench" "$dir/bin/kora-launch" "$out" "${4:-500}"
