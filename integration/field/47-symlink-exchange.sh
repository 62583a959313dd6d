# SPDX-License-Identifier: Apache-2.0
# Directories exchanged for links while they are exported and mounted.
# shape: netns
# timeout: 240
. "$here/18-containment.sh"
