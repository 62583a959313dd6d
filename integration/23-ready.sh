# SPDX-License-Identifier: Apache-2.0
# From nothing (nfsd stopped, modules loaded) to a mount that answers, and its first write, which a
# grace period would hold up: inside two seconds of the machine's own clock. The best of three
# counts, as the emulated machine shares its processors with others.
#
#   sandbox: drained, then one export ──▶ agent: wait, write
#
# shape: netns
# timeout: 200
. "$here/kora.sh"
nodes
vm_exec "$MACHINE" 'modprobe nfsd; modprobe nfsv4'
daemons
folder demo
best=999999
for round in 1 2 3; do
	took=$(vm_exec "$MACHINE" 'PATH=$PATH:/usr/lib/kora-test
		now() { read -r up _ </proc/uptime; echo "${up/./}"; }
		begin=$(now)
		node-run sandbox "kora-mountctl export demo --incarnation first --folder /workspaces/local/demo --client 10.20.0.2 --uid 10001 --gid 10001 --no-wait" >&2 &&
		node-run agent "kora-mountctl mount demo --incarnation first --server 10.20.0.1 --volume /workspaces --uid 10001 --gid 10001 --no-wait &&
			kora-mountctl wait demo --timeout 60 && echo first >/workspaces/demo/sandbox/first" >&2 || exit 1
		echo $((($(now) - begin) * 10))')
	say "round $round: $took ms"
	[ "$took" -ge $best ] || best=$took
	on agent kora-mountctl release demo
	on sandbox 'kora-mountctl drain && kora-mountctl release demo; kora-mountctl resume'
	equal "threads" 0 "$(on sandbox 'cat /proc/fs/nfsd/threads')"
done
[ "$best" -lt $((2000 * KORA_SLOW)) ] || fail "ready after $best ms at best"
