# SPDX-License-Identifier: Apache-2.0
# The launcher on this kernel's Landlock: run A against run B, every option, every field report, and
# kernel features masked.
#
#   ┌────────── one machine ──────────┐
#   │ run a ─── kora-launch ──✗─▶ run b │
#   └─────────────────────────────────┘
#
# shape: netns
# timeout: 300
# shellcheck shell=bash disable=SC2016
step "the tests that also run on this host"
vm_exec "$MACHINE" 'mkdir /disk/launch && cd /usr/local/bin && for f in launch-*; do
	cp "$f" "/disk/launch/${f#launch-}"; done
	KORA_TEST_DIR=/disk bash /disk/launch/run /usr/local/bin/kora-launch /disk/launch'
