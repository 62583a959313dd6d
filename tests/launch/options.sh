#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every long option, by its effect on the program, and as a key of a configuration file.
# At the end the list of --help is compared with what was tested here.
. "$(dirname "$0")/lib.sh"

# Identity
run -- "$PROBE" attributes
exits "defaults" 0
says "--uid" "uid=10001 gid=10001 nnp=1"
says "no capability can come back" "bnd=0"
says "securebits are locked" "secbits=0xef"
says "no core dumps" "core=0 "
run --gid 10005 -- "$PROBE" attributes
says "--gid" "uid=10001 gid=10005"
run --groups 10006,10007 -- id -G
says "--groups" "10001 10006 10007"
bare --workspaces "$W/ws" --run r --uid 0 -- true
exits "--uid 0" 125
says "--uid 0 is refused" "uid 0 is not a restricted identity"
run --gid 0 -- true
says "--gid 0 is refused" "accept it with --allow-root-group"
run --gid 0 --allow-root-group -- id -g
says "--allow-root-group" "0"
bare --uid root -- true
says "names are not resolved" "use the number"
bare -- true
says "root without --uid" "started as root: --uid N is needed"

# Process attributes
run --umask 027 -- "$PROBE" attributes
says "--umask" "umask=027"
run --rlimit-nofile 100:200 -- "$PROBE" attributes
says "--rlimit-nofile" "nofile=100:200"
run --rlimit-nproc 77 -- "$PROBE" attributes
says "--rlimit-nproc" "nproc=77"
run --rlimit-fsize 4096 -- "$PROBE" attributes
says "--rlimit-fsize" "fsize=4096"
run --rlimit-fsize 4097:4096 -- true
says "soft above hard" "soft not above hard"
text=$("$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 --exec "$PROBES" --keep-fd 9 -- "$PROBE" fds 8</dev/null 9</dev/null 2>&1 </dev/null)
[ "$text" = "0 1 2 9 " ] && ok "--keep-fd" || fail "--keep-fd: $text"
run --keep-fd 33 -- true
says "--keep-fd that is not open" "--keep-fd 33: not open"
run --pdeathsig TERM -- "$PROBE" attributes
says "--pdeathsig" "pdeathsig=15"
run --setsid -- "$PROBE" attributes
says "--setsid" "session=1"
run --init --pdeathsig TERM -- true
says "contradiction" "--pdeathsig does not go with --init"
run --init --setsid -- "$PROBE" attributes
says "--init with --setsid" "session=1"
run --init -- sh -c 'exit 42'
exits "--init passes the status on" 42
run --init -- sh -c 'kill -9 $$'
exits "--init passes a signal on" 137
"$LAUNCH" --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 --init -- \
  sh -c 'echo $$ > pid.tmp && mv pid.tmp pid && exec sleep 60' >/dev/null 2>&1 </dev/null &
init=$!
until_true 10 test -e "$W/ws/r/sandbox/pid"
program=$(cat "$W/ws/r/sandbox/pid") && rm "$W/ws/r/sandbox/pid"
kill -9 $init
ended() { [ ! -e "/proc/$program" ] || grep -q '^State:.*Z' "/proc/$program/status"; }
if [ -n "$program" ] && until_true 10 ended; then ok "--init that is killed takes the program along"; else
  fail "--init that is killed leaves the program running"
  kill -9 "$program"
fi

# Places
run -- pwd
says "working directory" "$W/ws/r/sandbox"
run --chdir "$W/ws/r" -- pwd
says "--chdir" "$W/ws/r"
run --chdir / -- true
says "--chdir outside of what is granted" "working directory /: Permission denied (not granted"
run --chdir "$W/none" -- true
says "--chdir to what is not there" "working directory $W/none: No such file or directory (see --chdir)"
bare --workspaces "$W/ws" --run none --uid 10001 -- true
says "a run without a folder" "the run's folder $W/ws/none: No such file or directory (see --workspaces)"
run -- sh -c 'echo $HOME $TMPDIR $KORA_RUN'
says "HOME and TMPDIR" "$W/ws/r/sandbox $W/ws/r/sandbox/.tmp r"
mkdir -p "$W/out/home" && chown 10001 "$W/out/home"
run --home "$W/out/home" -- sh -c 'echo $HOME; touch $HOME/x'
says "--home" "$W/out/home"
exits "--home is granted" 0
run --work "$W/out/home" --tmpdir "$W/out/home/t" -- sh -c 'touch $TMPDIR/x && echo $TMPDIR'
exits "--tmpdir is made and granted" 0
run --profile runtime -- sh -c 'umask; echo $HOME $TMPDIR'
says "--profile runtime" "0077
$W/ws/r $W/ws/r/.tmp"
run --profile none --read-only-root=no --chdir "$W/ws/r" --exec /usr --exec -/lib --exec -/lib64 --exec -/bin -- cat /dev/null
says "--profile none grants nothing" "/dev/null: Permission denied"
bare --profile runtime --uid 10001 -- true
says "--profile runtime without run" "needs --run"
bare --workspaces "$W/ws" --run ../other --uid 10001 -- true
says "--run is a name" "a run is lower-case letters"
run --workspaces "$W/nowhere" -- true
says "--workspaces given twice" "option --workspaces is given twice"
bare --workspaces "$W/nowhere" --run r --uid 10001 -- true
exits "--workspaces that is missing" 125
ln -s other "$W/ws/link"
bare --workspaces "$W/ws" --run link --uid 10001 -- true
says "a run that is a link" "(a link is not followed)"

# HOME without a run: where this user can write, or none.
home() {
  text=$(cd /usr && HOME=$1 "$LAUNCH" --uid 10001 --landlock-min 1 "${@:2}" -- \
    sh -c 'echo "HOME=${HOME-unset}"; [ -z "${HOME-}" ] || { touch "$HOME/.kora-test" && rm "$HOME/.kora-test"; }' 2>&1 </dev/null)
  code=$?
}
for dir in /root "$W/no-home" / relative; do
  home "$dir"
  says "HOME=$dir can't be written" "HOME=/tmp"
  exits "HOME=$dir can't be written" 0
done
home "$W/out/home"
says "a HOME that can be written stays" "HOME=$W/out/home"
exits "a HOME that can be written stays" 0
home /root --chdir /usr --tmpdir "$W/out/home/t"
says "HOME is TMPDIR, not a working directory that can't be written" "HOME=$W/out/home/t"
exits "HOME is TMPDIR, not a working directory that can't be written" 0
none=(--profile none --read-only-root=no --exec /usr --exec -/lib --exec -/lib64 --exec -/bin)
home "$W/out/home" "${none[@]}"
says "--profile none: a HOME that is not granted is unset" "HOME=unset"
home "$W/out/home" "${none[@]}" --keep-env
says "--keep-env keeps no HOME that can't be written" "HOME=unset"
home "$W/out/home" "${none[@]}" --work "$W/out/home"
says "--profile none: a HOME that is granted stays" "HOME=$W/out/home"
exits "--profile none: a HOME that is granted stays" 0

# Environment
export KORA_TOKEN=hidden KORA_RUN=forged SECRET=2 LC_ALL=C FOO_A=3 FOO_B=4
run -- env
says "environment: allowed" "LC_ALL=C"
says "environment: the run is the launcher's word" "KORA_RUN=r"
lacks "environment: KORA_ is no pass" "hidden"
lacks "environment: not allowed" "SECRET"
run --env SECRET --env 'FOO_*' --env NEW=5 --env HOME=/h -- env
says "--env NAME" "SECRET=2"
says "--env PREFIX*" "FOO_B=4"
says "--env NAME=VALUE" "NEW=5"
says "--env replaces" "HOME=/h"
text=$(cd /usr && "$LAUNCH" --uid 10001 --landlock-min 1 -- env 2>&1 </dev/null)
lacks "environment: without a run there is no KORA_RUN" "forged"
run --keep-env -- env
says "--keep-env" "SECRET=2"

# Grants
mkdir -p "$W/out/g" && printf '#!/bin/sh\necho ran\n' > "$W/out/g/script" && chmod 755 "$W/out/g/script" && chmod 777 "$W/out/g"
run -- cat "$W/out/g/script"
says "nothing is granted by itself" "Permission denied"
run --read "$W/out/g" -- cat "$W/out/g/script"
says "--read" "echo ran"
run --read "$W/out/g" -- "$W/out/g/script"
exits "--read does not execute" 126
says "--read does not execute" "execution is not granted: add --exec"
run --exec "$W/out/g" -- "$W/out/g/script"
says "--exec" "ran"
run --exec "$W/out/g" -- touch "$W/out/g/new"
exits "--exec does not write" 1
run --write "$W/out/g" -- touch "$W/out/g/new"
exits "--write" 0
run --write "$W/out/g" -- "$W/out/g/script"
exits "--write does not execute" 126
run --work "$W/out/g" -- sh -c "touch $W/out/g/new2 && $W/out/g/script"
says "--work" "ran"
run --read relative -- true
says "relative path" "an absolute path without"
run --read /usr/../etc -- true
says "path with .." "an absolute path without"
run --read "$W/absent" -- true
says "required path" "granted path $W/absent: No such file or directory"
run --read "-$W/absent" -- "$PROBE" open /
says "optional path, still confined" "EACCES"
run --profile none --chdir "$W/ws/r" --device /dev/zero -- "$PROBE" open /dev/zero rw
says "--device" "ok"
run --work "$W" -- true
says "a grant that opens all workspaces" "opens every workspace"
mkfifo "$W/hold"
"$PROBE" unix-serve "$W/out/sock" < "$W/hold" > "$W/served" &
exec 7> "$W/hold"
until_true 10 grep -q ok "$W/served"
run -- "$PROBE" unix-connect "$W/out/sock"
if [ "$ABI" -ge 9 ]; then says "pathname socket is closed" "EACCES"; else says "pathname socket is open below ABI 9" "ok"; fi
run --unix "$W/out/sock" -- "$PROBE" unix-connect "$W/out/sock"
says "--unix" "ok"
exec 7>&-

# Ports
if [ "$ABI" -ge 4 ]; then
  run -- "$PROBE" tcp-bind 39301
  says "TCP bind is closed" "EACCES"
  run -- "$PROBE" tcp-bind 50051
  says "sandbox-exec's port is open" "ok"
  run --tcp-bind 39300-39305,8081 -- "$PROBE" tcp-bind 39301
  says "--tcp-bind" "ok"
  run -- "$PROBE" tcp-connect 39301
  says "TCP connect is closed" "EACCES"
  run --tcp-connect 39301 -- "$PROBE" tcp-connect 39301
  lacks "--tcp-connect" "EACCES"
  run --tcp-connect any -- "$PROBE" tcp-connect 20490
  says "--tcp-connect any has not the mount's port" "EACCES"
  run --tcp-connect any -- "$PROBE" tcp-connect 20491
  lacks "--tcp-connect any" "EACCES"
else
  for o in tcp-bind tcp-connect; do
    run --$o 39301 -- "$PROBE" $o 39301
    lacks "--$o (open below ABI 4)" "EACCES"
  done
fi
run --tcp-connect 20490 -- true
says "the mount's port" "never opened"
run --udp-bind 39302 -- "$PROBE" udp-bind 39302
says "--udp-bind" "ok"
run --udp-connect 39302 -- "$PROBE" udp-connect 39302
says "--udp-connect" "ok"
run -- "$PROBE" udp-connect 39302
if [ "$ABI" -ge 10 ]; then says "UDP is closed" "EACCES"; else says "UDP is open below ABI 10" "ok"; fi

# Kernel features
MIN=10 run -- true
if [ "$ABI" -ge 10 ]; then exits "--landlock-min" 0; else says "--landlock-min" "has ABI $ABI, without"; fi
run --landlock-audit -- true
if [ "$ABI" -ge 7 ]; then exits "--landlock-audit" 0; else says "--landlock-audit" "audit of the program (ABI 7)"; fi
run -- "$PROBE" syscall 272
says "--seccomp strict" "EPERM"
run --seccomp none -- "$PROBE" syscall 272
says "--seccomp none" "ok"
run --seccomp dev -- "$PROBE" attributes
says "--seccomp dev" "seccomp=2"
run --seccomp nonsense -- true
says "--seccomp with a bad name" "strict, dev, none or a file is needed"
cat > "$W/oci.json" <<'JSON'
{"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"],
 "syscalls": [{"names": ["sethostname"], "action": "SCMP_ACT_ERRNO", "errnoRet": 95}]}
