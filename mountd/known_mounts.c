/* SPDX-License-Identifier: Apache-2.0 */
/* The mounts' ids compared with those of the last look. */
#include "mountd/known_mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mount_is_followed(const struct run *run)
{
	return run->role == ROLE_MOUNT && run->in_force;
}

static void clear_strays(struct known_mounts *k)
{
	free(k->strays);
	k->strays = NULL;
	k->n_strays = 0;
	k->all_strays = false;
}

void known_mounts_clear(struct known_mounts *k)
{
	mount_ids_clear(&k->ids);
	clear_strays(k);
}

/* Takes ids over. */
static void set_ids(struct known_mounts *k, struct mount_ids *ids)
{
	mount_ids_clear(&k->ids);
	k->ids = *ids;
	*ids = (struct mount_ids){0};
	k->passing = false;
}

/* The run that a mount of ours says it is of, or NULL. */
static const char *name_in(const struct actual_mount *m, struct run_id *id)
{
	const char *marked;

	if (actual_mount_is_ours(m, id, NULL, NULL))
		return id->run;
	return actual_mount_is_marker(m, &marked) ? marked : NULL;
}

static void add_stray(struct known_mounts *k, const char *name)
{
	char(*strays)[NAME_MAX_LENGTH + 1] =
		reallocarray(k->strays, k->n_strays + 1, sizeof *strays);

	if (!strays) {
		k->all_strays = true;
		return;
	}
	k->strays = strays;
	(void)snprintf(strays[k->n_strays++], sizeof *strays, "%s", name);
}

void known_mounts_read(struct known_mounts *k, struct mount_ids *ids,
	const struct actual_mounts *mounts, const struct runs *runs)
{
	set_ids(k, ids);
	clear_strays(k);
	for (size_t i = 0; i < mounts->n; i++) {
		struct run_id id;
		const char *name = name_in(&mounts->list[i], &id);
		const struct run *run = name ? runs_find(runs, name, ROLE_MOUNT) : NULL;

		/* One that was lost may be elsewhere. */
		if (name && !(run && mount_is_followed(run) && run->mount_id == mounts->list[i].id))
			add_stray(k, name);
	}
	for (size_t i = 0; i < runs->n; i++) {
		struct run *run = runs->list[i];

		if (run->replaced)
			run->replaced = false;
		/* The table is younger than the ids: by those it comes at the next look. */
		if (k->ids.n && run->looked_at && !mount_ids_have(&k->ids, run->unique_id))
			run_look_again(run);
	}
}

/* Those that came are few, or else the table is the quicker way; others are looked for in now. */
#define CHANGED_MAX 32

struct changed {
	uint64_t came[CHANGED_MAX], went[CHANGED_MAX];
	size_t n_came, n_went;
};

/* Ids only grow: what has changed is most often near the end. */
static size_t count_equal(const struct mount_ids *a, const struct mount_ids *b)
{
	enum { AT_ONCE = 64 };
	size_t n = 0;

	while (n + AT_ONCE <= a->n && n + AT_ONCE <= b->n &&
		memcmp(a->list + n, b->list + n, AT_ONCE * sizeof *a->list) == 0)
		n += AT_ONCE;
	return n;
}

/* False: more came than can be told of. */
static bool compare(
	const struct mount_ids *before, const struct mount_ids *now, struct changed *changed)
{
	size_t b = count_equal(before, now), n = b;

	changed->n_came = changed->n_went = 0;
	while (b < before->n || n < now->n) {
		if (b < before->n && n < now->n && before->list[b] == now->list[n]) {
			b++;
			n++;
		} else if (n == now->n || (b < before->n && before->list[b] < now->list[n])) {
			if (changed->n_went < CHANGED_MAX)
				changed->went[changed->n_went] = before->list[b];
			changed->n_went++;
			b++;
		} else {
			if (changed->n_came == CHANGED_MAX)
				return false;
			changed->came[changed->n_came++] = now->list[n++];
		}
	}
	return true;
}

/* Takes a run's own off the list. */
static bool take_own(struct changed *changed, const struct run *run)
{
	if (run->role != ROLE_MOUNT)
		return false;
	for (size_t i = 0; i < changed->n_came; i++) {
		if (changed->came[i] != run->unique_id)
			continue;
		changed->came[i] = changed->came[--changed->n_came];
		return true;
	}
	return false;
}

/*
 * A mount that came into force must have come since the last look: what was put on top of it
 * before then would be no stranger any more. False: some run's has not, or has no id.
 */
static bool explain(struct changed *changed, const struct runs *runs)
{
	for (const struct run *run = runs->first; run; run = run->next) {
		bool came_now = take_own(changed, run);

		if (mount_is_followed(run) && (!run->unique_id || !(run->looked_at || came_now)))
			return false;
	}
	return true;
}

/* Of one that was there at the last look, or has come since. */
static bool is_gone(const struct changed *changed, const struct mount_ids *now, uint64_t id)
{
	if (changed->n_went > CHANGED_MAX)
		return !mount_ids_have(now, id);
	for (size_t i = 0; i < changed->n_went; i++)
		if (changed->went[i] == id)
			return true;
	return false;
}

static void lose_gone(const struct changed *changed, const struct mount_ids *now,
	const struct runs *runs, void (*lost)(struct run *run))
{
	for (size_t i = 0; changed->n_went && i < runs->n; i++)
		if (is_gone(changed, now, runs->list[i]->unique_id) &&
			mount_is_followed(runs->list[i]))
			lost(runs->list[i]);
}

enum known_look known_mounts_look(struct known_mounts *k, struct mount_ids *now,
	const struct runs *runs, void (*lost)(struct run *run))
{
	struct changed changed;

	/* The same as before, and yet something has changed: moved, perhaps. */
	if (!k->ids.n || !now->n || !compare(&k->ids, now, &changed) ||
		(!changed.n_came && !changed.n_went && !k->passing) || !explain(&changed, runs))
		return KNOWN_NOTHING;
	lose_gone(&changed, now, runs, lost);
	if (changed.n_came)
		return KNOWN_STRANGER;
	set_ids(k, now);
	for (struct run *run = runs->first; run; run = run->next)
		if (mount_is_followed(run))
			run->looked_at = true;
	return KNOWN_ALL;
}

static bool is_stray(const struct known_mounts *k, const char *name)
{
	for (size_t i = 0; i < k->n_strays; i++)
		if (strcmp(k->strays[i], name) == 0)
			return true;
	return k->all_strays;
}

uint64_t known_mounts_only(struct known_mounts *k, const struct mount_ids *now,
	const struct runs *runs, const struct run *run)
{
	struct changed changed = {0};

	if (!k->ids.n || (now && !now->n) || !run->unique_id || run->replaced ||
		is_stray(k, run->name) || (now && !compare(&k->ids, now, &changed)))
		return 0;
	for (const struct run *other = runs->first; other && changed.n_came; other = other->next)
		(void)take_own(&changed, other);
	if (changed.n_came)
		return 0;
	k->passing |= !mount_ids_have(&k->ids, run->unique_id);
	return run->unique_id;
}
