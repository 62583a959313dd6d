/* SPDX-License-Identifier: Apache-2.0 */
/* Specs as values: compared, copied, freed, and back to JSON. */
#include <errno.h>

#include "mountd/base/cleanup.h"
#include "mountd/spec.h"

const struct run_id *spec_id(const struct spec *spec)
{
	return spec->role == ROLE_EXPORT ? &spec->export.id : &spec->mount.id;
}

bool spec_equal(const struct spec *a, const struct spec *b)
{
	if (a->role != b->role)
		return false;
	return a->role == ROLE_EXPORT ? export_equal(&a->export, &b->export)
				      : mount_equal(&a->mount, &b->mount);
}

int spec_copy(const struct spec *from, struct spec *ret)
{
	struct spec copy = {.role = from->role};
	int r = from->role == ROLE_EXPORT ? export_copy(&from->export, &copy.export)
					  : mount_copy(&from->mount, &copy.mount);

	if (r == 0)
		*ret = copy;
	return r;
}

void spec_clear(struct spec *spec)
{
	if (spec->role == ROLE_EXPORT)
		export_clear(&spec->export);
	else
		mount_clear(&spec->mount);
}

const char *spec_kind(const struct spec *spec)
{
	if (spec->role == ROLE_EXPORT)
		return "export";
	return spec->mount.kind == MOUNT_BIND ? "bind" : "mount";
}

static json_t *clients_to_json(const struct export *e)
{
	json_t *list = json_array();

	for (size_t i = 0; i < e->n_clients; i++) {
		char text[ADDR_TEXT_SIZE];

		addr_format(&e->clients[i], text);
		(void)json_array_append_new(list, json_string(text));
	}
	return list;
}

static json_t *export_to_json(const struct export *e)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:I, s:b}", "kind", "export", "run",
		e->id.run, "incarnation", e->id.incarnation, "volume", e->volume, "folder",
		e->folder, "clients", clients_to_json(e), "uid", (json_int_t)e->uid, "gid",
		(json_int_t)e->gid, "sync", (int)e->sync);
}

static json_t *mount_to_json(const struct mount *m)
{
	char server[ADDR_TEXT_SIZE];

	if (m->kind == MOUNT_BIND)
		return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "kind", "bind", "run",
			m->id.run, "incarnation", m->id.incarnation, "source_volume",
			m->source_volume, "source_folder", m->source_folder, "volume", m->volume,
			"uid", (json_int_t)m->uid, "gid", (json_int_t)m->gid);
	addr_format(&m->server, server);
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:I, s:I}", "kind", "mount", "run",
		m->id.run, "incarnation", m->id.incarnation, "server", server, "port", m->port,
		"volume", m->volume, "uid", (json_int_t)m->uid, "gid", (json_int_t)m->gid);
}

json_t *spec_to_json(const struct spec *spec)
{
	return spec->role == ROLE_EXPORT ? export_to_json(&spec->export)
					 : mount_to_json(&spec->mount);
}
