# SPDX-License-Identifier: Apache-2.0
# A private apt: sources, lists and cache of its own below build/apt. The system's configuration
# (proxies, credentials) still applies; its sources and its package database are only read.
# shellcheck shell=bash

codename() { (. /etc/os-release && echo "${VERSION_CODENAME-}"); }

# The archive this machine already uses; KORA_MIRROR names another one.
mirror() {
	if [ -n "${KORA_MIRROR-}" ]; then
		echo "$KORA_MIRROR"
		return
	fi
	apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
		awk -v own="$(codename)" '$2 == "main" && ($1 == own || $1 == "stable") { print $3; exit }'
}

# apt_suites SUITE...: the following apt_* calls see these suites only.
apt_suites() {
	local dir uri suite
	dir=$build/apt/$(IFS=+ && echo "$*")
	uri=$(mirror)
	[ -n "$uri" ] || die "no Debian archive among this machine's apt sources: set KORA_MIRROR=<archive URI>"
	mkdir -p "$dir"/{state/lists,cache/archives}/partial
	for suite; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
	done >"$dir/sources.list"
	APT=(-q -o "Dir::Etc::SourceList=$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::Etc::PreferencesParts=/dev/null -o Dir::Etc::Preferences=/dev/null
		-o "Dir::State=$dir/state" -o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$dir/cache"
		-o Debug::NoLocking=1 -o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Retries=3
		-o APT::Architectures::=amd64)
	apt-get "${APT[@]}" -o APT::Update::Error-Mode=any update >"$dir/update.log" 2>&1 || {
		tail -n 5 "$dir/update.log" >&2
		die "cannot read $* from $uri (another archive: KORA_MIRROR=<URI>)"
	}
}

# The following apt_* calls see the sources of the first suite, too.
apt_sources() {
	local dir=${APT[2]#Dir::Etc::SourceList=}
	dir=${dir%/sources.list}
	grep -q ^deb-src "$dir/sources.list" || sed -i '1{p; s/^deb /deb-src /}' "$dir/sources.list"
	apt-get "${APT[@]}" -o APT::Update::Error-Mode=any update >"$dir/update.log" 2>&1 || die "cannot read the sources of ${dir##*/}"
}

# The newest package whose whole name matches the expression; nothing if there is none.
apt_newest() { apt-cache "${APT[@]}" pkgnames | grep -Ex "$1" | sort -V | tail -n 1; }

# apt_unpack DIR PACKAGE...: exactly these packages.
apt_unpack() {
	local dir=$1 debs deb
	shift
	debs=$(mktemp -d "$build/apt/debs.XXXXXX")
	(cd "$debs" && apt-get "${APT[@]}" download "$@" >download.log 2>&1) || {
		tail -n 5 "$debs/download.log" >&2
		die "cannot download $*"
	}
	mkdir -p "$dir"
	for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$dir"; done
	rm -rf "$debs"
}

# apt_unpack_missing DIR PACKAGE...: with what they depend on, as far as that is not installed here.
apt_unpack_missing() {
	local dir=$1 debs deb
	shift
	debs=$(mktemp -d "$build/apt/debs.XXXXXX")
	mkdir "$debs/partial"
	apt-get "${APT[@]}" -y --download-only --reinstall --no-install-recommends -o "Dir::Cache::Archives=$debs" \
		install "$@" >"$debs/download.log" 2>&1 || {
		tail -n 5 "$debs/download.log" >&2
		die "cannot download $*"
	}
	mkdir -p "$dir"
	for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$dir"; done
	rm -rf "$debs"
}

# unpacked NAME PACKAGE...: with what they depend on, below the build folder; once.
unpacked() {
	local name=$1 tmp
	shift
	[ ! -e "$build/$name" ] || return 0
	say "unpacking $name into the test machines' image: some scenarios use it, the programs do not"
	apt_suites "$(codename)"
	tmp=$(mktemp -d "$build/apt/root.XXXXXX")
	apt_unpack_missing "$tmp" "$@"
	mv "$tmp" "$build/$name"
}
