# SPDX-License-Identifier: Apache-2.0
# Ownership and squash, as seen from both nodes.
# shape: netns
# timeout: 150
. "$here/02-first-use.sh"
