# SPDX-License-Identifier: Apache-2.0
# What the cases of the daemon share: a daemon on a node, a sandbox's folder, an export and its mount.
# shellcheck shell=bash
# Sandboxes' folders are below /workspaces/local (sandbox), workspaces below /workspaces (agent).
S=10.20.0.1 S6=fd20::1 A=10.20.0.2 A6=fd20::2 PORT=20490
LOG=/var/log/kora-sandbox-mount.log

# spawn NODE 'commands': in the background, in a session of their own before the call returns: what
# belongs to the call's own session ends with it.
spawn() {
	local script=/run/spawn.$RANDOM$RANDOM
	put "$1" $script <<<"echo \$\$ >$script.pid
$2"
	on "$1" "setsid bash $script >/dev/null 2>&1 </dev/null &
		until [ -s $script.pid ]; do sleep 0.02; done"
}

# daemon NODE [OPTION...]: started and answering.
daemon() {
	daemon_start "$@"
	wait_on "$1" 20 'kora-mountctl status --timeout 2'
}

daemon_start() {
	local name=$1
	shift
	spawn "$name" "echo \$\$ >/run/kora.pid; exec kora-sandbox-mount --node-name $name $* >>$LOG 2>&1"
}

# daemon_end NODE SIGNAL: ended and gone.
daemon_end() {
	on "$1" "kill -$2 \$(cat /run/kora.pid)"
	wait_on "$1" 20 '! kill -0 $(cat /run/kora.pid)'
}

daemons() {
	daemon sandbox
	daemon agent
}

# folder RUN [NAME]: the sandbox's folder, owned by the sandbox.
folder() {
	on sandbox "mkdir -p /workspaces/local/${2-$1} && chown 10001:10001 /workspaces/local/${2-$1}"
}

# serve RUN INCARNATION [FOLDER [OPTION...]]
serve() {
	local run=$1 incarnation=$2 name=${3-$1}
	shift $(($# < 3 ? $# : 3))
	on sandbox kora-mountctl export "$run" --incarnation "$incarnation" --folder "/workspaces/local/$name" \
		--client ${CLIENT-$A} --uid 10001 --gid 10001 "$@"
}

# attach RUN INCARNATION [OPTION...]
attach() {
	local run=$1 incarnation=$2
	shift 2
	on agent kora-mountctl mount "$run" --incarnation "$incarnation" --server "${SERVER-$S}" --volume /workspaces \
		--uid 10001 --gid 10001 "$@"
}

# share RUN [INCARNATION]: folder, export and mount in one.
share() {
	folder "$1"
	serve "$1" "${2-first}"
	attach "$1" "${2-first}"
}

# as UID NODE 'commands': as that user of the node, without any capability.
as() {
	local uid=$1 name=$2
	shift 2
	on "$name" "setpriv --reuid $uid --regid $uid --clear-groups --inh-caps=-all --bounding-set=-all bash -c '$*'"
}

# state_of NODE RUN: the state of the run's first role there.
state_of() {
	on "$1" "kora-mountctl describe $2 -o json" | tr -d ' \n' | sed -n 's/.*"state":"\([a-z]*\)".*/\1/p'
}

# mounted_at RUN: what shows at the run's sandbox folder on the agent node, "fstype source".
mounted_at() {
	on agent "awk -v at=/workspaces/$1/sandbox '\$5 == at { for (i = 7; \$i != \"-\"; i++); print \$(i+1), \$(i+2) }' /proc/self/mountinfo"
}
