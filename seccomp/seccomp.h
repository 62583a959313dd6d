/* SPDX-License-Identifier: Apache-2.0 */
/* System call filters of the launcher: built-in profiles, OCI profiles, and what they decide. */
#pragma once

#include <stddef.h>

enum seccomp_profile {
	SECCOMP_PROFILE_NONE,
	SECCOMP_PROFILE_STRICT,
	SECCOMP_PROFILE_DEV, /* strict, with ptrace and thread pinning for developer tools */
};

/* Returns the profile, or -EINVAL when there is no profile of this name ("none", "strict", "dev").
 */
int seccomp_profile_from_name(const char *name);
const char *seccomp_profile_name(enum seccomp_profile p);

/*
 * Install the profile's filter in the calling thread. SECCOMP_PROFILE_NONE installs nothing. Needs
 * no_new_privs or CAP_SYS_ADMIN: -EACCES otherwise. -ENOSYS and -EINVAL: a kernel without seccomp
 * filters.
 */
int seccomp_install_profile(enum seccomp_profile p);

/* A filter compiled from an OCI profile; owned by the caller. */
struct seccomp_program;

/*
 * Read and compile an OCI (Docker, containerd, Podman) profile for this machine's architecture and
 * a process without capabilities; kora-launch-seccomp(8) says where this is stricter than other
 * runtimes. On failure *ret is untouched and err says what is wrong and where. -errno of reading,
 * -EINVAL (not a regular file), -E2BIG (file above 1 MiB, more than 16384 rules or 4096
 * instructions), -EBADMSG (no JSON, or a field that is not understood), -EOPNOTSUPP (a feature that
 * is refused), -ENOMEM.
 */
int seccomp_load_oci(const char *file, struct seccomp_program **ret, char *err, size_t errlen);
int seccomp_load_oci_buffer(
	const char *text, size_t len, struct seccomp_program **ret, char *err, size_t errlen);
void seccomp_program_free(struct seccomp_program *p);

/* What was left out of the profile and why, a sentence each; valid as long as the program. */
size_t seccomp_program_warnings(const struct seccomp_program *p, const char *const **ret);

/*
 * Two filters: the guard (what no profile may allow), then the program. Fails as
 * seccomp_install_profile() does; between the two the guard stays in force: it can't be taken back.
 */
int seccomp_install_program(const struct seccomp_program *p);

static inline void seccomp_program_freep(struct seccomp_program **p)
{
	seccomp_program_free(*p);
}

/* `kora-launch seccomp show|explain`; argv[0] is "seccomp". Returns the exit status (0, 1, 2
 * usage). */
int seccomp_main(int argc, char **argv);
