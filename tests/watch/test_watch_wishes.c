/* SPDX-License-Identifier: Apache-2.0 */
/* What a node has to do, from the pods that concern it. */
#include "mountd/watch_wishes.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PODS_MAX 16

static struct pod pods[PODS_MAX];
static size_t n_pods;
static struct facts facts;
static struct wishes wishes;
static const char *const roots[] = {"/srv/workspaces"};
static struct wishes_config config = {
	.node = "here",
	.volumes = {"/var/lib/kubelet", roots, 1},
	.port = 20490,
	.unexport_grace_ms = 10000,
};

static void set(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
}

static struct pod *add(enum pod_component component, const char *name, const char *node)
{
	struct pod *p = &pods[n_pods++];
	char **texts[] = {&p->run, &p->agent_node, &p->runtime_pod, &p->claim, &p->condition_status,
		&p->condition_reason, &p->condition_message, &p->condition_since};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		set(texts[i], "");
	set(&p->namespace, "t");
	set(&p->name, name);
	set(&p->uid, name);
	set(&p->node, node);
	set(&p->volume_type, "emptyDir");
	p->component = component;
	p->volume = VOLUME_EMPTY_DIR;
	p->use = USE_PROPAGATING;
	p->uid_number = p->gid_number = 10001;
	p->started = true;
	p->created = (time_t)(1000 + n_pods);
	return p;
}

static struct pod *add_sandbox(const char *name, const char *node, const char *agent)
{
	struct pod *p = add(POD_SANDBOX, name, node);

	set(&p->run, "demo");
	set(&p->agent_node, agent);
	set(&p->runtime_pod, "t/runtime");
	cr_assert_eq(addr_parse("10.0.0.9", &p->host[0]), 0);
	p->n_host = 1;
	return p;
}

static struct pod *add_runtime(void)
{
	struct pod *p = add(POD_RUNTIME, "runtime", "here");

	p->volume = VOLUME_CLAIM;
	set(&p->claim, "claim");
	return p;
}

static struct fact *know(enum fact_kind kind, const char *namespace, const char *name)
{
	struct fact *f = facts_find_or_add(&facts, kind, namespace, name);

	cr_assert(f);
	f->state = FACT_KNOWN;
	return f;
}

static void set_up(void)
{
	struct fact *f = know(FACT_NODE, "", "there");

	cr_assert_eq(addr_parse("10.0.0.7", &f->addrs[0]), 0);
	cr_assert_eq(addr_parse("fd20::7", &f->addrs[1]), 0);
	f->n_addrs = 2;
	know(FACT_CLAIM, "t", "claim")->volume = strdup("pv");
	f = know(FACT_VOLUME, "", "pv");
	f->type = strdup("hostPath");
	f->path = strdup("/srv/workspaces/a");
}

static void tear_down(void)
{
	wishes_clear(&wishes);
	facts_clear(&facts);
	while (n_pods)
		pod_clear(&pods[--n_pods]);
}

TestSuite(watch_wishes, .init = set_up, .fini = tear_down);

static void find_at(uint64_t now_ms)
{
	const struct pod *list[PODS_MAX];
	struct wishes_input in = {.config = &config,
		.pods = list,
		.n_pods = n_pods,
		.facts = &facts,
		.now_ms = now_ms};

	for (size_t i = 0; i < n_pods; i++)
		list[i] = &pods[i];
	wishes_clear(&wishes);
	cr_assert_eq(wishes_find(&in, &wishes), 0);
}

static const struct verdict *verdict(const struct pod *pod)
{
	for (size_t i = 0; i < wishes.n_verdicts; i++)
		if (wishes.verdicts[i].pod == pod)
			return &wishes.verdicts[i];
	return NULL;
}

static void expect(const struct pod *pod, enum verdict_kind kind, const char *reason, size_t specs)
{
	const struct verdict *v;

	find_at(1);
	v = verdict(pod);
	cr_assert(v);
	cr_expect_eq(v->kind, kind, "%s: %s", v->reason, v->message);
	cr_expect_str_eq(v->reason, reason);
	cr_expect(v->message[0]);
	cr_expect_eq(wishes.n_specs, specs, "%zu", wishes.n_specs);
}

