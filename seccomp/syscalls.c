/* SPDX-License-Identifier: Apache-2.0 */
/* System call tables: searches by name and by number. */
#include "seccomp/syscalls.h"

#include <linux/audit.h>
#include <stddef.h>
#include <string.h>

#define NONE (-1)

const struct syscall_info syscall_table[] = {
#define S(name, x86_64, aarch64, args) {#name, {x86_64, aarch64}, args},
#include "seccomp/syscalls.inc"
#undef S
};
const unsigned syscall_count = sizeof(syscall_table) / sizeof(syscall_table[0]);

static const char foreign[] =
	" _llseek _newselect arm_fadvise64_64 arm_sync_file_range bdflush break"
	" breakpoint cachectl cacheflush chown32 clock_adjtime64 clock_getres_time64"
	" clock_gettime64 clock_nanosleep_time64 clock_settime64 fadvise64_64 fchown32"
	" fcntl64 fstat64 fstatat64 fstatfs64 ftime ftruncate64 futex_time64 get_tls"
	" getegid32 geteuid32 getgid32 getgroups32 getresgid32 getresuid32 getuid32 gtty"
	" idle io_pgetevents_time64 ipc lchown32 lock lstat64 mmap2 mpx"
	" mq_timedreceive_time64 mq_timedsend_time64 multiplexer nice oldfstat oldlstat"
	" oldolduname oldstat olduname pciconfig_iobase pciconfig_read pciconfig_write"
	" ppoll_time64 prof profil pselect6_time64 readdir recv recvmmsg_time64"
	" riscv_flush_icache riscv_hwprobe rt_sigtimedwait_time64 rtas"
	" s390_guarded_storage s390_pci_mmio_read s390_pci_mmio_write s390_runtime_instr"
	" s390_sthyi sched_rr_get_interval_time64 semtimedop_time64 send sendfile64"
	" set_tls setfsgid32 setfsuid32 setgid32 setgroups32 setregid32 setresgid32"
	" setresuid32 setreuid32 setuid32 sgetmask sigaction signal sigpending"
	" sigprocmask sigreturn sigsuspend socketcall spu_create spu_run ssetmask stat64"
	" statfs64 stime stty subpage_prot swapcontext switch_endian sync_file_range2"
	" sys_debug_setcontext syscall sysmips timer_gettime64 timer_settime64 timerfd"
	" timerfd_gettime64 timerfd_settime64 truncate64 ugetrlimit ulimit umount usr26"
	" usr32 utimensat_time64 vm86 vm86old waitpid"
	" ";

const struct syscall_info *syscall_by_name(const char *name)
{
	for (unsigned i = 0; i < syscall_count; i++)
		if (!strcmp(syscall_table[i].name, name))
			return &syscall_table[i];
	return NULL;
}

const struct syscall_info *syscall_by_number(enum seccomp_arch arch, uint32_t nr)
{
	for (unsigned i = 0; i < syscall_count && nr <= INT16_MAX; i++)
		if (syscall_table[i].nr[arch] == (int)nr)
			return &syscall_table[i];
	return NULL;
}

bool syscall_is_foreign(const char *name)
{
	size_t len = strlen(name);

	if (!len || strchr(name, ' '))
		return false;
	for (const char *p = foreign; (p = strstr(p, name)); p++)
		if (p[-1] == ' ' && p[len] == ' ')
			return true;
	return false;
}

int syscall_highest(enum seccomp_arch arch)
{
	int highest = 0;

	for (unsigned i = 0; i < syscall_count; i++)
		if (syscall_table[i].nr[arch] > highest)
			highest = syscall_table[i].nr[arch];
	return highest;
}

uint64_t syscall_arg_mask(const struct syscall_info *s, unsigned index)
{
	char width = index < strlen(s->args) ? s->args[index] : 'l';

	return width == 'h' ? 0xffff : width == 'i' ? 0xffffffff : UINT64_MAX;
}

const char *seccomp_arch_name(enum seccomp_arch arch)
{
	return arch == SECCOMP_X86_64 ? "x86_64" : "aarch64";
}

uint32_t seccomp_arch_audit(enum seccomp_arch arch)
{
	return arch == SECCOMP_X86_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64;
}
