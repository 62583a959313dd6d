# SPDX-License-Identifier: Apache-2.0
# nfsd's start, stop and inspection, and what they refuse: the engine's own test, in a machine whose
# kernel has not loaded nfsd yet.
#
#   sandbox: lo 10.0.0.1 10.0.0.9 fd20::1
#
# shape: two-vm
# timeout: 240
boot sandbox
on sandbox 'server.sh server'
