# SPDX-License-Identifier: Apache-2.0
# Very many mounts on a node.
# shape: netns
# timeout: 180
. "$here/24-many.sh"
