/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl wait: returns when a run's folder is mounted and answers. No daemon, no privilege.
 */
#include "mountd/ctl.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#include "nfs/actual.h"

#define LOOK_AGAIN_MS \
	1000		   /* for what mountinfo does not tell: a renamed folder, a server's mood \
			    */
#define ABANDONED_MAX  16  /* children left hanging before only mountinfo is watched */
#define HANGS_AFTER_MS 200 /* a child younger than this may just be on its way */
#define MOUNT_ID_NONE  UINT64_MAX

enum seen { SEEN_NOTHING, SEEN_SILENT, SEEN_FAULTY, SEEN_FOREIGN, SEEN_READY };
static const char *const seen_names[] = {"nothing", "silent", "faulty", "foreign", "ready"};

struct wait {
	const char *path;
	const char *run; /* NULL: whatever is mounted at path */
	int mountinfo;
	struct ctl_child child;
	struct ctl_probe_report report; /* the newest of the child, or of the one before */
	int64_t child_began;
	uint64_t child_saw; /* the mount at the target when the child began */
	unsigned abandoned;
	int64_t look_again;
	/* What is there, for the result. */
	enum seen seen;
	bool is_nfs;
	bool is_deleted;  /* what a bind shows */
	struct run_id id; /* empty for a bind */
	char source[512];
	char fstype[32];
};

static const char *target_of(const struct wait *w)
{
	return w->report.target[0] ? w->report.target : w->path;
}

/* The topmost mount exactly at the target; MOUNT_ID_NONE where nothing is. */
static uint64_t mount_id_at_target(const struct wait *w)
{
	struct actual_mounts mounts = {0};

	if (actual_mounts_read(w->mountinfo, &mounts) < 0)
		return MOUNT_ID_NONE;
	const struct actual_mount *m = actual_mounts_at(&mounts, target_of(w));
	uint64_t id = m ? m->id : MOUNT_ID_NONE;
	actual_mounts_clear(&mounts);
	return id;
}

/* An NFS mount must be one of ours and of the run asked for; anything else local is a bind. */
static enum seen judge(struct wait *w, const struct actual_mount *m)
{
	struct addr server;
	uint16_t port;
	struct run_id id = {0};

	(void)snprintf(w->source, sizeof w->source, "%s", m->source);
	(void)snprintf(w->fstype, sizeof w->fstype, "%s", m->fstype);
	w->is_nfs = strncmp(m->fstype, "nfs", 3) == 0;
	if (strcmp(m->fstype, "autofs") == 0)
		return SEEN_FOREIGN;
	w->is_deleted = actual_mount_is_deleted(m);
	if (!w->is_nfs)
		return w->is_deleted ? SEEN_FAULTY : SEEN_READY;
	if (!actual_mount_is_ours(m, &id, &server, &port))
		return SEEN_FOREIGN;
	w->id = id;
	return !w->run || strcmp(id.run, w->run) == 0 ? SEEN_READY : SEEN_FOREIGN;
}

static enum seen judge_target(struct wait *w)
{
	struct actual_mounts mounts = {0};
	enum seen seen = SEEN_NOTHING;

	if (actual_mounts_read(w->mountinfo, &mounts) < 0)
		return SEEN_NOTHING;
	const struct actual_mount *m = actual_mounts_at(&mounts, target_of(w));
	if (m)
		seen = judge(w, m);
	/* Replaced since the child looked: what answered is not what is there. */
	if (m && seen == SEEN_READY && (!w->report.is_mount || m->id != w->report.mount_id)) {
		seen = SEEN_SILENT;
		w->look_again = 0;
	}
	actual_mounts_clear(&mounts);
	return seen;
}

/* What the child's last word and mountinfo amount to. */
static enum seen judge_all(struct wait *w)
{
	const struct ctl_probe_report *r = &w->report;
	enum seen seen = judge_target(w);

	if (seen == SEEN_FOREIGN)
		return seen;
	if (w->child.pid && ctl_now_ms() - w->child_began > HANGS_AFTER_MS)
		return SEEN_SILENT;
	if (r->error)
		return r->error == -ENOENT || r->error == -ENOTDIR ? SEEN_NOTHING : SEEN_FAULTY;
	return r->is_mount ? seen : SEEN_NOTHING;
}

