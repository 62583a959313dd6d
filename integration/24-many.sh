# SPDX-License-Identifier: Apache-2.0
# A node with many mounts: the three hundredth costs what the first did, and mountinfo is not read for each.
#
#   sandbox 10.20.0.1: /workspaces/local/r<i> ── bind ──▶ /workspaces/r<i>/sandbox, 300 times
#
# shape: netns
# timeout: 180
. "$here/kora.sh"
node sandbox 10.20.0.1/24 fd20::1/64
daemon sandbox

# spent: CPU ticks and bytes read by the daemon with all its workers, and the size of mountinfo.
spent() {
	on sandbox 'pid=$(cat /run/kora.pid)
		echo $(for p in $pid $(pgrep -P $pid); do cat /proc/$p/stat; done | awk "{ n += \$14 + \$15 + \$16 + \$17 } END { print n }") \
			$(for p in $pid $(pgrep -P $pid); do cat /proc/$p/io; done | awk "/^rchar/ { n += \$2 } END { print n }") $(wc -c </proc/$pid/mountinfo)'
}
rss() { on sandbox 'awk "/^VmRSS/ { print \$2 }" /proc/$(cat /run/kora.pid)/status'; }

# hundred N: the Nth hundred of binds, and in CPU the ticks that they took.
hundred() {
	local before after start=$SECONDS tables limit
	read -ra before <<<"$(spent)"
	on sandbox "mkdir -p /workspaces/local; cd /workspaces/local; mkdir \$(seq -f r%g $(($1 * 100 - 99)) $(($1 * 100)))
		for ((i = $1 * 100 - 99; i <= $1 * 100; i++)); do
			printf '{\"kind\":\"bind\",\"run\":\"r%d\",\"incarnation\":\"one\",\"source_volume\":\"/workspaces/local\",\"source_folder\":\"r%d\",\"volume\":\"/workspaces\",\"uid\":10001,\"gid\":10001}' \
				\$i \$i >/var/lib/kora-sandbox-mount/specs/r\$i.json
		done"
	wait_on sandbox 60 "[ \$(grep -c ' /workspaces/r[0-9]*/sandbox ' /proc/self/mountinfo) = $(($1 * 200)) ]"
	read -ra after <<<"$(spent)"
	CPU=$((after[0] - before[0]))
	tables=$(((after[1] - before[1]) / after[2]))
	limit=$((100 + 10 * (SECONDS - start + 1)))
	say "hundred $1: $((SECONDS - start)) s, $CPU ticks of CPU, $tables times mountinfo, $(rss) kB resident"
	[ $tables -le $limit ] || fail "mountinfo was read $tables times for 100 binds, $limit at most"
}

step "300 binds"
for n in 1 2 3; do
	hundred $n
	[ $n -gt 1 ] || first=$CPU
	[ $n -gt 2 ] || second=$CPU
done
equal "binds, each on its marker" 600 "$(on sandbox 'grep -c " /workspaces/r[0-9]*/sandbox " /proc/self/mountinfo')"
equal "runs that are ready" 300 "$(on sandbox 'kora-mountctl runs | grep -cw ready')"
# The first ones are cheap, as a worker that waits does them: what they read shows above.
[ "$CPU" -le $((3 * (first > second ? first : second))) ] || fail "the third hundred took $CPU ticks of CPU, the first $first, the second $second"
[ "$(rss)" -lt 12288 ] || fail "$(rss) kB resident"

step "one that vanishes among them is noticed, and made again"
on sandbox umount /workspaces/r150/sandbox
wait_on sandbox 20 'grep " /workspaces/r150/sandbox " /proc/self/mountinfo | grep -qv kora-bind'
equal "binds, each on its marker" 600 "$(on sandbox 'grep -c " /workspaces/r[0-9]*/sandbox " /proc/self/mountinfo')"

step "and all of them go"
on sandbox 'rm /var/lib/kora-sandbox-mount/specs/*.json'
wait_on sandbox 60 '! grep -q " /workspaces/r[0-9]*/sandbox " /proc/self/mountinfo'
wait_on sandbox 20 '! kora-mountctl runs | grep -qw r1'
check "the folders can be deleted" on sandbox 'rm -rf /workspaces/local /workspaces/r*'