Test(watch_wishes, export_for_the_agent_on_another_node)
{
	const struct export *e;

	expect(add_sandbox("s", "here", "there"), VERDICT_WISHED, "Exported", 1);
	e = &wishes.specs[0].export;
	cr_expect_eq(wishes.specs[0].role, ROLE_EXPORT);
	cr_expect_str_eq(e->volume, "/var/lib/kubelet/pods/s/volumes/kubernetes.io~empty-dir");
	cr_expect_str_eq(e->folder, "sandbox");
	cr_expect_str_eq(e->id.run, "demo");
	cr_expect_str_eq(e->id.incarnation, "s");
	cr_expect_eq(e->n_clients, 2);
	cr_expect_eq(e->uid, 10001);
	cr_expect_not(verdict(&pods[0])->tells, "the agent's node does");
}

Test(watch_wishes, mount_of_a_sandbox_on_another_node)
{
	const struct mount *m;

	add_runtime();
	expect(add_sandbox("s", "there", "here"), VERDICT_WISHED, "Mounting", 1);
	m = &wishes.specs[0].mount;
	cr_expect_eq(wishes.specs[0].role, ROLE_MOUNT);
	cr_expect_eq(m->kind, MOUNT_NFS);
	cr_expect_eq(m->port, 20490);
	cr_expect_str_eq(m->volume, "/srv/workspaces/a");
	cr_expect_not(wishes_are_partial(&wishes, &facts));
}

Test(watch_wishes, bind_on_the_same_node)
{
	const struct mount *m;

	add_runtime();
	expect(add_sandbox("s", "here", "here"), VERDICT_WISHED, "Mounting", 1);
	m = &wishes.specs[0].mount;
	cr_expect_eq(m->kind, MOUNT_BIND);
	cr_expect_str_eq(
		m->source_volume, "/var/lib/kubelet/pods/s/volumes/kubernetes.io~empty-dir");
	cr_expect_str_eq(m->source_folder, "sandbox");
}

Test(watch_wishes, every_spec_is_one_that_the_daemon_takes)
{
	struct spec_fault fault;
	struct spec again;

	add_runtime();
	add_sandbox("s", "here", "here");
	set(&add_sandbox("x", "here", "there")->run, "other");
	find_at(1);
	cr_assert_eq(wishes.n_specs, 2);
	for (size_t i = 0; i < 2; i++) {
		json_t *object = spec_to_json(&wishes.specs[i]);

		cr_assert_eq(spec_from_json(object, &again, &fault), 0, "%s", fault.message);
		cr_expect(spec_equal(&again, &wishes.specs[i]));
		spec_clear(&again);
		json_decref(object);
	}
}

Test(watch_wishes, csi_volumes_lie_below_kubelet)
{
	add_runtime();
	set(&know(FACT_VOLUME, "", "pv")->type, "csi");
	expect(add_sandbox("s", "there", "here"), VERDICT_WISHED, "Mounting", 1);
	cr_expect_str_eq(wishes.specs[0].mount.volume,
		"/var/lib/kubelet/pods/runtime/volumes/kubernetes.io~csi/pv/mount");
}

Test(watch_wishes, refusals_of_a_sandbox)
{
	struct pod *s = add_sandbox("s", "here", "there");

	set(&s->run, "Not_A_Run");
	expect(s, VERDICT_REFUSED, "InvalidRun", 0);
	set(&s->run, "demo");
	set(&s->runtime_pod, "runtime");
	expect(s, VERDICT_REFUSED, "MissingRuntimePod", 0);
	set(&s->runtime_pod, "");
	expect(s, VERDICT_REFUSED, "MissingRuntimePod", 0);
	set(&s->runtime_pod, "other/runtime");
	expect(s, VERDICT_REFUSED, "OtherNamespace", 0);
	config.cross_namespace = true;
	expect(s, VERDICT_WISHED, "Exported", 1);
	set(&s->runtime_pod, "t/runtime");
	s->use = USE_SUBPATH;
	expect(s, VERDICT_REFUSED, "SubPath", 0);
	s->use = USE_PRIVATE;
	s->volume = VOLUME_NONE;
	expect(s, VERDICT_REFUSED, "MissingVolume", 0);
	s->volume = VOLUME_UNSUPPORTED;
	expect(s, VERDICT_REFUSED, "UnsupportedVolume", 0);
	s->volume = VOLUME_EMPTY_DIR;
	s->uid_number = 0;
	expect(s, VERDICT_REFUSED, "MissingUser", 0);
	s->uid_number = 10001;
	cr_expect_not(verdict(s)->tells);
	set(&s->agent_node, "");
	expect(s, VERDICT_REFUSED, "MissingAgentNode", 0);
	cr_expect(verdict(s)->tells, "nobody else would");
}

