# SPDX-License-Identifier: Apache-2.0
# Sandbox and harness on one node: no NFS at all, the folder is bound, and no server is started.
#
#   sandbox 10.20.0.1: /workspaces/local/demo ── bind ──▶ /workspaces/demo/sandbox
#
# shape: netns
. "$here/kora.sh"
node sandbox 10.20.0.1/24 fd20::1/64
daemon sandbox
folder demo
on sandbox 'echo here >/workspaces/local/demo/id; mkdir -p /workspaces/demo; chown 10001:10001 /workspaces/demo'

step "bind by hand"
on sandbox kora-mountctl bind demo --incarnation first --source-folder /workspaces/local/demo --volume /workspaces --uid 10001 --gid 10001
as 10001 sandbox 'kora-mountctl wait demo --timeout 30'
equal "the folder shows" here "$(on sandbox cat /workspaces/demo/sandbox/id)"
as 10001 sandbox 'echo x >/workspaces/demo/sandbox/x'
equal "the same file" x "$(on sandbox cat /workspaces/local/demo/x)"
on sandbox 'grep " /workspaces/demo/sandbox " /proc/self/mountinfo | grep -q nosuid,nodev'
refuse "an NFS server was started for it" on sandbox "ss -Htnl 'sport = 20490' | grep ."

step "restart adopts, release ends, nothing of the folder is lost"
daemon_end sandbox KILL
daemon sandbox
equal "one bind" 1 "$(on sandbox "grep ' /workspaces/demo/sandbox ' /proc/self/mountinfo | grep -vc kora-bind")"
on sandbox kora-mountctl release demo
refuse "still mounted" on sandbox "grep ' /workspaces/demo/sandbox ' /proc/self/mountinfo"
equal "the folder is whole" here "$(on sandbox cat /workspaces/local/demo/id)"

step "a mount from this node's own address becomes a bind"
serve demo second
on sandbox kora-mountctl mount demo --incarnation second --server $S --volume /workspaces --uid 10001 --gid 10001
refuse "NFS to itself" on sandbox 'grep " - nfs4 " /proc/self/mountinfo'
equal "the folder shows" here "$(on sandbox cat /workspaces/demo/sandbox/id)"

step "an address that comes to this node later is its own from then on, though no wish has changed"
on sandbox kora-mountctl release demo
serve demo third
on sandbox kora-mountctl mount demo --incarnation third --server 10.20.0.9 --volume /workspaces --uid 10001 --gid 10001 --no-wait
wait_on sandbox 20 "grep -q 'event=mount-failed run=demo .*peer=10.20.0.9' $LOG"
on sandbox 'ip address add 10.20.0.9/24 dev $(ip -o -4 address show to 10.20.0.1 | awk "{ print \$2 }")'
on sandbox kora-mountctl wait demo --timeout 20
equal "the folder shows" here "$(on sandbox cat /workspaces/demo/sandbox/id)"

step "an orphan: killed, and the wish withdrawn meanwhile"
daemon_end sandbox KILL
on sandbox 'rm /var/lib/kora-sandbox-mount/specs/demo.mount.json'
daemon sandbox
wait_on sandbox 20 '! grep -q " /workspaces/demo/sandbox " /proc/self/mountinfo'
