# SPDX-License-Identifier: Apache-2.0
# The control socket against peers that are not allowed, talk nonsense, talk too much, or do not listen.
#
#   sandbox: kora-sandbox-mount ◀── root, group operators, everybody else
#
# shape: netns
# timeout: 180
. "$here/kora.sh"
nodes
daemon sandbox --control-group 10002
daemon agent
share demo
socket=/run/kora-sandbox-mount/control.sock

step "root and the group may; others may not, and are told so"
as 10002 sandbox 'kora-mountctl status'
status=0
output=$(as 10001 sandbox 'kora-mountctl status' 2>&1) || status=$?
[ $status -ne 0 ] || fail "uid 10001 may ask"
say "$output"
as 10001 sandbox 'kora-mountctl release demo' && fail "uid 10001 may release" || true

# sound: the daemon answers, and the run goes on.
sound() {
	check "status after $1" on sandbox 'timeout 30 kora-mountctl status >/dev/null'
	as 10001 agent 'echo on >/workspaces/demo/sandbox/on'
}
step "an oversized packet"
on sandbox "socket_abuse $socket oversized"
sound "an oversized packet"
step "a thousand packets of garbage"
on sandbox "socket_abuse $socket garbage"
sound garbage
step "a peer that never reads its answers"
on sandbox "socket_abuse $socket deaf"
sound "a deaf peer"
step "two hundred peers that say nothing"
spawn sandbox "exec socket_abuse $socket idle >/run/idle.out"
wait_on sandbox 20 '[ -s /run/idle.out ]'
sound "a flood of idle peers"
on sandbox 'pkill socket_abuse'
below=$(on sandbox 'awk "/^VmRSS/ { print \$2 }" /proc/$(cat /run/kora.pid)/status')
[ "$below" -lt 10240 ] || fail "the daemon grew to $below kB"
