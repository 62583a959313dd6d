/* SPDX-License-Identifier: Apache-2.0 */
/* The runs: what the daemons tell, nfsd exports, its clients hold and the nodes mount. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "tests/soak/check.h"

/* Lines of a cache that have the word; what begins with # is refused or on its way out. */
static size_t count_entries(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *end; *text && (end = strchr(text, '\n')); text = end + 1) {
		const char *found = strstr(text, word);

		n += *text != '#' && found && found < end;
	}
	return n;
}

/* For each of the agent node's addresses, what is exported and nothing else. */
bool kernel_serves_otherwise(struct world *w)
{
	static const char *const clients[] = {"\tkora-10.20.0.2(rw,", "\tkora-fd20::2(rw,"};
	const struct node *n = &w->nodes[SANDBOX];
	const char *text = slurp(0, "/proc/%d/net/rpc/nfsd.export/content", (int)n->init);
	char line[96];

	for (size_t k = 0; k < 2 && is_up(n); k++) {
		size_t wished = 0;

		for (size_t i = 0; i < SHARED && !n->drained; i++) {
			const struct run *r = &w->runs[i];

			wished += r->exported != 0;
			(void)snprintf(line, sizeof line, "\n/workspaces/%s/i%u%s", r->name,
				r->exported, clients[k]);
			if (r->exported && count(text, line) != 1)
				return differs("nfsd serves %s: seen%s", line + 1, text);
		}
		if (wished && !nfsd_answers(n))
			return differs("nfsd answers");
		if (count_entries(text, clients[k]) != wished)
			return differs(
				"nfsd serves %zu runs to each address: seen\n%s", wished, text);
	}
	return false;
}

bool daemon_tells_otherwise(struct world *w, size_t which)
{
	static char text[16384];
	const struct node *n = &w->nodes[which];
	size_t wished = 0;
	char line[128];

	if (!is_up(n))
		return false;
	if (!control_runs(n, text, sizeof text))
		return differs("the daemon of %s answers: %s", n->name, text);
	for (size_t i = 0; i < RUNS && !n->drained; i++) {
		const struct run *r = &w->runs[i];
		const char *role = which == AGENT ? "mount" : is_shared(w, r) ? "export" : "bind";
		unsigned incarnation = which == AGENT	 ? r->mounted
				       : is_shared(w, r) ? r->exported
							 : r->bound;

		wished += incarnation != 0;
		(void)snprintf(line, sizeof line, "%s %s i%u ready ", r->name, role, incarnation);
		if (incarnation && (which == SANDBOX || (must_work(w, r))) && !strstr(text, line))
			return differs("%s tells %s: it tells\n%s", n->name, line, text);
	}
	if (count(text, "\n") != wished)
		return differs("%s knows %zu runs: it tells\n%s", n->name, wished, text);
	return false;
}

/* Every mount of the agent node in a run's place is the one that must be there. */
bool agent_shows_otherwise(struct world *w)
{
	const struct node *n = &w->nodes[AGENT];
	const char *text = n->init ? slurp(0, "/proc/%d/mountinfo", (int)n->init) : "";
	char place[64], source[64];

	for (size_t i = 0; i < SHARED && n->daemon; i++) {
		const struct run *r = &w->runs[i];
		size_t here;

		(void)snprintf(place, sizeof place, " /workspaces/%s/sandbox ", r->name);
		(void)snprintf(source, sizeof source, ":/workspaces/%s/i%u ", r->name, r->mounted);
		here = count(text, place);
		if ((!r->mounted || n->drained || w->lost) && here)
			return differs("nothing is mounted at%s: seen %zu", place, here);
		if (here > 1)
			return differs("one mount at%s: seen %zu", place, here);
		if (must_work(w, r) && !(here == 1 && count(text, source) == 1))
			return differs("%s is mounted once at%s: seen %zu", source, place, here);
		if (w->out_since_ms && !maybe_lost(w) && r->live && r->live == r->mounted &&
			here != 1)
			return differs("a short outage leaves the mount at%s alone", place);
	}
	if (count(text, " - nfs4 ") > SHARED || strstr(text, "kora-bind:"))
		return differs("no other mount: seen\n%s", text);
	if (n->init && !n->daemon) {
		const char *line = n->frozen;

		for (; *line; line = strchr(line, '\n') + 1) {
			char one[1024];

			(void)snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
			if (!strstr(text, one))
				return differs("a mount outlives its daemon: %s", one);
		}
		if (count(text, " - nfs4 ") != count(n->frozen, "\n"))
			return differs("no mount comes without a daemon");
	}
	return false;
}

