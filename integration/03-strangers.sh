# SPDX-License-Identifier: Apache-2.0
# Who is not listed, and who does not know a name, gets nowhere.
#
#   sandbox 10.20.0.1 ── demo, for 10.20.0.2 alone ──▶ agent 10.20.0.2
#                     └─────── refused ────────▶ stranger 10.20.0.3
#
# shape: netns
. "$here/kora.sh"
nodes
node stranger 10.20.0.3/24
daemons
share demo
share other

# try NODE PATH: a mount by hand; prints the kernel's word when it is refused.
try() {
	on "$1" "mkdir -p /mnt/try; timeout 30 mount -i -t nfs4 -o vers=4.2,port=$PORT,addr=$S,proto=tcp,sec=sys,soft,retrans=1,timeo=50 $S:$2 /mnt/try 2>&1"
}

step "an address that is not listed is refused, for a good path and for the pseudo-root"
refuse "stranger mounts the run" try stranger /workspaces/demo/first
refuse "stranger mounts the pseudo-root" try stranger /
refuse "nothing is mounted" on stranger grep -q nfs4 /proc/self/mountinfo

step "the listed client: a wrong run or incarnation is no such file"
for path in /workspaces/none/first /workspaces/demo/second /workspaces/demo/first/none /etc; do
	output=$(try agent $path) || true
	case $output in *"does not exist"*) ;; *) fail "$path: not refused as missing: $output" ;; esac
done

step "the pseudo-root cannot be listed, at any level"
for path in / /workspaces /workspaces/demo; do
	if try agent $path; then
		refuse "listing $path" on agent ls /mnt/try
		refuse "writing to $path" on agent touch /mnt/try/x
		on agent umount /mnt/try
	fi
done

step "a run exported to somebody else is not there for this client"
folder elsewhere
CLIENT=10.20.0.3 serve elsewhere first
refuse "agent mounts a run that is for the stranger" try agent /workspaces/elsewhere/first
check "the stranger mounts its own" try stranger /workspaces/elsewhere/first
refuse "the stranger mounts the agent's" on stranger "mkdir -p /mnt/b; mount -i -t nfs4 -o vers=4.2,port=$PORT,addr=$S,proto=tcp,sec=sys $S:/workspaces/demo/first /mnt/b"
on stranger umount /mnt/try

step "NFSv3, v4.0, v4.1 and UDP are not served"
for options in vers=3,mountport=$PORT,nolock vers=4.0 vers=4.1; do
	refuse "$options" on agent "timeout 20 mount -i -t nfs$([ "${options#vers=4}" = "$options" ] || echo 4) -o $options,port=$PORT,addr=$S,proto=tcp,soft,retrans=1,timeo=30 $S:/workspaces/demo/first /mnt/try"
done
equal "UDP sockets" "" "$(on sandbox "ss -Hunl 'sport = 20490'")"

step "clients that went away are forgotten with their run"
on sandbox kora-mountctl release elsewhere
refuse "the stranger mounts what is released" try stranger /workspaces/elsewhere/first
