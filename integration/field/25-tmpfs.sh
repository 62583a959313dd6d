# SPDX-License-Identifier: Apache-2.0
# A folder on tmpfs has no device and no UUID: it is exported with a number of ours, and mounted.
# shape: netns
. "$here/kora.sh"
nodes
daemons
on sandbox 'mkdir -p /mnt/t; mount -t tmpfs tmpfs /mnt/t; mkdir /mnt/t/demo; chown 10001:10001 /mnt/t/demo'
on sandbox kora-mountctl export demo --incarnation one --folder /mnt/t/demo --client $A --uid 10001 --gid 10001
attach demo one
as 10001 agent 'echo x >/workspaces/demo/sandbox/x'
equal "on the sandbox node" x "$(on sandbox cat /mnt/t/demo/x)"
on agent kora-mountctl release demo
on sandbox 'kora-mountctl release demo && umount /mnt/t'
