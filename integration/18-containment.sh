# SPDX-License-Identifier: Apache-2.0
# The run's folder and the workspace belong to untrusted code, which swaps them for symbolic links
# while the daemons export and mount: never is anything outside exported, nor anything mounted outside.
#
#   sandbox: /workspaces/local/demo ⇄ link to /etc ──▶ agent: /workspaces/demo/sandbox ⇄ link to /etc
#
# shape: netns
# timeout: 240
. "$here/kora.sh"
nodes
daemons
folder demo
on sandbox 'echo inside >/workspaces/local/demo/id; echo "the node'\''s own" >/etc/id'
on agent 'mkdir -p /workspaces/demo/sandbox; chown -R 10001:10001 /workspaces/demo'

swap() { # swap NODE DIRECTORY NAME: in the background, until /run/stop is there
	spawn "$1" "cd $2; while [ ! -e /run/stop ]; do mv $3 aside; ln -s /etc $3; rm -f $3; mv aside $3; done"
}
swap sandbox /workspaces/local demo
swap agent /workspaces/demo sandbox

step "exports and mounts during the swapping"
for i in $(seq 8); do
	serve demo "n$i" demo --timeout 20 >/dev/null 2>&1 || true
	attach demo "n$i" --timeout 20 >/dev/null 2>&1 || true
	shown=$(on agent 'cat /workspaces/demo/sandbox/id 2>/dev/null; cat /workspaces/demo/aside/id 2>/dev/null' || true)
	case $shown in *own*) fail "round $i shows the node's own file" ;; esac
	[ -z "$(on agent "grep ' /etc[ /]' /proc/self/mountinfo | grep nfs4" || true)" ] || fail "round $i: mounted on /etc"
done
on sandbox touch /run/stop
on agent touch /run/stop

step "afterwards it settles"
serve demo last
attach demo last
equal "inside" inside "$(on agent cat /workspaces/demo/sandbox/id)"

step "links, FIFOs and devices inside the folder are the sandbox's own matter"
on sandbox 'cd /workspaces/local/demo; ln -s /etc/id link; mkfifo fifo; mknod null c 1 3; mkdir -p "$(printf "a\nb")/c"'
equal "a link is resolved where it is read" "agent" "$(on agent 'echo agent >/etc/id; cat /workspaces/demo/sandbox/link')"
refuse "a device through the mount" on agent 'echo x >/workspaces/demo/sandbox/null'
on agent kora-mountctl release demo
on sandbox kora-mountctl release demo
check "the folder can be deleted" on sandbox rm -rf /workspaces/local/demo
