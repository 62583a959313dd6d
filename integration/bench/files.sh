# SPDX-License-Identifier: Apache-2.0
# Work on files: in the sandbox's own folder while it is exported, on the agent node through the mount, and
# through a bind on one node. PARTS says which. The machine's clock counts instructions (one nanosecond each): ratios are exact on
# a busy host, but for its disk's flushes.
#
#   sandbox: local/{plain,demo} ── export ──▶ agent: /workspaces/demo/sandbox (ours), /mnt/{default,synced,ganesha}, /workspaces/local
#
# shape: netns
# shellcheck shell=bash
. "$here/ganesha.sh"
read -ra PARTS <<<"${PARTS:-sandbox_side git_status grep_warm list small_files sequential delegated same_node}"
FILES=${FILES:-600} LIST=${LIST:-1000} SMALL=${SMALL:-150} MEGABYTES=${MEGABYTES:-16} UNITS=${UNITS:-1} ROUNDS=${ROUNDS:-2}
export KORA_ICOUNT=${KORA_ICOUNT-0} KORA_PROCESSORS=1 KORA_DISK_CACHE=${KORA_DISK_CACHE-writeback}
OURS=/workspaces/demo/sandbox DEFAULT=/mnt/default SYNCED=/mnt/synced LOCAL=/workspaces/local
ALL=("$OURS" "$DEFAULT" "$SYNCED" "$LOCAL")

# prepare: git, a compiler, a tree of files as an archive, and the same as a repository.
prepare() {
	local dir=$BENCH/t
	mkdir -p "$dir/tree"
	awk -v files="$FILES" -v dir="$dir/tree" 'BEGIN {
		srand(1)
		for (i = 0; i < files; i++) {
			if (i % 50 == 0) system("mkdir " dir "/d" i / 50)
			file = dir "/d" int(i / 50) "/f" i ".txt"
			for (n = 5 + rand() * 35; n > 0; n--) printf "line %d of many words %.9f %.9f\n", n, rand(), rand() >file
			close(file)
		}
	}'
	tar --owner 10001 --group 10001 -C "$dir" -cf "$dir/tree.tar" tree
	git -c init.defaultBranch=main init -q --template= "$dir"
	git -C "$dir" add tree
	git -C "$dir" -c user.name=bench -c user.email=bench@localhost commit -q -m tree
	tar --owner 10001 --group 10001 -C "$dir" -cf "$dir/repo.tar" --transform 's,^,repo/,' .git tree
	mkdir "$dir/list"
	seq -f "$dir/list/a-name-of-usual-length-%g" "$LIST" | xargs touch
	tar --owner 10001 --group 10001 -C "$dir" -rf "$dir/repo.tar" list
	awk 'BEGIN { for (i = 0; i < 30; i++) printf "static int f%d(int *p, int n) { int s = %d; for (int i = 0; i < n; i++) s += p[i] * %d; return s; }\nint (*g%d)(int *, int) = f%d;\n", i, i, i, i, i }' >"$dir/part.c"
	ganesha_prepare
	SHARE+=("$dir/tree.tar" "$dir/repo.tar" "$dir/part.c" "$here/bench/guest/files-work"
		"$(type -P git)" "$(type -P gcc)" "$(type -P as)" "$(gcc -print-prog-name=cc1)")
}

# filled NODE FOLDER: with all that the works need.
filled() {
	on "$1" "mkdir -p $2 && chown 10001:10001 $2 && tar -xf /t/repo.tar -C $2"
}

# by_hand RUN FOLDER OPTIONS: the run's export, mounted on the agent node with other options.
by_hand() {
	on agent "mkdir -p $2 && mount -i -t nfs4 -o vers=4.2,port=$PORT,addr=$S,clientaddr=$A,proto=tcp,sec=sys${3-} $S:/workspaces/$1/first $2"
}

peer() {
	filled sandbox /workspaces/local/peer
	ganesha sandbox peer
	ganesha_mount peer
	ALL+=("$GANESHA")
}

world() {
	local name
	declare -A sync=([synced]=--sync)
	nodes
	daemons
	on agent "mkdir -p $LOCAL" # of its own disk
	on sandbox 'mkdir -p /workspaces/local/plain'
	for name in demo other synced; do
		folder $name
		serve $name first $name ${sync[$name]-} >/dev/null
		filled sandbox /workspaces/local/$name
	done
	filled sandbox /workspaces/local/plain
	filled agent $LOCAL
	attach demo first >/dev/null
	by_hand other $DEFAULT
	by_hand synced $SYNCED ,nosharecache,lookupcache=positive,actimeo=1,noatime
	! ganesha_works || peer
	for name in "${ALL[@]}"; do on agent "/t/files-work 1 status_warm 0 $name" >/dev/null; done
	for name in plain demo; do on sandbox "/t/files-work 1 status_warm 0 /workspaces/local/$name" >/dev/null; done
}

# work NODE ROUNDS WORK COUNT FOLDER...: done there.
work() {
	local name=$1
	shift
	on "$name" "/t/files-work $*" >"$BENCH/work.$2"
	say "[$SECONDS s] $2: $(for folder in "${@:4}"; do printf '%s %s us, %s calls  ' "$folder" "$(took "$2" "$folder")" "$(calls "$2" "$folder")"; done)"
}
of() { awk -v folder="$2" -v field="$3" '$1 == folder { print $field }' "$BENCH/work.$1" | median; }
took() { of "$1" "$2" 2; }
calls() { of "$1" "$2" 3; }