JSON
run --seccomp "$W/oci.json" -- "$PROBE" syscall 170
says "--seccomp FILE" "EOPNOTSUPP"
run --seccomp "$W/absent.json" -- true
exits "--seccomp FILE that is missing" 125
run --verify=no -- "$PROBE" attributes
says "--verify=no still restricts" "nnp=1"
text=$(setpriv --reuid 10001 --regid 0 --clear-groups --bounding-set -all "$LAUNCH" --verify=no \
  --workspaces "$W/ws" --run r --landlock-min 1 --read-only-root=no -- true 2>&1) code=$?
exits "--verify=no still looks at the identity" 125
says "--verify=no still looks at the identity" "gid 0 owns system files: set runAsGroup"
run --verbose -- true
says "--verbose" "in force: canaries: files"
run --best-effort -- true
exits "--best-effort" 0

# Read-only root
text=$(setpriv --reuid 10001 --regid 10001 --clear-groups --bounding-set -all "$LAUNCH" \
  --workspaces "$W/ws" --run r --landlock-min 1 -- true 2>&1) code=$?
exits "a writable root that can't be changed" 125
says "a writable root that can't be changed" "set readOnlyRootFilesystem"
text=$(setpriv --reuid 10001 --regid 10001 --clear-groups --bounding-set -all "$LAUNCH" \
  --workspaces "$W/ws" --run r --landlock-min 1 --read-only-root=no -- pwd 2>&1) code=$?
