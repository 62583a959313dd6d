/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's command line: one table for parsing, checking and help. */
#include "mountd/options.h"

#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/parse.h"
#include "nfs/export.h"
#include "nfs/mount.h"

static const char *add_listen(struct options *o, const char *value)
{
	struct addr addr;

	if (o->n_listen == LISTEN_MAX)
		return "given more than 64 times";
	if (addr_parse(value, &addr) < 0)
		return "not an IPv4 or IPv6 address of one host (no wildcard, no link-local "
		       "address, no name)";
	for (size_t i = 0; i < o->n_listen; i++)
		if (addr_equal(&o->listen[i], &addr))
			return "given twice";
	o->listen[o->n_listen++] = addr;
	return NULL;
}

/* Kubernetes gives a node's addresses as one word with commas. */
static const char *set_listen(void *data, const char *value)
{
	struct options *o = data;
	const char *fault = NULL;

	for (;;) {
		size_t length = strcspn(value, ",");
		_cleanup_free_ char *one = strndup(value, length);

		fault = one ? add_listen(o, one) : "out of memory";
		if (fault || !value[length])
			return fault;
		value += length + 1;
	}
}

static int number(const char *value, unsigned min, unsigned max, unsigned *ret)
{
	uint64_t n;
	int r = parse_unsigned(value, min, max, &n);

	if (r == 0)
		*ret = (unsigned)n;
	return r;
}

static const char *set_port(void *data, const char *value)
{
	struct options *o = data;
	unsigned port = 0;

	if (number(value, 1, 65535, &port) < 0)
		return "not a port from 1 to 65535";
	o->port = (uint16_t)port;
	return NULL;
}

static const char *set_threads(void *data, const char *value)
{
	struct options *o = data;

	return number(value, 1, 256, &o->threads) < 0 ? "not a number from 1 to 256" : NULL;
}

static const char *set_lease(void *data, const char *value)
{
	struct options *o = data;

	if (number(value, NFSD_TIME_MIN, NFSD_TIME_MAX, &o->lease_seconds) < 0)
		return "not a number of seconds from 10 to 3600, which is what the kernel takes";
	return NULL;
}

static const char *set_grace(void *data, const char *value)
{
	struct options *o = data;

	if (number(value, NFSD_TIME_MIN, NFSD_TIME_MAX, &o->grace_seconds) < 0)
		return "not a number of seconds from 10 to 3600, which is what the kernel takes";
	return NULL;
}

static const char *set_state_dir(void *data, const char *value)
{
	struct options *o = data;

	o->state_dir = value;
	return path_absolute_fault(value);
}

/* The control socket's name has to fit sun_path. */
static const char *set_runtime_dir(void *data, const char *value)
{
	struct options *o = data;

	o->runtime_dir = value;
	return strlen(value) > 80 ? "longer than 80 characters" : path_absolute_fault(value);
}

static const char *set_spec_dir(void *data, const char *value)
{
	struct options *o = data;

	o->spec_dir = value;
	return path_absolute_fault(value);
}

static const char *set_control_group(void *data, const char *value)
{
	struct options *o = data;

	o->control_group = value;
	return *value ? NULL : "empty";
}

static const char *set_node_name(void *data, const char *value)
{
	struct options *o = data;

	if (node_name_check(value) < 0)
		return "not 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'";
	(void)snprintf(o->node_name, sizeof o->node_name, "%s", value);
	return NULL;
}

static const char *set_mount_timeout(void *data, const char *value)
{
	struct options *o = data;

	if (number(value, 1, 3600, &o->mount_timeout_seconds) < 0)
		return "not a number of seconds from 1 to 3600";
	return NULL;
}

static const char *set_lost_after(void *data, const char *value)
{
	struct options *o = data;

	if (number(value, 5, 3600, &o->lost_after_seconds) < 0)
		return "not a number of seconds from 5 to 3600";
	return NULL;
}

static const struct {
	const char *name;
	unsigned export_rung, mount_rung;
} rungs[] = {
	{"netlink-server", EXPORT_RUNG_NETLINK_SERVER, 0},
	{"netlink-cache", EXPORT_RUNG_NETLINK_CACHE, 0},
	{"unlock-export", EXPORT_RUNG_UNLOCK_EXPORT, 0},
	{"unlock-filesystem", EXPORT_RUNG_UNLOCK_FS, 0},
	{"beneath", 0, MOUNT_RUNG_BENEATH},
	{"shutdown", 0, MOUNT_RUNG_SHUTDOWN},
};

