/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of this node: kept sorted, each moved through its table of states. */
#include "mountd/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/slab.h"

/* Workers are told what they need: they see no run. */
static struct slab memory = {.size = sizeof(struct run)};

static uint64_t serial;

/* Counts from the clock, so that a number from before a restart is none of now. */
static void touch(void)
{
	struct timespec now;

	if (!serial) {
		(void)clock_gettime(CLOCK_REALTIME, &now);
		serial = (uint64_t)now.tv_sec << 24;
	}
	serial++;
}

uint64_t runs_serial(void)
{
	if (!serial)
		touch();
	return serial;
}

static int compare(const struct run *run, const char *name, enum role role)
{
	int order = strcmp(run->name, name);

	return order ? order : (int)run->role - (int)role;
}

static size_t position(const struct runs *runs, const char *name, enum role role)
{
	size_t low = 0, high = runs->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(runs->list[middle], name, role) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct run *runs_find(const struct runs *runs, const char *name, enum role role)
{
	size_t at = position(runs, name, role);

	return at < runs->n && compare(runs->list[at], name, role) == 0 ? runs->list[at] : NULL;
}

static void wake(struct run *run)
{
	struct runs *runs = run->runs;

	if (run->awake)
		return;
	run->awake = true;
	runs->n_resting[run->role]--;
	run->next = NULL;
	run->before = runs->last;
	*(runs->last ? &runs->last->next : &runs->first) = run;
	runs->last = run;
}

static void sleep_now(struct run *run)
{
	struct runs *runs = run->runs;

	run->awake = false;
	runs->n_resting[run->role]++;
	*(run->before ? &run->before->next : &runs->first) = run->next;
	*(run->next ? &run->next->before : &runs->last) = run->before;
}

void run_rest(struct run *run)
{
	if (run->awake)
		sleep_now(run);
}

void run_look_again(struct run *run)
{
	wake(run);
	run->looked_at = false;
}

struct run *runs_find_or_add(struct runs *runs, const char *name, enum role role)
{
	size_t at = position(runs, name, role);
	struct run *run;

	if (at < runs->n && compare(runs->list[at], name, role) == 0)
		return runs->list[at];
	if (runs->n == runs->room) {
		size_t room = runs->room ? 2 * runs->room : 16;
		struct run **list = reallocarray(runs->list, room, sizeof *list);

		if (!list)
			return NULL;
		runs->list = list;
		runs->room = room;
	}
	run = slab_take(&memory);
	if (!run)
		return NULL;
	memcpy(run->name, name, strnlen(name, NAME_MAX_LENGTH));
	run->role = role;
	run->runs = runs;
	runs->n_resting[role]++;
	wake(run);
	run->state = RUN_GONE;
	run->since = time(NULL);
	memmove(&runs->list[at + 1], &runs->list[at], (runs->n - at) * sizeof(struct run *));
	runs->list[at] = run;
	runs->n++;
	return run;
}

static void clear_held(struct held_export *held)
{
	export_clear(&held->export);
	cleanup_close(&held->folder);
	free(held->dropped);
}

static void free_run(struct run *run)
{
	while (run->n_held)
		clear_held(&run->held[--run->n_held]);
	free(run->held);
	mount_clear(&run->held_mount);
	free(run->mounted_at);
	spec_clear(&run->wish);
	spec_clear(&run->want);
	spec_clear(&run->trying);
	free(run->fault);
	slab_give(&memory, run);
}

void runs_drop(struct runs *runs, struct run *run)
{
	size_t at = position(runs, run->name, run->role);

	touch();
	run_rest(run);
	runs->n_resting[run->role]--;
	runs->left++;
	runs->n--;
	memmove(&runs->list[at], &runs->list[at + 1], (runs->n - at) * sizeof(struct run *));
	free_run(run);
}

struct reconcile_view run_view(const struct run *run, bool suspect, bool lost)
{
	return (struct reconcile_view){
		.role = run->role,
		.wished = run->wished,
		.want = run->possible ? &run->want : NULL,
		.busy = run->busy,
		.trying = run->busy == BUSY_BUILDING ? &run->trying : NULL,
		.stuck = run->stuck,
		.attempts = run->attempts,
		.end_failures = run->end_failures,
		.not_before_ms = run->not_before_ms,
		.held = run->held,
		.n_held = run->n_held,
		.held_mount = run->holds_mount ? &run->held_mount : NULL,
		.in_force = run->in_force,
		.suspect = suspect,
		.lost = lost,
	};
}

void run_event(struct run *run, enum run_event event)
{
	enum run_state next = run->state;

	if (run_state_next(run->state, event, &next) < 0 || next == run->state)
		return;
	touch();
	wake(run);
	run->state = next;
	run->since = time(NULL);
}

static int replace(struct run *run, bool *has, struct spec *mine, const struct spec *spec)
{
	struct spec copy = {0};
	int r;

	if (!spec && !*has)
		return 0;
	if (spec && *has && spec_equal(mine, spec))
		return 0;
	if (spec) {
		r = spec_copy(spec, &copy);
		if (r < 0)
			return r;
	}
	touch();
	wake(run);
	run->runs->left += *has;
	spec_clear(mine);
	*mine = copy;
	*has = spec != NULL;
	return 1;
}

int run_set_wish(struct run *run, const struct spec *spec)
{
	int r = replace(run, &run->wished, &run->wish, spec);

	if (r <= 0)
		return r;
	run->attempts = 0;
	run->end_failures = 0;
	run->not_before_ms = 0;
	run_clear_fault(run);
	run_event(run, spec ? EVENT_WISH : EVENT_UNWISH);
	return 1;
}

int run_set_want(struct run *run, const struct spec *spec)
{
	return replace(run, &run->possible, &run->want, spec);
}

bool run_set_fault(struct run *run, int error, const char *fault)
{
	bool is_new = !run->fault || strcmp(run->fault, fault) != 0;

	run->fault_error = error;
	if (is_new) {
		touch();
		free(run->fault);
		run->fault = strdup(fault);
		run->gone = false;
	}
	return is_new;
}

void run_clear_fault(struct run *run)
{
	if (run->fault)
		touch();
	free(run->fault);
	run->fault = NULL;
	run->fault_error = 0;
	run->gone = false;
}

static size_t pick_dropped(
	const struct addr *from, size_t n, const struct export *stays, struct addr *to)
{
	size_t picked = 0;

	for (size_t i = 0; i < n; i++)
		if (!export_lists_client(stays, &from[i]))
			to[picked++] = from[i];
	return picked;
}

/* fresh replaces held, and what clients have held by that may outlive their being listed. */
static int keep_dropped(const struct held_export *held, struct held_export *fresh)
{
	const struct export *old = &held->export;
	struct addr *list = calloc(old->n_clients + held->n_dropped + 1, sizeof *list);

	if (!list)
		return -ENOMEM;
	fresh->dropped = list;
	fresh->n_dropped = pick_dropped(old->clients, old->n_clients, &fresh->export, list);
	fresh->n_dropped += pick_dropped(
		held->dropped, held->n_dropped, &fresh->export, list + fresh->n_dropped);
	return 0;
}

static int replace_held(struct held_export *held, struct held_export *fresh)
{
	int r = keep_dropped(held, fresh);

	if (r < 0)
		return r;
	fresh->former |= held->former || !held->served;
	clear_held(held);
	*held = *fresh;
	return 0;
}

static int add_held(struct run *run, const struct held_export *fresh)
{
	struct held_export *held = reallocarray(run->held, run->n_held + 1, sizeof *held);

	if (!held)
		return -ENOMEM;
	run->held = held;
	run->held[run->n_held++] = *fresh;
	return 0;
}

int run_hold_export(struct run *run, const struct export *export, bool served)
{
	struct held_export fresh = {
		.served = served, .former = !served, .folder = -1, .recorded = true};
	struct held_export *old = run_find_held(run, &export->id);
	int r = export_copy(export, &fresh.export);

	if (r < 0)
		return r;
	wake(run);
	r = old ? replace_held(old, &fresh) : add_held(run, &fresh);
	if (r < 0)
		clear_held(&fresh);
	return r;
}

struct held_export *run_find_held(struct run *run, const struct run_id *id)
{
	wake(run); /* it may be changed */
	for (size_t i = 0; i < run->n_held; i++)
		if (run_id_equal(&run->held[i].export.id, id))
			return &run->held[i];
	return NULL;
}

void run_drop_export(struct run *run, const struct run_id *id)
{
	for (size_t i = 0; i < run->n_held; i++) {
		if (!run_id_equal(&run->held[i].export.id, id))
			continue;
		wake(run);
		clear_held(&run->held[i]);
		run->held[i] = run->held[--run->n_held];
		return;
	}
}

int run_hold_mount(struct run *run, const struct mount *mount)
{
	struct mount copy;
	char *mounted_at;
	int r = mount_copy(mount, &copy);

	if (r < 0)
		return r;
	run->replaced |= run->mount_id != 0;
	mounted_at = TAKE_PTR(run->mounted_at); /* until it is known to be gone */
	run_drop_mount(run);
	run->mounted_at = mounted_at;
	run->held_mount = copy;
	run->holds_mount = true;
	return 0;
}

void run_drop_mount(struct run *run)
{
	wake(run);
	run->runs->left++;
	mount_clear(&run->held_mount);
	run->holds_mount = false;
	run->in_force = run->looked_at = run->doubted = false;
	run->mount_id = run->unique_id = 0;
	free(TAKE_PTR(run->mounted_at));
	run->inherited = false;
}

bool run_is_served(const struct run *run)
{
	for (size_t i = 0; run->possible && i < run->n_held; i++)
		if (run->held[i].served && !run->held[i].quiesced && !run->held[i].remade &&
			export_equal(&run->held[i].export, &run->want.export))
			return true;
	return false;
}

bool run_may_rest(const struct run *run)
{
	if (!run->possible || run->state != RUN_READY || run->busy != BUSY_NOT || run->stuck)
		return false;
	if (run->role == ROLE_EXPORT)
		return run->n_held == 1 && !run->held[0].remade && !run->held[0].n_dropped &&
		       run_is_served(run);
	return run->in_force && run->looked_at && run->holds_mount &&
	       mount_equal(&run->held_mount, &run->want.mount);
}
