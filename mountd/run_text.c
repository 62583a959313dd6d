/* SPDX-License-Identifier: Apache-2.0 */
/* How a run is named in log lines and answers. */
#include <stdio.h>
#include <string.h>

#include "mountd/run.h"

static const struct spec *subject(const struct run *run)
{
	if (run->possible)
		return &run->want;
	return run->wished ? &run->wish : NULL;
}

static const struct export *subject_export(const struct run *run)
{
	if (subject(run))
		return &subject(run)->export;
	return run->n_held ? &run->held[0].export : NULL;
}

static const struct mount *subject_mount(const struct run *run)
{
	if (subject(run))
		return &subject(run)->mount;
	return run->holds_mount ? &run->held_mount : NULL;
}

const struct run_id *run_id_of(const struct run *run)
{
	static const struct run_id none;
	const struct export *e = run->role == ROLE_EXPORT ? subject_export(run) : NULL;
	const struct mount *m = run->role == ROLE_MOUNT ? subject_mount(run) : NULL;

	return e ? &e->id : m ? &m->id : &none;
}

const char *run_role_name(const struct run *run)
{
	const struct mount *m = run->role == ROLE_MOUNT ? subject_mount(run) : NULL;

	if (run->role == ROLE_EXPORT)
		return "export";
	return m && m->kind == MOUNT_BIND ? "bind" : "mount";
}

void run_place(const struct run *run, char *text, size_t size)
{
	const struct export *e = run->role == ROLE_EXPORT ? subject_export(run) : NULL;
	const struct mount *m = run->role == ROLE_MOUNT ? subject_mount(run) : NULL;

	text[0] = '\0';
	if (e && strcmp(e->folder, ".") == 0)
		(void)snprintf(text, size, "%s", e->volume);
	else if (e)
		(void)snprintf(text, size, "%s%s%s", e->volume,
			strcmp(e->volume, "/") == 0 ? "" : "/", e->folder);
	else if (m && mount_target(m->volume, m->id.run, text, size) < 0)
		text[0] = '\0';
}

static void mount_peer(const struct mount *m, char *text, size_t size)
{
	char address[ADDR_TEXT_SIZE];
	bool six = m->server.family == AF_INET6;

	if (m->kind != MOUNT_NFS)
		return;
	addr_format(&m->server, address);
	(void)snprintf(text, size, "%s%s%s:%u", six ? "[" : "", address, six ? "]" : "", m->port);
}

static void export_peers(const struct export *e, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < e->n_clients && used + ADDR_TEXT_SIZE + 1 < size; i++) {
		if (i)
			text[used++] = ',';
		addr_format(&e->clients[i], text + used);
		used += strlen(text + used);
	}
}

void run_peer(const struct run *run, char *text, size_t size)
{
	const struct export *e = run->role == ROLE_EXPORT ? subject_export(run) : NULL;
	const struct mount *m = run->role == ROLE_MOUNT ? subject_mount(run) : NULL;

	text[0] = '\0';
	if (e)
		export_peers(e, text, size);
	else if (m)
		mount_peer(m, text, size);
}