static int start_child(struct wait *w)
{
	int r;

	if (w->child.pid && ++w->abandoned > ABANDONED_MAX)
		return 0;
	ctl_child_end(&w->child);
	w->child_began = ctl_now_ms();
	w->child_saw = mount_id_at_target(w);
	r = ctl_probe_start(&w->child, w->path);
	w->look_again = w->child_began + LOOK_AGAIN_MS;
	return r;
}

/* True when the child has nothing more to say. */
static bool take_reports(struct wait *w)
{
	int r;

	while ((r = ctl_probe_read(&w->child, &w->report)) > 0)
		if (w->report.error || w->report.stage == CTL_PROBE_ANSWERED)
			break;
	if (r == 0)
		return false;
	ctl_child_end(&w->child);
	return true;
}

/* A hanging child is replaced only when what it hangs on was replaced. */
static bool child_is_outdated(const struct wait *w)
{
	return w->child.pid && mount_id_at_target(w) != w->child_saw;
}

static int poll_once(struct wait *w, int64_t deadline, bool *ret_changed)
{
	struct pollfd fds[] = {
		{.fd = w->mountinfo, .events = POLLPRI}, {.fd = w->child.fd, .events = POLLIN}};
	int timeout = ctl_left_ms(deadline);

	if (!w->child.pid) {
		int pause = ctl_left_ms(w->look_again);
		timeout = pause < timeout ? pause : timeout;
	}
	int r = poll(fds, 2, timeout);
	*ret_changed = r > 0 && fds[0].revents;
	return r < 0 && errno != EINTR ? -errno : 0;
}

static int wait_until(struct wait *w, int64_t deadline)
{
	int r = start_child(w);

	while (r >= 0 && ctl_left_ms(deadline) > 0) {
		bool changed = false;
		r = poll_once(w, deadline, &changed);
		if (r < 0)
			break;
		if (w->child.pid && take_reports(w) && (w->seen = judge_all(w)) == SEEN_READY)
			return 0;
		if (child_is_outdated(w) ||
			(!w->child.pid && (changed || ctl_left_ms(w->look_again) == 0)))
			r = start_child(w);
	}
	if (r >= 0)
		w->seen = judge_all(w);
	return r;
}

static void print_ready(const struct ctl_args *args, const struct wait *w, int64_t took_ms)
{
	_cleanup_json_ json_t *result = json_pack("{s:s, s:b, s:s, s:s, s:s, s:I}", "path",
		target_of(w), "ready", 1, "kind", w->is_nfs ? "mount" : "bind", "fstype", w->fstype,
		"source", w->source, "waited_ms", (json_int_t)took_ms);

	if (w->id.run[0]) {
		(void)json_object_set_new(result, "run", json_string(w->id.run));
		(void)json_object_set_new(result, "incarnation", json_string(w->id.incarnation));
	}
	if (args->json)
		ctl_print_json(result);
	else
		printf("%s is ready: %s %s, after %lld ms\n", target_of(w), w->fstype, w->source,
			(long long)took_ms);
}

static void describe_nothing(const struct wait *w, char *text, size_t size)
{
	const struct ctl_probe_report *r = &w->report;

	if (r->error)
		(void)snprintf(text, size, "it does not exist");
	else
		(void)snprintf(text, size, "nothing is mounted there");
}

static void describe_faulty(const struct wait *w, char *text, size_t size)
{
	const char *reason = strerror(-w->report.error);

	if (!w->report.error)
		(void)snprintf(text, size, "what is bound there was deleted");
	else if (w->report.stage == CTL_PROBE_ANSWERED)
		(void)snprintf(text, size, "%s %s is mounted there but answers: %s", w->fstype,
			w->source, reason);
	else
		(void)snprintf(text, size, "it cannot be opened: %s", reason);
}

