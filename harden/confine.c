/* SPDX-License-Identifier: Apache-2.0 */
/* Grants and ports to rules; the ABI ladder to gaps. */
#include "harden/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harden/reach.h"
#include "landlock/landlock_abi.h"
#include "landlock/ruleset.h"
#include "mountd/base/cleanup.h"

#define FS_READ (LL_FS_READ_FILE | LL_FS_READ_DIR)
#define FS_CHANGE \
	(LL_FS_WRITE_FILE | LL_FS_TRUNCATE | LL_FS_REMOVE_DIR | LL_FS_REMOVE_FILE | \
		LL_FS_MAKE_DIR | LL_FS_MAKE_REG | LL_FS_MAKE_SOCK | LL_FS_MAKE_FIFO | \
		LL_FS_MAKE_SYM | LL_FS_REFER)

static const uint64_t rights[] = {
	[GRANT_READ] = FS_READ,
	[GRANT_EXEC] = FS_READ | LL_FS_EXECUTE,
	[GRANT_WRITE] = FS_READ | FS_CHANGE,
	[GRANT_WORK] = FS_READ | FS_CHANGE | LL_FS_EXECUTE,
	[GRANT_DEVICE] = FS_READ | LL_FS_WRITE_FILE | LL_FS_TRUNCATE | LL_FS_IOCTL_DEV,
	[GRANT_UNIX] = LL_FS_RESOLVE_UNIX,
};

void confine_done(struct confine *c)
{
	if (c->ruleset >= 0)
		(void)close(c->ruleset);
	c->ruleset = -1;
}

/* Does an earlier grant of a directory give at least this beneath it? Saves rules for the links of
 * a merged /usr. */
static bool covered(const struct plan *plan, size_t upto, enum grant_kind kind, const char *target)
{
	for (size_t i = 0; i < upto; i++) {
		const struct grant *g = &plan->grants.v[i];

		if (!(rights[kind] & ~rights[g->kind]) && path_beneath(target, g->path))
			return true;
	}
	return false;
}

static bool is_link(const char *path)
{
	char byte;

	return readlink(path, &byte, 1) >= 0;
}

static int open_grant(
	const struct plan *plan, const struct grant *g, struct ll_path_found *found, struct fail *f)
{
	const char *above = reach_writable_above(plan, g->path);
	int fd = above ? ll_open_below(above, g->path + strlen(above), found)
		       : ll_open_path(g->path, found);

	if (fd == -ELOOP && above)
		return fail_set(f, ELOOP,
			"granted path %s: a link in %s, which the program can write, is not "
			"followed: remove it, or name what it leads to",
			g->path, above);
	if (fd < 0)
		return fail_set(f, -fd,
			"granted path %s: %s (a '-' before the path makes it optional)", g->path,
			strerror(-fd));
	return fd;
}

static bool skippable(int e)
{
	return e == ENOENT || e == ENOTDIR || e == EACCES || e == ELOOP;
}

/* With --best-effort, too, the way to other runs stays closed. */
static bool opens_others(const struct policy *p, struct runs *runs, const struct grant *g, int fd,
	const struct ll_path_found *found, struct report *r)
{
	switch (runs_reach(runs, fd, found)) {
	case REACH_ALL:
		report_gap(r, "landlock: the grant of %s opens every workspace in %s", g->path,
			p->workspaces);
		return true;
	case REACH_OTHER:
		report_gap(r, "landlock: the grant of %s opens another run's workspace: %s",
			g->path, found->target);
		return true;
	default:
		return false;
	}
}

static int add_grant(const struct policy *p, const struct plan *plan, struct runs *runs, size_t i,
	struct confine *c, struct report *r, struct fail *f)
{
	const struct grant *g = &plan->grants.v[i];
	struct ll_path_found found;
	struct fail why = {0};

	if (g->optional && covered(plan, i, g->kind, g->path) && !is_link(g->path))
		return 0;
	_cleanup_close_ int fd = open_grant(plan, g, &found, &why);

	if (fd < 0)
		return g->optional && skippable(-fd) ? 0 : fail_set(f, -fd, "%s", why.text);
	/* Beneath what is granted already, a rule would open nothing. */
	if (covered(plan, i, g->kind, found.target) || opens_others(p, runs, g, fd, &found, r))
		return 0;
	if (found.symlink && p->verbose)
		report_have(r, "landlock: %s leads to %s, which is granted", g->path, found.target);
	int e = ll_ruleset_add_fd(c->ruleset, &c->have, fd, found.st.st_mode, rights[g->kind]);

	return e < 0 ? fail_set(f, -e, "landlock: rule for %s: %s", g->path, strerror(-e)) : 0;
}

