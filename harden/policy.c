/* SPDX-License-Identifier: Apache-2.0 */
/* The policy's life, its defaults and the contradictions in it. */
#include "harden/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "landlock/landlock_abi.h"
#include "mountd/base/cleanup.h"

int policy_init(struct policy *p)
{
	*p = (struct policy){
		.profile = PROFILE_SANDBOX,
		.uid = ID_UNSET,
		.gid = ID_UNSET,
		.read_only_root = true,
		.landlock_min = 6,
		.verify = true,
		.timeout = 60,
	};
	p->workspaces = strdup("/workspaces");
	p->seccomp = strdup("strict");
	if (p->workspaces && p->seccomp)
		return 0;
	policy_done(p);
	return -ENOMEM;
}

void grants_done(struct grants *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->v[i].path);
	free(g->v);
	*g = (struct grants){0};
}

void policy_done(struct policy *p)
{
	char **const texts[] = {&p->run, &p->workspaces, &p->config, &p->chdir, &p->home,
		&p->tmpdir, &p->seccomp, &p->wait_mount};
	struct ports *const ports[] = {
		&p->tcp_bind, &p->tcp_connect, &p->udp_bind, &p->udp_connect};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(*texts[i]);
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		free(ports[i]->v);
	for (size_t i = 0; i < p->env.n; i++)
		free(p->env.v[i]);
	free(p->env.v);
	free(p->groups);
	free(p->keep_fds);
	grants_done(&p->grants);
	*p = (struct policy){0};
}

int grants_add(struct grants *g, enum grant_kind kind, bool optional, const char *path)
{
	const size_t step = 32;
	_cleanup_free_ char *copy = strdup(path);
	struct grant *v = g->v;

	if (g->n % step == 0)
		v = reallocarray(g->v, g->n + step, sizeof(*v));
	if (v)
		g->v = v;
	if (!copy || !v)
		return -ENOMEM;
	v[g->n++] = (struct grant){kind, optional, TAKE_PTR(copy)};
	return 0;
}

bool ports_have(const struct ports *ports, uint16_t port)
{
	if (port == PORT_NEVER)
		return false;
	if (ports->any)
		return true;
	for (size_t i = 0; i < ports->n; i++)
		if (port >= ports->v[i].low && port <= ports->v[i].high)
			return true;
	return false;
}

int policy_check(const struct policy *p, struct fail *f)
{
	if (p->profile == PROFILE_RUNTIME && !p->run)
		return fail_set(f, EINVAL, "profile runtime needs --run: it confines to one run");
	if (p->uid == 0)
		return fail_set(
			f, EINVAL, "uid 0 is not a restricted identity: give another --uid");
	if (p->gid == 0 && !p->allow_root_group)
		return fail_set(f, EINVAL,
			"gid 0 owns system files: give another --gid "
			"(or accept it with --allow-root-group)");
	if (p->init && p->pdeathsig)
		return fail_set(f, EINVAL,
			"--pdeathsig does not go with --init: the program is "
			"killed when the init process dies");
	if (p->landlock_min > LL_ABI_NEWEST)
		return fail_set(f, EINVAL, "--landlock-min %d: this program knows ABIs up to %d",
			p->landlock_min, LL_ABI_NEWEST);
	return 0;
}
