# SPDX-License-Identifier: Apache-2.0
# Cloned nodes of one host name: two servers and one client, then two clients and one server. Each mount
# shows its own server's files; no lock or record is lost when one of two daemons and clients restarts.
#
#   sandbox 10.20.0.1 ──▶ agent 10.20.0.2 ◀── other 10.20.0.3;  sandbox ──▶ other
#
# shape: netns
# timeout: 200
. "$here/kora.sh"
nodes
node other 10.20.0.3/24
for name in sandbox agent other; do
	on $name "echo clone >/proc/sys/kernel/hostname; echo $(printf %s "$name" | md5sum | head -c 32) >/etc/machine-id"
	spawn $name "echo \$\$ >/run/kora.pid; exec kora-sandbox-mount >>$LOG 2>&1"
	wait_on $name 20 'kora-mountctl status --timeout 2'
done

step "two servers of one name, one client"
folder demo
on sandbox 'echo sandbox >/workspaces/local/demo/id'
serve demo first
on other "mkdir -p /workspaces/local/demo && chown 10001:10001 /workspaces/local/demo && echo other >/workspaces/local/demo/id
	kora-mountctl export two --incarnation first --folder /workspaces/local/demo --client $A --uid 10001 --gid 10001"
attach demo first
SERVER=10.20.0.3 attach two first
equal "each shows its own" "sandbox other" "$(on agent 'echo $(cat /workspaces/demo/sandbox/id) $(cat /workspaces/two/sandbox/id)')"

step "two clients of one name, one server: both keep their locks and their records"
folder three
CLIENT=10.20.0.3 serve three first
on other "kora-mountctl mount three --incarnation first --server $S --volume /workspaces --uid 10001 --gid 10001"
lock() { spawn "$1" "exec 9>/workspaces/$2/sandbox/lock; flock -x 9; echo locked >/run/locked; while :; do echo x >&9 || echo lost >/run/lost; sleep 0.2; done"; }
lock agent demo
lock other three
wait_on agent 20 '[ -s /run/locked ]'
wait_on other 20 '[ -s /run/locked ]'
equal "names of clients on record" 2 "$(on sandbox 'ls /var/lib/kora-sandbox-mount/clients | wc -l')"
# locked RUN: nfsd holds the client's lock, or it has given the client the whole file to lock (7.x).
locked() {
	local inode
	inode=$(on sandbox stat -c %i "/workspaces/local/$1/lock")
	vm_exec "$MACHINE" "grep -qE '(POSIX|DELEG) .*WRITE .*:$inode 0 EOF' /proc/locks"
}
check "the first lock is held" locked demo
check "the second lock is held" locked three
daemon_end sandbox KILL
spawn sandbox "echo \$\$ >/run/kora.pid; exec kora-sandbox-mount >>$LOG 2>&1"
wait_on sandbox 20 'kora-mountctl status --timeout 2'
check "the first lock is held" locked demo
check "the second lock is held" locked three
refuse "an I/O error" on agent '[ -e /run/lost ]'
refuse "an I/O error" on other '[ -e /run/lost ]'
