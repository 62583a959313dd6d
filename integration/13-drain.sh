# SPDX-License-Identifier: Apache-2.0
# A clean stop leaves everything in place; drain takes everything down.
#
#   sandbox: a, b ──▶ agent: a, b
#
# shape: netns
. "$here/kora.sh"
nodes
daemons
share a
share b

step "a clean stop of both daemons leaves exports and mounts"
daemon_end sandbox TERM
daemon_end agent TERM
as 10001 agent 'echo on >/workspaces/a/sandbox/on'
daemons

step "drain of the agent node"
on agent kora-mountctl drain
refuse "a mount is left" on agent "grep ' - nfs4 ' /proc/self/mountinfo"
step "drain of the sandbox node"
on sandbox kora-mountctl drain
equal "threads" 0 "$(on sandbox cat /proc/fs/nfsd/threads)"
refuse "a listener is left" on sandbox "ss -Htnl 'sport = 20490' | grep ."
check "the folders can be deleted" on sandbox 'rm -rf /workspaces/local/a /workspaces/local/b'

step "drained nodes take nothing new until they resume"
status=0
output=$(folder c; serve c first c --timeout 5 2>&1) || status=$?
equal "exit code for a refusal" 4 $status
case $output in *drained*) ;; *) fail "no reason: $output" ;; esac
on sandbox 'kora-mountctl release a; kora-mountctl release b; kora-mountctl resume'
on agent 'kora-mountctl release a; kora-mountctl release b; kora-mountctl resume'
share c
