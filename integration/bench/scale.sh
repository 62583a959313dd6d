# SPDX-License-Identifier: Apache-2.0
# What grows with the number of runs: the cost of one more, of a restart on the agent's node, and memory. A restart on the
# sandbox's node is an area of its own, `restart`.
#
#   API server ◀── watch ─▶ daemon, sandbox 10.20.0.1 ═══ runs ═══▶ agent 10.20.0.2, daemon
#   theirs 10.20.0.3: nfs-utils, and nfs-ganesha, with as many exports
#
# shape: netns
# shellcheck shell=bash
. "$here/kubernetes.sh"
. "$here/ganesha.sh"
# A clock that counts instructions: what else the host does is not measured.
export KORA_ICOUNT=${KORA_ICOUNT-0} KORA_PROCESSORS=1
read -ra SIZES <<<"${SIZES:-10 100 1000}"
MOST=${SIZES[-1]}
CHANGES=${CHANGES:-5}
CGROUP=/sys/fs/cgroup/bench

prepare() {
	export KORA_MEMORY=${KORA_MEMORY:-2G}
	ganesha_prepare
}

machine() { vm_exec "$MACHINE" "$*"; }

# followed NODE: its daemon in a group of its own, which counts its processor time and that of its workers.
followed() {
	daemon "$1"
	machine "mkdir -p $CGROUP-$1; pgrep -x kora-sandbox-mo --nslist pid --ns \$(cat /run/nodes/$1/pid) >$CGROUP-$1/cgroup.procs"
}
# Microseconds of processor time since its start.
cpu() { machine "sed -n 's/^usage_usec //p' $CGROUP-$1/cpu.stat"; }
pid_of() { machine "head -n 1 $CGROUP-$1/cgroup.procs"; }
# resident PID: kilobytes.
resident() { machine "awk '/^VmRSS/ { print \$2 }' /proc/$1/status"; }

fill() { machine "bench_runs ours 1 $1 >/dev/null"; }

# folders A B: of the sandboxes A to B.
folders() { on sandbox "mkdir -p /workspaces/local && cd /workspaces/local && for ((i = $1; i <= $2; i++)); do mkdir r\$i && : >r\$i/file; done; chown -R 10001:10001 ."; }
# fresh COUNT: FRESH are as many runs as yet unknown: of one that went, the kernel keeps refusals for a minute, and pays for it.
fresh() {
	FRESH=$((${LAST_FRESH:-$MOST} + 1))
	LAST_FRESH=$((FRESH + $1 - 1))
	folders $FRESH $LAST_FRESH
}

