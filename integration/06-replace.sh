# SPDX-License-Identifier: Apache-2.0
# A sandbox is replaced while the harness reads in a loop: same run, new incarnation, new folder.
#
#   sandbox: /workspaces/local/old, then …/new ──▶ agent: /workspaces/demo/sandbox, read in a loop
#
# shape: netns two-vm
# timeout: 150
. "$here/kora.sh"
[ "$SHAPE" = netns ] || enough 6.1
nodes
daemons
folder demo old
folder demo new
on sandbox 'echo old >/workspaces/local/old/id; echo new >/workspaces/local/new/id'
serve demo first old
attach demo first
equal "before" old "$(on agent cat /workspaces/demo/sandbox/id)"

step "a harness in a namespace of its own, as a pod has it, looks without a pause"
put agent /root/look <<'LOOK'
mount --make-rslave /
while [ ! -e /run/stop ]; do
	if read -r id 2>/run/look-error </workspaces/demo/sandbox/id; then echo "$id"; else echo "bare: $(cat /run/look-error)"; fi
done | uniq -c >/run/looking
mv /run/looking /run/looked
LOOK
spawn agent 'exec unshare -m --propagation unchanged bash /root/look'
wait_on agent 10 '[ -e /run/look-error ]'

step "the new one is exported beside the old one, the agent turns, the old one ends"
serve demo second new
attach demo second
equal "after" new "$(on agent cat /workspaces/demo/sandbox/id)"
wait_on agent 10 'nsenter -t $(pgrep -f /root/look | head -n 1) -m cat /workspaces/demo/sandbox/id | grep -q new'
on agent 'touch /run/stop'
wait_on agent 20 '[ -e /run/looked ]'
looked=$(on agent cat /run/looked)
case $looked in *old*new*) ;; *) fail "the harness saw: $looked" ;; esac
say "$looked"
if kernel_at_least 6.5; then
	case $looked in *bare*) fail "the harness saw the bare directory: $looked" ;; esac
fi
equal "one mount at the target" 1 "$(on agent "grep -c ' /workspaces/demo/sandbox ' /proc/self/mountinfo")"

step "the old folder is free"
on sandbox 'rm -rf /workspaces/local/old'
equal "the new one goes on" new "$(on agent cat /workspaces/demo/sandbox/id)"
as 10001 agent 'echo more >/workspaces/demo/sandbox/more'
equal "in the new folder" more "$(on sandbox cat /workspaces/local/new/more)"
