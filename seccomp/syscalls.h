/* SPDX-License-Identifier: Apache-2.0 */
/* System call names, numbers and argument widths of the two architectures. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum seccomp_arch { SECCOMP_X86_64, SECCOMP_AARCH64, SECCOMP_N_ARCHES };

#if defined(__aarch64__)
#define SECCOMP_NATIVE SECCOMP_AARCH64
#elif defined(__x86_64__)
#define SECCOMP_NATIVE SECCOMP_X86_64
#else
#error "there are system call tables for x86_64 and aarch64 only"
#endif

#define SECCOMP_X32_BIT 0x40000000u

struct syscall_info {
	char name[24];
	int16_t nr[SECCOMP_N_ARCHES]; /* -1: the architecture does not have it */
	char args[7];		      /* one of l, i, h an argument */
};

extern const struct syscall_info syscall_table[];
extern const unsigned syscall_count;

/* NULL when there is none. */
const struct syscall_info *syscall_by_name(const char *name);
const struct syscall_info *syscall_by_number(enum seccomp_arch arch, uint32_t nr);

/* A call that only other architectures have (socketcall, mmap2, ...). */
bool syscall_is_foreign(const char *name);

/* The highest number that has a name. */
int syscall_highest(enum seccomp_arch arch);

/* The bits of argument 0..5 that reach the kernel's code: 0xffff, 0xffffffff or all of them. */
uint64_t syscall_arg_mask(const struct syscall_info *s, unsigned index);

/* "x86_64", "aarch64"; AUDIT_ARCH_*. */
const char *seccomp_arch_name(enum seccomp_arch arch);
uint32_t seccomp_arch_audit(enum seccomp_arch arch);
