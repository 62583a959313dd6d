/* SPDX-License-Identifier: Apache-2.0 */
/* Wishes are matched to runs here, and a mount from this very node becomes a bind. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mountd/daemon.h"

static void out_of_memory(struct daemon *d)
{
	d->match_all = true;
	log_event(LOG_LEVEL_ERROR, "out-of-memory",
		log_text("error", "a wish is not taken in; SIGHUP tries again"));
}

static void match_file(struct daemon *d, struct desired_file *file)
{
	const char *name = spec_id(&file->spec)->run;
	struct run *run = runs_find_or_add(&d->runs, name, file->spec.role);
	const struct desired_file *first = desired_overruling(&d->desired, file);
	bool was_overruled = file->overruled;

	if (!run) {
		out_of_memory(d);
		return;
	}
	run->daemon = d;
	file->overruled = first;
	if (first && !was_overruled)
		log_event(LOG_LEVEL_WARNING, "spec-overruled", log_text("file", file->name),
			log_text("run", name), log_text("by", first->name),
			log_text("error", "that file speaks of the same run, and sorts before"));
	if (first)
		return;
	run->seen = true;
	if (run_set_wish(run, &file->spec) < 0)
		out_of_memory(d);
}

/* This node's own export of the same sandbox, if it is wished for. */
static const struct export *find_local(const struct daemon *d, const struct run_id *id)
{
	const struct run *run = runs_find(&d->runs, id->run, ROLE_EXPORT);

	return run && run->wished && run_id_equal(&run->wish.export.id, id) ? &run->wish.export
									    : NULL;
}

static void set_want(struct run *run, const struct spec *spec)
{
	int r = run_set_want(run, spec);

	if (r < 0)
		out_of_memory(run->daemon);
	if (r <= 0)
		return;
	run->not_before_ms = 0;
	if (run->wished)
		run_event(run, EVENT_WISH);
}

/* Never NFS to oneself: under memory pressure the client waits for the server, and it for the
 * client. */
static void bind_locally(struct daemon *d, struct run *run)
{
	const struct mount *wish = &run->wish.mount;
	const struct export *export = find_local(d, &wish->id);
	struct spec bind = {.role = ROLE_MOUNT, .mount = *wish};
	char server[ADDR_TEXT_SIZE], text[320];

	if (export) {
		bind.mount.kind = MOUNT_BIND;
		bind.mount.server = (struct addr){0};
		bind.mount.port = 0;
		bind.mount.source_volume = export->volume;
		bind.mount.source_folder = export->folder;
		if (run->fault_error == -ENXIO)
			run_clear_fault(run);
		set_want(run, &bind);
		return;
	}
	set_want(run, NULL);
	addr_format(&wish->server, server);
	(void)snprintf(text, sizeof text,
		"server %s is this node, which is not asked to export incarnation %s of the run",
		server, wish->id.incarnation);
	if (run_set_fault(run, -ENXIO, text))
		log_event(LOG_LEVEL_WARNING, "mount-waits", log_text("run", run->name),
			log_text("role", "mount"), log_text("error", text));
}

/* Without them, what this node exports itself would be taken for another's. */
static void read_own(struct daemon *d)
{
	struct own_addrs own = {0};
	int r;

	d->own_unread |= own_watch_takes_change(d->own_watch);
	if (!d->own_unread)
		return;
	r = own_addrs_read(OWN_ALL, &own);
	d->own_unread = r < 0;
	if (r < 0) {
		log_event(LOG_LEVEL_WARNING, "own-addresses", log_text("error", strerror(-r)),
			log_text("next", "those known from before count"));
		return;
	}
	d->match_all |= !own_addrs_equal(&d->own, &own);
	own_addrs_clear(&d->own);
	d->own = own;
}

static void find_want(struct daemon *d, struct run *run)
{
	if (!run->wished)
		(void)run_set_want(run, NULL);
	else if (run->role == ROLE_MOUNT && run->wish.mount.kind == MOUNT_NFS &&
		 own_addrs_has(&d->own, &run->wish.mount.server))
		bind_locally(d, run);
	else
		set_want(run, &run->wish);
}

static void match_all(struct daemon *d)
{
	for (size_t i = 0; i < d->runs.n; i++)
		d->runs.list[i]->seen = false;
	for (size_t i = 0; !d->drained && i < d->desired.n; i++)
		if (d->desired.files[i]->has_spec)
			match_file(d, d->desired.files[i]);
	for (size_t i = 0; i < d->runs.n; i++)
		if (!d->runs.list[i]->seen)
			(void)run_set_wish(d->runs.list[i], NULL);
	for (size_t i = 0; i < d->runs.n; i++)
		find_want(d, d->runs.list[i]);
}

static void match_role(struct daemon *d, const char *name, enum role role)
{
	struct run *run = runs_find(&d->runs, name, role);
	size_t n;
	struct desired_file *const *files = desired_of(&d->desired, name, role, &n);

	if (run)
		run->seen = false;
	for (size_t i = 0; !d->drained && i < n; i++)
		match_file(d, files[i]);
	if (run && !run->seen)
		(void)run_set_wish(run, NULL);
}

/* In both roles: a mount's want follows the wish for an export of the same run. */
static void match_run(struct daemon *d, const char *name)
{
	struct run *run;

	for (enum role role = ROLE_EXPORT; role <= ROLE_MOUNT; role++)
		match_role(d, name, role);
	for (enum role role = ROLE_EXPORT; role <= ROLE_MOUNT; role++)
		if ((run = runs_find(&d->runs, name, role)))
			find_want(d, run);
}

void wishes_match(struct daemon *d)
{
	struct desired *desired = &d->desired;
	bool all;

	read_own(d);
	all = d->match_all || desired->n_changed > DESIRED_CHANGED_MAX;
	d->match_all = false;
	if (all)
		match_all(d);
	for (size_t i = 0; !all && i < desired->n_changed; i++)
		match_run(d, desired->changed[i]);
	desired->n_changed = 0;
}
