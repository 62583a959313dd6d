# SPDX-License-Identifier: Apache-2.0
# The language of the cases, the same for nodes that are namespaces of one machine (netns) and for
# nodes that are machines (two-vm). A case runs on the host, with set -e: any failing line fails it.
# shellcheck shell=bash
. "${BASH_SOURCE[0]%/*}/common.sh"
. "$here/qemu.sh"

MORE=() # QEMU options for more devices of the two-vm shape's machines

# Set by `run`, or by lab_open: SHAPE, KERNEL, CASE_DIR, IMAGE, and for netns MACHINE.
declare -A NODE_ADDRESSES=()

seconds() { echo $(($1 * KORA_SLOW)); }

fail() {
	echo "$*" >"$CASE_DIR/reason"
	say "FAIL: $*"
	exit 1
}

# A failing line of the case, wherever below it the command failed.
blame() {
	local i
	[ ! -s "$CASE_DIR/reason" ] || return 0
	for ((i = 1; i < ${#BASH_SOURCE[@]}; i++)); do
		[ "${BASH_SOURCE[i]}" != "$CASE_FILE" ] || break
	done
	echo "line ${BASH_LINENO[i - 1]}: $(sed -n "${BASH_LINENO[i - 1]}s/^[[:space:]]*//p" "$CASE_FILE")" >"$CASE_DIR/reason"
}

skip() {
	echo "$*" >"$CASE_DIR/reason"
	exit 77
}

# enough KERNEL...: on these alone, where the case was not asked for by its name.
enough() {
	local kernel
	for kernel; do
		is_kernel "$kernel" || fail "enough: no kernel is called $kernel"
	done
	case " $* " in *" $KERNEL "*) return 0 ;; esac
	[ -n "${BY_NAME-}" ] || skip "on $* is enough; by its name it runs on each"
}

step() { say "--- [$SECONDS s] $*"; }

# kernel_at_least 6.5
kernel_at_least() {
	local version
	version=$(cat "$build/kernels/$KERNEL/version")
	printf '%s\n' "$1" "${version%%-*}" | sort -VC
}

machine_of() { if [ "$SHAPE" = netns ]; then echo "$MACHINE"; else echo "$CASE_DIR/$1"; fi; }

# The two machines share one cable; the first one made is its server end.
boot() {
	local link=stream,id=n,addr.type=unix,addr.path=../cable
	case $1 in
	sandbox) link+=,server=on ;;
	agent) link+=,server=off,reconnect=1 ;;
	*) fail "node $1: the two-vm shape has the nodes sandbox and agent" ;;
	esac
	vm_start "$CASE_DIR/$1" "$KERNEL" "$IMAGE" -netdev "$link" \
		-device "virtio-net-pci,netdev=n,romfile=,mac=52:54:00:20:00:0$((${#1} - 4))" "${MORE[@]}" || fail "machine $1 did not start"
}

configure() {
	local name=$1 script address
	shift
	script="set -e; echo $name >/proc/sys/kernel/hostname; mkdir -p /disk/workspaces"
	script+="; mount --bind /disk/workspaces /workspaces"
	for address; do
		script+="; ip address add $address dev eth0"
		case $address in *:*) script+=" nodad" ;; esac
	done
	vm_exec "$CASE_DIR/$name" "$script; ip link set eth0 up"
}

# node NAME ADDRESS/LEN...: a new node.
node() {
	local name=$1
	shift
	NODE_ADDRESSES[$name]=$*
	echo "$name" >>"$CASE_DIR/nodes"
	if [ "$SHAPE" = netns ]; then
		vm_exec "$MACHINE" "/usr/lib/kora-test/node-up $name $*"
	else
		vm_alive "$CASE_DIR/$name" || boot "$name"
		configure "$name" "$@"
	fi
}

# The usual two: sandbox 10.20.0.1 fd20::1, agent 10.20.0.2 fd20::2.
nodes() {
	if [ "$SHAPE" = two-vm ]; then
		boot sandbox
		boot agent
	fi
	node sandbox 10.20.0.1/24 fd20::1/64
	node agent 10.20.0.2/24 fd20::2/64
}

node_command() {
	if [ "$SHAPE" = netns ]; then printf '/usr/lib/kora-test/node-run %q %q' "$1" "$2"; else printf 'cd /root; %s' "$2"; fi
}

# on NODE command...: as root; output and exit status are the command's.
on() {
	local name=$1
	shift
	vm_exec "$(machine_of "$name")" "$(node_command "$name" "$*")"
}

# put NODE PATH: standard input becomes that file.
put() { vm_exec -i "$(machine_of "$1")" "$(node_command "$1" "mkdir -p '${2%/*}' && cat >'$2'")"; }

# wait_for SECONDS 'condition': a condition of the case's own shell.
wait_for() {
	local end=$((SECONDS + $(seconds "$1")))
	until eval "$2" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "not within $1 s: $2"
		sleep 0.1
	done
}

# wait_on NODE SECONDS 'condition': a condition on the node, tried there.
wait_on() {
	on "$1" "i=0; until { $3; } >/dev/null 2>&1; do
		i=\$((i + 1)); [ \$SECONDS -lt $(seconds "$2") ] || exit 1; sleep 0.05; done" ||
		fail "not within $2 s on $1: $3"
}

# check 'what' command...: must succeed.
check() {
	local what=$1
	shift
	"$@" || fail "$what (exit status $?: $*)"
}

# refuse 'what' command...: must fail.
refuse() {
	local what=$1
	shift
	! "$@" || fail "$what (succeeded: $*)"
}

# equal 'what' EXPECTED ACTUAL
equal() { [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"; }

# cut NODE PORT: the node's packets from and to that TCP port vanish, as with a broken network. heal NODE ends it.
cut() {
	on "$1" "nft -f - <<-EOF
		table inet cut {
			chain in { type filter hook input priority -300; tcp dport $2 drop; tcp sport $2 drop; }
			chain out { type filter hook output priority -300; tcp dport $2 drop; tcp sport $2 drop; }
		}
	EOF"
}
heal() { on "$1" nft delete table inet cut; }

# A power cut, and power again: the disk is as it was, memory is gone.
power_off() {
	[ "$SHAPE" = two-vm ] || fail "power_off needs the two-vm shape"
	vm_kill "$CASE_DIR/$1"
}
power_on() {
	boot "$1"
	# shellcheck disable=SC2086
	configure "$1" ${NODE_ADDRESSES[$1]}
}

# For programs that are no case (the demo): lab_open DIRECTORY KERNEL SHAPE [FILE for /t ...] prepares, lab_close ends.
lab_open() {
	CASE_DIR=$1 KERNEL=$2 SHAPE=$3
	IMAGE=$CASE_DIR/initrd
	mkdir -p "${CASE_DIR%/*}"
	exec 7>"$CASE_DIR.lock"
	flock -n 7 || die "${CASE_DIR##*/} is running already: end it first, or explore it with integration/attach"
	lab_close # of one that was killed
	rm -rf "$CASE_DIR"
	mkdir -p "$CASE_DIR"
	vm_prepare "$KERNEL" "$IMAGE" "${@:4}"
	[ "$SHAPE" = two-vm ] || {
		MACHINE=$CASE_DIR/machine
		vm_start "$MACHINE" "$KERNEL" "$IMAGE"
	}
}
lab_close() {
	local dir
	for dir in "$CASE_DIR"/*/; do
		vm_kill "$dir"
		rm -f "$dir"/disk "$dir"/port*
	done
	rm -f "$IMAGE"
}
