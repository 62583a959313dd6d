# SPDX-License-Identifier: Apache-2.0
# What a restart of the daemon on a sandbox's node costs, beside `exportfs -ra` with as many lines, and beside the kernel
# calls that put as many exports there, made in a row by one process.
#
#   sandbox 10.20.0.1 (ours) ──────────┐
#   theirs 10.20.0.3 (nfs-utils) ──────┼── exports to 10.20.0.2
#   floor 10.20.0.4 (kernel calls) ────┘
#
# shape: netns
# shellcheck shell=bash
# A clock that counts instructions: what else the host does is not measured.
export KORA_ICOUNT=${KORA_ICOUNT-0} KORA_PROCESSORS=1
read -ra SIZES <<<"${SIZES:-300 1000}"
ROUNDS=${ROUNDS:-3}
MOST=${SIZES[-1]}
CGROUP=/sys/fs/cgroup/bench
STATE=/var/lib/kora-sandbox-mount

prepare() { export KORA_MEMORY=${KORA_MEMORY:-2G}; }

machine() { vm_exec "$MACHINE" "$*"; }

# counted 'commands': microseconds of time, and of the processor in the group, which is empty before. In the commands, `enter`
# puts their own process there.
counted() {
	machine "PATH=\$PATH:/usr/lib/kora-test
		mkdir -p $CGROUP
		cpu() { sed -n 's/^usage_usec //p' $CGROUP/cpu.stat; }
		enter() { echo \$BASHPID >$CGROUP/cgroup.procs; }
		for pid in \$(pgrep -x rpc.mountd); do echo \$pid >$CGROUP/cgroup.procs; done
		before=\$(cpu) begin=\${EPOCHREALTIME/./}
		{ $1
		} >&2 || exit 1
		time=\$((\${EPOCHREALTIME/./} - begin)); echo \$time \$((\$(cpu) - before))"
}

# Killed, and started again until the log has told of every run. What starts the daemon is a word of the shell's before it.
ours() {
	daemon_end sandbox KILL
	on sandbox ": >$LOG"
	counted "(enter; exec nsenter -t \$(cat /run/nodes/sandbox/pid) -m -n -u -p --wd=/root setsid bash -c 'echo \$\$ >/run/kora.pid; exec ${2-} kora-sandbox-mount --node-name sandbox >>$LOG 2>&1') </dev/null >/dev/null 2>&1 &
		disown
		log=/proc/\$(cat /run/nodes/sandbox/pid)/root$LOG
		coproc tail -n +1 -f \$log
		[ \"\$(grep -c -m $1 'event=exported ' <&\${COPROC[0]})\" = $1 ] || exit 1
		kill \$COPROC_PID"
}
theirs() { counted "(enter; exec nsenter -t \$(cat /run/nodes/theirs/pid) -m -n -u -p exportfs -ra)"; }
floor() { machine "bench_runs floor-restart 1 $1"; }

# wished N: so many runs and lines.
wished() {
	on sandbox "mkdir -p -m 700 $STATE $STATE/specs; cd $STATE/specs; for ((i = 1; i <= $1; i++)); do
		echo '{\"kind\":\"export\",\"run\":\"r'\$i'\",\"incarnation\":\"one\",\"volume\":\"/workspaces/local\",\"folder\":\"r'\$i'\",\"clients\":[\"$A\"],\"uid\":10001,\"gid\":10001}' >.new; mv .new r\$i.export.json; done"
	on theirs "for ((i = 1; i <= $1; i++)); do echo \"/workspaces/local/r\$i $A(rw,async,no_subtree_check,all_squash,anonuid=10001,anongid=10001)\"; done >/etc/exports; exportfs -ra"
	daemon_start sandbox
	wait_on sandbox 300 "[ \$(grep -c 'event=exported ' $LOG) -ge $1 ]"
}

# calls N: system calls of a start, workers included, and of exportfs -ra.
calls() {
	ours "$1" "strace -f -c -w -o /run/calls" >/dev/null
	# shellcheck disable=SC2016 # for the node
	on sandbox 'kill -TERM $(pgrep -x kora-sandbox-mo | head -n 1); until [ -s /run/calls ]; do sleep 0.1; done; cat /run/calls' >"$BENCH/calls-ours-$1"
	on theirs 'strace -f -c -o /run/calls exportfs -ra; cat /run/calls' >"$BENCH/calls-theirs-$1"
	daemon sandbox
}
# The column before the errors, if there are any.
total() { awk '$NF == "total" { print $(NF - (NF > 5 ? 2 : 1)) }' "$1"; }

# compared N WHAT COLUMN
compared() {
	local way m=()
	for way in ours theirs floor; do
		awk -v c="$3" '{ print $c }' "$(samples "$way")" >"$BENCH/column"
		m+=("$(median "$BENCH/column")")
	done
	measure "$1 runs, $2: restart / exportfs -ra" "${m[0]}" "${m[1]}" us 0.3
	measure "$1 runs, $2: restart / kernel calls by hand" "${m[0]}" "${m[2]}" us
	measure "$1 runs, $2: kernel calls by hand / exportfs -ra" "${m[2]}" "${m[1]}" us
}

area() {
	local name n round way
	node sandbox 10.20.0.1/24
	node theirs 10.20.0.3/24
	node floor 10.20.0.4/24
	machine 'modprobe nfsd'
	for name in sandbox theirs floor; do on $name "mkdir -p /workspaces/local && cd /workspaces/local && mkdir \$(seq -f r%g 1 $MOST) && chown 10001:10001 *"; done
	on theirs "mkdir -p /var/lib/nfs/v4recovery /run/lock; touch /var/lib/nfs/etab /var/lib/nfs/rmtab; mount -t nfsd nfsd /proc/fs/nfsd; rpc.mountd; rpc.nfsd -N 3 -V 4.2 8"
	for n in "${SIZES[@]}"; do
		step "$n runs"
		wished "$n"
		for way in ours theirs floor; do : >"$(samples "$way")"; done
		for ((round = 1; round <= ROUNDS; round++)); do
			for way in $(shuf -e ours theirs floor); do $way "$n" >>"$(samples "$way")"; done
			say "round $round: $(for way in ours theirs floor; do printf '%s %s us; ' $way "$(tail -n 1 "$(samples "$way")")"; done)"
		done
		compared "$n" time 1
		compared "$n" "processor time" 2
		calls "$n"
		measure "$n runs, system calls: restart / exportfs -ra" "$(total "$BENCH/calls-ours-$n")" "$(total "$BENCH/calls-theirs-$n")" calls
		daemon_end sandbox TERM
		on sandbox ": >$LOG"
	done
}