# slower NAME WORK OURS BESIDE [TARGET]: seconds. faster: the same as a speed.
slower() { measure "$1" "$(awk "BEGIN { print $(took "$2" "$3") / 1e6 }")" "$(awk "BEGIN { print $(took "$2" "$4") / 1e6 }")" s ${5:+"$5"}; }
faster() { measure "$1" "$(awk "BEGIN { print 1e6 / $(took "$2" "$3") }")" "$(awk "BEGIN { print 1e6 / $(took "$2" "$4") }")" 1/s ${5:+"$5" at-least}; }
# beside_peer NAME WORK [TARGET]
beside_peer() { ! ganesha_works || slower "$1 / nfs-ganesha" "$2" $OURS $GANESHA ${3:+"$3"}; }

sandbox_side() {
	local exported=/workspaces/local/demo plain=/workspaces/local/plain name
	work sandbox $((ROUNDS * 2)) untar 0 $exported $plain
	work sandbox $((ROUNDS * 2)) remove 0 $exported $plain
	work sandbox "$ROUNDS" compile "$UNITS" $exported $plain
	work sandbox $((ROUNDS * 2)) status_warm 0 $exported $plain
	for name in untar remove compile status_warm; do
		faster "sandbox: ${name/_warm/} / not exported" $name $exported $plain 0.97
	done
}

git_status() {
	work agent "$ROUNDS" status_cold 0 "${ALL[@]}"
	slower "git status, cold / local" status_cold $OURS $LOCAL 8
	slower "git status, cold / default options" status_cold $OURS $DEFAULT
	beside_peer "git status, cold" status_cold
	work agent "$ROUNDS" status_warm 0 "${ALL[@]}"
	slower "git status, at once again / local" status_warm $OURS $LOCAL 2
	beside_peer "git status, at once again" status_warm
	work agent 1 status_later 0 "${ALL[@]}"
	slower "git status, 4 s later / local" status_later $OURS $LOCAL
	slower "git status, 4 s later / default options" status_later $OURS $DEFAULT
}

grep_warm() {
	work agent "$ROUNDS" grep_warm 0 "${ALL[@]}"
	slower "grep -r, warm / local" grep_warm $OURS $LOCAL 1.5
	note "grep -r, warm / local" "$(calls grep_warm $OURS) calls: files are delegated, what is left is the client's own work for an open"
	slower "grep -r, warm / default options" grep_warm $OURS $DEFAULT
	slower "grep -r, warm: default options / local" grep_warm $DEFAULT $LOCAL
	beside_peer "grep -r, warm" grep_warm
}

list() {
	work agent 1 list 0 "${ALL[@]}"
	measure "ls -l, cold: calls a file" "$(calls list $OURS)" "$LIST" calls 0.1
	slower "ls -l, cold / default options" list $OURS $DEFAULT
	beside_peer "ls -l, cold" list
	[ "$(calls list $OURS)" -le $((LIST / 10)) ] || note "ls -l, cold: calls a file" "attributes are kept for 1 s; where that is 5 s or less, this kernel fetches every other page of a directory without them"
	work agent 1 names 0 $OURS $DEFAULT
	slower "ls, cold / default options" names $OURS $DEFAULT
}

small_files() {
	work agent "$ROUNDS" small "$SMALL" "${ALL[@]}"
	slower "small files / sync export" small $OURS $SYNCED 0.30
	slower "small files / default options" small $OURS $DEFAULT
	beside_peer "small files" small 1
	slower "small files / local" small $OURS $LOCAL
	work agent "$ROUNDS" loop "$SMALL" "${ALL[@]}"
	slower "loop over small files / default options" loop $OURS $DEFAULT
	beside_peer "loop over small files" loop
	slower "loop over small files / local" loop $OURS $LOCAL
}

sequential() {
	work agent "$ROUNDS" write "$MEGABYTES" "${ALL[@]}"
	slower "sequential write / default options" write $OURS $DEFAULT
	beside_peer "sequential write" write
	slower "sequential write / local" write $OURS $LOCAL
	work agent "$ROUNDS" read "$MEGABYTES" "${ALL[@]}"
	slower "sequential read, cold / default options" read $OURS $DEFAULT
	beside_peer "sequential read, cold" read
	slower "sequential read, cold / local" read $OURS $LOCAL
}

# Files that the harness has just read are delegated to its node: their first change takes the delegation back.
delegated() {
	work agent 1 grep_warm 0 $OURS
	work sandbox 1 change 0 /workspaces/local/demo /workspaces/local/plain
	faster "sandbox: first change of what the harness just read" change /workspaces/local/demo /workspaces/local/plain
	note "sandbox: first change of what the harness just read" "a recall and its answer for each file, once; read delegations are what makes grep -r and git status warm without a call"
}

# One node for both: a bind, and beside it NFS to itself.
same_node() {
	local plain=/workspaces/local/plain bound=/workspaces/same/sandbox
	folder same
	on sandbox "chown 10001:10001 /workspaces; kora-mountctl bind same --incarnation first --source-folder /workspaces/local/same --volume /workspaces --uid 10001 --gid 10001" >/dev/null
	CLIENT=$S serve loop first other >/dev/null
	on sandbox "mkdir -p /mnt/loop && mount -i -t nfs4 -o vers=4.2,port=$PORT,addr=$S,clientaddr=$S,proto=tcp,sec=sys $S:/workspaces/loop/first /mnt/loop"
	work sandbox $((ROUNDS * 2)) small "$SMALL" $bound $plain /mnt/loop
	faster "same node, bind: small files / local" small $bound $plain 0.97
	slower "same node, bind: small files / NFS to itself" small $bound /mnt/loop
}

area() {
	local part
	world
	for part in "${PARTS[@]}"; do $part; done
	! ganesha_works || say "resident: nfs-ganesha $(ganesha_resident sandbox) kB, ours $(on sandbox 'awk "/^VmRSS/ { print \$2 }" /proc/$(cat /run/kora.pid)/status') kB"
}
