# SPDX-License-Identifier: Apache-2.0
# In a network namespace that ends with its pod, mounts would end with it: refused, and doctor says so.
# shape: netns
. "$here/kora.sh"
status=0
output=$(vm_exec "$MACHINE" "unshare -n timeout 20 kora-sandbox-mount --state-dir /tmp/netns/state --runtime-dir /tmp/netns/run 2>&1") || status=$?
equal "exit code for a missing right" 5 $status
case $output in *hostNetwork*) ;; *) fail "no word of what to do: $output" ;; esac
output=$(vm_exec "$MACHINE" 'unshare -n kora-mountctl doctor 2>&1' || true)
case $output in *"not the node's network namespace"*) ;; *) fail "doctor does not say so: $output" ;; esac
