# SPDX-License-Identifier: Apache-2.0
# A run that is in use ends, or is replaced, beside another run on the same filesystem: whoever can
# let go of it does so, and what the agent node holds in the other run stays.
#
#   sandbox: /workspaces/local/{one,two,…} ──▶ agent: /workspaces/{demo,other}/sandbox
#
# shape: netns
# timeout: 240
. "$here/kora.sh"
enough 6.1 6.12
nodes
daemons

client() { on sandbox "sed -n 's/^clientid: //p' /proc/fs/nfsd/clients/*/info"; }
# untouched INCARNATION: its export has ended, and the agent node's client is the one that it was.
untouched() {
	local end="event=unexported run=demo .*incarnation=$1 "
	wait_on sandbox 30 "grep -q '$end' $LOG"
	case $(on sandbox "sed -n 's/.*$end.*rung=\([a-z-]*\).*/\1/p' $LOG") in
	none | unlock-export) ;;
	*) fail "the end of $1: $(on sandbox "grep '$end' $LOG")" ;;
	esac
	equal "the client after the end of $1" "$before" "$(client)"
}
# begin INCARNATION: of run demo, in a folder of its own.
begin() {
	folder demo "$1"
	on sandbox "echo $1 >/workspaces/local/$1/id; chown 10001 /workspaces/local/$1/id"
	serve demo "$1" "$1"
	attach demo "$1"
}
writer='exec 7>>/workspaces/demo/sandbox/log && touch /run/writing &&
	while echo line >&7 && sync -d /proc/self/fd/7; do sleep 0.1; done 2>/run/writer-error; touch /run/written'

step "another run of the agent node, whose lock would be lost with the client"
share other
spawn agent 'exec 7>>/workspaces/other/sandbox/log && flock 7 && touch /run/locked && exec sleep 600'
wait_on agent 10 '[ -e /run/locked ]'
before=$(client)

step "a writer keeps its log open while its sandbox is replaced: it has an error, and ends"
begin one
spawn agent "$writer"
wait_on agent 10 '[ -e /run/writing ]'
begin two
wait_on agent 30 '[ -e /run/written ]'
say "the writer saw: $(on agent cat /run/writer-error)"
untouched one

step "a shell sits in the folder of a sandbox that is replaced, and has read there"
spawn agent 'cd /workspaces/demo/sandbox && read -r id <id && touch /run/sitting && exec sleep 600'
wait_on agent 10 '[ -e /run/sitting ]'
on sandbox "grep -q 'type: deleg.*\"two/id\"\|filename: \"two/id\"' /proc/fs/nfsd/clients/*/states"
begin three
untouched two

step "a writer keeps its log open while its run is released, agent first"
on agent 'rm /run/writing /run/written'
spawn agent "$writer"
wait_on agent 10 '[ -e /run/writing ]'
on agent 'timeout 30 kora-mountctl release demo'
on sandbox 'timeout 30 kora-mountctl release demo'
wait_on agent 30 '[ -e /run/written ]'
untouched three

step "one that is wished for again before it has ended can be written again"
begin four
spawn agent 'exec 7</workspaces/demo/sandbox/id && touch /run/reading && exec sleep 600'
wait_on agent 10 '[ -e /run/reading ]'
on sandbox 'kora-mountctl release demo --no-wait'
wait_on agent 10 '! touch /workspaces/demo/sandbox/later'
serve demo four four
wait_on agent 10 'touch /workspaces/demo/sandbox/later'

step "who only reads, and keeps a file open, loses it all the same"
on agent 'timeout 30 kora-mountctl release demo'
on sandbox 'timeout 30 kora-mountctl release demo'
equal "state of the run that is left on the server" "" "$(on sandbox 'grep "\"four/" /proc/fs/nfsd/clients/*/states' || true)"
