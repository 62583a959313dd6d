# SPDX-License-Identifier: Apache-2.0
# The sandbox node loses its power while processes are in fsync and in other calls.
# shape: two-vm
# timeout: 240
. "$here/19-lost-server.sh"
