# SPDX-License-Identifier: Apache-2.0
# How long from the wish until the agent can list a sandbox's folder: one run, and many at once.
#
#   sandbox 10.20.0.1 (ours) ──────────┐
#   theirs 10.20.0.3 (nfs-utils) ──────┼──▶ agent 10.20.0.2
#   floor 10.20.0.4 (kernel calls) ────┘
#
# One more mount from each server is there all the time, so that the kernels know each other. RUNS says which are measured:
# of 1,000 at once only ours and the kernel calls, unless PEERS says more.
#
# shape: netns
# shellcheck shell=bash
# A clock that counts instructions: what else the host does is not measured.
export KORA_ICOUNT=${KORA_ICOUNT-0} KORA_PROCESSORS=1
ROUNDS=${ROUNDS:-7}
read -ra RUNS <<<"${RUNS:-1 100 1000}"
MOST=${RUNS[-1]}
T=10.20.0.3

prepare() { export KORA_MEMORY=${KORA_MEMORY:-2G}; }

# folders NODE: r0 … with one file each, so that there is something to be listed.
folders() {
	on "$1" "mkdir -p /workspaces/local && cd /workspaces/local && mkdir \$(seq -f r%g 0 $((MOST + 1))) && touch \$(seq -f r%g/file 0 $((MOST + 1)))
		chown -R 10001:10001 /workspaces/local"
}

theirs_start() {
	on theirs 'mkdir -p /var/lib/nfs/v4recovery /run/lock; touch /var/lib/nfs/etab /var/lib/nfs/rmtab
		mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd; echo 10 >/proc/fs/nfsd/nfsv4gracetime
		rpc.mountd -N 3 -u 2>/dev/null || rpc.mountd; rpc.nfsd -N 3 -V 4.2 8'
}
export_theirs='exportfs -o rw,async,no_subtree_check,all_squash,anonuid=10001,anongid=10001'
mount_theirs="mount.nfs4 -o vers=4.2,nosharecache,noatime,nosuid,nodev"

floor_start() {
	on floor "mount -t nfsd nfsd /proc/fs/nfsd; echo 10 >/proc/fs/nfsd/nfsv4gracetime; echo '-2 -3 +4 -4.0 -4.1 +4.2' >/proc/fs/nfsd/versions
		echo 'tcp 20490' >/proc/fs/nfsd/portlist; echo 8 >/proc/fs/nfsd/threads"
	vm_exec "$MACHINE" 'bench_runs floor-prepare'
}

# One run, all there: prints microseconds.
ours() {
	vm_exec "$MACHINE" 'bench_runs ours 1 1 && bench_runs ours-end 1 1'
}
floor() {
	vm_exec "$MACHINE" 'bench_runs floor 1 1 && bench_runs floor-end 1 1'
}
theirs() {
	vm_exec "$MACHINE" "PATH=\$PATH:/usr/lib/kora-test
		begin=\${EPOCHREALTIME/./}
		{ node-run theirs '$export_theirs $A:/workspaces/local/r1' && node-run agent 'mkdir -p /mnt/r1 && $mount_theirs $T:/workspaces/local/r1 /mnt/r1 && ls /mnt/r1 | grep -q file'; } >&2 || exit 1
		echo \$((\${EPOCHREALTIME/./} - begin))
		{ node-run agent 'umount /mnt/r1' && node-run theirs 'exportfs -u $A:/workspaces/local/r1'; } >&2"
}
# The same with our command line instead of our socket.
command_line() {
	vm_exec "$MACHINE" "PATH=\$PATH:/usr/lib/kora-test
		begin=\${EPOCHREALTIME/./}
		{ node-run sandbox 'kora-mountctl export r1 --incarnation one --folder /workspaces/local/r1 --client $A --uid 10001 --gid 10001 --no-wait' &&
			node-run agent 'kora-mountctl mount r1 --incarnation one --server $S --volume /workspaces --uid 10001 --gid 10001 && ls /workspaces/r1/sandbox | grep -q file'; } >&2 || exit 1
		echo \$((\${EPOCHREALTIME/./} - begin))
		{ node-run agent 'kora-mountctl release r1' && node-run sandbox 'kora-mountctl release r1'; } >&2"
}

one_run() {
	interleave "$ROUNDS" ours theirs floor command_line
	local ours theirs floor line
	ours=$(median "$(samples ours)") theirs=$(median "$(samples theirs)") floor=$(median "$(samples floor)") line=$(median "$(samples command_line)")
	measure "one run: control socket / nfs-utils" "$ours" "$theirs" us 0.05
	measure "one run: control socket / kernel calls by hand" "$ours" "$floor" us 1.3
	measure "one run: kora-mountctl / nfs-utils" "$line" "$theirs" us
	measure "one run: kernel calls by hand / nfs-utils" "$floor" "$theirs" us
	series "one run: control socket, us" "$(samples ours)"
	series "one run: kora-mountctl, us" "$(samples command_line)"
	series "one run: kernel calls by hand, us" "$(samples floor)"
	series "one run: nfs-utils, us" "$(samples theirs)"
}