exits "--read-only-root=no" 0
run -- sh -c "touch /kora-test-file"
exits "--read-only-root, made by root" 1
run -- sh -c "echo x > $W/ws/r/sandbox/file && cat $W/ws/r/sandbox/file"
says "the workspace stays writable" "x"
text=$(setpriv --reuid 10001 --regid 10001 --clear-groups "$LAUNCH" --workspaces "$W/ws" --run r \
  --landlock-min 1 --read-only-root=no -- true 2>&1) code=$?
exits "a bounding set that can't be emptied" 125
says "a bounding set that can't be emptied" "set capabilities.drop: [ALL]"

# Waiting
mkdir -p "$W/m"
run --wait-mount "$W/m" --timeout 0 -- true
exits "--wait-mount" 124
says "--timeout says what was seen" "not ready after 0 s: nothing is mounted there"
run --wait-mount "$W/none" --timeout 0 -- true
says "--wait-mount on nothing" "the directory does not exist"
("$LAUNCH" --wait-mount "$W/m" --timeout 30 --workspaces "$W/ws" --run r --uid 10001 --landlock-min 1 -- echo came > "$W/came" 2>&1) &
waiter=$!
mount -t tmpfs kora-test "$W/m"
wait $waiter
text=$(cat "$W/came")
says "--wait-mount wakes" "came"
umount "$W/m"

