# SPDX-License-Identifier: Apache-2.0
# Mounts are denied: the error says that a security module may be why, and what to do.
# shape: netns
. "$here/kora.sh"
nodes
daemon sandbox
folder demo
serve demo first
spawn agent "echo \$\$ >/run/kora.pid; exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin kora-sandbox-mount --node-name agent >>$LOG 2>&1"
wait_on agent 20 "grep -q SYS_ADMIN $LOG"
