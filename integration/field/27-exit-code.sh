# SPDX-License-Identifier: Apache-2.0
# A slim kernel: "module missing" has an exit code of its own.
# shape: two-vm
. "$here/field/26-no-nfsd.sh"
