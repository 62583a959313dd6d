/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in or OCI profile: load, install, prove. */
#include "harden/filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A built-in profile is one filter; a given one lies on the guard. */
static int installed(const struct filter *filter)
{
	return filter->program ? 2 : 1;
}

int filter_prepare(const struct policy *p, struct filter *ret, struct fail *f)
{
	char why[256] = "";
	struct filter filter = {.profile = seccomp_profile_from_name(p->seccomp)};
	const char *const *warnings;

	if (filter.profile >= 0) {
		*ret = filter;
		return 0;
	}
	int r = seccomp_load_oci(p->seccomp, &filter.program, why, sizeof(why));

	if (r < 0)
		return fail_set(f, -r, "--seccomp: %s", why);
	size_t n = seccomp_program_warnings(filter.program, &warnings);

	for (size_t i = 0; i < n; i++)
		(void)fprintf(stderr, "kora-launch: seccomp: %s: %s\n", p->seccomp, warnings[i]);
	*ret = filter;
	return 0;
}

int filter_install(const struct filter *filter, struct fail *f)
{
	int r = filter->program ? seccomp_install_program(filter->program)
				: seccomp_install_profile((enum seccomp_profile)filter->profile);

	return r < 0 ? fail_set(f, -r, "seccomp: %s", strerror(-r)) : 0;
}

void filter_verify(const struct filter *filter, const struct proc_status *before,
	const struct proc_status *now, struct report *r)
{
	size_t gaps = r->gaps;

	if (filter->profile == SECCOMP_PROFILE_NONE) {
		report_have(r, "seccomp: none was asked for");
		return;
	}
	if (now->seccomp != 2)
		report_gap(r, "seccomp: no filter is in force");
	if (now->seccomp_filters >= 0 &&
		now->seccomp_filters < before->seccomp_filters + installed(filter))
		report_gap(r, "seccomp: %d filters before, %d now", before->seccomp_filters,
			now->seccomp_filters);
	/* Unfiltered, the first does nothing and succeeds, the second fails with EFAULT. */
	if (!filter->program && (syscall(SYS_unshare, 0) == 0 || errno != EPERM))
		report_gap(r, "canary: unshare is not refused");
	if (!filter->program && (syscall(SYS_io_uring_setup, 1, NULL) == 0 || errno != ENOSYS))
		report_gap(r, "canary: io_uring_setup is not refused");
	if (gaps == r->gaps)
		report_have(r, "seccomp: %s",
			filter->program
				? "the given profile"
				: seccomp_profile_name((enum seccomp_profile)filter->profile));
}

void filter_done(struct filter *filter)
{
	seccomp_program_free(filter->program);
	filter->program = NULL;
}
