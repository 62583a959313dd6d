# SPDX-License-Identifier: Apache-2.0
# The sandbox node's firewall lets in what belongs to a connection that it knows, and forgets all of them in
# mid-write: writes go on.
# shape: netns
# timeout: 200
. "$here/kora.sh"
nodes
daemons
on sandbox 'nft -f - <<<"table inet wall { chain in { type filter hook input priority 0; ct state invalid drop; ct state established,related accept; tcp dport 20490 tcp flags & (syn | ack) == syn accept; tcp dport 20490 drop; }; }"'
share demo
spawn agent 'n=0; while :; do n=$((n + 1)); echo $n >/workspaces/demo/sandbox/n && echo $n >/run/round || echo $n >>/run/failed; done'
wait_on agent 20 '[ -s /run/round ]'
step "connections are forgotten"
on sandbox 'echo 0 >/proc/sys/net/netfilter/nf_conntrack_tcp_loose; conntrack_flush'
round=$(on agent cat /run/round)
wait_on agent 60 "[ \$(cat /run/round) -gt $((round + 5)) ]"
equal "failed writes" "" "$(on agent 'cat /run/failed 2>/dev/null' || true)"
