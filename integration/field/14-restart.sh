# SPDX-License-Identifier: Apache-2.0
# The daemon and nfsd restart below an open mount.
# shape: netns two-vm
# timeout: 200
. "$here/09-restart.sh"
