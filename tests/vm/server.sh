#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# In a test machine, as root: nfsd's start, stop and inspection, and what they refuse.
#
#	lo: 10.0.0.1 10.0.0.9 fd20::1      server.sh PROGRAM [OPTION...]
set -u
server=("$@")
failed=0

run() { timeout 60 "${server[@]}" "$@" 2>&1; }
# expect WHAT PATTERN ARGUMENT...: the program's output matches the extended regular expression.
expect() {
	local what=$1 pattern=$2 output
	shift 2
	output=$(run "$@")
	if grep -Eq -- "$pattern" <<<"$output"; then
		echo "ok: $what"
	else
		echo "FAILED: $what: wanted '$pattern', got: $output"
		failed=1
	fi
}
same() {
	if [ "$2" = "$3" ]; then
		echo "ok: $1"
	else
		echo "FAILED: $1: wanted '$2', got '$3'"
		failed=1
	fi
}
listeners() { ss -Hltn | awk '$4 ~ /:20490$/ { print $4 }' | sort | paste -sd' '; }
control() { echo "$2" >"/proc/fs/nfsd/$1"; }
until_true() {
	for ((i = 0; i < 100; i++)); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "FAILED: $*: never"
	failed=1
}

cd /
mkdir -p /run/kora /var/lib/kora /var/lib/nfs
ip link set lo up
for address in 10.0.0.1/24 10.0.0.9/24; do ip addr add "$address" dev lo; done
ip addr add fd20::1/64 dev lo nodad

modprobe=$(cat /proc/sys/kernel/modprobe)
echo /bin/false >/proc/sys/kernel/modprobe
expect "no module: start names it" 'failed -19: .*module nfsd' -a 10.0.0.1 start
expect "no module: status" 'state=stopped module=0' -a 10.0.0.1 status
expect "no module: nothing to stop" '^stopped' -a 10.0.0.1 stop
echo "$modprobe" >/proc/sys/kernel/modprobe

expect "an address of another node" 'failed -99: .*10\.0\.0\.77' -a 10.0.0.77 start

mount -t nfsd nfsd /proc/fs/nfsd
control versions "-3 +4"
control nfsv4gracetime 10
control portlist "tcp 2049"
control threads 3
expect "a foreign server: start refuses" 'failed -17: .*0\.0\.0\.0:2049' -a 10.0.0.1 start
expect "a foreign server: stop refuses" 'failed -17: .*0\.0\.0\.0:2049' -a 10.0.0.1 stop
expect "a foreign server: status" 'state=foreign .*threads=3 .*2049' -a 10.0.0.1 status
same "a foreign server goes on" "3 tcp 2049 tcp 2049" "$(cat /proc/fs/nfsd/{threads,portlist} | paste -sd' ')"
control threads 0
control portlist "tcp 20490"
control threads 3
expect "a wildcard at our port is foreign" 'failed -17: .*0\.0\.0\.0:20490' -a 10.0.0.1 start
control threads 0

expect "start" '^started' -g 10 -a 10.0.0.1 start
same "only the configured address" "10.0.0.1:20490" "$(listeners)"
same "NFSv4.2 alone" "-3 +4 -4.0 -4.1 +4.2" "$(tr -s '\n' ' ' </proc/fs/nfsd/versions | sed 's/ *$//')"
same "lease and grace" "30 10" "$(cat /proc/fs/nfsd/nfsv4{lease,grace}time | paste -sd' ')"
thread=$(pgrep -x nfsd | sort -n | head -n 1)
expect "start again" '^started' -g 10 -a 10.0.0.1 start
same "start again restarts nothing" "$thread" "$(pgrep -x nfsd | sort -n | head -n 1)"
expect "other addresses: ours, not complete" 'state=ours .*all=0' -g 10 -a 10.0.0.9 -a fd20::1 status
expect "other addresses: start" '^started' -g 10 -a 10.0.0.9 -a fd20::1 start
same "other addresses, both families" "10.0.0.9:20490 [fd20::1]:20490" "$(listeners)"
expect "other addresses: complete" 'state=ours .*all=1' -g 10 -a 10.0.0.9 -a fd20::1 status
expect "stop" '^stopped' -g 10 -a 10.0.0.9 stop
same "nobody listens" "" "$(listeners)"
expect "stop again" '^stopped' -a 10.0.0.9 stop

busybox nc -l -p 20490 >/dev/null </dev/null &
taken() { [ -n "$(listeners)" ]; }
until_true taken
theirs=$(listeners)
expect "the port is taken: named with its address" 'failed -98: .*(10\.0\.0\.1|fd20::1)\]?:20490' -a 10.0.0.1 -a fd20::1 start
same "nothing half-done" "$theirs" "$(listeners)"
kill $!
wait

touch /var/lib/nfs/{etab,rmtab}
rpc.mountd -N 3
until_true pgrep -x rpc.mountd >/dev/null
expect "rpc.mountd is named" 'foreign=rpc.mountd' -a 10.0.0.1 status
expect "rpc.mountd keeps us from starting" 'failed -17: .*rpc.mountd' -a 10.0.0.1 start
exit "$failed"
