# SPDX-License-Identifier: Apache-2.0
# A mount is being made when the network breaks, and the last other mount of its server is cut off: the kernel's
# client is given up with it, the attempt's calls are not. Where the server has forgotten that client, its answer to
# such a call would leave whoever is on the mount that was cut off waiting for good, out of reach of any signal.
# shape: netns
. "$here/kora.sh"
kernel_at_least 6.5 || skip "nothing is shut down before 6.5"
nodes
daemon sandbox
daemon agent --lost-after 3600 --mount-timeout 3600
share first
folder demo
serve demo one
spawn agent 'exec 8>/workspaces/first/sandbox/file && echo open >/run/opened; until [ -e /run/go ]; do sleep 0.1; done
	echo $BASHPID >/run/writes; dd if=/dev/zero bs=64k count=4 conv=fsync >&8; echo $? >/run/end'
wait_on agent 10 '[ -s /run/opened ]'

step "the network breaks, an attempt waits, and the only mount is cut off"
cut sandbox $PORT
attach demo one --no-wait
wait_on agent 10 'grep -q nfs4_lookup_root $(for p in $(pgrep -P $(cat /run/kora.pid)); do echo /proc/$p/stack; done)'
on agent kora-mountctl release first
on agent "grep 'event=unmounted run=first .*rung=' $LOG"

step "the server forgets its clients, and the network is back"
on sandbox 'for ctl in /proc/fs/nfsd/clients/*/ctl; do echo expire >$ctl; done'
heal sandbox
on agent "timeout $(seconds 60) kora-mountctl wait demo --timeout $(seconds 60)"

step "who writes on what was cut off has an error"
on agent touch /run/go
wait_on agent 20 '[ -s /run/end ]'
equal "its end" 1 "$(on agent cat /run/end)"
