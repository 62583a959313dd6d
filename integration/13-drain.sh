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

step "a mount whose volume is no folder is released, and keeps nobody from draining"
nowhere() {
	on agent kora-mountctl mount nowhere --incarnation first --server $S --volume "$1" --uid 10001 --gid 10001 --no-wait
	wait_on agent 10 'kora-mountctl describe nowhere | grep -q ^fault'
}
nowhere /etc/passwd
on agent kora-mountctl release nowhere --timeout 20
nowhere /etc/passwd/below

step "drain of the agent node"
on agent kora-mountctl drain --timeout 30
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
on agent 'kora-mountctl release a; kora-mountctl release b; kora-mountctl release nowhere; kora-mountctl resume'
share c

step "a server that is left over, and an address that is not this node's: said, and tried at leisure"
on agent kora-mountctl release c
on sandbox kora-mountctl release c
daemon_end sandbox TERM
daemon sandbox --listen 10.9.9.9
wait_on sandbox 20 'kora-mountctl status | grep "^server fault .*10.9.9.9"'
for _ in 1 2 3; do on sandbox 'kora-mountctl status | grep "^server fault .*10.9.9.9"'; done
equal "lines of it" 1 "$(on sandbox "grep -c 'event=server-failed .*EADDRNOTAVAIL' $LOG")"
equal "what listens" "10.20.0.1:20490 [fd20::1]:20490" "$(on sandbox 'kora-mountctl status' | awk '/^listen/ { print $2; next } /^ / { print $1; next }' | sort | xargs)"
on sandbox 'kora-mountctl doctor' >"$CASE_DIR/doctor" && fail "doctor finds nothing" || true
grep -q '^fail  server .*10.9.9.9' "$CASE_DIR/doctor" || fail "doctor: $(cat "$CASE_DIR/doctor")"

step "without its daemon it is ours still, wherever another is meant to listen"
daemon_end sandbox TERM
on sandbox 'kora-mountctl doctor --listen 10.20.0.1' >"$CASE_DIR/doctor" || true # this node has no machine id
ours_listens() { grep -q "^ok *listener *port 20490 on 10.20.0.1: the kernel's NFS server, ours" "$CASE_DIR/doctor" || fail "doctor: $(cat "$CASE_DIR/doctor")"; }
grep -q '^ok *server *ours' "$CASE_DIR/doctor" || fail "doctor: $(cat "$CASE_DIR/doctor")"
ours_listens
daemon sandbox --listen 127.0.0.1
wait_on sandbox 20 'kora-mountctl status | grep "^listen *127.0.0.1"'
daemon_end sandbox TERM
on sandbox 'kora-mountctl doctor | grep "^ok *server *ours"'

step "a daemon whose socket was deleted is told as one that runs"
daemon sandbox
wait_on sandbox 20 'kora-mountctl status | grep "^listen *10.20.0.1"'
on sandbox 'kora-mountctl doctor' >"$CASE_DIR/doctor"
ours_listens
on sandbox 'rm /run/kora-sandbox-mount/control.sock'
on sandbox 'kora-mountctl doctor' >"$CASE_DIR/doctor" && fail "doctor finds nothing" || true
grep -q "^fail  daemon *the daemon runs (pid $(on sandbox cat /run/kora.pid)), but has no socket at" "$CASE_DIR/doctor" ||
	fail "doctor: $(cat "$CASE_DIR/doctor")"
daemon_end sandbox TERM
daemon sandbox
