# SPDX-License-Identifier: Apache-2.0
# Another NFS server on the host.
# shape: netns
# timeout: 120
. "$here/12-foreign-server.sh"
