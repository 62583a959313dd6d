# SPDX-License-Identifier: Apache-2.0
# A sandbox is replaced while the harness reads in a loop: same run, new incarnation, new folder.
#
#   sandbox: /workspaces/local/old, then …/new ──▶ agent: /workspaces/demo/sandbox, read in a loop
#
# shape: netns two-vm
# timeout: 150
. "$here/kora.sh"
nodes
daemons
folder demo old
folder demo new
on sandbox 'echo old >/workspaces/local/old/id; echo new >/workspaces/local/new/id'
serve demo first old
attach demo first
equal "before" old "$(on agent cat /workspaces/demo/sandbox/id)"

step "a harness in a namespace of its own, as a pod has it, looks without a pause"
on agent 'cat >/root/look <<"LOOK"
mount --make-rslave /
while [ ! -e /run/stop ]; do
	if id=$(cat /workspaces/demo/sandbox/id 2>/run/look-error); then echo $id; else echo "bare: $(cat /run/look-error)"; fi
done | uniq -c >/run/looked
LOOK
setsid unshare -m bash /root/look >/dev/null 2>&1 </dev/null &'
wait_on agent 10 '[ -e /run/look-error ]'

step "the new one is exported beside the old one, the agent turns, the old one ends"
serve demo second new
attach demo second
equal "after" new "$(on agent cat /workspaces/demo/sandbox/id)"
wait_on agent 10 '[ $(grep -c . /proc/self/mountinfo) -gt 0 ]'
on agent 'sleep 0.3; touch /run/stop'
wait_on agent 10 'grep -q new /run/looked'
looked=$(on agent cat /run/looked)
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
