/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles, the Landlock ladder, /proc parsers and the environment: everything that is pure. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harden/environ.h"
#include "harden/mountinfo.h"
#include "harden/plan.h"
#include "harden/status.h"
#include "landlock/ladder.h"
#include "landlock/landlock_abi.h"
#include "landlock/ruleset.h"

static bool everything_writable(const char *path, int64_t uid)
{
	(void)path;
	(void)uid;
	return true;
}

static bool nothing_writable(const char *path, int64_t uid)
{
	(void)path;
	(void)uid;
	return false;
}

static const struct grant *granted(const struct plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->grants.n; i++)
		if (strcmp(plan->grants.v[i].path, path) == 0)
			return &plan->grants.v[i];
	return NULL;
}

/* run and chdir may be NULL. */
static struct plan make_with(enum profile profile, const char *run, const char *chdir,
	const char *home, bool (*writable)(const char *, int64_t))
{
	struct policy p;
	struct plan plan;
	const struct surroundings s = {home, 10001, writable};

	cr_assert_eq(policy_init(&p), 0);
	p.profile = profile;
	p.run = run ? strdup(run) : NULL;
	p.chdir = chdir ? strdup(chdir) : NULL;
	cr_assert_eq(plan_make(&p, &s, &plan), 0);
	policy_done(&p);
	return plan;
}

static struct plan make(
	enum profile profile, const char *home, bool (*writable)(const char *, int64_t))
{
	return make_with(profile, profile == PROFILE_NONE ? NULL : "r", NULL, home, writable);
}

Test(plan, sandbox_starts_in_the_sandbox_folder)
{
	struct plan plan = make(PROFILE_SANDBOX, "/home/dev", everything_writable);

	cr_expect_str_eq(plan.workdir, "/workspaces/r/sandbox");
	cr_expect_str_eq(plan.tmpdir, "/workspaces/r/sandbox/.tmp");
	cr_expect_str_eq(plan.home, "/home/dev");
	cr_expect_eq(granted(&plan, "/home/dev")->kind, GRANT_WORK);
	cr_expect(granted(&plan, "/proc") && granted(&plan, "/tmp"));
	cr_expect(ports_have(&plan.tcp_bind, 50051));
	plan_done(&plan);
}

Test(plan, home_never_opens_other_runs)
{
	static const char *const bad[] = {
		"/", "/workspaces", "/workspaces/other", "relative", "/x/../workspaces", NULL};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct plan plan = make(PROFILE_SANDBOX, bad[i], everything_writable);

		cr_expect_str_eq(plan.home, "/workspaces/r/sandbox");
		cr_expect(!bad[i] || !granted(&plan, bad[i]), "%s", bad[i]);
		plan_done(&plan);
	}
	struct plan plan = make(PROFILE_SANDBOX, "/root", nothing_writable);

	cr_expect_str_eq(plan.home, "/workspaces/r");
	plan_done(&plan);
}

Test(plan, runtime_grants_no_shared_place)
{
	struct plan plan = make(PROFILE_RUNTIME, "/home/dev", everything_writable);

	cr_expect_str_eq(plan.workdir, "/workspaces/r");
	cr_expect_str_eq(plan.home, "/workspaces/r");
	cr_expect_str_eq(plan.tmpdir, "/workspaces/r/.tmp");
	cr_expect_eq(plan.umask, 077);
	cr_expect_not(granted(&plan, "/proc") || granted(&plan, "/tmp") ||
		      granted(&plan, "/dev/shm") || granted(&plan, "/home/dev"));
	cr_expect_not(ports_have(&plan.tcp_bind, 50051));
	plan_done(&plan);
}

