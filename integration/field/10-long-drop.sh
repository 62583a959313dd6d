# SPDX-License-Identifier: Apache-2.0
# KORA_MINUTES (1) of dropped packets, with the harness and new wishes at work all the time: processes,
# descriptors and memory stay as they are, and the log is short.
# shape: netns
# timeout: 2400
. "$here/kora.sh"
nodes
daemon sandbox
daemon agent --lost-after 5 --mount-timeout 5
share demo
share second
size() { on agent 'p=$(cat /run/kora.pid); echo $(ls /proc/$p/fd | wc -l) $(ls /proc/$p/task | wc -l) $(awk "/^VmRSS/ { print \$2 }" /proc/$p/status)'; }
workers() { on agent 'pgrep -P $(cat /run/kora.pid) | wc -l'; }
spawn agent 'while :; do timeout 20 stat /workspaces/demo/sandbox/x >/dev/null 2>&1; sleep 1; done'
cut sandbox $PORT
wait_on agent 40 "grep -q event=server-lost $LOG"
folder never
attach never first --no-wait
wait_on agent 40 '! grep -q " - nfs4 " /proc/self/mountinfo'
read -r fds tasks rss <<<"$(size)"
end=$((SECONDS + ${KORA_MINUTES:-1} * 60)) most=0
while [ $SECONDS -lt $end ]; do
	on agent 'sleep 5'
	n=$(workers)
	[ "$n" -le "$most" ] || most=$n
done
read -r fds_after tasks_after rss_after <<<"$(size)"
say "$fds descriptors before, $fds_after after; $rss kB, $rss_after kB; $most workers at most"
[ "$most" -le 6 ] || fail "$most workers at once"
[ "$fds_after" -le $((fds + 6)) ] || fail "$fds descriptors became $fds_after"
equal "threads" "$tasks" "$tasks_after"
[ "$rss_after" -le $((rss + 2048)) ] || fail "$rss kB became $rss_after"
lines=$(on agent "wc -l <$LOG")
[ "$lines" -lt 60 ] || fail "$lines lines in the log"
step "and back"
heal sandbox
on agent 'kora-mountctl wait demo --timeout 60 && kora-mountctl wait second --timeout 60'
