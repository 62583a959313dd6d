# SPDX-License-Identifier: Apache-2.0
# Exports of one filesystem each show their own files.
# shape: netns
# timeout: 180
. "$here/05-twenty-runs.sh"
