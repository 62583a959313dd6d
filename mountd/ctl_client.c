/* SPDX-License-Identifier: Apache-2.0 */
/* One request to the daemon over its SEQPACKET socket, bounded from connect to last packet. */
#include "mountd/ctl.h"

#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

#include "mountd/ctl_holder.h"

#define PACKET_MAX 65536

const char ctl_no_such_run[] = "kora-mountctl runs lists what this node knows, kora-mountctl "
			       "status the spec files that it cannot use";

int64_t ctl_now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int ctl_left_ms(int64_t deadline)
{
	int64_t left = deadline - ctl_now_ms();

	if (left <= 0)
		return 0;
	return left < INT_MAX ? (int)left : INT_MAX;
}

/* connect(2) and send(2) on AF_UNIX wait for room as long as SO_SNDTIMEO says. */
static void bound_sending(int fd, int64_t deadline)
{
	int left = ctl_left_ms(deadline);
	struct timeval timeout = {.tv_sec = left / 1000, .tv_usec = left % 1000 * 1000 + 1};

	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
}

/* The daemon of this network namespace lives, but not there. */
static int lost_socket_fault(const char *path, pid_t pid, struct ctl_fault *fault)
{
	char number[32] = "";

	if (pid)
		(void)snprintf(number, sizeof number, " (pid %d)", (int)pid);
	return ctl_fault_set(fault, CTL_UNREACHABLE,
		"restart it, which no run notices; or name its socket with --socket, if it was "
		"given another --runtime-dir",
		"the daemon runs%s, but has no socket at %s", number, path);
}

static int connect_fault(const char *path, int error, struct ctl_fault *fault)
{
	pid_t pid;

	if ((error == ENOENT || error == ECONNREFUSED) && ctl_daemon_runs(&pid))
		return lost_socket_fault(path, pid, fault);
	switch (error) {
	case ENOENT:
		return ctl_fault_set(fault, CTL_UNREACHABLE,
			"start kora-sandbox-mount on this node, or name its socket with --socket",
			"the daemon is not reachable: no socket at %s", path);
	case ECONNREFUSED:
		return ctl_fault_set(fault, CTL_UNREACHABLE,
			"start kora-sandbox-mount on this node; its log says why it ended",
			"the daemon is not reachable: nobody listens at %s", path);
	case EACCES:
		return ctl_fault_set(fault, CTL_REFUSED,
			"be root, or a member of the group that --control-group names",
			"this user may not talk to the daemon at %s", path);
	case EAGAIN:
		return ctl_fault_set(fault, CTL_TIMEOUT,
			"the daemon is overloaded or stopped: look at its log",
			"the daemon at %s took no connection in time", path);
	default:
		return ctl_fault_set(fault, CTL_UNREACHABLE, NULL, "cannot connect to %s: %s", path,
			strerror(error));
	}
}

static int connect_to(const char *path, int64_t deadline, int *ret, struct ctl_fault *fault)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof address.sun_path)
		return ctl_fault_set(fault, CTL_USAGE, NULL,
			"--socket '%s': is longer than %zu bytes", path,
			sizeof address.sun_path - 1);
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);

	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return connect_fault(path, errno, fault);
	bound_sending(fd, deadline);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return connect_fault(path, errno, fault);
	*ret = TAKE_FD(fd);
	return CTL_OK;
}

static int send_request(int fd, const json_t *request, struct ctl_fault *fault)
{
	_cleanup_free_ char *text = json_dumps(request, JSON_COMPACT);

	if (!text)
		return ctl_fault_set(fault, CTL_USAGE, NULL, "the request is not UTF-8");
	if (strlen(text) > PACKET_MAX)
		return ctl_fault_set(fault, CTL_USAGE, NULL, "the request is longer than 64 KiB");
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0 && errno != EPIPE)
		return ctl_fault_set(fault, errno == EAGAIN ? CTL_TIMEOUT : CTL_UNREACHABLE, NULL,
			"cannot send the request: %s", strerror(errno));
	return CTL_OK; /* on EPIPE the reason may still be there to be read */
}

static int receive_packet(
	int fd, int64_t deadline, char *buffer, ssize_t *ret, struct ctl_fault *fault)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int n;

	while ((n = poll(&p, 1, ctl_left_ms(deadline))) < 0 && errno == EINTR)
		;
	if (n == 0)
		return ctl_fault_set(fault, CTL_TIMEOUT,
			"nothing is undone; kora-mountctl status tells whether the daemon is well",
			"the daemon did not answer in time");
	*ret = recv(fd, buffer, PACKET_MAX, MSG_TRUNC);
	if (*ret > PACKET_MAX)
		return ctl_fault_set(
			fault, CTL_FAILED, NULL, "the daemon's answer is longer than 64 KiB");
	if (*ret <= 0)
		return ctl_fault_set(fault, CTL_UNREACHABLE,
			"be root or a member of its control group; if you are, its log says why",
			"the daemon closed the connection without an answer");
	return CTL_OK;
}

/* The run that a request is about; NULL where it is about the node. */
static const char *run_of(const json_t *request)
{
	const json_t *run = json_object_get(request, "run");

	if (!run)
		run = json_object_get(json_object_get(request, "spec"), "run");
	return json_string_value(run);
}

/* A wish outlives its failure. */
static void say_wish_stays(char *now, size_t size, bool module_missing, const char *run)
{
	(void)snprintf(now, size,
		"%sthe wish stays and is tried again: kora-mountctl describe %s shows how far it "
		"is, kora-mountctl release %s takes it back",
		module_missing ? "kora-mountctl doctor shows which module this kernel lacks; " : "",
		run, run);
}

