/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: the kernel's NFS server, and who listens where. */
#include "mountd/ctl_doctor.h"

#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>

#include "mountd/ctl_holder.h"
#include "nfs/export.h"
#include "nfs/server_record.h"

#define NFS_PORT    2049
#define RUNTIME_DIR "/run"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && *text ? text : "-";
}

static void say_server(
	struct doctor *d, const char *state, const char *foreign, const char *const rungs[3])
{
	if (strcmp(state, "foreign") == 0)
		doctor_say(d, "server", VERDICT_FAIL,
			"another NFS server runs on this node: stop it, or keep sandboxes off it",
			"foreign: %s", foreign);
	else
		doctor_say(d, "server", VERDICT_OK, NULL,
			"%s; rungs: server %s, cache %s, revoke %s", state, rungs[0], rungs[1],
			rungs[2]);
}

static const char *or_unknown(const char *text)
{
	return text ? text : "unknown";
}

/* Looking needs a place to mount nfsd's filesystem: one that goes away with this process. */
static int private_runtime_dir(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", RUNTIME_DIR, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700") < 0)
		return -errno;
	return 0;
}

/*
 * Where a server can be ours: what it was last started with is below the daemon's socket, and may
 * be lost with a container. Returns how many.
 */
static size_t own_listeners(const struct doctor *d, struct addr ret[LISTENERS_MAX])
{
	struct addr own[DOCTOR_ADDRESSES_MAX];
	struct listeners ours = {0};
	_cleanup_free_ char *record = NULL;
	char dir[PATH_MAX];
	size_t n_own = doctor_own_addresses(own), n = 0;

	(void)snprintf(dir, sizeof dir, "%s", d->args->socket);
	server_record_read(dirname(dir), &record);
	if (record)
		server_record_listeners(record, &ours);
	for (size_t i = 0; i < n_own; i++)
		listeners_add(&ours, &own[i], d->args->port);
	for (size_t i = 0; i < ours.n; i++)
		if (ours.list[i].port == d->args->port)
			ret[n++] = ours.list[i].addr;
	return n;
}

/* The kernel's own word. Changes nothing but that nfsd is loaded. */
static int look(const struct doctor *d, struct server_status *ret, struct kerr *e)
{
	struct addr own[LISTENERS_MAX];
	struct exporter_config config = {.listen = own,
		.n_listen = own_listeners(d, own),
		.port = d->args->port,
		.threads = 1,
		.lease_seconds = NFSD_TIME_MIN,
		.grace_seconds = NFSD_TIME_MIN,
		.state_dir = "/var/lib/kora-sandbox-mount",
		.runtime_dir = RUNTIME_DIR,
		.server_scope = "doctor"};

	int r = private_runtime_dir();
	if (r < 0)
		return kerr_set(e, r, "make a mount namespace", NULL, NULL);
	return server_inspect(&config, ret, e);
}

static void say_no_module(struct doctor *d)
{
	doctor_say(d, "server", VERDICT_FAIL, "load nfsd, or use a kernel that has it",
		"this kernel offers no NFS server");
	doctor_blame_module(d, "nfsd");
}

static void say_unseen(struct doctor *d, const struct kerr *e)
{
	char text[640];
	bool denied = e->error == -EPERM || e->error == -EACCES;

	kerr_format(e, text, sizeof text);
	doctor_say(d, "server", denied ? VERDICT_WARN : VERDICT_FAIL,
		denied ? "run with CAP_SYS_ADMIN to tell"
		       : "dmesg says whether nfsd is in trouble; stop it, and ask again",
		"cannot be looked at: %s", text);
}

static void inspect_server(struct doctor *d)
{
	static const char *const states[] = {
		[SERVER_STOPPED] = "stopped", [SERVER_OURS] = "ours", [SERVER_FOREIGN] = "foreign"};
	struct server_status status = {0};
	struct kerr e = {0};

	if (look(d, &status, &e) < 0) {
		say_unseen(d, &e);
		return;
	}
	const char *const rungs[] = {or_unknown(status.server_rung), or_unknown(status.cache_rung),
		or_unknown(status.revoke_rung)};
	if (status.module_available)
		say_server(d, states[status.state], status.foreign, rungs);
	else
		say_no_module(d);
}

static bool module_is_missing(const struct doctor *d)
{
	struct server_status status = {0};
	struct kerr e = {0};

	return geteuid() == 0 && look(d, &status, &e) == 0 && !status.module_available;
}

/* What the daemon knows, and where its server does not run, whether it could. */
static void say_daemons_server(struct doctor *d, const json_t *server)
{
	const char *const rungs[] = {text_of(server, "server_rung"), text_of(server, "cache_rung"),
		text_of(server, "revoke_rung")};
	const char *state = text_of(server, "state"), *fault = text_of(server, "fault");
	bool failed = strcmp(fault, "-") != 0 && strcmp(state, "foreign") != 0;

	if (failed)
		doctor_say(d, "server", VERDICT_FAIL,
			"the daemon tries again by itself; its log has every attempt", "%s: %s",
			state, fault);
	if (strcmp(state, "stopped") == 0 && module_is_missing(d))
		say_no_module(d);
	else if (!failed)
		say_server(d, state, text_of(server, "foreign"), rungs);
}

void doctor_server(struct doctor *d)
{
	struct ctl_fault fault;
	_cleanup_json_ json_t *status = NULL;

	if (doctor_ask(d, "status", NULL, &status, &fault) == CTL_OK)
		say_daemons_server(d, json_object_get(status, "server"));
	else if (geteuid() == 0)
		inspect_server(d);
	else
		doctor_say(d, "server", VERDICT_WARN, "run as root to tell",
			"unknown without privilege and daemon");
}

