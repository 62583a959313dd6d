# SPDX-License-Identifier: Apache-2.0
# What the cases with pods share: the scripted API server on the sandbox's node, and on each node the
# daemon and the watch as the chart's pod starts them.
# shellcheck shell=bash
. "$here/kora.sh"
API=10.20.0.1 API_PORT=6443 WATCH_USER=20491 ACCOUNT=/var/run/secrets/kubernetes.io/serviceaccount
WATCH_LOG=/var/log/kora-sandbox-watch.log

# cluster_up: the API server answers, both nodes are in the cluster.
cluster_up() {
	spawn sandbox "mkdir -p /run/cluster; exec /usr/lib/kora-test/cluster /run/cluster $API $API_PORT >/var/log/cluster 2>&1"
	wait_on sandbox 30 '[ -e /run/cluster/ready ]'
	cluster "node sandbox $S" "node agent $A" "claim /workspaces/a"
}

# cluster WORDS...: each one line for the cluster; prints its answers, fails at the first error.
cluster() {
	put sandbox /run/words < <(printf '%s\n' "$@")
	on sandbox "exec 3<>/dev/tcp/127.0.0.1/$((API_PORT + 1)); cat /run/words >&3
		while read -r word; do read -r answer <&3 || exit 1
			case \$answer in ERROR*) echo \"\$word: \$answer\" >&2; exit 1 ;; ok) ;; *) echo \"\$answer\" ;; esac
		done </run/words"
}

# cluster_says SECONDS WANTED WORDS: until the cluster's answer is that.
cluster_says() {
	local answer=
	on sandbox "exec 3<>/dev/tcp/127.0.0.1/$((API_PORT + 1)); until [ \"\$answer\" = '$2' ]; do
		[ \$SECONDS -lt $(seconds "$1") ] || { echo \"\$answer\"; exit 1; }
		echo '$3' >&3; read -r answer <&3; sleep 0.2; done" >"$CASE_DIR/answer" && return
	fail "not within $1 s: $3 is $2, but $(tail -n 1 "$CASE_DIR/answer"); $(cluster conditions | head -c 300)"
}

# host NODE: what kubelet and the host give the pod.
host() {
	on "$1" "mkdir -p /workspaces/kubelet/pods /workspaces/a /var/lib/kubelet $ACCOUNT /run/kora-sandbox-mount
		mountpoint -q /var/lib/kubelet || mount --bind /workspaces/kubelet /var/lib/kubelet
		echo one >$ACCOUNT/token; echo t >$ACCOUNT/namespace"
	on sandbox cat /run/cluster/ca.crt | put "$1" $ACCOUNT/ca.crt
}

# pod_up NODE: both containers. The daemon's mounts are the host's by propagation, its namespace ends with it.
pod_up() {
	spawn "$1" "echo \$\$ >/run/kora.pid; exec unshare --mount --propagation shared kora-sandbox-mount --node-name $1 \
		--listen=\$(ip -4 -o address show dev eth0 | sed 's/.* inet \([0-9.]*\).*/\1/') \
		--control-group=$WATCH_USER ${DAEMON_OPTIONS-} >>$LOG 2>&1"
	spawn "$1" "echo \$\$ >/run/watch.pid
		export KUBERNETES_SERVICE_HOST=$API KUBERNETES_SERVICE_PORT=$API_PORT
		exec unshare --mount sh -c 'mount -o remount,bind,ro / && exec \"\$@\"' - setpriv --reuid $WATCH_USER --regid $WATCH_USER --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \
		kora-launch --profile=none --landlock-min=2 --exec=/usr/local/bin/kora-sandbox-watch --exec=/usr/lib --exec=-/usr/lib64 \
		--read=/etc --read=$ACCOUNT --unix=/run/kora-sandbox-mount --tcp-connect=$API_PORT --tcp-bind=20491 \
		--env='KUBERNETES_*' --chdir=/etc -- \
		/usr/local/bin/kora-sandbox-watch --node=$1 --socket=/run/kora-sandbox-mount/control.sock --http=127.0.0.1:20491 \
		--workspace-root=/workspaces ${WATCH_OPTIONS-} >>$WATCH_LOG 2>&1"
}

watch_get() { on "$1" "exec 3<>/dev/tcp/127.0.0.1/20491 && printf 'GET %s HTTP/1.0\r\n\r\n' $2 >&3 && cat <&3"; }

# pod_ready NODE: as its readiness probes see it.
pod_ready() {
	wait_on "$1" 30 "kora-mountctl status --timeout 2 && exec 3<>/dev/tcp/127.0.0.1/20491 &&
		printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"
}

# pod_down NODE: as kubelet ends it.
pod_down() {
	on "$1" 'kill -TERM $(cat /run/kora.pid) $(cat /run/watch.pid)'
	wait_on "$1" 20 '! kill -0 $(cat /run/kora.pid) && ! kill -0 $(cat /run/watch.pid)'
}

# empty_dirs NAME...: kubelet's folders of these sandbox pods, each with a file that names its pod.
empty_dirs() {
	on sandbox "for name in $*; do
		dir=/var/lib/kubelet/pods/uid-\$name/volumes/kubernetes.io~empty-dir/sandbox
		mkdir -p \$dir && echo \$name >\$dir/id && chown -R 10001:10001 \$dir || exit 1; done"
}
