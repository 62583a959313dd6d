/* SPDX-License-Identifier: Apache-2.0 */
/* One round of looks at the mounts of one server. */
#include "mountd/mount_looks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool is_of(const struct run *run, const struct addr *server, uint16_t port)
{
	const struct mount *m = &run->held_mount;

	return run->role == ROLE_MOUNT && run->state == RUN_READY && run->busy == BUSY_NOT &&
	       run->in_force && run->holds_mount && run->mount_id && run->mounted_at &&
	       m->kind == MOUNT_NFS && m->port == port && addr_equal(&m->server, server);
}

static bool is_wanted(const struct run *run, const struct addr *server, uint16_t port, bool doubted)
{
	return is_of(run, server, port) && (run->doubted || !doubted);
}

static void add(struct mount_looks *looks, const struct run *run)
{
	struct look_at *look = &looks->list[looks->n++];

	memcpy(look->run, run->name, sizeof look->run);
	look->mount_id = run->mount_id;
	look->at = run->mounted_at;
}

int mount_looks_new(const struct runs *runs, const struct addr *server, uint16_t port, bool doubted,
	const char *after, struct mount_looks *ret)
{
	struct mount_looks looks = {0};
	size_t n = 0, first = 0;

	for (size_t i = 0; i < runs->n; i++) {
		n += is_wanted(runs->list[i], server, port, doubted);
		first += strcmp(runs->list[i]->name, after) <= 0;
	}
	*ret = looks;
	if (!n)
		return 0;
	looks.list = calloc(n, sizeof *looks.list);
	if (!looks.list)
		return -ENOMEM;
	for (size_t i = 0; i < runs->n; i++) {
		const struct run *run = runs->list[(first + i) % runs->n];

		if (is_wanted(run, server, port, doubted))
			add(&looks, run);
	}
	looks.seen = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (looks.seen == MAP_FAILED) {
		free(looks.list);
		return -errno;
	}
	*ret = looks;
	return 0;
}

void mount_looks_clear(struct mount_looks *looks)
{
	if (looks->seen)
		(void)munmap(looks->seen, looks->n);
	free(looks->list);
	*looks = (struct mount_looks){0};
}

void mount_looks_run(const struct mount_looks *looks, mount_look_fn *look, uint64_t until_ms)
{
	for (size_t i = 0; i < looks->n && loop_clock_ms() < until_ms; i++) {
		int error;

		looks->seen[i] = LOOK_UNDER_WAY;
		error = look(looks->list[i].at, looks->list[i].mount_id);
		looks->seen[i] = error == 0	    ? LOOK_ANSWERS
				 : error == -ESTALE ? LOOK_REFUSED
						    : LOOK_UNKNOWN;
	}
}

/* Meanwhile it may be another mount, or none. True: it is refused for the first time. */
static bool take(struct run *run, const struct look_at *looked, enum look seen,
	void (*refused)(struct run *run))
{
	if (!run || run->state != RUN_READY || run->busy != BUSY_NOT || !run->in_force ||
		run->mount_id != looked->mount_id)
		return false;
	if (seen == LOOK_ANSWERS && run->doubted)
		run->doubted = false;
	if (seen != LOOK_REFUSED)
		return false;
	if (!run->doubted) {
		run->doubted = true;
		return true;
	}
	run->doubted = false;
	refused(run);
	return false;
}

struct looks_seen mount_looks_take(
	const struct mount_looks *looks, const struct runs *runs, void (*refused)(struct run *run))
{
	struct looks_seen result = {.all = true};

	for (size_t i = 0; i < looks->n; i++) {
		const struct look_at *looked = &looks->list[i];
		enum look seen = looks->seen[i];

		result.doubts |=
			take(runs_find(runs, looked->run, ROLE_MOUNT), looked, seen, refused);
		if (seen != LOOK_NOT) {
			result.last = looked->run;
			result.looked++;
		}
		if (seen == LOOK_UNDER_WAY)
			result.hung = looked->run;
		result.all &= seen > LOOK_UNDER_WAY;
	}
	return result;
}