static const char *set_mask_rung(void *data, const char *value)
{
	struct options *o = data;

	for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
		if (strcmp(value, rungs[i].name) != 0)
			continue;
		o->masked_export_rungs |= rungs[i].export_rung;
		o->masked_mount_rungs |= rungs[i].mount_rung;
		return NULL;
	}
	return "none of netlink-server, netlink-cache, unlock-export, unlock-filesystem, "
	       "beneath, shutdown";
}

static const char *set_log_format(void *data, const char *value)
{
	struct options *o = data;

	return log_format_parse(value, &o->log_format) < 0 ? "neither text nor json" : NULL;
}

static const char *set_log_level(void *data, const char *value)
{
	struct options *o = data;

	return log_level_parse(value, &o->log_level) < 0 ? "none of error, warning, info, debug"
							 : NULL;
}

static const char *set_check(void *data, const char *value)
{
	struct options *o = data;

	(void)value;
	o->action = ACTION_CHECK;
	return NULL;
}

static const char *set_version(void *data, const char *value)
{
	struct options *o = data;

	(void)value;
	o->action = ACTION_VERSION;
	return NULL;
}

static const char *set_help(void *data, const char *value)
{
	struct options *o = data;

	(void)value;
	o->action = ACTION_HELP;
	return NULL;
}

static const struct option_rule rules[] = {
	{"listen", "ADDRESS", set_listen,
		"serve on this address of the node, or these by comma; may be repeated\n"
		"(default: every address of the node but loopback and link-local ones)"},
	{"port", "PORT", set_port, "serve on this TCP port (default 20490)"},
	{"threads", "N", set_threads, "kernel server threads, 1 to 256 (default 8)"},
	{"lease", "SECONDS", set_lease, "NFSv4 lease time, 10 to 3600 (default 30)"},
	{"grace", "SECONDS", set_grace, "longest grace period, 10 to 3600 (default: the lease)"},
	{"state-dir", "DIR", set_state_dir,
		"node key, client names (default /var/lib/kora-sandbox-mount)"},
	{"runtime-dir", "DIR", set_runtime_dir,
		"control socket, private mounts (default /run/kora-sandbox-mount)"},
	{"spec-dir", "DIR", set_spec_dir, "wishes as files (default: specs in the state dir)"},
	{"control-group", "GROUP", set_control_group,
		"members may use the control socket too; name or number"},
	{"node-name", "NAME", set_node_name,
		"unique name of this node (default: from /etc/machine-id)"},
	{"mount-timeout", "SECONDS", set_mount_timeout,
		"longest attempt to mount, 1 to 3600 (default 20)"},
	{"lost-after", "SECONDS", set_lost_after,
		"cut off the mounts of a server that is silent for so long, 5 to 3600\n"
		"(default 30)"},
	{"mask-rung", "NAME", set_mask_rung,
		"do without a kernel mechanism, to walk an older one; may be repeated:\n"
		"netlink-server, netlink-cache, unlock-export, unlock-filesystem,\n"
		"beneath, shutdown"},
	{"log-format", "FORMAT", set_log_format, "text or json (default text)"},
	{"log-level", "LEVEL", set_log_level, "error, warning, info or debug (default info)"},
	{"check", NULL, set_check, "check options and specs, then exit"},
	{"version", NULL, set_version, "print the version"},
	{"help", NULL, set_help, "print this"},
};

#define N_RULES (sizeof rules / sizeof *rules)

void options_help(FILE *out)
{
	fputs("Usage: kora-sandbox-mount [OPTION]...\n"
	      "Exports sandbox folders over the kernel's NFS server and mounts those of other "
	      "nodes.\n\n",
		out);
	option_table_help(rules, N_RULES, out);
	fputs("\nSee kora-sandbox-mount(8).\n", out);
}

static void defaults(struct options *o)
{
	*o = (struct options){
		.port = 20490,
		.threads = 8,
		.lease_seconds = 30,
		.state_dir = "/var/lib/kora-sandbox-mount",
		.runtime_dir = "/run/kora-sandbox-mount",
		.mount_timeout_seconds = 20,
		.lost_after_seconds = 30,
		.log_level = LOG_LEVEL_INFO,
	};
}

int options_parse(int argc, char *const *argv, struct options *ret, char fault[OPTIONS_FAULT_SIZE])
{
	struct options o;
	int r;

	defaults(&o);
	r = option_table_parse(rules, N_RULES, argc, argv, &o, fault);
	if (r < 0)
		return r;
	if (!o.grace_seconds)
		o.grace_seconds = o.lease_seconds;
	*ret = o;
	return 0;
}
