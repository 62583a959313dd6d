#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds a test machine's initramfs: concatenated cpio archives, so that only what changed is made anew.
#   base      programs and libraries of this host; nfs-utils and AppArmor's parser (unpacked, never installed)
#   modules   the kernel's modules that the tests need
#   python    what the scripted API server needs
#   project   init, agent, the project's own programs as far as they are built
#   share     files for /t, with the libraries they need
#
#   image.sh KERNEL OUTPUT [FILE for /t ...]
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/common.sh"
takes 2 999 "$@"
known_kernels "$1"
. "$here/apt.sh"

image=$build/image
libdir=usr/lib/x86_64-linux-gnu

modules=(nfsd nfs nfsv4 rpcsec_gss_krb5 tls veth bridge overlay loop ext4 xfs btrfs vfat virtio_net virtio_blk
	virtio_pci virtio_console nf_tables nft_reject_inet nft_ct nft_limit nft_chain_nat dummy nf_conntrack
	nf_conntrack_netlink fuse inet_diag tcp_diag unix_diag netlink_diag sch_netem aesni_intel
	ghash_clmulni_intel gcm crc32c_generic crc32c_intel squashfs)

# Programs of this host; what busybox cannot do as well. Those marked ? only where they exist.
programs=(bash busybox kmod ip ss nft mke2fs mkfs.xfs strace nsenter unshare setpriv flock mount umount findmnt
	mountpoint losetup lsns prlimit stat dd timeout sleep chown chmod ls cp rm mv ln cat id sha256sum head tail sort
	cut wc tr env date mktemp readlink realpath touch truncate seq mkdir rmdir df du sync tee comm grep sed awk find
	xargs ps pgrep pkill kill tc ?bridge ?jq ?ldd ?getcap ?setcap ?capsh)

nfs_utils=(usr/sbin/rpc.mountd usr/sbin/rpc.nfsd usr/sbin/exportfs usr/sbin/nfsdcld usr/sbin/nfsdclddb usr/sbin/nfsconf
	sbin/mount.nfs usr/sbin/mount.nfs usr/sbin/rpc.statd sbin/rpc.statd)
apparmor=(sbin/apparmor_parser usr/sbin/apparmor_parser)

# Libraries of a program, one path a line.
libraries() {
	{ LD_LIBRARY_PATH=$build/nfs-utils/$libdir:$build/nfs-utils/lib/x86_64-linux-gnu ldd "$1" 2>/dev/null || true; } |
		awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\/.*ld-linux/ { print $1 }'
}

# add ROOT FILE DIRECTORY: the file and its libraries.
add() {
	local lib
	mkdir -p "$1/$3"
	cp -L --preserve=mode "$2" "$1/$3/"
	libraries "$2" | while read -r lib; do
		case $lib in
		*/ld-linux*) [ -e "$1/usr/lib64/${lib##*/}" ] || cp -L "$lib" "$1/usr/lib64/" ;;
		*) [ -e "$1/$libdir/${lib##*/}" ] || cp -L "$lib" "$1/$libdir/" ;;
		esac
	done
}

# pack ROOT OUTPUT
pack() { (cd "$1" && find . -mindepth 1 | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0 >"$2.new" && mv "$2.new" "$2"); }

etc_files() {
	cat >"$1/etc/passwd" <<-EOF
		root:x:0:0:root:/root:/bin/bash
		nobody:x:65534:65534:nobody:/:/usr/sbin/nologin
		sandbox:x:10001:10001:sandbox:/:/bin/bash
		other:x:10002:10002:other:/:/bin/bash
	EOF
	printf '%s\n' root:x:0: nogroup:x:65534: sandbox:x:10001: other:x:10002: >"$1/etc/group"
	printf '%s\n' 'passwd: files' 'group: files' 'hosts: files' 'services: files' 'protocols: files' >"$1/etc/nsswitch.conf"
	printf '%s\n' '127.0.0.1 localhost' '::1 localhost' >"$1/etc/hosts"
	printf 'tcp 6 TCP\nudp 17 UDP\n' >"$1/etc/protocols"
	printf 'nfs 2049/tcp\nsunrpc 111/tcp\nsunrpc 111/udp\n' >"$1/etc/services"
	cat >"$1/etc/netconfig" <<-'EOF'
		udp        tpi_clts      v     inet     udp     -       -
		tcp        tpi_cots_ord  v     inet     tcp     -       -
		udp6       tpi_clts      v     inet6    udp     -       -
		tcp6       tpi_cots_ord  v     inet6    tcp     -       -
		local      tpi_cots_ord  -     loopback  -      -       -
	EOF
	: >"$1/etc/fstab"
	: >"$1/etc/exports"
	ln -s /proc/self/mounts "$1/etc/mtab"
}

