# SPDX-License-Identifier: Apache-2.0
# For the launcher's scripts: plain-line checks, a work folder, and the launcher as most tests use it.
# shellcheck shell=bash disable=SC2034

set -u
LAUNCH=$(realpath "${1:?usage: $0 KORA-LAUNCH PROBE}")
PROBE=$(realpath "${2:?usage: $0 KORA-LAUNCH PROBE}")
PROBES=$(dirname "$PROBE")
passed=0 failed=0
[ "$(id -u)" = 0 ] || { echo "this needs root, to become other users" >&2; exit 2; }

# Not below /tmp or /dev/shm, which the sandbox profile grants.
W=$(mktemp -d "${KORA_TEST_DIR:-/var/lib}/kora-launch.XXXXXX")
chmod 755 "$W"
mkdir -p "$W/ws/r/sandbox" "$W/ws/other" "$W/out"
chown -R 10001:10001 "$W/ws/r" "$W/ws/other"
chmod 700 "$W/ws/r" "$W/ws/other"

cleanup() {
  awk -v w="$W" 'index($5, w) == 1 { print $5 }' /proc/self/mountinfo | sort -r |
    while read -r m; do umount -l "$m"; done
  rm -rf "$W"
}
trap cleanup EXIT

ok() { passed=$((passed + 1)); echo "ok    $*"; }
fail() { failed=$((failed + 1)); echo "FAIL  $*"; }
skip() { echo "skip  $*"; }
finish() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }

# Run as uid 10001 in run r; $text has stdout and stderr, $code the exit status.
run() {
  text=$("$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min "${MIN:-1}" --exec "$PROBES" "$@" 2>&1 </dev/null)
  code=$?
}

# The same without a run and a user.
bare() {
  text=$("$LAUNCH" "$@" 2>&1 </dev/null)
  code=$?
}

# says WHAT PATTERN: the text has it. exits WHAT STATUS. lacks WHAT PATTERN.
says() {
  case $text in *"$2"*) ok "$1" ;; *) fail "$1: no '$2' in: $text" ;; esac
}
lacks() {
  case $text in *"$2"*) fail "$1: '$2' in: $text" ;; *) ok "$1" ;; esac
}
exits() { if [ "$code" = "$2" ]; then ok "$1: exit $2"; else fail "$1: exit $code, not $2: $text"; fi; }

# until_true SECONDS COMMAND...: wait on a condition with a deadline.
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" 2>/dev/null; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.02
  done
}

ABI=$("$LAUNCH" --verbose --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 -- true 2>&1 |
  sed -n 's/.*in force: landlock: ABI \([0-9]*\).*/\1/p')
ABI=${ABI:-0}
[ -n "$ABI" ] || ABI=0
echo "Landlock ABI $ABI"
