/* SPDX-License-Identifier: Apache-2.0 */
/* What sources wish for: sandboxes come, are replaced, and end. */
#include <stdarg.h>
#include <string.h>

#include "tests/soak/ops.h"

static bool is_free(const struct world *w, const struct run *r)
{
	return r - w->runs < SHARED && !r->exported;
}

static bool is_exported(const struct world *w, const struct run *r)
{
	(void)w;
	return r->exported;
}

static bool is_not_mounted(const struct world *w, const struct run *r)
{
	return r - w->runs < SHARED && !r->mounted;
}

static bool is_mounted(const struct world *w, const struct run *r)
{
	(void)w;
	return r->mounted;
}

static bool is_unbound(const struct world *w, const struct run *r)
{
	return r - w->runs >= SHARED && !r->bound;
}

static bool is_bound(const struct world *w, const struct run *r)
{
	(void)w;
	return r->bound;
}

static struct folder *make_folder(struct world *w, const struct run *r)
{
	struct folder *f = w->folders;
	static unsigned made;

	while (f->name[0])
		if (++f == w->folders + FOLDERS)
			broken("more folders than are foreseen are left");
	(void)snprintf(f->name, sizeof f->name, "%s-f%u", r->name, ++made);
	f->own_fs = chance(w, 25);
	(void)shell("mkdir -p /disk/nodes/sandbox/local/%s", f->name);
	if (f->own_fs)
		(void)shell("nsenter -t %d -m mount -t tmpfs tmpfs /workspaces/local/%s",
			(int)w->nodes[SANDBOX].init, f->name);
	(void)shell("nsenter -t %d -m chown %d:%d /workspaces/local/%s",
		(int)w->nodes[SANDBOX].init, OWNER, OWNER, f->name);
	return f;
}

/* A wish reaches the daemon as a file, or over its socket where it runs. */
static void wish(struct world *w, size_t node, const char *file, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void wish(struct world *w, size_t node, const char *file, const char *format, ...)
{
	struct node *n = &w->nodes[node];
	char spec[512], request[640], fault[256];
	bool by_socket = chance(w, 50);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(spec, sizeof spec, format, args);
	va_end(args);
	(void)snprintf(
		request, sizeof request, "{\"verb\":\"apply\",\"wait_ms\":0,\"spec\":%s}", spec);
	if (by_socket && n->daemon && !n->drained) {
		if (!control_insist(w, n, request, fault, sizeof fault))
			broken("step %u: %s refuses %s: %s", w->step, n->name, spec, fault);
		return;
	}
	(void)shell("mkdir -p /disk/state/%s/specs", n->name);
	if (!spit(spec, "/disk/state/%s/specs/.%s", n->name, file))
		broken("spec %s cannot be written", file);
	(void)shell("mv /disk/state/%s/specs/.%s /disk/state/%s/specs/%s", n->name, file, n->name,
		file);
}

static void wish_no_more(struct world *w, size_t node, const struct run *r, const char *file)
{
	struct node *n = &w->nodes[node];
	char request[128], fault[256];

	if (chance(w, 50) && n->daemon) {
		(void)snprintf(request, sizeof request,
			"{\"verb\":\"release\",\"run\":\"%s\",\"wait_ms\":0}", r->name);
		if (!control_insist(w, n, request, fault, sizeof fault) &&
			!(w->harm && strstr(fault, "knows no run")))
			broken("step %u: %s does not release %s: %s", w->step, n->name, r->name,
				fault);
		return;
	}
	(void)shell("rm /disk/state/%s/specs/%s", n->name, file);
}

static void export_run(struct world *w, struct run *r, unsigned incarnation)
{
	char file[32];

	r->exported = r->last_exported = incarnation;
	excuse(r);
	(void)snprintf(file, sizeof file, "%s.export.json", r->name);
	wish(w, SANDBOX, file,
		"{\"kind\":\"export\",\"run\":\"%s\",\"incarnation\":\"i%u\",\"volume\":\"/"
		"workspaces/local\",\"folder\":\"%s\","
		"\"clients\":[\"10.20.0.2\",\"fd20::2\"],\"uid\":%d,\"gid\":%d}",
		r->name, incarnation, r->folder->name, OWNER, OWNER);
}

static void mount_run(struct world *w, struct run *r, unsigned incarnation)
{
	char file[32];

	r->mounted = incarnation;
	excuse(r);
	(void)snprintf(file, sizeof file, "%s.mount.json", r->name);
	wish(w, AGENT, file,
		"{\"kind\":\"mount\",\"run\":\"%s\",\"incarnation\":\"i%u\",\"server\":\"10.20.0."
		"1\",\"port\":20490,"
		"\"volume\":\"/workspaces\",\"uid\":%d,\"gid\":%d}",
		r->name, incarnation, OWNER, OWNER);
}

bool do_export(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) ? any(w, is_free) : NULL;

	if (!r)
		return false;
	r->folder = make_folder(w, r);
	/* A sandbox that has ended does not come back under its own identity. */
	export_run(w, r, r->mounted > r->last_exported ? r->mounted : ++w->incarnations);
	say(w, "export %s i%u %s%s", r->name, r->exported, r->folder->name,
		r->folder->own_fs ? ", a filesystem" : "");
	return true;
}

