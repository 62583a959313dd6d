# SPDX-License-Identifier: Apache-2.0
# What is gone behind a run's back is not ready: its folder is deleted, its export is released first, its node is taken off the list.
# It is told, waited for, and mends itself; another run of the same server never notices.
#
#   sandbox: demo, other, bound ──▶ agent: demo, other
#
# shape: netns
# timeout: 600
. "$here/kora.sh"
enough 7.x
nodes
daemons
share demo
share other
as 10001 agent 'echo x >/workspaces/demo/sandbox/x; echo y >/workspaces/other/sandbox/y'
mount_id() { on agent "awk -v at=/workspaces/$1/sandbox '\$5 == at { print \$1 }' /proc/self/mountinfo"; }
mine=$(mount_id other)

# told NODE RUN FIELD
told() { on "$1" "kora-mountctl describe $2 -o json" | tr -d '\n' | sed -n "s/.*\"$3\": *\"\([^\"]*\)\".*/\1/p"; }
# gone NODE RUN ERRNO WORDS: within its time it is not ready, and says why.
gone() {
	wait_on "$1" 60 "kora-mountctl describe $2 -o json | grep -q '\"errno\": *\"$3\"'"
	equal "state of $2 on $1" retrying "$(state_of "$1" "$2")"
	case $(told "$1" "$2" fault) in *"$4"*) ;; *) fail "$1 says of $2: $(told "$1" "$2" fault)" ;; esac
	check "the doctor of $1 names it" on "$1" "kora-mountctl doctor 2>&1 | grep -q 'fail: .*$2'"
	refuse "waited for on $1" on "$1" "kora-mountctl wait $2 --timeout 1"
}
# mends NODE RUN
mends() { wait_on "$1" 60 "kora-mountctl describe $2 -o json | tr -d ' \n' | grep -q '\"state\":\"ready\"'"; }

step "an exported folder is deleted: both nodes say so"
on sandbox 'rm -rf /workspaces/local/demo'
wait_on sandbox 30 'kora-mountctl describe demo -o json | grep -q "\"errno\": *\"ENOENT\""'
equal "state" retrying "$(state_of sandbox demo)"
case $(told sandbox demo fault) in *"was deleted"*) ;; *) fail "sandbox says $(told sandbox demo fault)" ;; esac
on sandbox 'kora-mountctl doctor 2>&1 | grep -q "fail: demo"'
gone agent demo ESTALE "does not export incarnation first any more"
say "$(told agent demo fault)"
step "… what they say stays, whatever is tried meanwhile"
wait_on agent 60 'kora-mountctl describe demo -o json | grep -q "\"attempts\": *[4-9]"'
gone agent demo ESTALE "does not export incarnation first any more"
case $(told sandbox demo fault) in *"was deleted"*) ;; *) fail "sandbox says $(told sandbox demo fault)" ;; esac
step "… and it is exported and mounted anew when it is there again"
folder demo
mends sandbox demo
mends agent demo
as 10001 agent 'kora-mountctl wait demo --timeout 10 && echo z >/workspaces/demo/sandbox/z'
equal "the new folder shows" z "$(on sandbox cat /workspaces/local/demo/z)"

step "the export is released first: told, and a harness inside goes on when it is back"
spawn agent 'cd /workspaces/demo/sandbox && echo $$ >/run/holder && exec sleep 600'
wait_on agent 10 '[ -s /run/holder ]'
was=$(mount_id demo)
on sandbox kora-mountctl release demo
gone agent demo ESTALE "released there"
equal "the mount of the harness" "$was" "$(mount_id demo)"
serve demo first
mends agent demo
equal "the mount of the harness" "$was" "$(mount_id demo)"
equal "the harness's folder" z "$(on agent 'cat /proc/$(cat /run/holder)/cwd/z')"
on agent 'kill $(cat /run/holder)'

step "the agent's node is taken off the list, and comes back to it"
CLIENT=10.20.0.9 serve demo first
gone agent demo ESTALE "no client of it"
serve demo first
mends agent demo
as 10001 agent 'cat /workspaces/demo/sandbox/z'

step "a folder that is bound on its own node is deleted, and made anew"
folder bound
on sandbox 'mkdir -p /workspaces/bound; chown 10001:10001 /workspaces/bound
	kora-mountctl bind bound --incarnation first --source-folder /workspaces/local/bound --volume /workspaces --uid 10001 --gid 10001
	kora-mountctl wait bound --timeout 10; rmdir /workspaces/local/bound'
gone sandbox bound ENOENT "was deleted"
folder bound
mends sandbox bound
as 10001 sandbox 'kora-mountctl wait bound --timeout 10 && echo w >/workspaces/bound/sandbox/w'
equal "the new folder shows" w "$(on sandbox cat /workspaces/local/bound/w)"

step "a server that answers and whose daemon does not makes nothing stale, though a look at a mount hangs"
on sandbox 'kill -STOP $(cat /run/kora.pid); date +%s >/proc/net/rpc/nfsd.export/flush; date +%s >/proc/net/rpc/nfsd.fh/flush'
wait_on agent 100 "grep -q event=mount-hangs $LOG"
for run in demo other; do equal "state of $run" ready "$(state_of agent $run)"; done
on sandbox 'kill -CONT $(cat /run/kora.pid)'
as 10001 agent 'timeout 60 cat /workspaces/demo/sandbox/z /workspaces/other/sandbox/y'

step "the other run did not notice"
equal "its mount" "$mine" "$(mount_id other)"
refuse "other was told of" on agent "grep -E 'event=(mount-stale|mount-lost|unmounted|mount-failed) run=other' $LOG"
on agent 'kora-mountctl release demo; kora-mountctl release other'
on sandbox 'kora-mountctl release demo; kora-mountctl release other; kora-mountctl release bound'
