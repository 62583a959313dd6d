/* SPDX-License-Identifier: Apache-2.0 */
/* Client tracking: what the kernel asks, what is kept on disk, what it is answered. */
#include "nfs/cld_message.h"
#include "nfs/cld_pending.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char state_dir[] = "/tmp/kora-test-cld.XXXXXX";
static struct cld_names names;

/* The kernel's side: what it was told last, and the names it was handed. */
static struct {
	struct cld_msg_v2 last;
	char recoverable[512]; /* joined by blanks */
	unsigned n;
} kernel;

static int receive(const struct cld_msg_v2 *m, void *data)
{
	size_t used = strlen(kernel.recoverable);

	(void)data;
	cr_expect_eq(m->cm_status, -EINPROGRESS);
	(void)snprintf(kernel.recoverable + used, sizeof kernel.recoverable - used, "%.*s ",
		m->cm_u.cm_name.cn_len, (const char *)m->cm_u.cm_name.cn_id);
	kernel.n++;
	return 0;
}

static int ask(uint8_t command, const char *name)
{
	struct cld_msg_v2 m = {.cm_vers = 2, .cm_cmd = command, .cm_xid = 77};

	memset(&kernel, 0, sizeof kernel);
	if (name) {
		m.cm_u.cm_name.cn_len = (uint16_t)strlen(name);
		memcpy(m.cm_u.cm_name.cn_id, name, strlen(name));
	}
	int error = cld_answer(&names, &m, receive, NULL);
	kernel.last = m;
	cr_expect_eq(kernel.last.cm_xid, 77);
	cr_expect_eq(kernel.last.cm_status, error);
	return error;
}

static void set_up(void)
{
	cr_assert(mkdtemp(state_dir));
	cr_assert_eq(cld_names_open(state_dir, &names, NULL), 0);
}

static void tear_down(void)
{
	char command[128];

	cld_names_close(&names);
	(void)snprintf(command, sizeof command, "rm -rf %s", state_dir);
	cr_assert_eq(system(command), 0);
}

TestSuite(cld, .init = set_up, .fini = tear_down);

Test(cld, tells_its_version)
{
	cr_assert_eq(ask(Cld_GetVersion, NULL), 0);
	cr_expect_eq(kernel.last.cm_u.cm_version, 2);
}

Test(cld, nobody_recorded_nobody_recovers)
{
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_eq(kernel.n, 0);
}

Test(cld, who_was_recorded_may_reclaim)
{
	cr_assert_eq(ask(Cld_Create, "Linux NFSv4.2 agent-1"), 0);
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_str_eq(kernel.recoverable, "Linux NFSv4.2 agent-1 ");
}

Test(cld, who_did_not_come_back_may_no_longer)
{
	cr_assert_eq(ask(Cld_Create, "back"), 0);
	cr_assert_eq(ask(Cld_Create, "dead"), 0);
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_eq(kernel.n, 2);
	cr_assert_eq(ask(Cld_Create, "back"), 0);
	cr_assert_eq(ask(Cld_GraceDone, NULL), 0);
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_str_eq(kernel.recoverable, "back ");
}

Test(cld, a_restart_within_grace_forgets_nobody)
{
	cr_assert_eq(ask(Cld_Create, "slow"), 0);
	cr_assert_eq(ask(Cld_Create, "fast"), 0);
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_assert_eq(ask(Cld_Create, "fast"), 0);
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_eq(kernel.n, 2);
	cr_expect(strstr(kernel.recoverable, "slow "));
	cr_expect(strstr(kernel.recoverable, "fast "));
	/* … and whoever is away in this grace has lost, even if he was there in the former. */
	cr_assert_eq(ask(Cld_GraceDone, NULL), 0);
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_eq(kernel.n, 0);
}

Test(cld, who_said_goodbye_is_forgotten)
{
	cr_assert_eq(ask(Cld_Create, "a"), 0);
	cr_assert_eq(ask(Cld_Remove, "a"), 0);
	cr_assert_eq(ask(Cld_Remove, "never seen"), 0);
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_eq(kernel.n, 0);
}

static void damage(const char *text)
{
	char command[256];

	(void)snprintf(command, sizeof command,
		"for f in %s/clients/current/*; do printf '%s' > $f; done", state_dir, text);
	cr_assert_eq(system(command), 0);
}

Test(cld, damaged_files_are_dropped)
{
	cr_assert_eq(ask(Cld_Create, "agent"), 0);
	damage("age");
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_eq(kernel.n, 0);
	cr_assert_eq(ask(Cld_Create, "agent"), 0);
	damage("");
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_eq(kernel.n, 0);
}

Test(cld, an_interrupted_write_is_no_name)
{
	int fd = openat(names.current, "new", O_WRONLY | O_CREAT, 0600);

	cr_assert_geq(fd, 0);
	(void)close(fd);
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_eq(kernel.n, 0);
}

