/* SPDX-License-Identifier: Apache-2.0 */
/* What must not be left: processes, routing, records, folders, files beneath a mount. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "tests/soak/check.h"

static bool is_harness(const struct world *w, pid_t pid)
{
	for (size_t i = 0; i < RUNS; i++)
		if (w->runs[i].load->pid == pid)
			return true;
	return false;
}

/* A mount that cannot be made yet is tried again and again. */
static bool tries_on(const struct world *w)
{
	for (size_t i = 0; i < SHARED; i++)
		if (w->runs[i].mounted && !must_work(w, &w->runs[i]))
			return true;
	return w->out_since_ms;
}

bool processes_differ(struct world *w, const struct node *n)
{
	pid_t list[64];
	size_t many = node_processes(n, list, 64);

	for (size_t i = 0; i < many; i++) {
		const char *status;
		char name[32] = "";

		if (list[i] == n->init || list[i] == n->daemon || is_harness(w, list[i]))
			continue;
		status = slurp(0, "/proc/%d/status", (int)list[i]);
		(void)sscanf(status, "Name:\t%31s", name);
		if (!name[0] || strcmp(name, "sleep") == 0 || node_has_waiting(n, list[i]) ||
			(tries_on(w) && atoi(strstr(status, "\nPPid:") + 6) == n->daemon))
			continue;
		return differs("no process of %s is left: seen %d %s, %s", n->name, (int)list[i],
			name, slurp(1, "/proc/%d/wchan", (int)list[i]));
	}
	return false;
}

bool bare_folder_used(const struct world *w, const struct node *n)
{
	for (size_t i = 0; i < RUNS; i++) {
		const struct dirent *entry;
		char path[96];
		DIR *dir;

		(void)snprintf(
			path, sizeof path, "/disk/nodes/%s/%s/sandbox", n->name, w->runs[i].name);
		dir = opendir(path);
		while (dir && (entry = readdir(dir)))
			if (entry->d_name[0] != '.') {
				(void)differs(
					"%s is bare and empty: seen %s in it", path, entry->d_name);
				(void)closedir(dir);
				return true;
			}
		if (dir)
			(void)closedir(dir);
	}
	return false;
}

/* Records of what is attached: exactly what is wished for. */
bool records_differ(struct world *w)
{
	size_t wished = 0, found = 0;
	char path[96];

	if (!is_up(&w->nodes[SANDBOX]))
		return false;
	for (size_t i = 0; i < RUNS && !w->nodes[SANDBOX].drained; i++)
		wished += (w->runs[i].exported != 0) + (w->runs[i].bound != 0);
	(void)snprintf(path, sizeof path, "/disk/state/sandbox/attached");
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		found += entry->d_name[0] != '.';
	if (dir)
		(void)closedir(dir);
	return found != wished &&
	       differs("%zu records of what the sandbox node attached: seen %zu", wished, found);
}

bool rules_differ(struct world *w)
{
	const struct node *n = &w->nodes[AGENT];

	return is_up(n) && !w->out_since_ms && node_rules(n) > 0 &&
	       differs("no routing of ours is left: seen %u rules", node_rules(n));
}

/* Folders of ended sandboxes go, at once and whole. */
bool folders_differ(struct world *w)
{
	if (!is_up(&w->nodes[SANDBOX]))
		return false;
	for (size_t i = 0; i < FOLDERS; i++) {
		struct folder *f = &w->folders[i];
		bool used = !f->name[0];

		for (size_t k = 0; k < RUNS; k++)
			used |= w->runs[k].folder == f;
		if (used)
			continue;
		if (f->own_fs && shell("nsenter -t %d -m umount /workspaces/local/%s 2>/dev/null",
					 (int)w->nodes[SANDBOX].init, f->name) != 0)
			return differs(
				"the filesystem of the ended sandbox %s can be unmounted: busy",
				f->name);
		f->own_fs = false;
		if (shell("rm -rf /disk/nodes/sandbox/local/%s", f->name) != 0)
			return differs("the folder %s can be deleted", f->name);
		f->name[0] = '\0';
	}
	return false;
}
