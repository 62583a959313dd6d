#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Links that a confined program leaves behind for the next start must open nothing.
. "$(dirname "$0")/lib.sh"

mkdir -p "$W/ws/r/home" "$W/ws/b" "$W/plain/home" "$W/granted"
echo "b's secret" > "$W/ws/b/secret"
tmp=$(mktemp -d /tmp/kora-launch.XXXXXX) && chmod 755 "$tmp"
trap 'rm -rf "$tmp"; cleanup' EXIT
chown -R 10001:10001 "$W/ws/r" "$W/ws/b" "$W/plain/home" "$W/granted" "$tmp"

# with_home HOME ARG...: as run, but root stays writable, as on a host.
with_home() {
  local home=$1
  shift
  HOME=$home run --read-only-root=no "$@"
}

# relink PLACE TARGET: the confined program itself replaces its HOME.
relink() {
  rm -rf "$1" && mkdir "$1" && chown 10001:10001 "$1"
  with_home "$1" -- sh -c "rmdir '$1' && ln -s '$2' '$1'"
  [ -L "$1" ] && return
  rmdir "$1" && ln -s "$2" "$1" # Landlock kept it from that; a program outside can
  chown -h 10001:10001 "$1"
}

refused() { # WHAT HOW
  exits "$1" 125
  says "$1" "$2"
  lacks "$1" "b's secret"
}

for home in "$tmp/home" "$W/ws/r/home"; do
  relink "$home" "$W/ws/b"
  with_home "$home" -- cat "$W/ws/b/secret"
  refused "HOME $home that became a link to another run" "granted path $home"
  for target in "$W/ws/b" "$W/ws" /; do # the last two can't be written, so HOME is another
    relink "$home" "$target"
    with_home "$home" -- cat "$W/ws/b/secret"
    lacks "HOME $home that became a link to $target" "b's secret"
    with_home "$home" --best-effort -- cat "$W/ws/b/secret"
    lacks "HOME $home that became a link to $target, best effort" "b's secret"
  done
  relink "$home" "$W/ws"
  with_home "$home/b" -- cat "$W/ws/b/secret"
  refused "HOME below a link $home" "granted path $home/b"
  relink "$home" "$W/ws/b"
  for option in --work --read --tmpdir --home; do
    run --read-only-root=no $option "$home" -- cat "$W/ws/b/secret"
    refused "$option $home that became a link" "granted path $home"
  done
  run --read-only-root=no --read "-$home" -- cat "$W/ws/b/secret"
  lacks "an optional grant that became a link" "b's secret"
done
relink "$tmp/home" "$W/ws/b"
HOME=/$tmp/home run --read-only-root=no -- cat "$W/ws/b/secret"
lacks "HOME with two slashes" "b's secret"

# Where the program can't have made the link, it is followed, and what it leads to decides.
ln -s "$W/ws/b" "$W/alias"
ln -s "$W/ws" "$W/all"
ln -s "$W/ws/b/secret" "$W/file"
ln -s plain/home "$W/image-home"
for option in --read --work --unix; do
  run $option "$W/alias" -- cat "$W/ws/b/secret"
  refused "$option of a link to another run" "$W/alias opens another run's workspace: $W/ws/b"
done
run --read "$W/file" -- cat "$W/ws/b/secret"
refused "a link to a file of another run" "$W/file opens another run's workspace: $W/ws/b/secret"
run --read "$W/all" -- cat "$W/ws/b/secret"
refused "a link to all workspaces" "$W/all opens every workspace"
run --read "$W/alias" --best-effort -- cat "$W/ws/b/secret"
lacks "a link to another run, best effort" "b's secret"
run --read "$W/ws/b" -- cat "$W/ws/b/secret"
refused "another run by name" "$W/ws/b opens another run's workspace"
run --read "$W/ws/r/sandbox" -- true
exits "the own workspace by name" 0
HOME=$W/image-home run -- sh -c 'echo "$HOME"; touch "$HOME/x"'
exits "HOME that is the image's link" 0
says "HOME that is the image's link" "$W/image-home"

# The workspaces under another name.
mkdir "$W/second" && mount --bind "$W/ws" "$W/second"
run --read "$W/second/b" -- cat "$W/ws/b/secret"
refused "another run through another mount" "opens another run's workspace"
run --read "$W/second" -- cat "$W/ws/b/secret"
refused "all workspaces through another mount" "opens every workspace"
run --read "$W/second/b/secret" -- cat "$W/ws/b/secret"
refused "another run's file through another mount" "opens another run's workspace"
run --best-effort --read "$W/second/b/secret" --read "$W/second/b" --read "$W/second/b/secret" -- cat "$W/ws/b/secret"
lacks "another run through another mount, again and again, best effort" "b's secret"
umount "$W/second"

# Links of the system below a place that can be written.
ln -s /etc/hostname "$W/granted/link"
bare --uid 10001 --landlock-min 1 --work / --chdir / --read-only-root=no -- sh -c 'cat /etc/passwd'
says "--work / keeps the system's links working" "root:"
finish
