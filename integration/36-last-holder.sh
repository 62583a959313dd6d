# SPDX-License-Identifier: Apache-2.0
# The last one on a mount that was taken off ends while the server is away: the mount ends with him, and he
# has to give back its delegations, out of reach of any signal. Who stays on one is cut off as well, by whichever
# daemon finds the server gone.
#
#   sandbox ✗ ──▶ agent: a shell in a folder that shows no more
#
# shape: netns
# timeout: 180
. "$here/kora.sh"
enough 6.12
restart() {
	daemon_end agent TERM
	daemon agent "$@"
}
nodes
daemon sandbox
daemon agent --lost-after 6
# last_holder RUN: RUN is taken off, its server goes, and then its holder.
last_holder() {
	share "$1"
	as 10001 agent "echo one >/workspaces/$1/sandbox/file"
	spawn agent "cd /workspaces/$1/sandbox && cat file && echo \$\$ >/run/$1 && exec sleep 600"
	wait_on agent 10 "[ -s /run/$1 ]"
	wait_on sandbox 5 'grep -q "type: deleg" /proc/fs/nfsd/clients/*/states'
	on agent kora-mountctl release "$1"
	cut sandbox 20490
	on agent "kill -9 \$(cat /run/$1)"
	wait_on agent 10 "grep -q delegreturn /proc/\$(cat /run/$1)/stack"
}

step "he is killed, and waits for the server"
share stays
spawn agent 'cd /workspaces/stays/sandbox && echo $$ >/run/stays && exec sleep 600'
wait_on agent 10 '[ -s /run/stays ]'
last_holder demo

step "the server is given up, and he ends"
wait_on agent 40 '! kill -0 $(cat /run/demo)'
on agent "grep -q event=server-lost $LOG"

step "who stays on a mount that was cut off waits for nothing: its server is not asked for him, nor answered for"
on agent kora-mountctl release stays
if kernel_at_least 6.5; then
	wait_on agent 15 '! kora-mountctl status | grep "^lost server"'
	equal "rules" "" "$(on agent 'ip rule | grep 20490 || true')"
fi
on agent 'kill -9 $(cat /run/stays)'
wait_on agent 20 '! kill -0 $(cat /run/stays)'

step "he ends as well where the kernel has no connection any more"
heal sandbox
wait_on agent 20 '! grep "^v4" /proc/fs/nfsfs/volumes'
last_holder closed
on agent 'ss -K dport = 20490 && ! ss -Htn state established dport = 20490 | grep .'
wait_on agent 40 '! kill -0 $(cat /run/closed)'

step "and where he has nothing to give back but the session itself"
heal sandbox
wait_on agent 20 '! grep "^v4" /proc/fs/nfsfs/volumes'
share bare
spawn agent 'cd /workspaces/bare/sandbox && echo $$ >/run/bare && exec sleep 600'
wait_on agent 10 '[ -s /run/bare ]'
on agent kora-mountctl release bare
cut sandbox 20490
on agent 'ss -K dport = 20490 && kill -9 $(cat /run/bare)'
# He may be free before he is looked at.
wait_on agent 10 'grep -q destroy_session /proc/$(cat /run/bare)/stack || ! kill -0 $(cat /run/bare)'
wait_on agent 40 '! kill -0 $(cat /run/bare)'

step "who is on a mount that was released under a daemon that is no more is cut off as well"
heal sandbox
share left
spawn agent 'cd /workspaces/left/sandbox && echo $$ >/run/left && until [ -e /run/go ]; do sleep 0.1; done; echo lost >file; echo $? >/run/end'
wait_on agent 10 '[ -s /run/left ]'
on agent kora-mountctl release left
restart --lost-after 5
cut sandbox 20490
on agent touch /run/go
wait_on agent 30 '[ -s /run/end ]'
equal "its write" 1 "$(on agent cat /run/end)"
on agent "grep -q 'event=server-left .*peer=10.20.0.1:20490' $LOG" || fail "$(on agent tail $LOG)"
heal sandbox
wait_on agent 20 '! grep "^v4" /proc/fs/nfsfs/volumes'

step "what somebody else mounts of a server, and shows, is nothing that we have left"
share other
on agent 'mkdir /run/foreign && mount -t nfs4 -o vers=4.2,port=20490 10.20.0.1:/workspaces/other/first /run/foreign'
on agent kora-mountctl release other
restart --lost-after 3600
equal "servers that were taken up" 1 "$(on agent grep -c event=server-left $LOG)"
on agent umount /run/foreign

step "who is on a mount that is released just when its server went is cut off with it"
share other
spawn agent 'cd /workspaces/other/sandbox && echo $$ >/run/other && exec sleep 600'
wait_on agent 10 '[ -s /run/other ]'
cut sandbox 20490
on agent kora-mountctl release other
if kernel_at_least 6.5; then rung=shutdown; else rung=force; fi
on agent "grep -q 'event=unmounted run=other .*rung=$rung' $LOG" || fail "$(on agent "grep run=other $LOG")"
refuse "the worker that took it off broke down" on agent "grep 'its worker ended' $LOG"
