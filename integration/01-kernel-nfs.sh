# SPDX-License-Identifier: Apache-2.0
# The kernel alone, set up by hand: no daemon, no mountd. What every other case builds on.
#
#   sandbox 10.20.0.1                 agent 10.20.0.2
#   nfsd, TCP 20490       <────────   mount -t nfs4 (mount(2), no helper)
#   /workspaces/demo                  /mnt/demo
#
# shape: netns two-vm
# timeout: 120
# shellcheck shell=bash disable=SC2016
[ "$SHAPE" = netns ] || enough 6.1 6.12

serve() {
	put sandbox /root/serve <<'SERVE'
set -e
modprobe nfsd
mkdir -p /workspaces/demo
echo hello >/workspaces/demo/file
chown -R 10001:10001 /workspaces/demo
mount -t nfsd nfsd /proc/fs/nfsd
echo '-2 -3 +4 -4.0 -4.1 +4.2' >/proc/fs/nfsd/versions
echo 10 >/proc/fs/nfsd/nfsv4leasetime
echo 10 >/proc/fs/nfsd/nfsv4gracetime
echo 'tcp 20490' >/proc/fs/nfsd/portlist
echo 4 >/proc/fs/nfsd/threads
never=$((0x7fffffff)) flags=$((4 + 8 + 0x10 + 0x400 + 0x2000))
echo "nfsd 10.20.0.2 $never clients" >/proc/net/rpc/auth.unix.ip/channel
echo "clients /workspaces/demo $never $flags 10001 10001 0" >/proc/net/rpc/nfsd.export/channel
echo "clients 1 \\x00000000 $never /workspaces/demo" >/proc/net/rpc/nfsd.fh/channel
SERVE
	on sandbox bash /root/serve
}

nodes

step "nfsd with preloaded cache entries"
serve

step "mount"
on agent 'mkdir -p /mnt/demo && modprobe nfsv4 &&
	mount -i -t nfs4 -o vers=4.2,port=20490,addr=10.20.0.1,clientaddr=10.20.0.2,proto=tcp,sec=sys 10.20.0.1:/ /mnt/demo'
on agent 'grep " /mnt/demo nfs4 " /proc/mounts'
equal "the sandbox's file, read on the agent" hello "$(on agent cat /mnt/demo/file)"

step "write, once the grace period is over"
on agent 'echo back >/mnt/demo/answer'
equal "the agent's file on the sandbox" 10001:back "$(on sandbox 'cd /workspaces/demo; echo $(stat -c %u answer):$(cat answer)')"

if [ "$SHAPE" = two-vm ]; then
	step "power cut of the sandbox node: the agent's reader waits"
	on agent sync /mnt/demo/answer
	on sandbox sync
	power_off sandbox
	refuse "a node without power answers" on sandbox true
	refuse "a read from a dead server" on agent 'timeout 3 dd if=/mnt/demo/file iflag=direct of=/dev/null'
	step "power again: the disk is as it was, the agent's mount goes on"
	power_on sandbox
	serve
	equal "after the power cut" back "$(on agent cat /mnt/demo/answer)"
fi

step "unmount and stop"
on agent umount /mnt/demo
on sandbox 'echo 0 >/proc/fs/nfsd/threads'
