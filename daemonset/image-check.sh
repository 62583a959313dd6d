#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks image archives: digests, what is and is not in them, and that the programs start in them.
#
#   image-check.sh MOUNT-ARCHIVE LAUNCH-ARCHIVE VERSION TOOLS PROGRAM...
set -uo pipefail
mount_archive=$1 launch_archive=$2 version=$3 tools=$4
shift 4
programs=("${@##*/}")
here=$(realpath "${BASH_SOURCE[0]%/*}")
work=$(mktemp -d "${mount_archive%/*}/check.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

test_() {
	local what=$1 status=0
	shift
	"$@" >"$work/log" 2>&1 || status=$?
	case $status in
	0) echo "PASS  $what"; passed=$((passed + 1)) ;;
	77) echo "SKIP  $what: $(tail -n 1 "$work/log")"; skipped=$((skipped + 1)) ;;
	*) echo "FAIL  $what"; sed 's/^/      /' "$work/log" | tail -n 20; failed=$((failed + 1)) ;;
	esac
}

# Every blob is what its name says, every descriptor's blob is there in its size, every layer is its diff_id.
layout_is_sound() {
	local layout=$1 blob manifest config layers diffs n
	for blob in "$layout"/blobs/sha256/*; do
		echo "${blob##*/}  $blob" | sha256sum -c --quiet || return 1
	done
	grep -ohE '"digest":"sha256:[0-9a-f]{64}","size":[0-9]+' "$layout/index.json" "$layout"/blobs/sha256/* | tr -d '"' |
		while IFS=:, read -r _ _ hash _ size; do
			[ "$(stat -c %s "$layout/blobs/sha256/$hash")" = "$size" ] || { echo "$hash: size is not $size"; exit 1; }
		done || return 1
	manifest=$layout/blobs/sha256/$(grep -oE 'sha256:[0-9a-f]{64}' "$layout/index.json" | cut -d: -f2)
	config=$layout/blobs/sha256/$(grep -oE '"config":\{[^}]*' "$manifest" | grep -oE '[0-9a-f]{64}')
	mapfile -t layers < <(grep -oE '"layers":.*' "$manifest" | grep -oE '[0-9a-f]{64}')
	mapfile -t diffs < <(grep -oE '"diff_ids":\[[^]]*' "$config" | grep -oE '[0-9a-f]{64}')
	[ ${#layers[@]} -gt 0 ] && [ ${#layers[@]} = ${#diffs[@]} ] || { echo "${#layers[@]} layers, ${#diffs[@]} diff_ids"; return 1; }
	for ((n = 0; n < ${#layers[@]}; n++)); do
		[ "$(zcat "$layout/blobs/sha256/${layers[n]}" | sha256sum | cut -d' ' -f1)" = "${diffs[n]}" ] || { echo "layer $n is not its diff_id"; return 1; }
		echo "${layers[n]}" >>"$layout.layers"
	done
}

unpack() {
	local layer
	mkdir -p "$2" && while read -r layer; do tar -xzf "$1/blobs/sha256/$layer" -C "$2" --keep-directory-symlink || return; done <"$1.layers"
}

# Somebody else's reading of the same archive.
skopeo_reads() {
	command -v skopeo >/dev/null || { echo "skopeo is not installed"; return 77; }
	skopeo inspect "oci-archive:$1" >"$work/inspect" && grep -q '"Os": "linux"' "$work/inspect" && skopeo inspect --config "oci-archive:$1" >/dev/null
}
umoci_unpacks() {
	command -v umoci >/dev/null || { echo "umoci is not installed"; return 77; }
	rm -rf "$work/bundle"
	umoci unpack --image "$1:$version" "$work/bundle" && diff -r --no-dereference "$work/bundle/rootfs" "$2"
}

version_of() { [ "$(chroot "$1" "$2" --version)" = "${2##*/} $version" ] || { chroot "$1" "$2" --version; return 1; }; }

libraries_are_there() {
	local loader program
	loader=$(cd "$1" && ls lib64/ld-linux-x86-64.so.2 lib/ld-linux-aarch64.so.1 2>/dev/null | head -n 1)
	for program in "$1"/usr/sbin/kora-* "$1"/usr/bin/kora-*; do
		readelf -lW "$program" | grep -q INTERP || continue
		chroot "$1" "/$loader" --list "/${program#"$1"/}" >"$work/list" || { cat "$work/list"; return 1; }
		! grep 'not found' "$work/list" || return 1
	done
}