bool do_mount(struct world *w)
{
	struct run *r = has_power(w, AGENT) ? any(w, is_not_mounted) : NULL;

	if (!r)
		return false;
	mount_run(w, r, r->exported ? r->exported : ++w->incarnations);
	say(w, "mount %s i%u", r->name, r->mounted);
	return true;
}

/* Its harness may make a file anew meanwhile. */
static void delete_folder(const struct folder *f)
{
	(void)shell("for i in 1 2 3 4 5 6 7 8 9; do rm -rf /disk/nodes/sandbox/local/%s "
		    "2>/dev/null && break; done",
		f->name);
}

static void release_export(struct world *w, struct run *r)
{
	char file[32];

	(void)snprintf(file, sizeof file, "%s.export.json", r->name);
	if (chance(w, 20) && !r->folder->own_fs) {
		delete_folder(r->folder);
		say(w, "delete the folder of %s", r->name);
	}
	wish_no_more(w, SANDBOX, r, file);
	say(w, "release export %s", r->name);
	r->exported = r->live = 0;
	r->folder = NULL;
	excuse(r);
}

static void release_mount(struct world *w, struct run *r)
{
	char file[32];

	(void)snprintf(file, sizeof file, "%s.mount.json", r->name);
	if (chance(w, 50) && load_can_end(w))
		load_stop(r);
	else if (r->load->pid)
		w->ghost = true; /* in use: cut off without a word */
	if (!r->live)
		w->ghost = true; /* an attempt may be cancelled half-way */
	wish_no_more(w, AGENT, r, file);
	say(w, "release mount %s", r->name);
	r->mounted = r->live = 0;
	excuse(r);
}

bool do_replace(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) && has_power(w, AGENT) ? any(w, is_both) : NULL;
	unsigned incarnation = w->incarnations + 1;
	bool agent_first = chance(w, 30);

	if (!r)
		return false;
	w->incarnations++;
	r->live = 0;
	say(w, "replace %s by i%u%s", r->name, incarnation, agent_first ? ", agent first" : "");
	if (agent_first)
		mount_run(w, r, incarnation);
	r->folder = make_folder(w, r);
	export_run(w, r, incarnation);
	if (!agent_first)
		mount_run(w, r, incarnation);
	return true;
}

bool do_release(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) && has_power(w, AGENT) ? any(w, is_both) : NULL;

	if (!r)
		return false;
	if (chance(w, 50)) {
		release_mount(w, r);
		release_export(w, r);
	} else {
		release_export(w, r);
		release_mount(w, r);
	}
	return true;
}

bool do_release_export(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) ? any(w, is_exported) : NULL;

	if (r)
		release_export(w, r);
	return r;
}

bool do_release_mount(struct world *w)
{
	struct run *r = has_power(w, AGENT) ? any(w, is_mounted) : NULL;

	if (r)
		release_mount(w, r);
	return r;
}

bool do_bind(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) ? any(w, is_unbound) : NULL;
	char file[32];

	if (!r)
		return false;
	r->folder = make_folder(w, r);
	r->bound = ++w->incarnations;
	(void)snprintf(file, sizeof file, "%s.mount.json", r->name);
	wish(w, SANDBOX, file,
		"{\"kind\":\"bind\",\"run\":\"%s\",\"incarnation\":\"i%u\",\"source_volume\":\"/"
		"workspaces/local\","
		"\"source_folder\":\"%s\",\"volume\":\"/workspaces\",\"uid\":%d,\"gid\":%d}",
		r->name, r->bound, r->folder->name, OWNER, OWNER);
	say(w, "bind %s i%u %s%s", r->name, r->bound, r->folder->name,
		r->folder->own_fs ? ", a filesystem" : "");
	return true;
}

bool do_unbind(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) ? any(w, is_bound) : NULL;
	char file[32];

	if (!r)
		return false;
	(void)snprintf(file, sizeof file, "%s.mount.json", r->name);
	wish_no_more(w, SANDBOX, r, file);
	say(w, "release bind %s", r->name);
	r->bound = 0;
	r->folder = NULL;
	return true;
}

static bool has_folder_of_its_own(const struct world *w, const struct run *r)
{
	(void)w;
	return (r->exported || r->bound) && !r->folder->own_fs;
}

/* Nobody is told: what shows the old one is to be mended all the same. */
bool do_remake_folder(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) ? any(w, has_folder_of_its_own) : NULL;

	if (!r)
		return false;
	delete_folder(r->folder);
	(void)shell("mkdir -p /disk/nodes/sandbox/local/%s && chown %d:%d "
		    "/disk/nodes/sandbox/local/%s",
		r->folder->name, OWNER, OWNER, r->folder->name);
	r->live = 0;
	excuse(r);
	say(w, "make the folder of %s anew", r->name);
	return true;
}