Test(watch_wishes, refusals_of_a_runtime_pod)
{
	struct pod *r = add_runtime(), *s = add_sandbox("s", "there", "here");

	r->volume = VOLUME_EMPTY_DIR;
	expect(s, VERDICT_REFUSED, "EmptyDirWorkspaces", 0);
	cr_expect(verdict(s)->tells);
	r->volume = VOLUME_NONE;
	expect(s, VERDICT_REFUSED, "MissingVolume", 0);
	r->volume = VOLUME_CLAIM;
	r->use = USE_PRIVATE;
	expect(s, VERDICT_REFUSED, "MissingHostToContainer", 0);
	r->use = USE_SUBPATH;
	expect(s, VERDICT_REFUSED, "SubPath", 0);
	r->use = USE_NONE;
	expect(s, VERDICT_REFUSED, "NotMounted", 0);
}

Test(watch_wishes, host_paths_outside_the_roots)
{
	static const char *const paths[] = {
		"/etc", "/srv/workspaces-not", "/srv/workspaces/../x", "/", "", "relative", "/srv"};
	struct fact *volume = know(FACT_VOLUME, "", "pv");
	struct pod *s = add_sandbox("s", "there", "here");

	add_runtime();
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		set(&volume->path, paths[i]);
		find_at(1);
		cr_expect_eq(verdict(s)->kind, VERDICT_REFUSED, "%s", paths[i]);
	}
	set(&volume->path, "/srv/workspaces/");
	expect(s, VERDICT_WISHED, "Mounting", 1);
}

Test(watch_wishes, waiting)
{
	struct pod *s = add_sandbox("s", "there", "here"), *r;

	expect(s, VERDICT_WAITING, "WaitingForRuntimePod", 0);
	r = add_runtime();
	r->started = false;
	expect(s, VERDICT_WAITING, "WaitingForRuntimePod", 0);
	r->started = true;
	set(&know(FACT_CLAIM, "t", "claim")->volume, "");
	expect(s, VERDICT_WAITING, "WaitingForVolume", 0);
	know(FACT_CLAIM, "t", "claim")->state = FACT_UNKNOWN;
	expect(s, VERDICT_WAITING, "WaitingForVolume", 0);
	cr_expect(wishes_are_partial(&wishes, &facts));
	know(FACT_CLAIM, "t", "claim")->state = FACT_FAILED;
	expect(s, VERDICT_WAITING, "WaitingForVolume", 0);
	cr_expect(wishes_are_partial(&wishes, &facts) == false);
	set(&know(FACT_CLAIM, "t", "claim")->volume, "pv");
	s->started = false;
	expect(s, VERDICT_WAITING, "WaitingForSandbox", 0);
}

Test(watch_wishes, name_that_no_node_can_have_holds_nothing_up)
{
	expect(add_sandbox("s", "here", "No_Node"), VERDICT_WAITING, "WaitingForAgentNode", 0);
	cr_expect_not(wishes_are_partial(&wishes, &facts));
}

Test(watch_wishes, agent_lets_go_as_soon_as_the_sandbox_is_deleted)
{
	struct pod *s = add_sandbox("s", "there", "here");

	add_runtime();
	s->deleting = true;
	expect(s, VERDICT_ENDING, "SandboxEnded", 0);
	s->deleting = false;
	s->ended = true;
	expect(s, VERDICT_ENDING, "SandboxEnded", 0);
}