/* A run's name is a plain component, so no link can lead to another run's directory. */
static int add_workspace(const struct policy *p, const struct plan *plan, struct runs *runs,
	struct confine *c, struct fail *f)
{
	_cleanup_close_ int root = open(p->workspaces, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return fail_set(f, errno, "workspaces %s: %s", p->workspaces, strerror(errno));
	_cleanup_close_ int fd =
		openat(root, p->run, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return fail_set(f, errno, "run %s: %s: %s", p->run, plan->workspace,
			errno == ENOTDIR || errno == ELOOP
				? "not a directory (a link is not followed)"
				: strerror(errno));
	int e = runs_open(runs, root, fd);

	if (e == 0)
		e = ll_ruleset_add_fd(c->ruleset, &c->have, fd, S_IFDIR, rights[GRANT_WORK]);
	return e < 0 ? fail_set(f, -e, "landlock: rule for %s: %s", plan->workspace, strerror(-e))
		     : 0;
}

static int add_ports(const struct ports *ports, struct confine *c, uint64_t right, const char *what,
	struct fail *f)
{
	const struct port_range all = {0, UINT16_MAX};
	const struct port_range *v = ports->any ? &all : ports->v;
	size_t n = ports->any ? 1 : ports->n;

	for (size_t i = 0; i < n && c->have.net & right; i++) {
		for (unsigned int port = v[i].low; port <= v[i].high; port++) {
			int e = port == PORT_NEVER ? 0
						   : ll_ruleset_add_port(c->ruleset, &c->have,
							     (uint16_t)port, right);

			if (e < 0)
				return fail_set(f, -e, "landlock: rule for %s %u: %s", what, port,
					strerror(-e));
		}
	}
	return 0;
}

static int add_all_ports(
	const struct policy *p, const struct plan *plan, struct confine *c, struct fail *f)
{
	static const struct port_range ephemeral = {0, 0};
	const struct ports chosen_by_kernel = {
		(struct port_range *)(uintptr_t)&ephemeral, 1, false};
	int r = add_ports(&plan->tcp_bind, c, LL_NET_BIND_TCP, "tcp-bind", f);

	if (r == 0)
		r = add_ports(&p->tcp_connect, c, LL_NET_CONNECT_TCP, "tcp-connect", f);
	if (r == 0)
		r = add_ports(&p->udp_bind, c, LL_NET_BIND_UDP, "udp-bind", f);
	if (r == 0)
		r = add_ports(&p->udp_connect, c, LL_NET_CONNECT_SEND_UDP, "udp-connect", f);
	/* A UDP client is bound to a port of the kernel's choice, and that is a right of its own.
	 */
	if (r == 0 && (p->udp_connect.n || p->udp_connect.any))
		r = add_ports(&chosen_by_kernel, c, LL_NET_BIND_UDP, "udp-bind", f);
	return r;
}

static void report_ladder(
	const struct policy *p, const struct confine *c, struct ll_set *lack, struct report *r)
{
	char text[256];
	const struct ll_set refer = {.fs = LL_FS_REFER};

	ll_demand(p->landlock_min, lack);
	lack->flags &= p->landlock_audit ? LL_LOG_NEW_EXEC_ON : 0U;
	if (p->landlock_audit && c->abi < 7)
		lack->flags = LL_LOG_NEW_EXEC_ON;
	if (ll_describe(lack, text, sizeof(text)))
		report_gap(r,
			"landlock: this kernel has ABI %d, without %s; --landlock-min %d accepts "
			"it",
			c->abi, text, c->abi);
	if (lack->fs & refer.fs)
		report_gap(
			r, "landlock: ABI 1 forbids rename and link between directories (EXDEV)");
	report_have(r, "landlock: ABI %d, fs %#llx net %#llx scopes %#llx",
		c->abi < LL_ABI_NEWEST ? c->abi : LL_ABI_NEWEST, (unsigned long long)c->have.fs,
		(unsigned long long)c->have.net, (unsigned long long)c->have.scoped);
}

static void report_absent(int abi, struct report *r)
{
	if (abi == -EOPNOTSUPP)
		report_gap(r,
			"landlock: built into this kernel but disabled at boot (EOPNOTSUPP): add "
			"landlock to lsm=");
	else if (abi == -ENOSYS)
		report_gap(r,
			"landlock: not available (ENOSYS): not built into this kernel, or the "
			"container runtime's seccomp profile hides it");
	else
		report_gap(r, "landlock: %s: the container runtime's seccomp profile forbids it",
			strerror(-abi));
}

int confine_prepare(const struct policy *p, struct confine *c, struct report *r, struct fail *f)
{
	struct ll_set want = ll_known(LL_ABI_NEWEST), lack;

	*c = (struct confine){.abi = ll_abi(), .ruleset = -1};
	if (c->abi < 0) {
		report_absent(c->abi, r);
		return 0;
	}
	if (!p->landlock_audit)
		want.flags &= ~(uint32_t)LL_LOG_NEW_EXEC_ON;
	ll_fit(c->abi, &want, &c->have, &lack);
	c->ruleset = ll_ruleset_new(&c->have);
	if (c->ruleset < 0)
		return fail_set(f, -c->ruleset, "landlock: ruleset for ABI %d: %s", c->abi,
			strerror(-c->ruleset));
	report_ladder(p, c, &lack, r);
	return 0;
}

int confine_grant(const struct policy *p, const struct plan *plan, struct confine *c,
	struct report *r, struct fail *f)
{
	struct runs runs = {.any = false};
	int e = 0;

	if (c->ruleset < 0)
		return 0;
	if (plan->workspace)
		e = add_workspace(p, plan, &runs, c, f);
	for (size_t i = 0; i < plan->grants.n && e == 0; i++)
		e = add_grant(p, plan, &runs, i, c, r, f);
	return e < 0 ? e : add_all_ports(p, plan, c, f);
}

int confine_enter(struct confine *c, struct fail *f)
{
	if (c->ruleset < 0)
		return 0;
	int e = ll_ruleset_restrict(c->ruleset, &c->have);

	if (e == -E2BIG)
		return fail_set(f, E2BIG,
			"landlock: 16 layers are in force already: this is started "
			"through too many nested sandboxes");
	if (e < 0)
		return fail_set(f, -e, "landlock: %s", strerror(-e));
	confine_done(c);
	return 0;
}
