# SPDX-License-Identifier: Apache-2.0
# What clients held in an ended export is held by nobody.
# shape: netns
# timeout: 240
. "$here/07-release.sh"
