# SPDX-License-Identifier: Apache-2.0
# A kernel without nfsd: doctor, the export's error and its state name the module and what to do.
# shape: two-vm
. "$here/kora.sh"
node sandbox 10.20.0.1/24
on sandbox 'echo /bin/false >/proc/sys/kernel/modprobe; mv /lib/modules/$(uname -r)/kernel/fs/nfsd /tmp/ 2>/dev/null || true; ! grep -q nfsd /proc/filesystems'
daemon sandbox
status=0
output=$(on sandbox kora-mountctl doctor 2>&1) || status=$?
case $output in *nfsd*) ;; *) fail "doctor has no word of nfsd: $output" ;; esac
equal "exit code for a missing module" 7 $status
step "an export says so"
folder demo
status=0
output=$(serve demo one demo --timeout 10 2>&1) || status=$?
[ $status -ne 0 ] || fail "exported"
case $output in *nfsd* | *sunrpc*) ;; *) fail "no word of the module: $output" ;; esac
case $(on sandbox 'kora-mountctl describe demo; kora-mountctl status') in *nfsd* | *sunrpc*) ;; *) fail "the state does not say so" ;; esac