# From nothing: no server, no mount.
ours_cold() {
	on agent kora-mountctl release r0 >&2
	on sandbox 'kora-mountctl drain && kora-mountctl release r0; kora-mountctl resume' >&2
	vm_exec "$MACHINE" 'bench_runs ours 0 1'
}
theirs_cold() {
	on agent umount /mnt/r0
	on theirs 'exportfs -ua; rpc.nfsd 0; kill $(pgrep -x rpc.mountd); while pgrep -x rpc.mountd; do sleep 0.05; done' >&2
	vm_exec "$MACHINE" "PATH=\$PATH:/usr/lib/kora-test
		begin=\${EPOCHREALTIME/./}
		{ node-run theirs 'rpc.mountd && rpc.nfsd -N 3 -V 4.2 8 && $export_theirs $A:/workspaces/local/r0' &&
			node-run agent 'mkdir -p /mnt/r0 && $mount_theirs $T:/workspaces/local/r0 /mnt/r0 && ls /mnt/r0 | grep -q file'; } >&2 || exit 1
		echo \$((\${EPOCHREALTIME/./} - begin))"
}
from_nothing() {
	interleave 3 ours_cold theirs_cold
	measure "from nothing, one run: control socket / nfs-utils" "$(median "$(samples ours_cold)")" "$(median "$(samples theirs_cold)")" us
}

# theirs_many N: exports in one file, sixteen mounts at a time.
theirs_many() {
	vm_exec "$MACHINE" "PATH=\$PATH:/usr/lib/kora-test
		node-run theirs 'for ((i = 1; i <= $1; i++)); do echo \"/workspaces/local/r\$i $A(rw,async,no_subtree_check,all_squash,anonuid=10001,anongid=10001)\"; done >/etc/exports'
		node-run agent 'cd /mnt && mkdir -p \$(seq -f r%g 1 $1)'
		begin=\${EPOCHREALTIME/./}
		node-run theirs 'exportfs -ra' >&2 || exit 1
		node-run agent \"begin=\$begin; \"'
			one() { $mount_theirs $T:/workspaces/local/r\$1 /mnt/r\$1 && ls /mnt/r\$1 | grep -q file && echo \$((\${EPOCHREALTIME/./} - begin)); }
			export -f one; export begin; seq 1 $1 | xargs -P 16 -I{} bash -c \"one {}\"'
		{ node-run agent 'for ((i = 1; i <= $1; i++)); do umount /mnt/r\$i; done' && node-run theirs ': >/etc/exports; exportfs -ra; $export_theirs $A:/workspaces/local/r0'; } >&2"
}

# at_once N ROUNDS WAY...: p50, p99 and the last of N.
at_once() {
	local n=$1 rounds=$2 round way
	shift 2
	for way; do : >"$(samples "$way-$n")"; done
	for ((round = 1; round <= rounds; round++)); do
		for way in $(shuf -e "$@"); do
			once "$way" "$n"
			cat "$BENCH/once" >>"$(samples "$way-$n")"
			sort -g "$BENCH/once" | tail -n 1 >>"$(samples "$way-$n-total")"
			say "[$SECONDS s] $n at once, $way: p50 $(percentile 50 "$BENCH/once"), p99 $(percentile 99 "$BENCH/once"), all $(tail -n 1 "$(samples "$way-$n-total")") us"
		done
	done
	for way; do series "$n at once: $way, us" "$(samples "$way-$n")"; done
}
once() {
	if [ "$1" = theirs ]; then theirs_many "$2"; else vm_exec "$MACHINE" "bench_runs $1 1 $2"; fi >"$BENCH/once"
	equal "$1: runs listed" "$2" "$(wc -l <"$BENCH/once")"
	[ "$1" = theirs ] || [ "$1-$2" = "${STAYS-}" ] || vm_exec "$MACHINE" "bench_runs $1-end 1 $2"
}

# compared N WAY [TARGET]: ours beside that way.
compared() {
	local n=$1 way=$2 p
	for p in 50 99; do
		measure "$n at once, p$p: control socket / $way" "$(percentile $p "$(samples "ours-$n")")" "$(percentile $p "$(samples "$way-$n")")" us
	done
	measure "$n at once, all: control socket / $way" "$(median "$(samples "ours-$n-total")")" "$(median "$(samples "$way-$n-total")")" us "${3:--}"
}

# many N: all that is asked of that many at once.
many() {
	case $1 in
	1)
		step "one run"
		one_run
		from_nothing
		;;
	100)
		step "100 at once"
		at_once 100 $(((ROUNDS + 1) / 3)) ours theirs floor
		compared 100 theirs 0.05
		compared 100 floor
		;;
	*)
		step "$1 at once"
		for way in ${PEERS-floor}; do at_once "$1" 1 "$way"; done
		STAYS=ours-$MOST # to end that many takes longer than all else, and nothing comes after it
		at_once "$1" 1 ours
		for way in ${PEERS-floor}; do compared "$1" "$way"; done
		measure "$1 at once, p99 / 15 s" "$(percentile 99 "$(samples "ours-$1")")" 15000000 us 1
		;;
	esac
}

area() {
	local n way
	nodes
	node theirs $T/24
	node floor 10.20.0.4/24
	vm_exec "$MACHINE" 'modprobe nfsd; modprobe nfsv4'
	for name in sandbox theirs floor; do folders $name; done
	daemons
	theirs_start
	floor_start
	step "one more mount from each"
	vm_exec "$MACHINE" "bench_runs ours 0 1"
	on theirs "$export_theirs $A:/workspaces/local/r0"
	on agent "mkdir -p /mnt/r0 && $mount_theirs $T:/workspaces/local/r0 /mnt/r0"
	vm_exec "$MACHINE" "bench_runs floor $((MOST + 1)) 1"
	for n in "${RUNS[@]}"; do many "$n"; done
}
