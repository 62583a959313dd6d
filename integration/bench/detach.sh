# SPDX-License-Identifier: Apache-2.0
# The server is dead and five processes wait for it, in read, write and fsync, stat, open and their working
# directory: how long from the decision to give it up until all have their error and have ended.
#
#   sandbox ✗ (packets dropped) ──▶ agent: ours (the prober's decision; a release), umount -f, umount -l
#
# shape: netns
# shellcheck shell=bash
export KORA_ICOUNT=${KORA_ICOUNT-0} KORA_PROCESSORS=1
ROUNDS=${ROUNDS:-2} LIMIT=${LIMIT:-8}

prepare() { SHARE+=("$here/bench/guest/detach-work"); }

# Nothing of the last round is left: a server that answers, a daemon on the agent node, no mount.
fresh() {
	on agent "/t/detach-work end"
	on sandbox 'nft delete table inet cut 2>/dev/null || true'
	on agent 'until ! grep -q " /mnt/by-hand " /proc/self/mountinfo; do timeout 5 umount -l /mnt/by-hand || sleep 0.2; done'
	wait_on agent 120 '! pgrep -x "cat|dd|ls|stat"'
	! on agent 'kill -0 $(cat /run/kora.pid)' 2>/dev/null || daemon_end agent TERM
	on agent ": >$LOG"
	daemon agent --lost-after "$1"
}

# blocked FOLDER: five processes, and their server is gone.
blocked() {
	on agent "/t/detach-work start $1"
	cut sandbox $PORT
	on agent "/t/detach-work block"
}

ours() {
	attach demo first >/dev/null
	blocked /workspaces/demo/sandbox
}
by_hand() {
	on agent "mkdir -p /mnt/by-hand && mount -i -t nfs4 -o vers=4.2,port=$PORT,addr=$S,clientaddr=$A,proto=tcp,sec=sys $S:/workspaces/demo/first /mnt/by-hand"
	blocked /mnt/by-hand
}

# Each prints the seconds to all free, and notes how many were freed.
lost() {
	fresh 8
	ours
	on agent "i=0; until grep -q event=server-lost $LOG; do sleep 0.05; done; /t/detach-work freed \$(date +%s.%N) $LIMIT" | freed lost
	heal_and_release
}
released() {
	fresh 3600
	ours
	on agent "begin=\$(date +%s.%N); kora-mountctl release demo >/dev/null & /t/detach-work freed \$begin $LIMIT" | freed released
	heal_and_release
}
heal_and_release() {
	heal sandbox
	on agent 'timeout 60 kora-mountctl release demo >/dev/null 2>&1 || true'
}
umount_f() { umount_by_hand -f; }
umount_l() { umount_by_hand -l; }
umount_by_hand() {
	fresh 3600
	by_hand
	on agent "begin=\$(date +%s.%N); timeout -s KILL $LIMIT umount $1 /mnt/by-hand >/dev/null 2>&1 & /t/detach-work freed \$begin $LIMIT" | freed "umount_${1#-}"
}

# freed WAY: keeps the number of those that ended, passes the seconds on.
freed() {
	local took ended
	read -r took ended
	echo "$ended" >>"$BENCH/ended.$1"
	echo "$took"
}

area() {
	local way
	nodes
	daemon sandbox
	folder demo
	serve demo first >/dev/null
	on sandbox 'head -c 50M /dev/zero >/workspaces/local/demo/large; chown 10001:10001 /workspaces/local/demo/large'
	interleave "$ROUNDS" lost released umount_f umount_l
	for way in umount_f umount_l; do
		measure "given up by the prober / ${way/_/ -}" "$(median "$(samples lost)")" "$(median "$(samples $way)")" s
		measure "released / ${way/_/ -}" "$(median "$(samples released)")" "$(median "$(samples $way)")" s
		note "given up by the prober / ${way/_/ -}" "${way/_/ -} freed $(median "$BENCH/ended.$way") of 5 within $LIMIT s"
	done
	measure "given up by the prober: all free, against 5 s" "$(median "$(samples lost)")" 5 s 1
	measure "released: all free, against 5 s" "$(median "$(samples released)")" 5 s 1
	for way in lost released umount_f umount_l; do series "$way" "$(samples $way)"; done
	for way in lost released; do
		[ "$(median "$BENCH/ended.$way")" = 5 ] || note "${way/lost/given up by the prober}: all free, against 5 s" "$(median "$BENCH/ended.$way") of 5 were free within $LIMIT s"
	done
}
