# SPDX-License-Identifier: Apache-2.0
# Fault injection in small: during a few operations on two nodes, calls of the daemons and their workers
# fail, or their callers are killed; each time everything must become as the model says. Then the same with the
# watches, beside a scripted API server: what their sockets are waited for with fails. make inject does it to
# every call.
#
#   sandbox ══ each call once: it fails, its caller is killed before it, and after it ══▶ agent
#      ╚═══ watch ══▶ API server ◀══ watch ═══╝
#
# shape: netns
# timeout: 180
enough 6.12
printf '%s\n' sandbox agent >"$CASE_DIR/nodes"

step "a few rounds"
vm_exec "$MACHINE" "inject --seed 1 --rounds 2 --patience $(seconds 60)"

step "the watches"
vm_exec "$MACHINE" "/usr/lib/kora-test/node-down sandbox agent; rm -rf /disk/state
	inject --watch --seed 1 --rounds 1 --site 'epoll_ctl.add.* < watch_socket' --patience $(seconds 60)"
