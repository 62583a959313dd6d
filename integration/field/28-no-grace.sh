# SPDX-License-Identifier: Apache-2.0
# No grace period where nobody can reclaim.
# shape: netns
# timeout: 200
. "$here/23-ready.sh"