bool binds_differ(struct world *w)
{
	const struct node *n = &w->nodes[SANDBOX];
	const char *text = slurp(0, "/proc/%d/mountinfo", (int)n->init);
	size_t markers = 0;
	char place[64], folder[128];

	if (!is_up(n))
		return false;
	for (size_t i = SHARED; i < RUNS; i++) {
		const struct run *r = &w->runs[i];
		bool there = r->bound && !n->drained;

		markers += there;
		(void)snprintf(place, sizeof place, " /workspaces/%s/sandbox ", r->name);
		if (count(text, place) != (there ? 2 : 0))
			return differs(
				"a bind and its marker at%s: seen %zu", place, count(text, place));
		(void)snprintf(folder, sizeof folder, "/local/%s%s",
			r->folder ? r->folder->name : "", place);
		if (there && !r->folder->own_fs && !strstr(text, folder))
			return differs("%s bound: seen\n%s", folder, text);
	}
	if (count(text, " kora-bind:") != markers)
		return differs("%zu markers: seen\n%s", markers, text);
	return false;
}

static bool is_exported_folder(const struct world *w, const char *name, size_t length)
{
	for (size_t i = 0; i < SHARED; i++) {
		const struct folder *f = w->runs[i].folder;

		if (w->runs[i].exported && f && strlen(f->name) == length &&
			!strncmp(f->name, name, length))
			return true;
	}
	return length == 0;
}

/* Until Linux 7 the end of an export in a folder that stays does not find a deleted file. */
static bool may_be_deleted(const struct node *n, const char *state, const char *name)
{
	unsigned major, minor;
	unsigned long inode;
	struct utsname kernel;
	struct stat st;
	char path[256];

	if (uname(&kernel) < 0 || atoi(kernel.release) >= 7 ||
		sscanf(state, "superblock: \"%x:%x:%lu", &major, &minor, &inode) != 3)
		return false;
	(void)snprintf(path, sizeof path, "/proc/%d/root/workspaces/local/%.*s", (int)n->init,
		(int)strcspn(name, "\""), name);
	return stat(path, &st) < 0 || st.st_ino != inode;
}

/* nfsd's clients: one for the one agent node, with nothing open outside of what is exported. */
bool clients_differ(struct world *w)
{
	const struct node *n = &w->nodes[SANDBOX];
	size_t clients = 0, wished = 0;
	char path[96];
	const struct dirent *entry;
	DIR *dir;

	(void)snprintf(path, sizeof path, "/proc/%d/root/proc/fs/nfsd/clients", (int)n->init);
	if (!is_up(n) || w->cut || !is_up(&w->nodes[AGENT]) || !(dir = opendir(path)))
		return false;
	for (size_t i = 0; i < SHARED; i++)
		wished += w->runs[i].mounted && !w->nodes[AGENT].drained;
	difference[0] = '\0';
	while ((entry = readdir(dir)) && !difference[0]) {
		const char *state, *s, *end;

		if (entry->d_name[0] == '.')
			continue;
		clients++;
		state = slurp(0, "%s/%s/states", path, entry->d_name);
		for (; (state = strstr(state, "superblock: ")) &&
			(s = strstr(state, "filename: \""));
			state = s) {
			s += strlen("filename: \"");
			/* The last two parts of a name; of a folder itself, whose place it begins
			 * with. */
			if (strncmp(s, "local/", strlen("local/")) == 0)
				s += strlen("local/");
			end = strpbrk(s, "/\"");
			if (end && !is_exported_folder(w, s, (size_t)(end - s)) &&
				!may_be_deleted(n, state, s))
				(void)differs(
					"no client holds what is not exported: seen %.60s", s);
		}
	}
	(void)closedir(dir);
	if (difference[0])
		return true;
	if (clients > 1)
		return differs("one agent node is one client: seen %zu", clients);
	return !wished && clients && !w->ghost &&
	       differs("no client without a mount: seen %zu", clients);
}