Test(cld, any_bytes_are_a_name)
{
	struct cld_msg_v2 m = {.cm_vers = 2, .cm_cmd = Cld_Create};

	struct cld_msg_v2 again;

	m.cm_u.cm_name.cn_len = CLD_NAME_SIZE;
	memset(m.cm_u.cm_name.cn_id, '/', CLD_NAME_SIZE);
	again = m;
	cr_assert_eq(cld_answer(&names, &again, receive, NULL), 0);
	cr_assert_eq(ask(Cld_GraceStart, NULL), 0);
	cr_expect_eq(kernel.n, 1);
	m.cm_u.cm_name.cn_len = CLD_NAME_SIZE + 1;
	cr_expect_eq(cld_answer(&names, &m, receive, NULL), -EINVAL);
	m.cm_cmd = Cld_Remove;
	cr_expect_eq(cld_answer(&names, &m, receive, NULL), -EINVAL);
}

Test(cld, refuses_what_it_does_not_know)
{
	cr_expect_eq(ask(Cld_Check, "a"), -EOPNOTSUPP);
	cr_expect_eq(ask(99, NULL), -EOPNOTSUPP);
	cr_expect_eq(ask(Cld_Create, ""), -EINVAL);
}

static unsigned state_of(const struct cld_pending *p, unsigned xid)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++)
		if (p->list[i].state && p->list[i].message.cm_xid == xid)
			return p->list[i].state;
	return CLD_FREE;
}

/* Once the kernel's question is read to its end, nothing may be left that can fail. */
Test(cld, a_question_is_kept_where_nothing_can_be_written_any_more)
{
	struct cld_msg_v2 one = {.cm_xid = 1};
	struct cld_pending p;

	cr_assert_eq(cld_pending_open(state_dir, "this", &p), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0}), 0);
	cr_expect_eq(cld_pending_keep(&p, &one, CLD_ASKED), 0);
	cld_pending_close(&p);
	cr_assert_eq(cld_pending_open(state_dir, "this", &p), 0);
	cr_expect_eq(state_of(&p, 1), CLD_ASKED);
	cld_pending_close(&p);
}

Test(cld, questions_outlive_the_process_until_they_are_answered)
{
	struct cld_msg_v2 one = {.cm_xid = 1}, two = {.cm_xid = 2, .cm_status = -ENOSPC};
	struct cld_pending p;

	cr_assert_eq(cld_pending_open(state_dir, "this", &p), 0);
	cr_expect_not(cld_pending_any(&p));
	cld_pending_keep(&p, &one, CLD_ASKED);
	cld_pending_keep(&p, &two, CLD_ASKED);
	cld_pending_keep(&p, &two, CLD_ANSWERED);
	cld_pending_drop(&p, 1);
	cld_pending_close(&p);
	cr_assert_eq(cld_pending_open(state_dir, "this", &p), 0);
	cr_assert(cld_pending_any(&p));
	cr_expect_eq(state_of(&p, 2), CLD_ANSWERED);
	cr_expect_eq(p.list[2].message.cm_status, -ENOSPC);
	cld_pending_drop(&p, 2);
	cr_expect_not(cld_pending_any(&p));
	for (unsigned i = 0; i < CLD_PENDING_MAX; i++)
		cr_expect_eq(cld_pending_keep(&p, &(struct cld_msg_v2){.cm_xid = i}, CLD_ASKED), 0);
	one.cm_xid = CLD_PENDING_MAX;
	cr_expect_eq(cld_pending_keep(&p, &one, CLD_ASKED), -ENOBUFS);
	cr_expect_eq(cld_pending_keep(&p, &two, CLD_ANSWERED), 0, "in place of the question");
	cld_pending_clear(&p);
	cld_pending_close(&p);
	cr_assert_eq(cld_pending_open(state_dir, "this", &p), 0);
	cr_expect_not(cld_pending_any(&p), "those of an nfsd that ended are forgotten");
	cld_pending_close(&p);
}

Test(cld, questions_end_with_the_nfsd_that_asked_them)
{
	struct cld_msg_v2 one = {.cm_xid = 1}, two = {.cm_xid = 2};
	struct cld_pending p;

	cr_assert_eq(cld_pending_open(state_dir, "this", &p), 0);
	cr_assert_eq(cld_pending_keep(&p, &one, CLD_ASKED), 0);
	cr_assert_eq(cld_pending_keep(&p, &two, CLD_ANSWERED), 0);
	cld_pending_clear_but(&p, 2);
	cr_expect_eq(state_of(&p, 1), CLD_FREE, "the next one asks first with two");
	cr_expect_eq(state_of(&p, 2), CLD_ANSWERED);
	cld_pending_close(&p);
	cr_assert_eq(cld_pending_open(state_dir, "the next", &p), 0);
	cr_expect_not(cld_pending_any(&p), "its nfsd did not outlive the boot");
	cld_pending_close(&p);
	cr_assert_eq(cld_pending_open(state_dir, "this", &p), 0);
	cr_expect_not(cld_pending_any(&p));
	cld_pending_close(&p);
}