base() {
	local root=$1 name path file
	mkdir -p "$root"/{proc,sys,dev,run,tmp,root,mnt,disk,workspaces,etc,var/lib/nfs,var/log,t}
	mkdir -p "$root"/usr/{bin,sbin,lib,lib64,share} "$root/$libdir"
	for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
	ln -s ../run "$root/var/run"
	PATH=$PATH:/usr/sbin:/sbin
	for name in "${programs[@]}"; do
		path=$(type -P "${name#\?}") || {
			[ "${name#\?}" != "$name" ] && continue
			die "program '$name' is missing: run integration/deps.sh test"
		}
		add "$root" "$path" usr/bin
	done
	for name in modprobe depmod insmod rmmod lsmod modinfo; do ln -s ../bin/kmod "$root/usr/sbin/$name"; done
	for name in mkfs.ext4 mkfs.ext3; do ln -s ../bin/mke2fs "$root/usr/sbin/$name"; done
	ln -s bash "$root/usr/bin/sh"
	for file in "${nfs_utils[@]}"; do
		[ ! -f "$build/nfs-utils/$file" ] || add "$root" "$build/nfs-utils/$file" usr/sbin
	done
	ln -s mount.nfs "$root/usr/sbin/mount.nfs4"
	for file in "${apparmor[@]}"; do
		[ ! -f "$build/apparmor/$file" ] || add "$root" "$build/apparmor/$file" usr/sbin
	done
	etc_files "$root"
}

kernel_modules() {
	local root=$1 dir=$build/kernels/$2 version name file
	version=$(cat "$dir/version")
	PATH=$PATH:/usr/sbin:/sbin
	for name in "${modules[@]}"; do
		modprobe -d "$dir" -S "$version" --show-depends "$name" 2>/dev/null || true
	done | awk '$1 == "insmod" { print $2 }' | sort -u | while read -r file; do
		file=lib/modules/$version/${file#*/lib/modules/"$version"/}
		mkdir -p "$root/usr/${file%/*}"
		cp "$dir/$file" "$root/usr/$file"
	done
	cp "$dir/lib/modules/$version"/modules.{builtin,builtin.modinfo,order} "$root/usr/lib/modules/$version/" 2>/dev/null || true
	ln -s usr/lib "$root/lib"
	depmod -b "$root" "$version"
	rm "$root/lib"
}

# The interpreter, and those modules of its library that the program imports.
python() {
	local root=$1 file
	mkdir -p "$root"/usr/{lib64,bin} "$root/$libdir"
	add "$root" "$(realpath /usr/bin/python3)" usr/bin
	ln -s "$(basename "$(realpath /usr/bin/python3)")" "$root/usr/bin/python3"
	add "$root" "$(type -P openssl)" usr/bin
	(cd / && cp --parents etc/ssl/openssl.cnf usr/lib/ssl/openssl.cnf "$root")
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/tests/watch /usr/bin/python3 -c 'import api, socketserver, sys
for m in sys.modules.values(): print(getattr(m, "__file__", None) or "", getattr(m, "__cached__", None) or "", sep="\n")' |
		grep '^/usr/lib/' | while read -r file; do
		[ ! -e "$file" ] || (cd / && cp -p --parents "${file#/}" "$root") # the time is how compiled files are known to be current
		case $file in *.so) add "$root" "$file" "${file%/*}" ;; esac
	done
}

project() {
	local root=$1 name
	mkdir -p "$root/usr/lib/kora-test" "$root/usr/lib64" "$root/$libdir"
	cp "$here/init" "$root/init"
	cp "$build/integration/bin/agent" "$here"/guest/* "$top/tests/watch/api.py" "$root/usr/lib/kora-test/"
	mkdir "$root/usr/lib/kora-test/recordings"
	cp "$top/tests/watch/recordings/watch-lifecycle.http" "$root/usr/lib/kora-test/recordings/"
	for name in kora-sandbox-mount kora-sandbox-watch kora-mountctl kora-launch; do
		[ ! -x "$build/$name" ] || add "$root" "$build/$name" usr/local/bin
	done
	for name in "$build"/integration/helpers/*; do
		[ ! -x "$name" ] || add "$root" "$name" usr/local/bin
	done
}

share() {
	local root=$1 file
	shift
	mkdir -p "$root/t" "$root/usr/lib64" "$root/$libdir"
	for file; do
		[ -e "$file" ] || die "--share $file: no such file"
		if [ -d "$file" ]; then cp -a "$file" "$root/t/"; else add "$root" "$file" t; fi
	done
}

# part NAME FUNCTION ARGUMENT...: packs what the function puts into a fresh root.
part() {
	local out=$image/$1.cpio root
	root=$(mktemp -d "$image/root.XXXXXX")
	chmod 755 "$root"
	"$2" "$root" "${@:3}"
	pack "$root" "$out"
	rm -rf "$root"
}

main() {
	local kernel=$1 output=$2
	shift 2
	[ -e "$build/kernels/$kernel" ] || die "no kernel $kernel: run integration/kernels.sh"
	lock image
	mkdir -p "$image"
	trap 'rm -rf "$image"/root.?????? "$build"/apt/{debs,root}.??????' EXIT
	unpacked nfs-utils nfs-kernel-server nfs-common
	unpacked apparmor apparmor
	[ "$image/base.cpio" -nt "$here/image.sh" ] || part base base
	[ "$image/modules-$kernel.cpio" -nt "$here/image.sh" ] || part "modules-$kernel" kernel_modules "$kernel"
	[ "$image/python.cpio" -nt "$here/image.sh" ] && [ "$image/python.cpio" -nt "$top/tests/watch/api.py" ] || part python python
	part project project
	part share share "$@"
	cat "$image"/{base,"modules-$kernel",python,project,share}.cpio >"$output.new"
	mv "$output.new" "$output"
}
main "$@"