static void describe_silent(const struct wait *w, char *text, size_t size)
{
	if (w->fstype[0])
		(void)snprintf(text, size, "%s %s is mounted there but does not answer", w->fstype,
			w->source);
	else
		(void)snprintf(text, size, "looking at it does not end: a folder above it hangs");
}

static void describe(const struct wait *w, char *text, size_t size)
{
	switch (w->seen) {
	case SEEN_SILENT:
		describe_silent(w, text, size);
		break;
	case SEEN_FAULTY:
		describe_faulty(w, text, size);
		break;
	case SEEN_FOREIGN:
		(void)snprintf(text, size, "%s %s is mounted there, which is not %s", w->fstype,
			w->source, w->run ? w->run : "one of our exports");
		break;
	default:
		describe_nothing(w, text, size);
		break;
	}
}

/* A path may belong to no run: then the node's list is what there is to look at. */
static void advise(const struct ctl_args *args, const struct wait *w, char *now, size_t size)
{
	const char *look = w->run ? "describe " : "runs", *run = w->run ? w->run : "";

	switch (w->seen) {
	case SEEN_SILENT:
		(void)snprintf(now, size,
			"the server is down or cut off: kora-mountctl status and %s%s on this node "
			"say since when, status and doctor on the server's why",
			look, run);
		break;
	case SEEN_FAULTY:
		(void)snprintf(now, size,
			"kora-mountctl %s%s on this node says what the daemon does about it", look,
			run);
		break;
	case SEEN_FOREIGN:
		(void)snprintf(now, size, "unmount it, or wait for another path");
		break;
	default:
		(void)snprintf(now, size,
			"kora-mountctl %s%s on the agent node says what it waits for%s", look, run,
			w->run && !args->volume
				? "; where --volume of its mount is another than " CTL_VOLUME
				  ", wait needs it too"
				: "");
		break;
	}
}

static int timeout_fault(const struct ctl_args *args, const struct wait *w, struct ctl_fault *fault)
{
	char text[1024], now[512];

	describe(w, text, sizeof text);
	advise(args, w, now, sizeof now);
	(void)ctl_fault_set(fault, CTL_TIMEOUT, now, "wait %s: %s is not ready after %u s: %.800s",
		args->operand, w->path, args->timeout, text);
	fault->seen = seen_names[w->seen];
	return CTL_TIMEOUT;
}

static int wait_for(
	const struct ctl_args *args, const char *path, const char *run, struct ctl_fault *fault)
{
	int64_t began = ctl_now_ms();
	_cleanup_close_ int mountinfo = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (mountinfo < 0)
		return ctl_fault_set(fault, CTL_FAILED, "mount /proc",
			"wait %s: cannot read /proc/self/mountinfo: %s", args->operand,
			strerror(errno));

	struct wait w = {.path = path, .run = run, .mountinfo = mountinfo, .child = CTL_CHILD_NONE};
	int r = wait_until(&w, began + args->timeout * 1000LL);
	ctl_child_end(&w.child);
	if (r < 0)
		return ctl_fault_set(fault, CTL_FAILED, NULL, "wait %s: cannot look at %s: %s",
			args->operand, path, strerror(-r));
	if (w.seen != SEEN_READY)
		return timeout_fault(args, &w, fault);
	print_ready(args, &w, ctl_now_ms() - began);
	return CTL_OK;
}

int ctl_wait(const struct ctl_args *args, struct ctl_fault *fault)
{
	char path[PATH_MAX];
	const char *volume = args->volume ? args->volume : CTL_VOLUME;

	if (strchr(args->operand, '/')) {
		if (args->volume)
			return ctl_fault_set(fault, CTL_USAGE, NULL,
				"wait %s: --volume goes with a run's name, not with a path",
				args->operand);
		return wait_for(args, args->operand, NULL, fault);
	}
	if (snprintf(path, sizeof path, "%s/%s/sandbox", strcmp(volume, "/") == 0 ? "" : volume,
		    args->operand) >= (int)sizeof path)
		return ctl_fault_set(
			fault, CTL_USAGE, NULL, "wait %s: --volume is too long", args->operand);
	return wait_for(args, path, args->operand, fault);
}
