# SPDX-License-Identifier: Apache-2.0
# The mount engine alone: attach, adopt, replace, detach, lost servers, swapped directories.
#
#   sandbox ──┬── agent
#   other   ──┘
#
# shape: netns
# timeout: 420
printf '%s\n' sandbox agent other >>"$CASE_DIR/nodes"
vm_exec "$MACHINE" mount_engine.sh
