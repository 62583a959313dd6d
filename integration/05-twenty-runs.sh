# SPDX-License-Identifier: Apache-2.0
# Many runs between the same two nodes, all on one disk: each its own superblock and its own files.
#
#   sandbox 10.20.0.1 ══ r1 … r20, one disk, one connection ══▶ agent 10.20.0.2
#
# shape: netns
# timeout: 180
. "$here/kora.sh"
nodes
daemons
step "twenty runs at once"
on sandbox 'for i in $(seq 20); do
	mkdir -p /workspaces/local/r$i; echo r$i >/workspaces/local/r$i/id; chown -R 10001:10001 /workspaces/local/r$i
	kora-mountctl export r$i --incarnation first --folder /workspaces/local/r$i --client 10.20.0.2 --uid 10001 --gid 10001 --no-wait || exit 1
done'
on agent 'for i in $(seq 20); do
	kora-mountctl mount r$i --incarnation first --server 10.20.0.1 --volume /workspaces --uid 10001 --gid 10001 --no-wait || exit 1
done
for i in $(seq 20); do kora-mountctl wait r$i --timeout 60 || exit 1; done'
step "each shows its own"
on agent 'for i in $(seq 20); do [ "$(cat /workspaces/r$i/sandbox/id)" = r$i ] || { echo "r$i shows $(cat /workspaces/r$i/sandbox/id)"; exit 1; }; done'
equal "superblocks" 20 "$(on agent "awk '/ - nfs4 / { print \$3 }' /proc/self/mountinfo | sort -u | wc -l")"
step "the end of ten leaves ten"
on agent 'for i in $(seq 10); do kora-mountctl release r$i || exit 1; done'
on sandbox 'for i in $(seq 10); do kora-mountctl release r$i || exit 1; rm -rf /workspaces/local/r$i || exit 1; done'
on agent 'for i in $(seq 11 20); do [ "$(cat /workspaces/r$i/sandbox/id)" = r$i ] || exit 1; echo on >/workspaces/r$i/sandbox/on || exit 1; done'
equal "mounts left" 10 "$(on agent "grep -c ' - nfs4 ' /proc/self/mountinfo")"
equal "runs the server knows" 10 "$(on sandbox "kora-mountctl runs | grep -c ' r*1[0-9]\|r20\|r1[1-9]' || true")"
