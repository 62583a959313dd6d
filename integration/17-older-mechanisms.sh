# SPDX-License-Identifier: Apache-2.0
# Every newer kernel mechanism kept from use: what an older kernel has must do the same job. On the
# newest kernel this walks both rungs of each step.
#
#   sandbox: no netlink, no unlock ──▶ agent: no shutdown, no beneath
#
# shape: netns
# timeout: 180
. "$here/kora.sh"
nodes

life() {
	share demo
	as 10001 agent 'echo x >/workspaces/demo/sandbox/x'
	daemon_end sandbox KILL
	daemon sandbox "$@"
	as 10001 agent 'echo y >/workspaces/demo/sandbox/y'
	folder demo other
	serve demo second other
	attach demo second
	equal "the new folder" "" "$(on agent ls /workspaces/demo/sandbox)"
	on agent kora-mountctl release demo
	on sandbox kora-mountctl release demo
	check "the folders can be deleted" on sandbox rm -rf /workspaces/local/demo /workspaces/local/other
	on sandbox "kora-mountctl drain && kora-mountctl resume"
	daemon_end sandbox TERM
}

step "none of the newer"
masks="--mask-rung netlink-server --mask-rung netlink-cache --mask-rung unlock-export --mask-rung unlock-filesystem"
daemon sandbox "$masks"
daemon agent --mask-rung beneath --mask-rung shutdown
life "$masks"

step "netlink for the server, the proc files for the upcalls"
daemon sandbox --mask-rung netlink-cache
life --mask-rung netlink-cache

step "the proc files for the server, netlink for the upcalls"
daemon sandbox --mask-rung netlink-server
life --mask-rung netlink-server