Test(watch_wishes, agent_lets_go_when_the_node_is_gone)
{
	struct pod *s = add_sandbox("s", "there", "here");

	add_runtime();
	facts_find(&facts, FACT_NODE, "", "there")->state = FACT_ABSENT;
	expect(s, VERDICT_ENDING, "SandboxEnded", 0);
}

Test(watch_wishes, agent_lets_go_when_the_runtime_pod_has_ended_but_not_before)
{
	struct pod *s = add_sandbox("s", "there", "here"), *r = add_runtime();

	r->deleting = true;
	expect(s, VERDICT_WISHED, "Mounting", 1);
	r->ended = true;
	expect(s, VERDICT_ENDING, "RuntimePodEnded", 0);
}

Test(watch_wishes, server_waits_for_the_agent_but_not_for_long)
{
	struct pod *s = add_sandbox("s", "here", "there");

	s->deleting = true;
	s->ending_since_ms = 5000;
	find_at(5001);
	cr_expect_eq(wishes.n_specs, 1);
	cr_expect_eq(verdict(s)->kind, VERDICT_ENDING);
	cr_expect_eq(wishes.wake_ms, 15000);
	find_at(15000);
	cr_expect_eq(wishes.n_specs, 0, "time is over");
	set(&s->condition_reason, "Unmounted");
	find_at(5001);
	cr_expect_eq(wishes.n_specs, 0, "the agent has let go");
	set(&s->condition_reason, "Mounted");
	facts_find(&facts, FACT_NODE, "", "there")->state = FACT_ABSENT;
	find_at(5001);
	cr_expect_eq(wishes.n_specs, 0, "nobody is left to let go");
}

Test(watch_wishes, newest_incarnation_wins)
{
	struct pod *old = add_sandbox("old", "there", "here");
	struct pod *new = add_sandbox("new", "there", "here");

	add_runtime();
	expect(new, VERDICT_WISHED, "Mounting", 1);
	cr_expect_str_eq(wishes.specs[0].mount.id.incarnation, "new");
	cr_expect_eq(verdict(old)->kind, VERDICT_REFUSED);
	cr_expect_str_eq(verdict(old)->reason, "Superseded");
	cr_expect(strstr(verdict(old)->message, "new"));
}

Test(watch_wishes, old_one_stays_until_the_new_one_has_started)
{
	struct pod *old = add_sandbox("old", "there", "here");
	struct pod *new = add_sandbox("new", "there", "here");

	add_runtime();
	new->started = false;
	expect(old, VERDICT_WISHED, "Mounting", 1);
	cr_expect_eq(verdict(new)->kind, VERDICT_WAITING);
	old->deleting = true;
	expect(old, VERDICT_ENDING, "SandboxEnded", 0);
}

Test(watch_wishes, run_is_not_taken_over_from_another_namespace)
{
	struct pod *owner = add_sandbox("owner", "there", "here");
	struct pod *thief = add_sandbox("thief", "there", "here");

	config.cross_namespace = true;
	set(&thief->namespace, "evil");
	add_runtime();
	expect(thief, VERDICT_REFUSED, "RunTaken", 1);
	cr_expect_str_eq(wishes.specs[0].mount.id.incarnation, "owner");
	cr_expect_eq(verdict(owner)->kind, VERDICT_WISHED);
}

Test(watch_wishes, replaced_on_one_node_while_the_old_is_ending)
{
	struct pod *old = add_sandbox("old", "here", "there");

	add_sandbox("new", "here", "there");
	old->deleting = true;
	old->ending_since_ms = 1;
	find_at(2);
	cr_assert_eq(wishes.n_specs, 1);
	cr_expect_str_eq(wishes.specs[0].export.id.incarnation, "new");
}

Test(watch_wishes, pods_of_other_nodes_are_nobodys_business)
{
	add_sandbox("s", "there", "elsewhere");
	find_at(1);
	cr_expect_eq(wishes.n_verdicts, 0);
	cr_expect_eq(wishes.n_specs, 0);
}
