# SPDX-License-Identifier: Apache-2.0
# The node already serves NFS for somebody else: ours refuses, says whose listener it saw, and leaves
# that server serving.
#
#   sandbox: rpc.nfsd + rpc.mountd on 2049 ──▶ agent: /mnt/theirs, before, during and after
#
# shape: netns
. "$here/kora.sh"
nodes
on sandbox 'mkdir -p /srv/theirs /var/lib/nfs/v4recovery /run/lock; echo theirs >/srv/theirs/id
	mount -t tmpfs tmpfs /srv/theirs; echo theirs >/srv/theirs/id
	mount -t nfsd nfsd /proc/fs/nfsd; echo 10 >/proc/fs/nfsd/nfsv4gracetime
	rpc.mountd -N 3 -u 2>/dev/null || rpc.mountd; exportfs -o rw,fsid=0,no_root_squash,insecure 10.20.0.0/24:/srv/theirs
	rpc.nfsd -N 3 -V 4.2 4 || { echo "2049 does not serve"; exit 1; }'
on agent "mkdir -p /mnt/theirs; mount -i -t nfs4 -o vers=4.2,addr=$S,clientaddr=$A,proto=tcp,sec=sys $S:/ /mnt/theirs"
equal "their file" theirs "$(on agent cat /mnt/theirs/id)"

step "ours starts, and refuses to serve"
daemons
folder demo
status=0
output=$(serve demo first demo --timeout 10 2>&1) || status=$?
[ $status -ne 0 ] || fail "exported beside a foreign server"
case $output in *2049*) ;; *) fail "no word of the foreign listener: $output" ;; esac
case $(on sandbox kora-mountctl status -o json | tr -d ' \n') in *'"state":"foreign"'*) ;; *) fail "status does not say so" ;; esac
refuse "a listener of ours" on sandbox "ss -Htnl 'sport = 20490' | grep ."

step "theirs goes on: during, after our end and after our drain"
equal "their file" theirs "$(on agent cat /mnt/theirs/id)"
on sandbox kora-mountctl drain
daemon_end sandbox TERM
on agent 'mkdir /mnt/theirs/made'
equal "their thread count" 4 "$(on sandbox cat /proc/fs/nfsd/threads)"

step "theirs stops: ours serves"
on agent umount /mnt/theirs
on sandbox 'rpc.nfsd 0; exportfs -ua; pkill rpc.mountd || true'
daemon sandbox
on sandbox kora-mountctl resume
serve demo first
attach demo first
