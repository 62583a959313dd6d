/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order matters: identity while there are capabilities, no_new_privs before Landlock, the
 * filter last because it takes away what the other steps need. Canaries are laid before the rules
 * are made, so that the process among them has ended when it is waited for.
 */
#include "harden/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "harden/canary.h"
#include "harden/confine.h"
#include "harden/creds.h"
#include "harden/environ.h"
#include "harden/execute.h"
#include "harden/filter.h"
#include "harden/init.h"
#include "harden/plan.h"
#include "harden/process.h"
#include "harden/report.h"
#include "harden/status.h"
#include "harden/waitmount.h"

struct state {
	const struct policy *p;
	struct plan plan;
	struct proc_status before;
	int status; /* fd: Landlock may close /proc, what is open stays readable */
	char **env;
	struct confine confine;
	struct filter filter;
	struct canaries canaries;
	pid_t parent;
};

static int look(struct state *s, char *const *env, struct fail *f)
{
	const int64_t uid = geteuid() == 0 ? s->p->uid : (int64_t)geteuid();
	const struct surroundings around = {environ_get(env, "HOME"), uid, plan_writable};
	size_t dropped = 0;

	s->status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	if (s->status < 0)
		return fail_set(
			f, errno, "/proc/self/status: %s (is /proc mounted?)", strerror(errno));
	int r = status_read(s->status, &s->before);

	if (r < 0)
		return fail_set(f, -r, "/proc/self/status: %s", strerror(-r));
	r = plan_make(s->p, &around, &s->plan);
	if (r == 0)
		r = environ_make(s->p, &s->plan, env, &s->env, &dropped);
	if (r < 0)
		return fail_set(f, -r, "%s", strerror(-r));
	if (dropped && s->p->verbose)
		(void)fprintf(stderr,
			"kora-launch: %zu environment variables were not passed (see --env)\n",
			dropped);
	return 0;
}

static int no_new_privs(struct fail *f)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail_set(f, errno, "no_new_privs: %s", strerror(errno));
	return 0;
}

/* A process may be dumped and traced again after it executes a program: this protects the steps. */
static int no_dump(struct fail *f)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return fail_set(f, errno, "PR_SET_DUMPABLE: %s", strerror(errno));
	return 0;
}

static int prepare_process(struct state *s, struct report *r, struct fail *f)
{
	int e = process_read_only_root(s->p, &s->plan, r, f);

	if (e == 0)
		e = creds_apply(s->p, &s->before, r, f);
	if (e == 0)
		e = process_limits(s->p, &s->plan, f);
	if (e == 0)
		e = process_directories(s->p, &s->plan, f);
	return e;
}

static int enter_domain(struct state *s, struct report *r, struct fail *f)
{
	int own[4];
	int e = no_new_privs(f);

	if (e == 0)
		e = filter_prepare(s->p, &s->filter, f);
	if (e == 0)
		e = confine_prepare(s->p, &s->confine, r, f);
	if (e == 0)
		e = canaries_lay(s->p, &s->plan, &s->confine, &s->canaries, f);
	if (e == 0)
		e = confine_grant(s->p, &s->plan, &s->confine, r, f);
	if (e < 0)
		return e;
	own[0] = s->status;
	own[1] = s->confine.ruleset;
	canaries_fds(&s->canaries, own + 2);
	e = process_close_fds(s->p, own, 4, f);
	if (e == 0)
		e = no_dump(f);
	return e < 0 ? e : confine_enter(&s->confine, f);
}

static int verify(struct state *s, struct report *r, struct fail *f)
{
	struct proc_status now;
	int e = status_read(s->status, &now);

	if (e < 0)
		return fail_set(f, -e, "verifying: /proc/self/status: %s", strerror(-e));
	creds_verify(s->p, &now, r);
	if (s->p->verify)
		filter_verify(&s->filter, &s->before, &now, r);
	return 0;
}

static int restrict_all(struct state *s, struct report *r, struct fail *f)
{
	int e = prepare_process(s, r, f);

	if (e == 0)
		e = enter_domain(s, r, f);
	if (e < 0)
		return e;
	canaries_check(s->p, &s->plan, &s->confine, &s->canaries, r);
	creds_finish(s->p, &s->before, r);
	e = filter_install(&s->filter, f);
	return e < 0 ? e : verify(s, r, f);
}

static bool accepted(const struct policy *p, const struct report *r)
{
	if (p->verbose || (p->best_effort && r->gaps)) {
		report_print(r, p->best_effort ? "best effort: " : "", false);
	} else if (r->gaps) {
		report_print(r, "", true);
	}
	if (!r->gaps || p->best_effort)
		return true;
	(void)fprintf(stderr,
		"kora-launch: not started: %zu of what was asked for is not in force "
		"(--best-effort starts anyway)\n",
		r->gaps);
	return false;
}

/* The parent may have died before prctl(2): then the signal never comes. */
static int follow_parent(const struct state *s, struct fail *f)
{
	if (!s->p->pdeathsig)
		return 0;
	if (prctl(PR_SET_PDEATHSIG, s->p->pdeathsig, 0, 0, 0) < 0)
		return fail_set(f, errno, "PR_SET_PDEATHSIG: %s", strerror(errno));
	if (getppid() != s->parent)
		return fail_set(f, ESRCH, "the parent died while this was starting");
	return 0;
}

/* A container's first process leads its session already and has nothing to leave. */
static int own_session(struct fail *f)
{
	if (setsid() >= 0 || getsid(0) == getpid())
		return 0;
	return fail_set(f, errno, "setsid: %s (this leads a process group: use --init as well)",
		strerror(errno));
}

static int start(struct state *s, char *const *argv, struct fail *f)
{
	int r = follow_parent(s, f);

	if (r == 0 && s->p->init)
		r = init_split(s->p->setsid, f);
	else if (r == 0 && s->p->setsid)
		r = own_session(f);
	return r < 0 ? EXIT_POSTURE : execute(argv, s->env, f);
}

static int run(struct state *s, char *const *argv, char *const *env, struct fail *f)
{
	struct report r = {0};
	int e = look(s, env, f);

	if (e == 0)
		e = restrict_all(s, &r, f);
	if (e < 0) {
		report_print(&r, "", true);
		return EXIT_POSTURE;
	}
	if (!accepted(s->p, &r))
		return EXIT_POSTURE;
	return start(s, argv, f);
}

int launch(const struct policy *p, char *const *argv, char *const *env)
{
	struct state s = {
		.p = p,
		.status = -1,
		.confine = {.ruleset = -1},
		.canaries = {.abstract = -1, .path = -1},
		.parent = getppid(),
	};
	struct fail f = {0};
	int code = EXIT_POSTURE;

	int r = process_standard_fds(&f);

	if (r == 0 && p->wait_mount)
		r = wait_for_mount(p->wait_mount, p->timeout, &f);
	if (r == 0)
		code = run(&s, argv, env, &f);
	else if (r == -ETIMEDOUT)
		code = EXIT_TIMEOUT;
	if (f.text[0])
		(void)fprintf(stderr, "kora-launch: %s\n", f.text);
	environ_free(s.env);
	plan_done(&s.plan);
	canaries_done(&s.canaries);
	confine_done(&s.confine);
	filter_done(&s.filter);
	return code;
}
