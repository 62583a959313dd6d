# SPDX-License-Identifier: Apache-2.0
# Sourced: starts and stops test machines. A machine is a directory: console.log, pid, port1.. (commands),
# disk (its own ext4, at /disk in the guest). KORA_ACCEL=kvm uses the host's virtualisation. KORA_ICOUNT=0: the
# guest's clock counts instructions, 2^0 ns each, so that it does not feel what else the host does (one processor).
# KORA_DISK_CACHE=writeback: what the guest flushes is flushed on the host's disk, too.
# shellcheck shell=bash

PORTS=12
# no_timer_check: on a busy host the emulated timer is late, and the kernel would panic over it.
KERNEL_ARGS='console=ttyS0 quiet loglevel=5 panic=-1 oops=panic mitigations=off nokaslr no_timer_check rcupdate.rcu_cpu_stall_timeout=180'
# An emulated processor pays for each of these whenever the kernel switches or copies.
CPU=max,la57=off,erms=off,fsrm=off,smap=off,smep=off,umip=off,pku=off,xsave=off,avx=off,avx2=off,fma=off,f16c=off

# Emulated processors wait in vain for each other's locks when the host has no more of them: two on one
# kernel, so that things do happen at once there, one on the others.
processors() { [ "$1" = 6.12 ] && echo 2 || echo 1; }

qemu_program() {
	if [ -e "$build/qemu" ]; then
		QEMU=(env "LD_LIBRARY_PATH=$build/qemu/usr/lib/x86_64-linux-gnu:$build/qemu/lib/x86_64-linux-gnu"
			"$build/qemu/usr/bin/qemu-system-x86_64" -L "$build/qemu/usr/share/qemu" -L "$build/qemu/usr/share/seabios")
	else
		QEMU=(qemu-system-x86_64)
	fi
}

blank_disk() {
	[ ! -e "$build/image/disk.img" ] || return 0
	truncate -s 2G "$build/image/disk.img.new"
	PATH=$PATH:/usr/sbin:/sbin mke2fs -q -t ext4 -m 0 -E lazy_itable_init=1,nodiscard "$build/image/disk.img.new"
	mv "$build/image/disk.img.new" "$build/image/disk.img"
}

# vm_start DIRECTORY KERNEL IMAGE [QEMU OPTION...]: returns at once; the first command waits for the boot.
# However its starter ends, the machine ends after KORA_VM_SECONDS.
vm_start() {
	local dir=$1 kernel=$2 initrd=$3 i ports=() starter
	shift 3
	mkdir -p "$dir"
	rm -f "$dir"/port* "$dir/pid"
	[ -e "$dir/disk" ] || cp --sparse=always "$build/image/disk.img" "$dir/disk"
	for ((i = 1; i <= PORTS; i++)); do
		ports+=(-chardev "socket,id=p$i,path=port$i,server=on,wait=off"
			-device "virtserialport,chardev=p$i,name=kora.$i")
	done
	qemu_program
	: >"$dir/starting"
	(
		cd "$dir" || exit
		exec setsid timeout -s KILL $((${KORA_VM_SECONDS:-3600} * KORA_SLOW)) "${QEMU[@]}" -pidfile pid \
			-accel "${KORA_ACCEL:-tcg}" -cpu $CPU -smp "${KORA_PROCESSORS:-$(processors "$kernel")}" -m "${KORA_MEMORY:-768M}" \
			${KORA_ICOUNT:+-icount "shift=$KORA_ICOUNT,align=off,sleep=on"} -nodefaults -no-user-config -no-reboot -display none -serial file:console.log \
			-kernel "$build/kernels/$kernel/vmlinuz" -initrd "$initrd" -append "$KERNEL_ARGS ${KORA_APPEND-}" \
			-drive file=disk,format=raw,if=virtio,cache="${KORA_DISK_CACHE:-unsafe}" \
			-device virtio-serial-pci,max_ports=16 "${ports[@]}" "$@" >qemu.log 2>&1 7>&- 8>&- 9>&- </dev/null
	) 2>/dev/null &
	starter=$!
	disown
	for ((i = 0; i < 500 * KORA_SLOW; i++)); do
		if [ -s "$dir/pid" ] && [ -S "$dir/port$PORTS" ]; then
			rm -f "$dir/starting"
			return
		fi
		kill -0 "$starter" 2>/dev/null || break
		sleep 0.02
	done
	say "qemu did not start:"
	cat "$dir/qemu.log" >&2
	return 1
}

vm_alive() { [ -s "$1/pid" ] && kill -0 "$(cat "$1/pid")" 2>/dev/null; }

# A power cut; also of a machine whose start was interrupted.
vm_kill() {
	local pid i
	for ((i = 0; i < 100; i++)); do
		[ -e "$1/starting" ] && [ ! -s "$1/pid" ] || break
		sleep 0.02
	done
	rm -f "$1/starting"
	[ -s "$1/pid" ] || return 0
	pid=$(cat "$1/pid")
	rm -f "$1/pid"
	kill -KILL "$pid" 2>/dev/null || return 0
	while kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
}

# vm_exec [-i | -t] DIRECTORY [COMMAND]: as root; its output, its exit status, 255 when the machine has gone.
vm_exec() { "$build/integration/bin/node-exec" "$@"; }

# vm_prepare KERNEL OUTPUT [FILE for /t ...]: everything that a machine with this kernel needs.
vm_prepare() {
	make --no-print-directory -s -C "$top" -f integration/integration.mk B="$build" Q=@ integration-programs
	"$here/kernels.sh" "$1"
	"$here/image.sh" "$@"
	blank_disk
}

# collect_node NODE FILE: what a node of the lab is like now. A kernel that hangs may not answer.
collect_node() {
	KORA_NODE=$1 SHAPE=$SHAPE CASE_DIR=$CASE_DIR MACHINE=${MACHINE-} \
		timeout 60 bash -c '. "$0"; on "$KORA_NODE" /usr/lib/kora-test/collect' "$here/lib.sh" \
		>"$2" 2>&1 </dev/null || true
}
