# SPDX-License-Identifier: Apache-2.0
# A folder on overlay cannot be exported: that is said at once, by name.
# shape: netns
. "$here/kora.sh"
node sandbox 10.20.0.1/24
daemon sandbox
on sandbox 'mkdir -p /mnt/o /mnt/m; mount -t tmpfs tmpfs /mnt/o; mkdir /mnt/o/l /mnt/o/u /mnt/o/w
	mount -t overlay -o lowerdir=/mnt/o/l,upperdir=/mnt/o/u,workdir=/mnt/o/w overlay /mnt/m; mkdir /mnt/m/demo'
begin=$SECONDS status=0
output=$(on sandbox kora-mountctl export demo --incarnation one --folder /mnt/m/demo --client $A --uid 10001 --gid 10001 --timeout 20 2>&1) || status=$?
took=$((SECONDS - begin))
[ $status -ne 0 ] || fail "exported"
[ $took -le "$(seconds 2)" ] || fail "said after $took s only"
case $output in *overlay*) ;; *) fail "no word of overlay: $output" ;; esac
case $(on sandbox kora-mountctl describe demo) in *overlay*) ;; *) fail "the state does not say so" ;; esac
say "$took s: $output"
