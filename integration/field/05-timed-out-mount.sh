# SPDX-License-Identifier: Apache-2.0
# A mount that runs into its time limit is undone; the next ones from the same server come without a restart.
# shape: netns
. "$here/kora.sh"
nodes
daemon sandbox
daemon agent --mount-timeout 3
share first
folder demo
serve demo one
cut sandbox $PORT
attach demo one --no-wait
wait_on agent 30 "kora-mountctl describe demo | grep -qi 'timed out\|not answer\|unreachable\|silent'"
heal sandbox
step "the server answers again"
on agent "timeout $(seconds 20) kora-mountctl wait demo --timeout $(seconds 20)"
as 10001 agent 'echo x >/workspaces/demo/sandbox/x; echo x >/workspaces/first/sandbox/x'
equal "workers that are left, but for one that waits" "" "$(on agent 'ps --ppid $(cat /run/kora.pid) -o comm= | sort -u | grep -vx waits || true')"
