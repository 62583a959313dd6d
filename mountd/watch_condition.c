/* SPDX-License-Identifier: Apache-2.0 */
/* What a sandbox pod is told of its mount. */
#include "mountd/watch_condition.h"

#include <stdio.h>
#include <string.h>

#include "mountd/watch_contract.h"

static bool is_of(const struct link_run *run, const struct verdict *v)
{
	return run && strcmp(run->incarnation, v->pod->uid) == 0;
}

static void say(struct condition *c, const char *status, const char *reason, const char *message)
{
	c->status = status;
	c->reason = reason;
	(void)snprintf(c->message, sizeof c->message, "%s", message);
}

/* What is mounted stays so while its daemon starts: not to know of it is no news. */
static bool tell_mounting(
	const struct verdict *v, bool current, const char *message, struct condition *ret)
{
	if (!current && strcmp(v->pod->condition_status, "True") == 0)
		return false;
	say(ret, "False", "Mounting", message);
	return true;
}

static bool tell_wished(
	const struct verdict *v, const struct link_run *run, bool current, struct condition *ret)
{
	if (!is_of(run, v))
		return tell_mounting(v, current, "the daemon is about to mount it", ret);
	if (run->ready)
		say(ret, "True", "Mounted", "the agent sees the sandbox's folder");
	else if (*run->fault)
		say(ret, "False", "Retrying", run->fault);
	else
		return tell_mounting(v, current, "being mounted", ret);
	return true;
}

static bool tell_ending(
	const struct verdict *v, const struct link_run *run, bool current, struct condition *ret)
{
	if (is_of(run, v))
		say(ret, "False", "Unmounting", *run->fault ? run->fault : v->message);
	else if (current)
		say(ret, "False", CONDITION_UNMOUNTED, v->message);
	else
		return false;
	return true;
}

bool condition_find(
	const struct verdict *v, const struct link_run *run, bool current, struct condition *ret)
{
	if (!v->tells)
		return false;
	switch (v->kind) {
	case VERDICT_WISHED:
		return v->role == ROLE_MOUNT && tell_wished(v, run, current, ret);
	case VERDICT_ENDING:
		return v->role == ROLE_MOUNT && tell_ending(v, run, current, ret);
	case VERDICT_WAITING:
	case VERDICT_REFUSED:
		say(ret, "False", v->reason, v->message);
		return true;
	case VERDICT_ELSEWHERE:
		break;
	}
	return false;
}

static enum happening loss(const struct link_run *run)
{
	if (strcmp(run->error, "EHOSTUNREACH") == 0)
		return HAPPENED_FORCED_OFF;
	if (strcmp(run->error, "ESTALE") == 0 || strcmp(run->error, "ENOENT") == 0)
		return HAPPENED_STALE;
	return HAPPENED_LOST;
}

static enum happening wished(const struct verdict *v, const struct link_run *run, bool was_ready,
	uint64_t waited_ms, char *message, size_t size)
{
	bool mount = v->role == ROLE_MOUNT;
	const char *fault = is_of(run, v) ? run->fault : "";

	(void)snprintf(message, size, "%s", fault);
	if (is_of(run, v) && run->ready) {
		(void)snprintf(message, size, "%s%s%s", v->message,
			*run->rung ? ", by way of " : "", run->rung);
		return mount ? HAPPENED_MOUNTED : HAPPENED_EXPORTED;
	}
	if (was_ready && *fault)
		return mount ? loss(run) : HAPPENED_LOST;
	if (!was_ready && mount && waited_ms >= MOUNT_PATIENCE_MS) {
		(void)snprintf(message, size, "not mounted after %llu s%s%s",
			(unsigned long long)waited_ms / 1000, *fault ? ": " : "", fault);
		return HAPPENED_TIMED_OUT;
	}
	return *fault ? HAPPENED_FAILED : HAPPENED_NOTHING;
}

enum happening happening_find(const struct verdict *v, const struct link_run *run, bool was_ready,
	uint64_t waited_ms, char *message, size_t size)
{
	(void)snprintf(message, size, "%s", v->message);
	switch (v->kind) {
	case VERDICT_WISHED:
		return wished(v, run, was_ready, waited_ms, message, size);
	case VERDICT_REFUSED:
		/* Both nodes see it; one of them says so. */
		return v->tells ? HAPPENED_REFUSED : HAPPENED_NOTHING;
	case VERDICT_WAITING:
		/* Its agent's pod may go before the mount has. */
		if (was_ready && v->role == ROLE_MOUNT && !is_of(run, v))
			return HAPPENED_UNMOUNTED;
		if (!v->tells || was_ready || waited_ms < MOUNT_PATIENCE_MS)
			return HAPPENED_NOTHING;
		(void)snprintf(message, size, "not mounted after %llu s: %s",
			(unsigned long long)waited_ms / 1000, v->message);
		return HAPPENED_TIMED_OUT;
	case VERDICT_ENDING:
		return was_ready && v->role == ROLE_MOUNT && !is_of(run, v) ? HAPPENED_UNMOUNTED
									    : HAPPENED_NOTHING;
	case VERDICT_ELSEWHERE:
		break;
	}
	return HAPPENED_NOTHING;
}

const char *happening_reason(enum happening h, enum role role)
{
	static const char *const mount[HAPPENINGS] = {"", "SandboxExported", "SandboxMounted",
		"SandboxUnmounted", "SandboxMountRefused", "SandboxMountFailed", "SandboxMountLost",
		"SandboxMountForcedOff", "SandboxMountStale", "SandboxMountTimedOut"};
	static const char *const export[HAPPENINGS] = {"", "SandboxExported", "SandboxMounted",
		"SandboxUnexported", "SandboxExportRefused", "SandboxExportFailed",
		"SandboxExportLost", "SandboxExportLost", "SandboxExportLost",
		"SandboxExportTimedOut"};

	return role == ROLE_EXPORT ? export[h] : mount[h];
}

const char *happening_type(enum happening h)
{
	return h <= HAPPENED_UNMOUNTED ? "Normal" : "Warning";
}
