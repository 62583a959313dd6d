# SPDX-License-Identifier: Apache-2.0
# The last one on a mount that was taken off ends while the server is away: the mount ends with him, and he
# has to give back its delegations, out of reach of any signal.
#
#   sandbox ✗ ──▶ agent: a shell in a folder that shows no more
#
# shape: netns
# timeout: 180
. "$here/kora.sh"
enough 6.12
nodes
daemon sandbox
daemon agent --lost-after 6
share demo
as 10001 agent 'echo one >/workspaces/demo/sandbox/file'
spawn agent 'cd /workspaces/demo/sandbox && cat file && echo $$ >/run/holder && exec sleep 600'
wait_on agent 10 '[ -s /run/holder ]'
wait_on sandbox 5 'grep -q "type: deleg" /proc/fs/nfsd/clients/*/states'
on agent kora-mountctl release demo
cut sandbox 20490

step "he is killed, and waits for the server"
on agent 'kill -9 $(cat /run/holder)'
wait_on agent 10 'grep -q delegreturn /proc/$(cat /run/holder)/stack'

step "the server is given up, and he ends"
wait_on agent 40 '! kill -0 $(cat /run/holder)'
on agent "grep -q event=server-lost $LOG"

step "who is on a mount that is released just when its server went is cut off with it"
heal sandbox
daemon_end agent TERM
daemon agent --lost-after 3600
share other
spawn agent 'cd /workspaces/other/sandbox && echo $$ >/run/other && exec sleep 600'
wait_on agent 10 '[ -s /run/other ]'
cut sandbox 20490
on agent kora-mountctl release other
if kernel_at_least 6.5; then rung=shutdown; else rung=force; fi
on agent "grep -q 'event=unmounted run=other .*rung=$rung' $LOG" || fail "$(on agent "grep run=other $LOG")"
refuse "the worker that took it off broke down" on agent "grep 'its worker ended' $LOG"