# Nothing that runs but ours and the dynamic loader; nothing that gives privileges or can be changed by others.
only_ours_runs() {
	local found
	found=$(cd "$1" && find usr/bin usr/sbin -mindepth 1 ! -name 'kora-*')
	[ -z "$found" ] || { echo "also there: $found"; return 1; }
	found=$(cd "$1" && find . -xdev \( -type f -perm /7000 -o ! -type l -perm -0002 ! -path ./tmp -o ! -type l ! -user 0 -o -type b -o -type c \))
	[ -z "$found" ] || { echo "modes, owners: $found"; return 1; }
}

# The same tree gives the same archive, byte by byte.
repeatable() {
	mkdir -p "$work/again" && cp -r "$work/launch.root" "$work/again/launch" &&
		SOURCE_DATE_EPOCH=$(stat -c %Y "$work/launch/oci-layout") "$here/oci.sh" "$work/again.tar" "kora/kora-launch:$version" 65532:65532 /kora-launch "$work/again/launch" &&
		cmp "$work/again.tar" "$launch_archive"
}

# The launcher's own arguments in the chart and the examples, with a program of ours in the other one's place.
# Places that volumes give are made, with the owners they get; the root is read-only.
posture_holds() {
	local which=$1 root=$work/posture program=$work/mount.root/usr/bin/kora-mountctl arguments=()
	[ -x "$tools/helm4" ] || { echo "no Helm: make chart fetches it"; return 77; }
	mapfile -t arguments < <(node "$here/tests/launcher-arguments.mjs" "$tools" "$work/helm" "$which")
	[ ${#arguments[@]} -gt 4 ] || { echo "no arguments"; return 1; }
	rm -rf "$root" && cp -a "$work/mount.root" "$root" || return 1
	mkdir -p "$root/run/kora-sandbox-mount" "$root/run/secrets/kubernetes.io/serviceaccount" "$root/volume" \
		"$root/workspaces/4f2a/sandbox" "$root/home/sandbox" "$root/app" && chown 10001:10001 "$root/volume" || return 1
	for path in usr/bin/kora-sandbox-watch usr/bin/sandbox-exec app/harness; do
		[ -e "$root/$path" ] || cp "$program" "$root/$path" || return 1
	done
	unshare --mount --propagation private "$here/tests/in-container" "$which" "$root" "${arguments[@]}" >"$work/said" || return 1
	grep "$version" "$work/said"
}

watch_works() {
	[ -x "$work/mount.root/usr/bin/kora-sandbox-watch" ] || { echo "kora-sandbox-watch is not in it"; return 77; }
	[ -x "$tools/helm4" ] || { echo "no Helm: make chart fetches it"; return 77; }
	rm -rf "$work/watch" && cp -a "$work/mount.root" "$work/watch" &&
		node "$here/tests/watch-in-image.mjs" "$tools" "$work/helm" "$work/watch"
}

for pair in "mount $mount_archive" "launch $launch_archive"; do
	read -r kind archive <<<"$pair"
	mkdir "$work/$kind" && tar -xf "$archive" -C "$work/$kind" || { echo "FAIL  $archive cannot be read"; echo "0 passed, 1 failed"; exit 1; }
	test_ "$kind image: digests and sizes" layout_is_sound "$work/$kind"
	test_ "$kind image: layers unpack" unpack "$work/$kind" "$work/$kind.root"
	test_ "$kind image: skopeo reads it" skopeo_reads "$archive"
	test_ "$kind image: umoci unpacks the same" umoci_unpacks "$work/$kind" "$work/$kind.root"
done
for program in "${programs[@]}"; do
	for place in sbin bin; do
		[ ! -e "$work/mount.root/usr/$place/$program" ] || test_ "$program --version" version_of "$work/mount.root" "/usr/$place/$program"
	done
	test_ "$program is in it" test -x "$(ls "$work"/mount.root/usr/{s,}bin/"$program" 2>/dev/null)"
done
test_ "no library is missing" libraries_are_there "$work/mount.root"
test_ "only our programs" only_ours_runs "$work/mount.root"
test_ "the launcher's image is the launcher" test "$(cd "$work/launch.root" && find . -mindepth 1)" = ./kora-launch
test_ "the same tree gives the same archive" repeatable
test_ "kora-launch --version, alone" version_of "$work/launch.root" /kora-launch
for which in watch sandbox-pod runtime-pod; do
	test_ "kora-launch as in the $([ $which = watch ] && echo chart || echo example) ($which)" posture_holds $which
done
test_ "the watch works in it, confined as in the chart" watch_works
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
