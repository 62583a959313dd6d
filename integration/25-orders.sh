# SPDX-License-Identifier: Apache-2.0
# Wishes, restarts and servers in orders that nobody plans: the daemon lives, and what it says is true.
#
#   sandbox: replaced while down, moved twice ──▶ agent: mounted while its server is given up
#
# shape: netns
# timeout: 200
. "$here/kora.sh"
nodes
daemon sandbox
daemon agent --lost-after 6 --mount-timeout 60

alive() { check "the daemon of $1 lives after: $2" on "$1" 'kill -0 $(cat /run/kora.pid) && kora-mountctl status >/dev/null'; }

step "the spec is replaced while the daemon is down"
folder demo a
folder demo b
folder demo c
serve demo one a
daemon_end sandbox KILL
on sandbox 'cd /var/lib/kora-sandbox-mount/specs && sed "s/\"one\"/\"two\"/; s/\"a\"/\"b\"/" demo.export.json >.new && mv .new demo.export.json'
daemon sandbox
wait_on sandbox 20 "kora-mountctl describe demo -o json | grep -q '\"state\": *\"ready\"'"
alive sandbox "a replacement while it was down"
on sandbox 'kora-mountctl describe demo' | grep -q two || fail "the old one is still told"
check "the old folder can be deleted" on sandbox rm -r /workspaces/local/a

step "a sandbox that is replaced, and then moved under the same identity"
serve demo three c
folder demo d
serve demo three d
alive sandbox "a move"
folder demo e
serve demo four e
serve demo four d
alive sandbox "another move"
equal "state" ready "$(state_of sandbox demo)"
daemon_end sandbox TERM
daemon sandbox
wait_on sandbox 20 "kora-mountctl describe demo -o json | grep -q '\"state\": *\"ready\"'"

step "a mount is made while its server is given up: what is told is what is there"
share one
serve demo five d
cut agent $PORT
wait_on agent 40 "grep -q event=server-silent $LOG"
attach demo five --no-wait
wait_on agent 40 "grep -q event=server-lost $LOG"
heal agent
wait_on agent 60 '[ $(grep -c " /workspaces/.* - nfs4 " /proc/self/mountinfo) = 2 ]'
for run in one demo; do
	wait_on agent 20 "kora-mountctl describe $run -o json | grep -q '\"state\": *\"ready\"'"
	as 10001 agent "echo x >/workspaces/$run/sandbox/x"
done
alive agent "a lost server"

step "drain, and resume at once"
on agent 'kora-mountctl drain --no-wait; kora-mountctl resume'
for run in one demo; do
	wait_on agent 40 "kora-mountctl describe $run -o json | grep -q '\"state\": *\"ready\"'"
	as 10001 agent "echo y >/workspaces/$run/sandbox/y"
done
