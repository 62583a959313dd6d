# SPDX-License-Identifier: Apache-2.0
# The export engine alone, without the daemon around it: its own test inside the machine, by each way
# the kernel has to ask.
#
#   sandbox ──┬─▶ agent
#             └─▶ other
#
# shape: netns
# timeout: 300
printf '%s\n' sandbox agent other >>"$CASE_DIR/nodes"
step "the newest way that this kernel has"
vm_exec "$MACHINE" export_engine.sh
if kernel_at_least 7.0; then
	step "by the proc files"
	for name in sandbox agent other; do vm_exec "$MACHINE" "/usr/lib/kora-test/node-down $name"; done
	vm_exec "$MACHINE" 'export_engine.sh procfs'
fi
