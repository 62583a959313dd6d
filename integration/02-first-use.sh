# SPDX-License-Identifier: Apache-2.0
# The main job from nothing: no module loaded, no server, no mount. One folder, two nodes, and what
# each side sees of the other.
#
#   sandbox 10.20.0.1                              agent 10.20.0.2
#   /workspaces/local/demo  ── nfsd, TCP 20490 ──▶ /workspaces/demo/sandbox
#
# shape: netns two-vm
# timeout: 150
. "$here/kora.sh"
nodes
if [ "$SHAPE" = two-vm ]; then
	on sandbox '! grep -q nfsd /proc/filesystems'
	on agent '! grep -q nfs4 /proc/filesystems'
fi
daemons
folder demo
on sandbox 'echo made-before >/workspaces/local/demo/before && chown 10001:10001 /workspaces/local/demo/before'

step "export and mount; the waiting harness is unprivileged"
on agent 'mkdir -p /workspaces/demo && chown 10001:10001 /workspaces/demo'
serve demo first
attach demo first
as 10001 agent 'kora-mountctl wait demo --timeout 60'
equal "a file from before" made-before "$(on agent cat /workspaces/demo/sandbox/before)"

step "write on either side, read on the other"
as 10001 agent 'echo from-the-harness >/workspaces/demo/sandbox/one'
equal "on the sandbox node" from-the-harness "$(on sandbox cat /workspaces/local/demo/one)"
as 10001 sandbox 'echo from-the-sandbox >/workspaces/local/demo/two'
equal "on the agent node" from-the-sandbox "$(on agent cat /workspaces/demo/sandbox/two)"
step "a name that was looked up before it existed is seen at once"
refuse "nothing there yet" on agent test -e /workspaces/demo/sandbox/late
as 10001 sandbox 'touch /workspaces/local/demo/late'
on agent test -e /workspaces/demo/sandbox/late

step "ownership: everybody of the agent node is the sandbox's user"
equal "the harness's file" 10001:10001 "$(on sandbox stat -c %u:%g /workspaces/local/demo/one)"
equal "the sandbox's file, as the agent node sees it" 10001:10001 "$(on agent stat -c %u:%g /workspaces/demo/sandbox/before)"
on agent 'echo root >/workspaces/demo/sandbox/by-root'
equal "root's file" 10001:10001 "$(on sandbox stat -c %u:%g /workspaces/local/demo/by-root)"
refuse "root of the agent node gives a file to root" on agent 'chown 0 /workspaces/demo/sandbox/by-root'

step "the options that are asked for are in force"
on agent 'line=$(grep " /workspaces/demo/sandbox " /proc/mounts)
	for option in vers=4.2 proto=tcp port=20490 hard nosuid nodev sec=sys addr=10.20.0.1 clientaddr=10.20.0.2; do
		case ",$(echo "$line" | cut -d" " -f4)," in *,$option,*) ;; *) echo "missing $option in $line"; exit 1 ;; esac
	done'

step "NFSv4.2 alone, on this node's own addresses alone"
equal "versions" "-2 -3 +4 -4.0 -4.1 +4.2" "$(on sandbox 'v=$(cat /proc/fs/nfsd/versions); case $v in -2*) ;; *) v="-2 $v" ;; esac; echo "$v"')"
equal "listeners" "10.20.0.1:20490 [fd20::1]:20490" "$(on sandbox "ss -Htnl 'sport = 20490' | awk '{ print \$4 }' | sort | xargs")"
