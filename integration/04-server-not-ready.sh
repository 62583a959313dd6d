# SPDX-License-Identifier: Apache-2.0
# The agent node is early, or the sandbox node's daemon is down: a mount waits, says why, and never
# shows a bare directory.
#
#   sandbox: daemon down, then up ──▶ agent: mount retried
#
# shape: netns
# timeout: 180
. "$here/kora.sh"
nodes
daemon agent --mount-timeout 5
folder demo

step "no server at all: the wait ends at its deadline with a reason"
status=0
output=$(attach demo first --timeout 6 2>&1) || status=$?
equal "exit code for a timeout" 6 $status
case $output in *"mount demo: still "*"is kora-sandbox-mount running"*) ;; *) fail "no reason: $output" ;; esac
equal "nothing is mounted" "" "$(mounted_at demo)"

step "the server comes, and does not know this node yet: what is refused is not asked for again read-only"
daemon sandbox
folder other
CLIENT=10.20.0.9 serve other first
spawn agent 'exec strace -f -qq -e trace=mount,fsconfig -o /run/calls -p $(cat /run/kora.pid)'
wait_on agent 30 'grep -q EACCES /run/calls'
wait_on agent 30 '[ $(grep -c "= -1 E" /run/calls) -gt 1 ]'
equal "read-only" "" "$(on agent 'grep -E "MS_RDONLY|\"ro\"" /run/calls || true')"
on agent 'pkill strace'

step "it does: the mount is made without being asked again"
serve demo first
on agent kora-mountctl wait demo --timeout 60
equal "mounted" "nfs4 $S:/workspaces/demo/first" "$(mounted_at demo)"

step "an export that is not there yet"
folder early
status=0
output=$(attach early first --timeout 3 2>&1) || status=$?
equal "exit code for a timeout" 6 $status
case $output in *early*"No such file"*) ;; *) fail "no reason: $output" ;; esac
equal "nothing is mounted" "" "$(mounted_at early)"
CLIENT=10.20.0.9 serve early first
status=0
output=$(attach early first --timeout 3 2>&1) || status=$?
case $output in *early*"to this node's address"*) ;; *) fail "no reason: $output" ;; esac
serve early first
on agent kora-mountctl wait early --timeout 60

step "the daemon of the server is down: known runs go on, a new one waits and says so"
daemon_end sandbox KILL
as 10001 agent 'echo on >/workspaces/demo/sandbox/while-down'
status=0
output=$(attach late first --timeout 8 2>&1) || status=$?
equal "exit code for a timeout" 6 $status
case $output in *late*) ;; *) fail "no reason: $output" ;; esac
equal "nothing is mounted" "" "$(mounted_at late)"
daemon sandbox
folder late
serve late first
on agent kora-mountctl wait late --timeout 60

step "the bare mountpoint is not writable for the harness"
on agent kora-mountctl release late
refuse "the harness writes below the mountpoint" as 10001 agent 'touch /workspaces/late/sandbox/lost'
equal "nothing was left below the mountpoint" "" "$(on agent ls -A /workspaces/late/sandbox)"
