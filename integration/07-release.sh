# SPDX-License-Identifier: Apache-2.0
# The end of a sandbox: the mount goes, the folder's own filesystem can be unmounted, the server
# remembers nothing. In the right order, in the wrong order, and with the harness still inside.
#
#   sandbox: /srv/volume (its own ext4) ──▶ agent: /workspaces/demo/sandbox
#
# shape: netns
# timeout: 240
. "$here/kora.sh"
nodes
daemons
vm_exec "$MACHINE" 'modprobe loop'
on sandbox 'truncate -s 64M /workspaces/volume.img && mke2fs -qF /workspaces/volume.img && mkdir -p /srv/volume'

begin() {
	on sandbox 'mount -o loop /workspaces/volume.img /srv/volume && mkdir -p /srv/volume/demo && chown 10001:10001 /srv/volume/demo'
	on sandbox kora-mountctl export demo --incarnation "$1" --folder /srv/volume/demo --client $A --uid 10001 --gid 10001
	attach demo "$1"
}

ended() {
	equal "the mount is gone" "" "$(mounted_at demo)"
	check "the folder can be deleted and its filesystem unmounted" on sandbox 'rm -rf /srv/volume/demo && umount /srv/volume'
	equal "state left on the server" "" "$(on sandbox 'cat /proc/fs/nfsd/clients/*/states 2>/dev/null' || true)"
	refuse "the run is still known" on sandbox kora-mountctl describe demo
}

step "agent first, then server"
begin first
as 10001 agent 'echo x >/workspaces/demo/sandbox/x'
on agent kora-mountctl release demo
equal "the mount is gone" "" "$(mounted_at demo)"
on sandbox kora-mountctl release demo
ended

step "server first: the agent's mount ends all the same"
begin second
as 10001 agent 'echo x >/workspaces/demo/sandbox/x'
on sandbox kora-mountctl release demo
refuse "the agent reads what is released" on agent 'timeout 20 cat /workspaces/demo/sandbox/x'
on agent kora-mountctl release demo
ended

step "the harness sits inside with an open file, and both end"
begin third
spawn agent 'cd /workspaces/demo/sandbox && exec 7>held && echo $$ >/run/holder && exec sleep 600'
wait_on agent 10 '[ -s /run/holder ]'
on agent 'timeout 30 kora-mountctl release demo'
on sandbox 'timeout 30 kora-mountctl release demo'
ended
check "the holder is killable" on agent 'kill -9 $(cat /run/holder)'
wait_on agent 10 '! kill -0 $(cat /run/holder)'

step "who is no longer listed holds nothing, in the folder that stays or in one made anew"
for made in "" "rm -rf /srv/volume/demo && mkdir /srv/volume/demo && chown 10001:10001 /srv/volume/demo &&"; do
	begin fourth
	on agent 'rm /run/holder'
	spawn agent 'exec 7>/workspaces/demo/sandbox/held && echo $$ >/run/holder && exec sleep 600'
	wait_on agent 10 '[ -s /run/holder ]'
	on sandbox 'grep -q . /proc/fs/nfsd/clients/*/states'
	on sandbox "$made kora-mountctl export demo --incarnation fourth --folder /srv/volume/demo --client 10.20.0.9 --uid 10001 --gid 10001"
	wait_on sandbox 20 '! grep -q . /proc/fs/nfsd/clients/*/states'
	on agent 'kill -9 $(cat /run/holder); kora-mountctl release demo'
	on sandbox kora-mountctl release demo
	ended
done

step "what was never served leaves nothing either"
share late
records() { on sandbox 'cd /var/lib/kora-sandbox-mount && find . -name "never.*" | grep .'; }
folder never
mounts_most=$(on sandbox cat /proc/sys/fs/mount-max)
on sandbox 'echo 1 >/proc/sys/fs/mount-max'
on sandbox "kora-mountctl export never --incarnation one --folder /workspaces/local/never --client $A --uid 10001 --gid 10001 --no-wait"
wait_on sandbox 20 "grep -q 'event=export-failed run=never .*pseudo-root' $LOG"
records >/dev/null || fail "no record of what was tried"
on sandbox 'kora-mountctl release never'
on sandbox "echo $mounts_most >/proc/sys/fs/mount-max"
equal "what is left of it" "" "$(records)"

step "what is released twice is not there"
status=0
on agent kora-mountctl release demo || status=$?
equal "exit code for an unknown run" 3 $status