# Files
printf '# a comment\n\nrun = r\nworkspaces = %s\nuid = 10001\nlandlock-min=1\nexec = %s\numask = 007\n' "$W/ws" "$PROBES" > "$W/c.conf"
bare --config "$W/c.conf" -- "$PROBE" attributes
says "--config" "uid=10001 gid=10001 nnp=1"
says "--config" "umask=007"
bare --config "$W/c.conf" --umask 070 -- "$PROBE" attributes
says "an option wins over a file" "umask=070"
conf() { printf "$1" > "$W/bad.conf"; bare --config "$W/bad.conf" -- true; exits "$2" 125; says "$2" "$W/bad.conf:$3"; }
conf 'uid = 1\nno-such = 1\n' "unknown key" "2: unknown key 'no-such'"
conf 'uid = 1\nuid = 2\n' "duplicate key" "2: duplicate key 'uid', first in line 1"
conf 'umask = 9\n' "bad value" "1: umask '9': an octal mask is needed"
conf 'uid\n' "no value" "1: key = value is needed"
conf 'help = yes\n' "command line only" "1: 'help' is for the command line only"
conf 'uid = 1\n\0uid = 2\n' "zero byte" "2: a zero byte"
bare --config "$W/absent.conf" -- true
says "a named file that is missing" "absent.conf: No such file"
bare --config absent-name -- true
says "a name is looked up" "/etc/kora/launch.d/absent-name.conf: No such file"
chmod 666 "$W/c.conf"
bare --config "$W/c.conf" -- true
says "a file everybody may write" "chmod o-w"
# with_folder OPTIONS ARG...: as bare, where the folder of configuration is a mount with these options.
with_folder() {
  text=$(unshare -m sh -c 'mount -t tmpfs tmpfs /etc && mkdir -p /etc/kora/launch.d && mount -t tmpfs -o "$0" tmpfs /etc/kora/launch.d && exec "$@"' \
    "$1" "$LAUNCH" "${@:2}" 2>&1 </dev/null)
  code=$?
}
for named in "" "--config=x"; do
  with_folder mode=1777 $named -- true
  exits "a folder everybody may write" 125
  says "a folder everybody may write" "/etc/kora/launch.d: everybody may write it"
  with_folder mode=1777,ro $named -- true
  lacks "a folder nobody can write, whatever its mode" "everybody may write"
  with_folder mode=755 $named -- true
  lacks "a folder of root's" "everybody may write"
done

# The command line itself
bare --help
exits "--help" 0
help=$text
bare --version
says "--version" "kora-launch "
bare --no-such-option -- true
exits "unknown option" 125
says "unknown option" "--no-such-option"
bare --uid
says "missing value" "--uid needs a value"
bare --uid 10001
says "no program" "no program is named"
run --init --init -- true
says "twice" "option --init is given twice"
bare --verify=maybe -- true
says "a switch" "--verify 'maybe': yes or no is needed"

# Nothing in --help that is not used above.
for option in $(printf '%s\n' "$help" | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
  grep -q -- "--${option}[ =\"]" "$0" && ok "--$option is tested" || fail "--$option is not tested"
done
finish
