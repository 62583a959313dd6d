# SPDX-License-Identifier: Apache-2.0
# A folder on tmpfs has no device and no UUID: it is exported with a number of ours, and mounted. So is a whole tmpfs, which
# the kernel names otherwise; and it knows both so well that it asks nobody.
# shape: netns
. "$here/kora.sh"
nodes
daemons
share known # of a client's first mount, client tracking is asked
on sandbox 'mkdir -p /mnt/t /mnt/whole; mount -t tmpfs tmpfs /mnt/t; mount -t tmpfs tmpfs /mnt/whole; mkdir /mnt/t/demo; chown 10001:10001 /mnt/t/demo /mnt/whole'
for folder in t/demo whole; do
	on sandbox kora-mountctl export ${folder#t/} --incarnation one --folder /mnt/$folder --client $A --uid 10001 --gid 10001
done
on sandbox 'kill -STOP $(cat /run/kora.pid)'
for run in demo whole; do
	attach $run one
	as 10001 agent "echo x >/workspaces/$run/sandbox/x"
done
on sandbox 'kill -CONT $(cat /run/kora.pid)'
equal "on the sandbox node" x "$(on sandbox cat /mnt/t/demo/x)"
equal "in the whole one" x "$(on sandbox cat /mnt/whole/x)"
for run in demo whole; do
	on agent kora-mountctl release $run
	on sandbox kora-mountctl release $run
done
on sandbox 'umount /mnt/t /mnt/whole'
