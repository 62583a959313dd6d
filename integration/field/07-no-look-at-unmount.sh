# SPDX-License-Identifier: Apache-2.0
# Taking a mount off must not look at it: a stat of a dead server's root waits for ever.
# shape: netns
. "$here/kora.sh"
nodes
daemons
share demo
share cut
# traced RUN: what the daemon and its workers ask about the mount's root while the run is released.
traced() {
	spawn agent "exec strace -f -qq -e trace=stat,lstat,newfstatat,statx,statfs,readlink,readlinkat,access,faccessat,faccessat2 -o /run/trace.$1 \$(for p in \$(cat /run/kora.pid) \$(pgrep -P \$(cat /run/kora.pid)); do echo -p \$p; done)"
	wait_on agent 20 'for p in $(cat /run/kora.pid) $(pgrep -P $(cat /run/kora.pid)); do grep -q "TracerPid:[[:space:]]*[1-9]" /proc/$p/status || exit 1; done'
	on agent "timeout $(seconds 30) kora-mountctl release $1 >/dev/null"
	on agent 'pkill -INT -x strace'
	wait_on agent 10 '! pgrep -x strace'
	on agent "grep -E '/workspaces/$1/sandbox|[^.]sandbox\"' /run/trace.$1 || true"
}
step "the server answers"
equal "looks" "" "$(traced demo)"
equal "the mount is gone" "" "$(mounted_at demo)"
step "the server is silent"
cut sandbox $PORT
equal "looks" "" "$(traced cut)"
equal "the mount is gone" "" "$(mounted_at cut)"
