# SPDX-License-Identifier: Apache-2.0
# Fault injection in small: during a few operations on two nodes, calls of the daemons and their workers
# fail, or their callers are killed; each time everything must become as the model says. make inject does
# it to every call.
#
#   sandbox ══ each call once: it fails, its caller is killed before it, and after it ══▶ agent
#
# shape: netns
# timeout: 120
[ "$KERNEL" = 6.12 ] || skip "on one kernel is enough; make inject has them all"
printf '%s\n' sandbox agent >"$CASE_DIR/nodes"

step "a few rounds"
vm_exec "$MACHINE" "inject --seed 1 --rounds 2 --patience $(seconds 60)"
