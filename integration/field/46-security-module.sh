# SPDX-License-Identifier: Apache-2.0
# Mounts are denied, for want of a capability and then by AppArmor: the error says which, and what to do.
# shape: netns
. "$here/kora.sh"
nodes
daemon sandbox
folder demo
serve demo first
step "a daemon without the capability does not start"
on agent "setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin kora-sandbox-mount --node-name agent >/run/said 2>&1" && fail "it did"
on agent 'grep -q SYS_ADMIN /run/said' || fail "it says: $(on agent cat /run/said)"

step "a daemon in a profile that lets it mount"
# profile RULE: what the profile of the agent's daemon allows beside everything else.
profile() {
	on agent "apparmor_parser -rq <<<'profile kora-agent flags=(attach_disconnected,mediate_deleted) {
		capability, network, file, signal, ptrace, unix, umount, pivot_root, ${1-}
	}'"
}
on agent 'mountpoint -q /sys/kernel/security || mount -t securityfs securityfs /sys/kernel/security'
profile mount,
spawn agent "echo \$\$ >/run/kora.pid; echo exec kora-agent >/proc/self/attr/exec; exec kora-sandbox-mount --node-name agent >>$LOG 2>&1"
wait_on agent 20 'kora-mountctl status --timeout 2'
equal "its profile" "kora-agent (enforce)" "$(on agent 'cat /proc/$(cat /run/kora.pid)/attr/current')"
step "and no longer does"
profile
attach demo first --no-wait
wait_on agent 20 'kora-mountctl describe demo | grep -q "AppArmor refused (profile kora-agent"' || fail "it says: $(on agent kora-mountctl describe demo)"
step "and does again"
profile mount,
on agent 'kora-mountctl wait demo --timeout 60'
