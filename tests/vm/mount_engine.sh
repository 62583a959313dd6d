#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Inside a test machine: two servers and a client, and the mount engine's test on the client.
#
#   sandbox 10.20.0.1 ──┐
#                       ├── bridge ── agent 10.20.0.2
#   other   10.20.0.3 ──┘
set -euo pipefail
PATH=$PATH:/usr/lib/kora-test
bin=$(dirname "$0")

serve() {
	node-run "$1" "exec $bin/mount_engine_server 20490 10.20.0.2 fd20::2 >/run/ready 2>/run/server.log </dev/null & 
		for i in \$(seq 200); do grep -q ready /run/ready && exit 0; sleep 0.05; done; cat /run/server.log; exit 1"
}

node-up sandbox 10.20.0.1/24 fd20::1/64
node-up other 10.20.0.3/24 fd20::3/64
node-up agent 10.20.0.2/24 fd20::2/64
serve sandbox
serve other
if [ $# -gt 0 ]; then
	node-run agent "$*"
else
	node-run agent "$bin/mount_engine"
fi
