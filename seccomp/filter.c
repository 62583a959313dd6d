/* SPDX-License-Identifier: Apache-2.0 */
/* Filters into the kernel. */
#include "seccomp/filter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Written by the build. */
#if defined(__aarch64__)
#include "filters_aarch64.h"
#define BUILTIN(name) seccomp_aarch64_##name
#else
#include "filters_x86_64.h"
#define BUILTIN(name) seccomp_x86_64_##name
#endif

#define PROGRAM(name) \
	{ \
		BUILTIN(name), sizeof(BUILTIN(name)) / sizeof(BUILTIN(name)[0]) \
	}

static const char *const profile_names[] = {
	[SECCOMP_PROFILE_NONE] = "none",
	[SECCOMP_PROFILE_STRICT] = "strict",
	[SECCOMP_PROFILE_DEV] = "dev",
};

int seccomp_profile_from_name(const char *name)
{
	for (int i = 0; i < (int)(sizeof(profile_names) / sizeof(profile_names[0])); i++)
		if (!strcmp(profile_names[i], name))
			return i;
	return -EINVAL;
}

const char *seccomp_profile_name(enum seccomp_profile p)
{
	return profile_names[p];
}

const struct sock_filter *seccomp_builtin(enum seccomp_filter filter, size_t *ret_len)
{
	static const struct {
		const struct sock_filter *insns;
		size_t len;
	} programs[N_FILTERS] = {
		[FILTER_STRICT] = PROGRAM(strict),
		[FILTER_DEV] = PROGRAM(dev),
		[FILTER_GUARD] = PROGRAM(guard),
	};

	*ret_len = programs[filter].len;
	return programs[filter].insns;
}

enum seccomp_filter seccomp_filter_of(enum seccomp_profile p)
{
	return p == SECCOMP_PROFILE_DEV ? FILTER_DEV : FILTER_STRICT;
}

static int install(const struct sock_filter *insns, size_t len, unsigned flags)
{
	const struct sock_fprog prog = {
		.len = (unsigned short)len,
		.filter = (struct sock_filter *)(uintptr_t)insns,
	};

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog) < 0 ? -errno : 0;
}

static int install_builtin(enum seccomp_filter filter)
{
	size_t len;
	const struct sock_filter *insns = seccomp_builtin(filter, &len);

	return install(insns, len, 0);
}

int seccomp_install_profile(enum seccomp_profile p)
{
	return p == SECCOMP_PROFILE_NONE ? 0 : install_builtin(seccomp_filter_of(p));
}

/* The guard goes first: it allows seccomp(2) for certain. */
int seccomp_install_program(const struct seccomp_program *p)
{
	int r = install_builtin(FILTER_GUARD);

	return r < 0 ? r : install(p->insns, p->len, p->flags);
}
