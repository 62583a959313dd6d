# SPDX-License-Identifier: Apache-2.0
# The server answers, but not this node's kernel: a firewall on the way drops what comes from reserved ports,
# as the kernel's do, and lets the daemon's own questions pass. Nothing waits for ever, and the message says it.
#
#   sandbox ◀── ports from 1024 on ─── agent, ✗ ports below: a reader blocked in the mount
#
# shape: netns
# timeout: 300
. "$here/kora.sh"
nodes
daemons
share demo
as 10001 agent 'echo one >/workspaces/demo/sandbox/file'
step "what comes from ports below 1024 is dropped"
on agent 'nft -f - <<<"table inet wall { chain out { type filter hook output priority 0; tcp dport 20490 tcp sport < 1024 drop; }; }"'
spawn agent 'echo $$ >/run/reader; stat /workspaces/demo/sandbox/file; touch /run/reader-ended; exec sleep 600'
wait_on agent 10 '[ -s /run/reader ]'
wait_on agent 120 "grep -q 'event=server-lost .*renew lease' $LOG"
wait_on agent 20 '[ -e /run/reader-ended ]'
on agent 'kora-mountctl describe demo' | grep -q "not this node's kernel\|ports below\|no answer within" || fail "describe does not tell"

step "it lets them pass again"
on agent 'nft delete table inet wall'
wait_on agent 60 'timeout 2 cat /workspaces/demo/sandbox/file'
