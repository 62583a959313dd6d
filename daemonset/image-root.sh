#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the image's file trees: what the programs need of Debian, and the programs. No shell, no package manager.
#
#   image-root.sh DIR CACHE PROGRAM...     DIR/debian and DIR/programs
#
# The packages are those the programs were linked with, found by ldd, of the version that is installed
# here, or that the archive has now. They are fetched by apt into CACHE once, and unpacked without
# running anything of theirs.
set -euo pipefail
umask 022
export LC_ALL=C
dir=$1 cache=$2
shift 2
skeleton=$(realpath "${BASH_SOURCE[0]%/*}")/skeleton
die() {
	echo "image-root: $*" >&2
	exit 1
}

# Shared libraries of the programs, theirs included, one path a line.
libraries_of() {
	local program
	for program; do
		ldd "$program" 2>/dev/null || true # static: has none
	done | sed -nE 's|.*not found.*|MISSING &|p; s|^.* => (/[^ ]+) .*|\1|p; s|^\t(/[^ ]+) .*|\1|p' | sort -u
}

# A package's files may be registered below / while they are found below /usr, and the reverse.
package_of() {
	local path=$1 other owner name
	case $path in /usr/*) other=${path#/usr} ;; *) other=/usr$path ;; esac
	for name in "$path" "$other" "$(realpath "$path")"; do
		owner=$(dpkg-query -S "$name" 2>/dev/null | grep -v '^diversion ' | head -n 1) || continue
		echo "${owner%%:*}"
		return
	done
	die "no package has $path"
}

packages_of() {
	local path
	libraries_of "$@" | while read -r path; do
		case $path in MISSING*) die "library $path" ;; esac
		package_of "$path"
	done
	echo base-files
}

# Into the cache; prints the file's name. Where the archive has moved on, what it has now of the same release.
fetch() {
	local package=$1 version file
	for version in "$(dpkg-query -W -f '${Version}' "$package")" \
		"$(apt-cache policy "$package" | sed -n 's/^  Candidate: //p')"; do
		file=$cache/${package}_${version//:/%3a}_$(dpkg-query -W -f '${Architecture}' "$package").deb
		[ -s "$file" ] || (cd "$cache" && apt-get -q -o APT::Sandbox::User=root download "$package=$version" >fetch.log 2>&1) || continue
		[ -s "$file" ] || die "not where it should be: $file"
		echo "$file"
		return
	done
	die "cannot fetch $package: $(tail -n 1 "$cache/fetch.log")"
}

unpack() {
	local deb=$1 root=$2
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink --no-same-owner \
		--wildcards --exclude './usr/share/man' --exclude './usr/share/locale' --exclude './usr/share/lintian' \
		--exclude './usr/share/doc/*/[!c]*' --exclude './usr/share/doc/*/changelog*' --exclude './usr/share/info' \
		--exclude './usr/share/doc-base' --exclude './usr/share/base-files' \
		--exclude './usr/lib/*/gconv' --exclude './usr/lib/*/audit' --exclude './usr/lib/*/engines-*' \
		--exclude './etc/update-motd.d' --exclude './var/lib/dpkg' --exclude './var/tmp' --exclude './var/lock' --exclude './var/spool' --exclude './var/mail' \
		--exclude './var/run' --exclude './var/backups' --exclude './var/cache' --exclude './etc/profile*' --exclude './root/*'
	mkdir -p "$root/var/lib/dpkg/status.d" # where scanners look for what an image without dpkg has
	dpkg-deb -f "$deb" >"$root/var/lib/dpkg/status.d/$(dpkg-deb -f "$deb" Package)"
}

main() {
	local deb program place links
	[ $# -gt 0 ] || die "which programs?"
	[ -d "$skeleton" ] || die "no $skeleton"
	rm -rf "$dir/debian" "$dir/programs"
	mkdir -p "$cache" "$dir/debian/usr/"{bin,sbin,lib,lib64} "$dir/programs"
	cache=$(realpath "$cache")
	for links in bin sbin lib lib64; do ln -s "usr/$links" "$dir/debian/$links"; done
	packages_of "$@" | sort -u >"$dir/packages"
	! grep -q MISSING "$dir/packages" || die "a library is missing"
	while read -r package; do
		deb=$(fetch "$package")
		unpack "$deb" "$dir/debian"
	done <"$dir/packages"
	cp -r "$skeleton/." "$dir/debian/"
	# Where the chart mounts; a read-only root has to have them.
	mkdir -p "$dir/debian/"{dev,proc,sys,run,tmp,usr/lib/modules,var/lib/kora-sandbox-mount,var/lib/kubelet/pods,drain}
	ln -s /run "$dir/debian/var/run"
	chmod 1777 "$dir/debian/tmp"
	rmdir "$dir/debian/usr/lib64" 2>/dev/null && rm "$dir/debian/lib64"
	for program; do
		place=usr/bin
		case $program in */kora-sandbox-mount) place=usr/sbin ;; esac
		install -D -s -m 755 "$program" "$dir/programs/$place/${program##*/}"
	done
}
main "$@"
