# SPDX-License-Identifier: Apache-2.0
# What a stranger or an operator moves under a run: addresses that cannot be used, a renamed
# mountpoint, a volume's link that is turned.
#
#   sandbox: 10.20.0.1, fd20::98 (held by agent as well) ──▶ agent
#
# shape: netns
# timeout: 200
. "$here/kora.sh"
nodes

step "the address that fails is the one that is named"
on agent ip address add fd20::98/64 dev eth0 nodad
on sandbox 'echo 1 >/proc/sys/net/ipv6/conf/eth0/accept_dad; ip address add fd20::98/64 dev eth0
	ip address add fd20::97/64 dev eth0 nodad preferred_lft 0'
wait_on sandbox 20 'ip -6 address show dev eth0 dadfailed | grep -q fd20::98'
daemon sandbox --listen $S,fd20::98
daemon agent
folder demo
status=0
output=$(serve demo first demo --timeout 10 2>&1) || status=$?
[ $status -ne 0 ] || fail "served on an address that another node has"
case $output in *fd20::98*) ;; *) fail "the wrong reason: $output" ;; esac
daemon_end sandbox TERM

step "by default it is left out, and nobody's program of a foreign server's name counts"
on sandbox 'cp "$(command -v sleep)" /tmp/nfsdcld'
spawn sandbox 'exec setpriv --reuid 10002 --regid 10002 --clear-groups /tmp/nfsdcld 1000'
daemon sandbox
serve demo first
attach demo first
equal "listeners" "10.20.0.1:20490 [fd20::1]:20490" "$(on sandbox "ss -Htnl 'sport = 20490' | awk '{ print \$4 }' | sort | xargs")"

step "a renamed mountpoint is lost, mounted anew, and released with the other"
on agent mv /workspaces/demo /workspaces/moved
wait_on agent 30 'grep -q " /workspaces/demo/sandbox " /proc/self/mountinfo && kora-mountctl wait demo --timeout 5'
on agent 'grep -q " /workspaces/moved/sandbox " /proc/self/mountinfo'
on agent kora-mountctl release demo
refuse "a mount left behind" on agent 'grep sandbox /proc/self/mountinfo | grep nfs4'

step "a turned link: the mount is taken from where it was made"
on agent 'mkdir -p /mnt/one /mnt/two && ln -sfn one /mnt/volume'
on agent kora-mountctl mount demo --incarnation first --server $S --volume /mnt/volume --uid 10001 --gid 10001
on agent 'grep -q " /mnt/one/demo/sandbox " /proc/self/mountinfo && ln -sfn two /mnt/volume'
on agent kora-mountctl release demo
refuse "a mount left behind" on agent 'grep nfs4 /proc/self/mountinfo'
