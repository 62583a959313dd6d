# SPDX-License-Identifier: Apache-2.0
# How long after a command in the sandbox has written something the agent node sees it, and what looking costs.
#
#   sandbox: local/demo, changed locally ── export ──▶ agent: /workspaces/demo/sandbox (ours), /mnt/{default,noac}
#
# shape: netns
# shellcheck shell=bash
export KORA_ICOUNT=${KORA_ICOUNT-0} KORA_PROCESSORS=1
ROUNDS=${ROUNDS:-6} LIMIT=${LIMIT:-8}
OURS=/workspaces/demo/sandbox DEFAULT=/mnt/default NOAC=/mnt/noac

prepare() { SHARE+=("$here/bench/guest/freshness"); }

# by_hand FOLDER OPTIONS: the same export with other options.
by_hand() {
	on agent "mkdir -p $1 && mount -i -t nfs4 -o vers=4.2,port=$PORT,addr=$S,clientaddr=$A,proto=tcp,sec=sys,nosharecache$2 $S:/workspaces/demo/first $1"
}

# The case's delays through a mount, one a line.
delays() { awk -v mount="$2" -v name="$1" '$1 == mount && $2 == name { print $3 }' "$BENCH/seen" >"$BENCH/delays" && cat "$BENCH/delays"; }
most() { delays "$@" | percentile 100; }
cost() { awk -v mount="$1" '$1 == mount && $2 == "looks" { print $4 }' "$BENCH/seen"; }

# bound CASE SECONDS: of ours, the longest delay against what docs/promises.md says.
bound() {
	local way
	measure "${1//_/ }: longest delay / bound" "$(most "$1" $OURS)" "$2" s 1
	for way in $OURS $DEFAULT $NOAC; do
		delays "$1" "$way" >"$BENCH/of-way"
		series "${1//_/ }: $(case $way in "$OURS") echo ours ;; *) echo "${way##*/}" ;; esac)" "$BENCH/of-way"
	done
}

area() {
	local at_once=${AT_ONCE:-0.1}
	nodes
	daemons
	share demo >/dev/null
	by_hand $DEFAULT ''
	by_hand $NOAC ,noac
	on agent "/t/freshness $ROUNDS $LIMIT /disk/nodes/sandbox/local/demo $OURS $DEFAULT $NOAC" >"$BENCH/seen"
	bound new_name_after_failed_lookup "$at_once"
	bound new_name_in_readdir "$at_once"
	bound contents_by_open "$at_once"
	bound size_by_stat "$(awk "BEGIN { print 1 + $at_once }")"
	bound deleted "$(awk "BEGIN { print 1 + $at_once }")"
	measure "200 looks in 5 s: calls / noac" "$(cost $OURS)" "$(cost $NOAC)" calls
	measure "200 looks in 5 s: calls / default options" "$(cost $OURS)" "$(cost $DEFAULT)" calls
}
