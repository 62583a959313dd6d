/* SPDX-License-Identifier: Apache-2.0 */
/* Doing file operations as a folder's owner. */
#include "nfs/as_owner.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

/* As who may be nobody else: the calls themselves do not tell that they failed. */
Test(as_owner, a_place_that_could_not_be_taken_is_a_failure)
{
	struct identity before = {1, 2};

	if (geteuid() == 0)
		cr_assert(setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
			  setresuid(NOBODY, NOBODY, NOBODY) == 0);
	cr_expect_lt(become_owner(geteuid() + 1, getegid(), &before), 0);
	cr_expect_lt(become_owner(geteuid(), getegid() + 1, &before), 0);
	cr_expect(before.uid == 1 && before.gid == 2, "nothing to come back to");
	cr_expect_eq((uid_t)setfsuid((uid_t)-1), geteuid());
	cr_expect_eq((gid_t)setfsgid((gid_t)-1), getegid());
	cr_assert_eq(become_owner(geteuid(), getegid(), &before), 0, "who it is already");
	cr_expect(before.uid == geteuid() && before.gid == getegid());
}

Test(as_owner, what_is_made_is_the_owners)
{
	struct identity before;
	struct stat st;
	int fd;

	if (geteuid() != 0)
		cr_skip_test("as root only");
	cr_assert_eq(become_owner(10001, 10002, &before), 0);
	fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	resume_identity(before);
	cr_assert_geq(fd, 0);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_expect(st.st_uid == 10001 && st.st_gid == 10002);
	(void)close(fd);
	cr_expect_eq((uid_t)setfsuid((uid_t)-1), 0);
}

static int death_signal(void)
{
	int signal = 0;

	(void)prctl(PR_GET_PDEATHSIG, &signal);
	return signal;
}

/* A worker that outlives its daemon goes on mounting what nobody wants any more. */
Test(as_owner, who_ends_with_its_parent_still_does)
{
	struct identity before;

	if (geteuid() != 0)
		cr_skip_test("as root only");
	cr_assert_eq(prctl(PR_SET_PDEATHSIG, SIGUSR1), 0);
	cr_assert_eq(become_owner(10001, 10002, &before), 0);
	cr_expect_eq(death_signal(), SIGUSR1);
	resume_identity(before);
	cr_expect_eq(death_signal(), SIGUSR1);
}