static bool is_drain(const json_t *request)
{
	const char *verb = json_string_value(json_object_get(request, "verb"));

	return verb && strcmp(verb, "drain") == 0;
}

/* What is not done in time goes on, until it is taken back. */
static void say_goes_on(char *now, size_t size, const json_t *request, const char *run)
{
	int n = snprintf(now, size,
		"nothing is undone and it goes on: kora-mountctl %s%s shows how far it is",
		run ? "describe " : "runs", run ? run : "");

	if (json_object_get(request, "spec"))
		(void)snprintf(now + n, size - (size_t)n,
			", kora-mountctl release %s takes it back", run ? run : "RUN");
	else if (is_drain(request))
		(void)snprintf(now + n, size - (size_t)n, ", kora-mountctl resume ends it");
}

/* Whether a daemon that did not answer has taken the request is not known. */
static void add_perhaps_taken(struct ctl_fault *fault, const json_t *request)
{
	const char *run = run_of(request);
	bool wish = json_object_get(request, "spec") != NULL;
	size_t used = strlen(fault->now);

	if (wish || is_drain(request))
		(void)snprintf(fault->now + used, sizeof fault->now - used,
			"; if it has heard this, it goes on: kora-mountctl %s%s takes it back",
			wish ? "release " : "resume", wish ? run : "");
}

/* kept: the request is a wish, and a field that the refusal blames would mean that it was not
 * taken. */
static void say_now(char *now, size_t size, const char *kind, const json_t *request, bool kept)
{
	const char *run = run_of(request);

	if (strcmp(kind, "drained") == 0)
		(void)snprintf(now, size, "kora-mountctl resume ends the drained state");
	else if (strcmp(kind, "timeout") == 0)
		say_goes_on(now, size, request, run);
	else if (strcmp(kind, "not-found") == 0)
		(void)snprintf(now, size, "%s", ctl_no_such_run);
	else if (kept && run && strcmp(kind, "failed") == 0)
		say_wish_stays(now, size, false, run);
	else if (kept && run && strcmp(kind, "module-missing") == 0)
		say_wish_stays(now, size, true, run);
	else if (strcmp(kind, "module-missing") == 0)
		(void)snprintf(
			now, size, "kora-mountctl doctor shows which module this kernel lacks");
}

static int refusal_fault(const json_t *last, const json_t *request, struct ctl_fault *fault)
{
	const char *kind = json_string_value(json_object_get(last, "kind"));
	const char *message = json_string_value(json_object_get(last, "message"));
	const char *field = json_string_value(json_object_get(last, "field"));

	kind = kind ? kind : "failed";
	(void)ctl_fault_set(fault, ctl_exit_from_kind(kind), NULL, "%s", message ? message : kind);
	say_now(fault->now, sizeof fault->now, kind, request,
		!field && json_object_get(request, "spec"));
	if (field)
		(void)snprintf(fault->field, sizeof fault->field, "%s", field);
	return (int)fault->code;
}

/* *ret is the packet, parsed. */
static int receive_json(
	int fd, int64_t deadline, char *buffer, json_t **ret, struct ctl_fault *fault)
{
	ssize_t size = 0;
	int code = receive_packet(fd, deadline, buffer, &size, fault);

	if (code != CTL_OK)
		return code;
	*ret = json_loadb(buffer, (size_t)size, JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(*ret))
		return CTL_OK;
	json_decref(*ret);
	*ret = NULL;
	return ctl_fault_set(fault, CTL_FAILED,
		"daemon and kora-mountctl must be of one version (--version of both)",
		"the daemon's answer is not a JSON object");
}

static int receive_all(int fd, int64_t deadline, const json_t *request, json_t *items,
	json_t **ret_last, struct ctl_fault *fault)
{
	_cleanup_free_ char *buffer = malloc(PACKET_MAX);

	if (!buffer)
		return ctl_fault_set(fault, CTL_FAILED, NULL, "out of memory");
	for (;;) {
		_cleanup_json_ json_t *packet = NULL;
		int code = receive_json(fd, deadline, buffer, &packet, fault);
		if (code == CTL_TIMEOUT || code == CTL_UNREACHABLE)
			add_perhaps_taken(fault, request);
		if (code != CTL_OK)
			return code;
		json_t *item = json_object_get(packet, "item");
		if (json_is_object(item)) {
			(void)json_array_append(items, item);
			continue;
		}
		if (!json_is_true(json_object_get(packet, "ok")))
			return refusal_fault(packet, request, fault);
		*ret_last = TAKE_PTR(packet);
		return CTL_OK;
	}
}

int ctl_call(const char *socket, const json_t *request, int64_t deadline, json_t **ret_items,
	json_t **ret_last, struct ctl_fault *fault)
{
	_cleanup_close_ int fd = -1;
	_cleanup_json_ json_t *items = json_array();
	_cleanup_json_ json_t *last = NULL;
	int code = connect_to(socket, deadline, &fd, fault);

	if (code == CTL_OK)
		code = send_request(fd, request, fault);
	if (code == CTL_OK)
		code = receive_all(fd, deadline, request, items, &last, fault);
	if (code != CTL_OK)
		return code;
	if (ret_items)
		*ret_items = TAKE_PTR(items);
	if (ret_last)
		*ret_last = TAKE_PTR(last);
	return CTL_OK;
}