static int parse_address(const char *hex, struct doctor_listener *ret)
{
	size_t digits = strlen(hex);
	struct addr addr = {.family = digits == 8 ? AF_INET : AF_INET6};
	unsigned char any = 0;

	if (digits != 8 && digits != 32)
		return -EINVAL;
	/* Each 32-bit word is printed as a number of the machine's byte order. */
	for (size_t i = 0; i < digits; i += 8) {
		char word[9] = {0}, *end;
		memcpy(word, hex + i, 8);
		uint32_t value = (uint32_t)strtoul(word, &end, 16);
		if (*end)
			return -EINVAL;
		memcpy(addr.bytes + i / 2, &value, sizeof value);
	}
	for (size_t i = 0; i < sizeof addr.bytes; i++)
		any |= addr.bytes[i];
	ret->wildcard = any == 0;
	ret->addr = addr;
	return 0;
}

int doctor_listener_parse(const char *line, struct doctor_listener *ret)
{
	struct doctor_listener l = {0};
	char hex[33];
	unsigned port, state;
	unsigned long inode;

	if (sscanf(line,
		    " %*u: %32[0-9A-F]:%4x %*32[0-9A-F]:%*x %2x %*x:%*x %*x:%*x %*x %*u %*u %lu",
		    hex, &port, &state, &inode) != 4)
		return -EINVAL;
	if (state != 0x0a) /* TCP_LISTEN */
		return -ENOENT;
	l.port = (uint16_t)port;
	l.inode = inode;
	int r = parse_address(hex, &l);
	if (r == 0)
		*ret = l;
	return r;
}

/* Who listens there, as far as this process can tell. */
static void holder_of(const struct doctor_listener *l, bool ours, char *name, size_t size)
{
	pid_t pid = ctl_socket_holder(l->inode);

	if (pid)
		ctl_process_format(pid, name, size);
	else if (ours)
		(void)snprintf(name, size, "the kernel's NFS server, ours");
	else
		(void)snprintf(name, size, "%s",
			geteuid() == 0 ? "the kernel, or a process this one cannot see"
				       : "unknown");
}

static void say_listener(struct doctor *d, const struct doctor_listener *l, bool ours)
{
	char address[ADDR_TEXT_SIZE], holder[128];

	if (l->wildcard)
		(void)snprintf(address, sizeof address, "every %s address",
			l->addr.family == AF_INET ? "IPv4" : "IPv6");
	else
		addr_format(&l->addr, address);
	holder_of(l, ours, holder, sizeof holder);
	if (l->port != d->args->port)
		doctor_say(d, "listener", VERDICT_WARN,
			"another NFS server on this node: a client may take both for one server",
			"port %u on %s: %s", l->port, address, holder);
	else if (l->wildcard)
		doctor_say(d, "listener", VERDICT_FAIL,
			"stop what holds it: ours listens on the node's own addresses only",
			"port %u on %s: %s", l->port, address, holder);
	else
		doctor_say(d, "listener", VERDICT_OK, NULL, "port %u on %s: %s", l->port, address,
			holder);
}

static json_t *listener_text(const struct listener *l)
{
	char text[ADDR_TEXT_SIZE + sizeof "tcp []:65535"];

	listener_format("tcp", l, text, sizeof text);
	return json_string(text + strlen("tcp "));
}

static bool is_among(const json_t *ours, const struct doctor_listener *l)
{
	const struct listener one = {.addr = l->addr, .port = l->port};
	_cleanup_json_ json_t *text = listener_text(&one);
	const json_t *own;
	size_t i;

	json_array_foreach(ours, i, own)
		if (json_equal(own, text))
			return true;
	return false;
}

static size_t check_table(struct doctor *d, const char *path, const json_t *ours)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0, found = 0;
	_cleanup_fclose_ FILE *file = fopen(path, "re");

	while (file && getline(&line, &size, file) >= 0) {
		struct doctor_listener l = {0};
		if (doctor_listener_parse(line, &l) < 0 ||
			(l.port != d->args->port && l.port != NFS_PORT))
			continue;
		say_listener(d, &l, is_among(ours, &l));
		found += l.port == d->args->port;
	}
	return found;
}

/* "address:port" of ours, as the daemon tells it, or where it does not answer, the kernel. */
static json_t *own_listening(const struct doctor *d)
{
	struct ctl_fault fault;
	_cleanup_json_ json_t *status = NULL;
	json_t *list = json_array();
	struct server_status seen = {0};
	struct kerr e = {0};

	if (doctor_ask(d, "status", NULL, &status, &fault) == CTL_OK) {
		const json_t *server = json_object_get(status, "server");
		if (strcmp(text_of(server, "state"), "ours") == 0)
			(void)json_array_extend(list, json_object_get(server, "listen"));
	} else if (geteuid() == 0 && look(d, &seen, &e) == 0 && seen.state == SERVER_OURS) {
		for (size_t i = 0; i < seen.own.n; i++)
			(void)json_array_append_new(list, listener_text(&seen.own.list[i]));
	}
	return list;
}

void doctor_listeners(struct doctor *d)
{
	_cleanup_json_ json_t *ours = own_listening(d);

	if (check_table(d, "/proc/net/tcp", ours) + check_table(d, "/proc/net/tcp6", ours) == 0)
		doctor_say(d, "listener", VERDICT_OK, NULL, "port %u is free", d->args->port);
}
