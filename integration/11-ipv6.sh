# SPDX-License-Identifier: Apache-2.0
# The same over IPv6, and a client that has both families.
#
#   sandbox fd20::1 ──▶ agent fd20::2
#
# shape: netns
. "$here/kora.sh"
nodes
daemon sandbox --listen $S6
daemon agent
folder demo
CLIENT=$A6 serve demo first
SERVER=$S6 attach demo first
equal "mounted" "nfs4 [$S6]:/workspaces/demo/first" "$(mounted_at demo)"
as 10001 agent 'echo six >/workspaces/demo/sandbox/six'
equal "on the sandbox node" six "$(on sandbox cat /workspaces/local/demo/six)"
equal "listeners" "[fd20::1]:20490" "$(on sandbox "ss -Htnl 'sport = 20490' | awk '{ print \$4 }' | xargs")"

step "replace and release work as with IPv4"
folder demo two
CLIENT=$A6 serve demo second two
SERVER=$S6 attach demo second
equal "mounted" "nfs4 [$S6]:/workspaces/demo/second" "$(mounted_at demo)"
on agent kora-mountctl release demo
on sandbox kora-mountctl release demo
equal "gone" "" "$(mounted_at demo)"
