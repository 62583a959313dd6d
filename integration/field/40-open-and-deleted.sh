# SPDX-License-Identifier: Apache-2.0
# Files that the agent node had open when they were deleted, and then it lost its power: what NFS kept of
# them goes with the run.
# shape: two-vm
# timeout: 200
. "$here/kora.sh"
nodes
daemons
share demo
spawn agent 'cd /workspaces/demo/sandbox; mkdir deep; dd if=/dev/zero of=big bs=1M count=20 2>/dev/null; exec 8<>big 9>deep/other; echo y >&9; sync; rm big deep/other; echo in >/run/in; exec sleep 1000'
wait_on agent 60 '[ -s /run/in ]'
equal "kept by NFS" 2 "$(on sandbox "find /workspaces/local/demo -name '.nfs*' | wc -l")"
on sandbox 'echo mine >/workspaces/local/demo/.nfsrc; echo keep >/workspaces/local/demo/keep'
power_off agent
step "the run ends"
on sandbox "timeout $(seconds 40) kora-mountctl release demo"
equal "what is left" ".nfsrc deep keep" "$(on sandbox 'ls -A /workspaces/local/demo | xargs')"
equal "what is left below" "" "$(on sandbox 'ls -A /workspaces/local/demo/deep')"
