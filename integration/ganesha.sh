# SPDX-License-Identifier: Apache-2.0
# nfs-ganesha, a server that is a process, beside the kernel's: unpacked below build/, never installed, and put into the
# machine of the areas that ask for it. Without D-Bus it says so and works; as long as only NFSv4 is spoken it asks no rpcbind.
# shellcheck shell=bash
. "$here/apt.sh"
GANESHA=/mnt/ganesha GANESHA_PORT=2050

# ganesha_prepare: the program, its libraries and what it loads are /t/ganesha.
ganesha_prepare() {
	local root=$build/ganesha dir=$BENCH/ganesha lib=usr/lib/x86_64-linux-gnu file
	lock ganesha
	unpacked ganesha nfs-ganesha nfs-ganesha-vfs
	unlock
	mkdir -p "$dir"
	for file in "$root/usr/bin/ganesha.nfsd" "$root/$lib/ganesha/libfsalvfs.so"; do
		echo "$file"
		LD_LIBRARY_PATH=$root/$lib:$root/usr/lib/ganesha:$root/lib/x86_64-linux-gnu ldd "$file" |
			awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
	done | sort -u | xargs cp -Lt "$dir"
	SHARE+=("$dir")
}

# ganesha NODE [NAME...]: started, with /workspaces/local/NAME as /NAME for the agent; its other settings are its own.
ganesha() {
	local name=$1 id=0 folder
	shift
	{
		echo "NFS_CORE_PARAM { NFS_Port = $GANESHA_PORT; Protocols = 4; Plugins_Dir = /t/ganesha; Enable_UDP = false; Enable_NLM = false; Enable_RQUOTA = false; }"
		echo 'NFSv4 { Graceless = true; UseGetpwnam = true; DomainName = localdomain; Only_Numeric_Owners = true; }'
		for folder; do
			echo "EXPORT { Export_Id = $((++id)); Path = /workspaces/local/$folder; Pseudo = /$folder; SecType = sys;
				Squash = All_Squash; Anonymous_uid = 10001; Anonymous_gid = 10001; FSAL { Name = VFS; }
				CLIENT { Clients = $A; Access_Type = RW; } }"
		done
	} | put "$name" /run/ganesha.conf
	on "$name" 'mkdir -p /var/lib/nfs/ganesha /run/ganesha'
	spawn "$name" 'echo $$ >/run/ganesha.pid; exec env LD_LIBRARY_PATH=/t/ganesha /t/ganesha/ganesha.nfsd -F -f /run/ganesha.conf -L /run/ganesha.log -p /run/ganesha.lock -N EVENT'
	wait_on "$name" 60 "ss -Hltn 'sport = $GANESHA_PORT' | grep -q LISTEN"
}
# ganesha_mount NAME: on the agent node, from the sandbox's, with the kernel's own options. By NFSv4.1: by 4.2 the client
# reads with READ_PLUS, to which ganesha 4.3 answers zeros.
ganesha_mount() {
	on agent "mkdir -p $GANESHA && mount -i -t nfs4 -o vers=4.1,port=$GANESHA_PORT,addr=$S,clientaddr=$A,proto=tcp,sec=sys $S:/$1 $GANESHA"
}
# Linux 7.3 cannot list the directories of ganesha 4.3: EREMOTEIO.
ganesha_works() { ! kernel_at_least 7.0; }
# Kilobytes.
ganesha_resident() { on "$1" 'awk "/^VmRSS/ { print \$2 }" /proc/$(cat /run/ganesha.pid)/status'; }
ganesha_end() {
	on "$1" 'kill $(cat /run/ganesha.pid)'
	wait_on "$1" 60 '! kill -0 $(cat /run/ganesha.pid)'
}
