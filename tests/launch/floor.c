/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that a start under a Landlock domain and our filter can cost: the rules, the filter,
 * the program, and nothing looked at, checked or cleaned.
 *
 * usage: floor PROGRAM PATH...
 */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "landlock/landlock_abi.h"
#include "landlock/ruleset.h"
#include "seccomp/seccomp.h"

int main(int argc, char **argv)
{
	const struct ll_set known = ll_known(LL_ABI_NEWEST);
	struct ll_set have, lack;
	char *program[] = {argv[1], NULL};

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return 1;
	ll_fit(ll_abi(), &known, &have, &lack);
	int ruleset = ll_ruleset_new(&have);

	for (int i = 2; i < argc && ruleset >= 0; i++) {
		struct ll_path_found found;
		int fd = ll_open_path(argv[i], &found);

		if (fd >= 0 && ll_ruleset_add_fd(ruleset, &have, fd, found.st.st_mode,
				       LL_FS_READ_FILE | LL_FS_EXECUTE) < 0)
			return 1;
		(void)close(fd);
	}
	if (ll_ruleset_restrict(ruleset, &have) < 0 ||
		seccomp_install_profile(SECCOMP_PROFILE_STRICT) < 0)
		return 1;
	(void)execv(program[0], program);
	return 1;
}
