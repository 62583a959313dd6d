# SPDX-License-Identifier: Apache-2.0
# The node key is the server's identity: lost or damaged, the daemon refuses to become another server.
#
#   sandbox: /var/lib/kora-sandbox-mount/node.key ✗
#
# shape: netns
. "$here/kora.sh"
nodes
daemons
share demo
daemon_end sandbox TERM

# refused WHAT: the daemon does not start and says which file it misses.
refused() {
	local status=0 output
	output=$(on sandbox 'timeout 20 kora-sandbox-mount --node-name sandbox 2>&1 </dev/null') || status=$?
	[ $status -ne 0 ] && [ $status -ne 124 ] || fail "$1: the daemon started"
	case $output in *node.key*) ;; *) fail "$1: no word of the key: $output" ;; esac
	say "$output"
}
key=/var/lib/kora-sandbox-mount/node.key
on sandbox cp -p $key /root/key
step "lost"
on sandbox rm $key
refused lost
refuse "a new key was made" on sandbox test -e $key
step "truncated"
on sandbox "head -c 7 /root/key >$key; chmod 600 $key"
refused truncated
step "another one"
on sandbox "head -c \$(stat -c %s /root/key) /dev/urandom >$key; chmod 600 $key"
refused another
step "readable by others"
on sandbox "cp -p /root/key $key; chmod 644 $key"
refused readable
step "without a name it does not start, as doctor tells"
words='open machine id /etc/machine-id: No such file or directory (give the node a unique name with --node-name)'
output=$(on sandbox 'timeout 20 kora-sandbox-mount 2>&1 </dev/null') && fail "it started" || true
case $output in *"$words"*) ;; *) fail "no word of the name: $output" ;; esac
output=$(on sandbox 'kora-mountctl doctor') && fail "doctor finds nothing" || true
case $output in *"fail  node-name     $words"*) ;; *) fail "doctor: $output" ;; esac
step "meanwhile the mount goes on, and with the key back so does the daemon"
as 10001 agent 'echo on >/workspaces/demo/sandbox/on'
on sandbox cp -p /root/key $key
daemon sandbox
as 10001 agent 'echo on >/workspaces/demo/sandbox/on-again'
