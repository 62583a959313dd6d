# SPDX-License-Identifier: Apache-2.0
# An agent node that dies holds delegations: a write, an open, a new file and a deletion on the sandbox
# node would wait for it as long as a lease. They wait until it is known dead, and two seconds more.
#
#   sandbox: >>read, <written, >new, rm listed ──▶ agent: read, written, listed held ✗
#
# shape: netns
# timeout: 120
. "$here/kora.sh"
nodes
daemon sandbox
daemon agent --lost-after 300
on agent 'nft -f - <<<"table inet asked { chain in { type filter hook input priority -400; tcp dport 20490 counter; }; }"'
share demo
on sandbox 'cd /workspaces/local/demo; for f in read written listed; do echo $f >$f; done; chown 10001:10001 *'
spawn agent 'cd /workspaces/demo/sandbox; exec 5<read 6<>written 7<listed; ls >/dev/null; read -u 5 x; read -u 6 x; read -u 7 x
	echo in >/run/held; until [ -e /run/go ]; do mkdir busy; rmdir busy; sleep 0.5; done; echo held >&6; cat read >/run/said; exec sleep 1000'
wait_on agent 20 '[ -s /run/held ]'
wait_on agent 20 'nft list table inet asked | grep -q "packets [1-9]"'

# local_work SUFFIX: what the sandbox does with its own files, each in the way of another delegation.
local_work() {
	spawn sandbox "cd /workspaces/local/demo; mkdir -p /run/ended
		{ echo more >>read; echo >/run/ended/write$1; } &
		{ cat written; echo >/run/ended/read$1; } &
		{ echo >new$1; echo >/run/ended/create$1; } &
		{ rm listed; echo >/run/ended/delete$1; } & wait"
}

step "the agent node dies, the sandbox works on"
cut agent $PORT
local_work .dead
step "somebody waits for it, $(on sandbox 'sleep 0.5; ls /run/ended | wc -l') of 4 do not"
refuse "nobody waits" on sandbox '[ $(ls /run/ended | wc -l) = 4 ]'
wait_on sandbox 30 "grep event=client-dead $LOG | grep peer=$A | grep -q recall"
wait_on sandbox 2 '[ $(ls /run/ended/*.dead | wc -l) = 4 ]'
equal "lines about it" 1 "$(on sandbox "grep -c event=client- $LOG")"

step "it comes back: its open files go on"
heal agent
on agent touch /run/go
wait_on agent 60 '[ -s /run/said ]'
equal "the agent reads" "read more" "$(on agent 'tr "\n" " " </run/said' | sed 's/ $//')"
wait_on sandbox 20 'grep -q held /workspaces/local/demo/written'
