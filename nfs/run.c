/* SPDX-License-Identifier: Apache-2.0 */
/* The words everything else is made of: run, incarnation, export, mount. */
#include "nfs/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

static const char pseudo_prefix[] = "/workspaces/";

int run_id_compare(const struct run_id *a, const struct run_id *b)
{
	int order = strcmp(a->run, b->run);

	return order ? order : strcmp(a->incarnation, b->incarnation);
}

bool run_id_equal(const struct run_id *a, const struct run_id *b)
{
	return run_id_compare(a, b) == 0;
}

void export_clear(struct export *e)
{
	free(e->volume);
	free(e->folder);
	free(e->clients);
	*e = (struct export){0};
}

void mount_clear(struct mount *m)
{
	free(m->source_volume);
	free(m->source_folder);
	free(m->volume);
	*m = (struct mount){0};
}

static int copy_text(const char *from, char **ret)
{
	if (!from)
		return 0;
	*ret = strdup(from);
	return *ret ? 0 : -ENOMEM;
}

int export_copy(const struct export *from, struct export *ret)
{
	struct export copy = *from;

	copy.volume = copy.folder = NULL;
	copy.clients = malloc(from->n_clients * sizeof *copy.clients);
	if (!copy.clients || copy_text(from->volume, &copy.volume) < 0 ||
		copy_text(from->folder, &copy.folder) < 0) {
		export_clear(&copy);
		return -ENOMEM;
	}
	memcpy(copy.clients, from->clients, from->n_clients * sizeof *copy.clients);
	*ret = copy;
	return 0;
}

int mount_copy(const struct mount *from, struct mount *ret)
{
	struct mount copy = *from;

	copy.volume = copy.source_volume = copy.source_folder = NULL;
	if (copy_text(from->volume, &copy.volume) < 0 ||
		copy_text(from->source_volume, &copy.source_volume) < 0 ||
		copy_text(from->source_folder, &copy.source_folder) < 0) {
		mount_clear(&copy);
		return -ENOMEM;
	}
	*ret = copy;
	return 0;
}

static bool text_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool export_equal(const struct export *a, const struct export *b)
{
	if (!run_id_equal(&a->id, &b->id) || a->n_clients != b->n_clients)
		return false;
	for (size_t i = 0; i < a->n_clients; i++)
		if (!addr_equal(&a->clients[i], &b->clients[i]))
			return false;
	return text_equal(a->volume, b->volume) && text_equal(a->folder, b->folder) &&
	       a->uid == b->uid && a->gid == b->gid && a->sync == b->sync;
}

static int compare_addresses(const void *a, const void *b)
{
	return addr_compare(a, b);
}

bool export_lists_client(const struct export *e, const struct addr *client)
{
	return bsearch(client, e->clients, e->n_clients, sizeof *client, compare_addresses);
}

bool mount_equal(const struct mount *a, const struct mount *b)
{
	return run_id_equal(&a->id, &b->id) && a->kind == b->kind &&
	       addr_equal(&a->server, &b->server) && a->port == b->port &&
	       text_equal(a->source_volume, b->source_volume) &&
	       text_equal(a->source_folder, b->source_folder) && text_equal(a->volume, b->volume) &&
	       a->uid == b->uid && a->gid == b->gid;
}

void pseudo_path(const struct run_id *id, char path[PSEUDO_PATH_SIZE])
{
	(void)snprintf(path, PSEUDO_PATH_SIZE, "%s%s/%s", pseudo_prefix, id->run, id->incarnation);
}

int pseudo_path_parse(const char *path, struct run_id *ret)
{
	_cleanup_free_ char *text = NULL;
	struct run_id id = {0};
	char *slash;

	if (strncmp(path, pseudo_prefix, sizeof pseudo_prefix - 1) != 0)
		return -EINVAL;
	text = strdup(path + sizeof pseudo_prefix - 1);
	if (!text)
		return -ENOMEM;
	slash = strchr(text, '/');
	if (!slash)
		return -EINVAL;
	*slash = '\0';
	if (!name_is_valid(text) || !name_is_valid(slash + 1))
		return -EINVAL;
	(void)snprintf(id.run, sizeof id.run, "%.*s", NAME_MAX_LENGTH, text);
	(void)snprintf(id.incarnation, sizeof id.incarnation, "%.*s", NAME_MAX_LENGTH, slash + 1);
	*ret = id;
	return 0;
}