# changes N: a new run comes and goes, CHANGES times, while N others are there.
changes() {
	local n=$1 i node before after
	fresh $((CHANGES + 2))
	for node in sandbox agent; do : >"$(samples "$node-add-$n")" && : >"$(samples "$node-remove-$n")"; done
	for ((i = 0; i < CHANGES; i++)); do
		for what in add remove; do
			before="$(cpu sandbox) $(cpu agent)"
			machine "bench_runs ours$([ $what = add ] || echo -end) $FRESH 1 >/dev/null; sleep 0.3"
			after="$(cpu sandbox) $(cpu agent)"
			echo $((${after% *} - ${before% *})) >>"$(samples "sandbox-$what-$n")"
			echo $((${after#* } - ${before#* })) >>"$(samples "agent-$what-$n")"
		done
		FRESH=$((FRESH + 1))
	done
	for node in sandbox agent; do
		machine "strace -f -c -o /run/calls \$(sed 's/^/-p /' $CGROUP-$node/cgroup.procs) 2>/run/strace & until [ \"\$(grep -c attached /run/strace)\" -ge \$(wc -l <$CGROUP-$node/cgroup.procs) ]; do sleep 0.1; done
			bench_runs ours $FRESH 1 >/dev/null && bench_runs ours-end $FRESH 1 && sleep 1; kill %1; wait; cat /run/calls" >"$BENCH/calls-$node-$n"
		FRESH=$((FRESH + 1))
		total "$BENCH/calls-$node-$n" >"$(samples "$node-calls-$n")"
	done
	say "with $n: sandbox $(median "$(samples "sandbox-add-$n")") + $(median "$(samples "sandbox-remove-$n")") us, $(cat "$(samples "sandbox-calls-$n")") calls; agent $(median "$(samples "agent-add-$n")") + $(median "$(samples "agent-remove-$n")") us, $(cat "$(samples "agent-calls-$n")") calls"
}

# floors N: the same by the kernel calls alone, in one process, beside the same N others: an export, and a mount of one.
floors() {
	local n=$1 node
	fresh $((CHANGES + 1))
	machine "bench_runs floor-exports $FRESH $((CHANGES + 1))" | tail -n +2 >"$BENCH/floor-sandbox"
	serve r$FRESH one >&2
	machine "bench_runs floor-mounts $FRESH $((CHANGES + 1))" | tail -n +2 >"$BENCH/floor-agent"
	on sandbox kora-mountctl release r$FRESH >&2
	for node in sandbox agent; do
		awk '{ print $1 }' "$BENCH/floor-$node" >"$(samples "floor-$node-add-$n")"
		awk '{ print $2 }' "$BENCH/floor-$node" >"$(samples "floor-$node-remove-$n")"
	done
	say "with $n, kernel calls: sandbox $(of floor-sandbox-add "$n") + $(of floor-sandbox-remove "$n") us; agent $(of floor-agent-add "$n") + $(of floor-agent-remove "$n") us"
}
of() { median "$(samples "$1-$2")"; }

compare_changes() {
	local node what n first=${SIZES[0]} most=$MOST
	for node in sandbox agent; do
		for what in add remove; do
			for n in "${SIZES[@]:1}"; do
				series "$node: to $what one with $n, us" "$(samples "$node-$what-$n")"
				measure "$node: to $what one, processor time with $n / with $first" "$(of "$node-$what" "$n")" "$(of "$node-$what" "$first")" us 1.2
				measure "$node: … the kernel calls alone, with $n / with $first" "$(of "floor-$node-$what" "$n")" "$(of "floor-$node-$what" "$first")" us
			done
			measure "$node: … without those calls, with $most / with $first" $(($(of "$node-$what" "$most") - $(of "floor-$node-$what" "$most"))) $(($(of "$node-$what" "$first") - $(of "floor-$node-$what" "$first"))) us 1.2
		done
		for n in "${SIZES[@]:1}"; do
			measure "$node: to add and remove one, system calls with $n / with $first" "$(cat "$(samples "$node-calls-$n")")" "$(cat "$(samples "$node-calls-$first")")" calls 1.2
		done
	done
}

memory() {
	local node
	for node in sandbox agent; do echo "$(resident "$(pid_of $node)")" >"$(samples "rss-$node-$1")"; done
	say "with $1: $(cat "$(samples "rss-sandbox-$1")") and $(cat "$(samples "rss-agent-$1")") kB"
}

# restart NODE WORD: killed and started; until the log has told of every run. Prints microseconds of time and of the processor.
restart() {
	daemon_end "$1" KILL
	on "$1" ": >$LOG"
	machine "PATH=\$PATH:/usr/lib/kora-test; begin=\${EPOCHREALTIME/./}
		rmdir $CGROUP-$1 2>/dev/null; mkdir -p $CGROUP-$1
		(echo \$BASHPID >$CGROUP-$1/cgroup.procs; exec nsenter -t \$(cat /run/nodes/$1/pid) -m -n -u -p --wd=/root setsid bash -c 'echo \$\$ >/run/kora.pid; exec kora-sandbox-mount --node-name $1 >>$LOG 2>&1') </dev/null >/dev/null 2>&1 &
		disown
		log=/proc/\$(cat /run/nodes/$1/pid)/root$LOG
		until [ \"\$(grep -c 'event=$2 ' \$log)\" -ge $MOST ]; do sleep 0.05; [ \$SECONDS -lt $(seconds 300) ] || exit 1; done
		echo \$((\${EPOCHREALTIME/./} - begin)) \$(sed -n 's/^usage_usec //p' $CGROUP-$1/cpu.stat)"
}
restarts() {
	local round took
	for node in agent theirs; do : >"$(samples "restart-$node")" && : >"$(samples "restart-cpu-$node")"; done
	for round in 1 2 3; do
		for node in $(shuf -e agent theirs); do
			case $node in
			agent) took=$(restart agent mounted) ;;
			theirs) took=$(machine "mkdir -p $CGROUP-theirs; for pid in \$(pgrep -x rpc.mountd); do echo \$pid >$CGROUP-theirs/cgroup.procs; done; cpu() { sed -n 's/^usage_usec //p' $CGROUP-theirs/cpu.stat; }
				begin=\${EPOCHREALTIME/./} cpu=\$(cpu); (echo \$BASHPID >$CGROUP-theirs/cgroup.procs; exec nsenter -t \$(cat /run/nodes/theirs/pid) -m -n -u -p exportfs -ra) >&2
				echo \$((\${EPOCHREALTIME/./} - begin)) \$((\$(cpu) - cpu))") ;;
			esac
			echo "${took% *}" >>"$(samples "restart-$node")"
			echo "${took#* }" >>"$(samples "restart-cpu-$node")"
			say "restart round $round, $node: $took us of time and of the processor"
		done
	done
	measure "restart of the agent's daemon with $MOST / exportfs -ra" "$(median "$(samples restart-agent)")" "$(median "$(samples restart-theirs)")" us 0.3
	measure "… processor time" "$(median "$(samples restart-cpu-agent)")" "$(median "$(samples restart-cpu-theirs)")" us
}
# restart_calls NODE WORD: system calls of a start until all is told, workers included.
restart_calls() {
	daemon_end "$1" KILL
	on "$1" ": >$LOG"
	spawn "$1" "echo \$\$ >/run/kora.pid; exec strace -f -c -o /run/calls kora-sandbox-mount --node-name $1 >>$LOG 2>&1"
	wait_on "$1" 400 "[ \"\$(grep -c 'event=$2 ' $LOG)\" -ge $MOST ]"
	on "$1" 'kill -TERM $(pgrep -x kora-sandbox-mo | head -n 1); until [ -s /run/calls ]; do sleep 0.1; done; cat /run/calls' >"$BENCH/restart-calls-$1"
	wait_on "$1" 30 '! pgrep -x kora-sandbox-mo'
	followed "$1"
}
# The column before the errors, if there are any.
total() { awk '$NF == "total" { print $(NF - (NF > 5 ? 2 : 1)) }' "$1"; }

theirs() {
	node theirs 10.20.0.3/24
	on theirs "mkdir -p /workspaces/local /var/lib/nfs/v4recovery /run/lock; touch /var/lib/nfs/etab /var/lib/nfs/rmtab; cd /workspaces/local; mkdir \$(seq -f r%g 1 $MOST)
		mount -t nfsd nfsd /proc/fs/nfsd; rpc.mountd; rpc.nfsd -N 3 -V 4.2 8"
}
theirs_fill() {
	on theirs "for ((i = 1; i <= $1; i++)); do echo \"/workspaces/local/r\$i $A(rw,async,no_subtree_check,all_squash,anonuid=10001,anongid=10001)\"; done >/etc/exports; exportfs -ra"
}

# ganesha_with N: its memory with as many exports, before a client has come.
ganesha_with() {
	local names
	mapfile -t names < <(seq -f r%g 1 "$1")
	ganesha theirs "${names[@]}"
	ganesha_resident theirs >"$(samples "rss-ganesha-$1")"
	ganesha_end theirs
	say "nfs-ganesha with $1: $(cat "$(samples "rss-ganesha-$1")") kB"
}

# The watch of a node with that many sandboxes, and the daemon that serves them.
watched() {
	local n last=0 i words
	cluster_up
	host sandbox
	pod_up sandbox
	pod_ready sandbox
	for n in 0 "${SIZES[@]:1}"; do
		words=()
		for ((i = last + 1; i <= n; i++)); do words+=("sandbox s$i run-$i sandbox agent"); done
		if [ "$n" != 0 ]; then
			# shellcheck disable=SC2046
			empty_dirs $(seq -f s%g $((last + 1)) "$n")
			cluster "${words[@]}"
			wait_on sandbox 300 "[ \"\$(kora-mountctl runs | grep -cw ready)\" = $n ]"
		fi
		last=$n
		on sandbox 'sleep 3; awk "/^VmRSS/ { print \$2 }" /proc/$(cat /run/watch.pid)/status' >"$(samples "rss-watch-$n")"
		say "watch with $n: $(cat "$(samples "rss-watch-$n")") kB"
	done
	on sandbox 'rm -f /var/lib/kora-sandbox-mount/specs/*'
	wait_on sandbox 120 '! kora-mountctl runs | grep -q ready'
	pod_down sandbox
}

# bound WHAT FILE KB
bound() {
	local n
	for n in 0 "${SIZES[@]:1}"; do
		measure "$1, resident with $n runs / $3 kB" "$(cat "$(samples "$2-$n")")" "$3" kB "$([ "$n" != "$MOST" ] || echo 1)"
	done
}

area() {
	nodes
	machine 'modprobe nfsd; modprobe nfsv4'
	folders 0 $MOST
	theirs
	step "the watch"
	watched
	followed sandbox
	followed agent
	memory 0
	ganesha_with 0
	for n in "${SIZES[@]}"; do
		step "$n runs"
		fill "$n"
		memory "$n"
		changes "$n"
		floors "$n"
		theirs_fill "$n"
		ganesha_with "$n"
		resident "$(machine 'pgrep -x rpc.mountd | head -n 1')" >"$(samples "rss-theirs-$n")"
	done
	compare_changes
	step "restart"
	restarts
	restart_calls agent mounted
	on theirs 'strace -f -c -o /run/calls exportfs -ra; cat /run/calls' >"$BENCH/restart-calls-theirs"
	measure "restart of the agent's daemon with $MOST: system calls / exportfs -ra" "$(total "$BENCH/restart-calls-agent")" "$(total "$BENCH/restart-calls-theirs")" calls
	bound "daemon of the sandbox's node" rss-sandbox 12288
	bound "daemon of the agent's node" rss-agent 12288
	bound watch rss-watch 24576
	measure "daemon of the sandbox's node / rpc.mountd, resident with $MOST" "$(cat "$(samples "rss-sandbox-$MOST")")" "$(cat "$(samples "rss-theirs-$MOST")")" kB
	for n in 0 "${SIZES[@]}"; do
		measure "daemon of the sandbox's node / nfs-ganesha, resident with $n" "$(cat "$(samples "rss-sandbox-$n")")" "$(cat "$(samples "rss-ganesha-$n")")" kB
	done
}