/* As the manual has it. */
Test(plan, tmpdir_is_where_files_can_be_renamed_out_of_it)
{
	static const struct {
		enum profile profile;
		const char *run, *chdir;
		bool (*writable)(const char *, int64_t);
		const char *expected; /* NULL: not set */
	} cases[] = {
		{PROFILE_SANDBOX, "r", NULL, everything_writable, "/workspaces/r/sandbox/.tmp"},
		{PROFILE_SANDBOX, "r", NULL, nothing_writable, "/workspaces/r/.tmp"},
		{PROFILE_SANDBOX, "r", "/usr", everything_writable, "/workspaces/r/.tmp"},
		{PROFILE_SANDBOX, NULL, NULL, everything_writable, "/tmp"},
		{PROFILE_SANDBOX, NULL, NULL, nothing_writable, NULL},
		{PROFILE_RUNTIME, "r", NULL, everything_writable, "/workspaces/r/.tmp"},
		{PROFILE_RUNTIME, "r", "/usr", everything_writable, "/workspaces/r/.tmp"},
		{PROFILE_NONE, "r", NULL, everything_writable, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct plan plan = make_with(
			cases[i].profile, cases[i].run, cases[i].chdir, NULL, cases[i].writable);

		if (cases[i].expected)
			cr_expect_str_eq(plan.tmpdir, cases[i].expected, "case %zu", i);
		else
			cr_expect_null(plan.tmpdir, "case %zu", i);
		plan_done(&plan);
	}
}

Test(plan, none_grants_nothing)
{
	struct plan plan = make(PROFILE_NONE, "/home/dev", everything_writable);

	cr_expect_eq(plan.grants.n, 0);
	cr_expect_null(plan.home, "not granted, so not to be written");
	plan_done(&plan);
}

Test(plan, beneath)
{
	cr_expect(
		path_beneath("/a", "/a") && path_beneath("/a/b", "/a") && path_beneath("/a", "/"));
	cr_expect_not(path_beneath("/ab", "/a") || path_beneath("/", "/a"));
}

Test(ladder, every_abi_adds_and_never_takes)
{
	for (int abi = 0; abi < 20; abi++) {
		struct ll_set a = ll_known(abi), b = ll_known(abi + 1);

		cr_expect_eq(a.fs & ~b.fs, 0);
		cr_expect_eq(a.net & ~b.net, 0);
		cr_expect_eq(a.scoped & ~b.scoped, 0);
	}
	cr_expect_eq(ll_known(0).fs, 0);
	cr_expect_eq(ll_known(1).fs, (1U << 13) - 1);
	cr_expect_eq(ll_known(2).fs, (1U << 14) - 1);
	cr_expect_eq(ll_known(5).fs, (1U << 16) - 1);
	cr_expect_eq(ll_known(4).net, 3);
	cr_expect_eq(ll_known(6).scoped, 3);
	cr_expect_eq(ll_known(99).fs, ll_known(LL_ABI_NEWEST).fs);
	cr_expect_eq(ll_known(10).net, 15);
}

Test(ladder, what_lacks_is_named_with_its_abi)
{
	const struct ll_set want = ll_known(LL_ABI_NEWEST);
	struct ll_set have, lack;
	char text[256], tiny[8];

	ll_fit(5, &want, &have, &lack);
	cr_expect_eq(have.fs, ll_known(5).fs);
	ll_demand(6, &lack);
	cr_expect_eq(ll_describe(&lack, text, sizeof(text)), 2);
	cr_expect_str_eq(text, "abstract socket scope (ABI 6), signal scope (ABI 6)");
	cr_expect_eq(ll_describe(&want, tiny, sizeof(tiny)), 14);
	cr_expect_eq(strlen(tiny), 7);
}

Test(ladder, rights_fit_the_inode)
{
	const uint64_t all = ll_known(LL_ABI_NEWEST).fs;

	cr_expect_eq(ll_fit_mode(all, S_IFDIR), all);
	cr_expect_eq(ll_fit_mode(all, S_IFREG),
		LL_FS_EXECUTE | LL_FS_WRITE_FILE | LL_FS_READ_FILE | LL_FS_TRUNCATE);
	cr_expect(ll_fit_mode(all, S_IFCHR) & LL_FS_IOCTL_DEV);
	cr_expect(ll_fit_mode(all, S_IFSOCK) & LL_FS_RESOLVE_UNIX);
	cr_expect_not(ll_fit_mode(all, S_IFIFO) & (LL_FS_IOCTL_DEV | LL_FS_READ_DIR));
}

Test(mountinfo, lines)
{
	char good[] = "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:2 - nfs4 "
		      "10.0.0.1:/workspaces/r\\134x rw";
	char plain[] = "1 1 0:2 / / ro - rootfs rootfs rw";
	struct mount_line m;

	cr_assert_eq(mountinfo_parse(good, &m), 0);
	cr_expect_str_eq(m.point, "/mnt 2");
	cr_expect_str_eq(m.fstype, "nfs4");
	cr_expect_str_eq(m.source, "10.0.0.1:/workspaces/r\\x");
	cr_assert_eq(mountinfo_parse(plain, &m), 0);
	cr_expect_str_eq(m.options, "ro");
	static const char *const bad[] = {"", "1 2 3", "1 2 0:1 / / rw shared:1",
		"1 2 0:1 / / rw -", "1 2 0:1 / / rw - ext4", "1  0:1 / / rw - ext4 x y"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char copy[64];

		strcpy(copy, bad[i]);
		cr_expect_eq(mountinfo_parse(copy, &m), -EBADMSG, "%s", bad[i]);
	}
}

Test(mountinfo, the_topmost_mount_is_found)
{
	char text[] = "1 1 0:1 / /a rw - tmpfs below rw\n2 1 0:1 / /ab rw - tmpfs other rw\n"
		      "3 1 0:1 / /a rw - nfs4 above rw\n";
	char copy[sizeof(text)];
	struct mount_line m;

	memcpy(copy, text, sizeof(text));
	cr_assert_eq(mountinfo_find(copy, "/a", &m), 0);
	cr_expect_str_eq(m.source, "above");
	cr_expect_eq(mountinfo_find(text, "/b", &m), -ENOENT);
}

#define STATUS \
	"Name:\tsome name\nUmask:\t0022\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\n" \
	"Groups:\t9 10 \nCapInh:\t0000000000000001\nCapPrm:\t0000000000000002\n" \
	"CapEff:\t0000000000000004\nCapBnd:\t000001ffffffffff\nCapAmb:\t0000000000000008\n" \
	"NoNewPrivs:\t1\nSeccomp:\t2\n"

Test(env, no_home_is_better_than_another_users)
{
	char *env[] = {(char *)"HOME=/root", (char *)"PATH=/bin", NULL};
	struct policy p;
	const struct plan plan = {0};

	cr_assert_eq(policy_init(&p), 0);
	for (int keep = 0; keep < 2; keep++) {
		size_t dropped;
		char **out;

		p.keep_env = keep;
		cr_assert_eq(environ_make(&p, &plan, env, &out, &dropped), 0);
		cr_expect_null(environ_get(out, "HOME"));
		cr_expect_eq(dropped, 1);
		environ_free(out);
	}
	policy_done(&p);
}

Test(status, fields)
{
	struct proc_status st;

	cr_assert_eq(status_parse(STATUS "Seccomp_filters:\t3\n", &st), 0);
	cr_expect_str_eq(st.name, "some name");
	cr_expect(st.uid[0] == 1 && st.uid[3] == 4 && st.gid[1] == 6);
	cr_expect(st.n_groups == 2 && st.groups[0] == 9 && st.groups[1] == 10);
	cr_expect(st.inheritable == 1 && st.permitted == 2 && st.effective == 4 && st.ambient == 8);
	cr_expect_eq(st.bounding, 0x1ffffffffffULL);
	cr_expect(st.no_new_privs == 1 && st.seccomp == 2 && st.seccomp_filters == 3);
	cr_assert_eq(status_parse(STATUS, &st), 0);
	cr_expect_eq(st.seccomp_filters, -1, "before Linux 5.9");
	cr_expect_eq(status_parse("Name:\tx\nUid:\t1\t1\t1\t1\n", &st), -EBADMSG);
	cr_expect_eq(status_parse("", &st), -EBADMSG);
}

Test(status, no_groups)
{
	char text[] = STATUS;
	struct proc_status st;

	memcpy(strstr(text, "9 10 "), "\nX:\t9", 5);
	cr_assert_eq(status_parse(text, &st), 0);
	cr_expect_eq(st.n_groups, 0);
}

Test(env, allow_list)
{
	char *env[] = {(char *)"SECRET=1", (char *)"PATH=/bin", (char *)"LC_ALL=C",
		(char *)"PATH=/twice", (char *)"broken", (char *)"LD_PRELOAD=/x", NULL};
	struct policy p;
	const struct plan plan = {.home = (char *)"/h", .tmpdir = (char *)"/t"};
	char **out;
	size_t dropped;

	cr_assert_eq(policy_init(&p), 0);
	cr_assert_eq(environ_make(&p, &plan, env, &out, &dropped), 0);
	cr_expect_eq(dropped, 3);
	cr_expect_str_eq(environ_get(out, "PATH"), "/twice");
	cr_expect_str_eq(environ_get(out, "HOME"), "/h");
	cr_expect_str_eq(environ_get(out, "TMPDIR"), "/t");
	cr_expect_null(environ_get(out, "SECRET"));
	cr_expect_null(environ_get(out, "LD_PRELOAD"));
	environ_free(out);
	policy_done(&p);
}
