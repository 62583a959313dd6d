# SPDX-License-Identifier: Apache-2.0
# An idle daemon sleeps: no wakeup, little memory, with nothing to do and with 200 runs. Its memory does
# not depend on the kernel: on the others there are fewer runs.
#
#   sandbox: 200 exports ──▶ agent: 200 mounts
#
# shape: netns
# timeout: 300
. "$here/kora.sh"
enough 6.12
nodes
daemons

# wakeups NODE: of the daemon's own thread, so far.
wakeups() { on "$1" 'awk "/^(non)?voluntary_ctxt_switches/ { n += \$2 } END { print n }" /proc/$(cat /run/kora.pid)/status'; }
rss() { on "$1" 'awk "/^VmRSS/ { print \$2 }" /proc/$(cat /run/kora.pid)/status'; }

# sleeps NODE [MOST]: settles, and then is woken no more often than that in five seconds, or never.
sleeps() {
	local before after try
	for try in 1 2 3; do
		before=$(wakeups "$1")
		on "$1" sleep 5
		after=$(wakeups "$1")
		say "$1: $((after - before)) wakeups in 5 s, $(rss "$1") kB"
		[ $((after - before)) -gt ${2-0} ] || return 0
	done
	fail "$1: still woken $((after - before)) times in 5 s"
}
below() { [ "$(rss "$1")" -lt "$2" ] || fail "$1: $(rss "$1") kB resident, $2 at most"; }

step "nothing to do"
for name in sandbox agent; do
	sleeps $name
	below $name 8192
done

n=50
[ "$KERNEL" != 6.12 ] || n=200
step "$n runs"
on sandbox 'for i in $(seq '$n'); do
	mkdir -p /workspaces/local/r$i; chown 10001:10001 /workspaces/local/r$i
	printf "{\"kind\":\"export\",\"run\":\"r$i\",\"incarnation\":\"one\",\"volume\":\"/workspaces/local\",\"folder\":\"r$i\",\"clients\":[\"10.20.0.2\"],\"uid\":10001,\"gid\":10001}" >/var/lib/kora-sandbox-mount/specs/r$i.json.new
	mv /var/lib/kora-sandbox-mount/specs/r$i.json.new /var/lib/kora-sandbox-mount/specs/r$i.json
done'
on agent 'for i in $(seq '$n'); do
	printf "{\"kind\":\"mount\",\"run\":\"r$i\",\"incarnation\":\"one\",\"server\":\"10.20.0.1\",\"volume\":\"/workspaces\",\"uid\":10001,\"gid\":10001}" >/var/lib/kora-sandbox-mount/specs/r$i.json.new
	mv /var/lib/kora-sandbox-mount/specs/r$i.json.new /var/lib/kora-sandbox-mount/specs/r$i.json
done'
wait_on agent 120 '[ $(grep -c " - nfs4 " /proc/self/mountinfo) = '$n' ]'
# Clients and servers are looked after, whatever their number.
for name in sandbox agent; do
	sleeps $name 4
	below $name 10240
done

step "and all of them go"
on agent 'rm /var/lib/kora-sandbox-mount/specs/*.json'
wait_on agent 120 '! grep -q " - nfs4 " /proc/self/mountinfo'
on sandbox 'rm /var/lib/kora-sandbox-mount/specs/*.json'
wait_on sandbox 120 '! kora-mountctl runs -o json | grep -q incarnation'
check "the folders can be deleted" on sandbox 'rm -rf /workspaces/local'
for name in sandbox agent; do sleeps $name; done
