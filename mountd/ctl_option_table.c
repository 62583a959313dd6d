/* SPDX-License-Identifier: Apache-2.0 */
/* Every option and every verb of the command line, and what their values must look like. */
#include "mountd/ctl_options.h"

#include <string.h>

#define TIMEOUT_MAX 86400

static const char *set_nothing(struct ctl_args *args, char *value)
{
	(void)args;
	(void)value;
	return NULL;
}

static const char *set_socket(struct ctl_args *args, char *value)
{
	args->socket = value;
	return *value ? NULL : "is empty";
}

static const char *set_output(struct ctl_args *args, char *value)
{
	args->json = strcmp(value, "json") == 0;
	return args->json || strcmp(value, "table") == 0 ? NULL : "is neither table nor json";
}

static const char *set_number(
	const char *value, uint64_t min, uint64_t max, uint64_t *ret, const char *range)
{
	int r = parse_unsigned(value, min, max, ret);

	if (r == -EINVAL)
		return "is not a decimal number";
	return r < 0 ? range : NULL;
}

static const char *set_timeout(struct ctl_args *args, char *value)
{
	uint64_t number = 0;
	const char *fault =
		set_number(value, 1, TIMEOUT_MAX, &number, "is not between 1 and 86400 seconds");

	args->timeout = (unsigned)number;
	return fault;
}

static const char *set_id(const char *value, uint32_t *ret)
{
	uint64_t number = 0;
	const char *fault = set_number(value, 1, UINT32_MAX - 1, &number,
		"is not between 1 and 4294967294; it is never root");

	*ret = (uint32_t)number;
	return fault;
}

static const char *set_uid(struct ctl_args *args, char *value)
{
	return set_id(value, &args->uid);
}

static const char *set_gid(struct ctl_args *args, char *value)
{
	return set_id(value, &args->gid);
}

static const char *set_port(struct ctl_args *args, char *value)
{
	uint64_t number = 0;
	const char *fault = set_number(value, 1, UINT16_MAX, &number, "is not between 1 and 65535");

	args->port = (uint16_t)number;
	return fault;
}

/* Completion in a shell leaves a slash at the end of a folder's name. */
static void trim_slashes(char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		path[--length] = '\0';
}

static const char *set_absolute(const char **ret, char *value)
{
	trim_slashes(value);
	*ret = value;
	return path_absolute_fault(value);
}

/* Which of both it must be depends on whether a volume is given. */
static const char *set_folder_text(const char **ret, char *value)
{
	trim_slashes(value);
	*ret = value;
	return value[0] == '/' ? path_absolute_fault(value) : path_relative_fault(value);
}

static const char *set_volume(struct ctl_args *args, char *value)
{
	return set_absolute(&args->volume, value);
}

static const char *set_source_volume(struct ctl_args *args, char *value)
{
	return set_absolute(&args->source_volume, value);
}

static const char *set_folder(struct ctl_args *args, char *value)
{
	return set_folder_text(&args->folder, value);
}

static const char *set_source_folder(struct ctl_args *args, char *value)
{
	return set_folder_text(&args->source_folder, value);
}

static const char *set_incarnation(struct ctl_args *args, char *value)
{
	args->incarnation = value;
	return name_is_valid(value)
		       ? NULL
		       : "is not a DNS label (a-z, 0-9 and '-', at most 63 characters)";
}

static const char *set_address(struct addr *ret, const char *value)
{
	int r = addr_parse(value, ret);

	if (r == -EADDRNOTAVAIL)
		return "is no address of a single host";
	return r < 0 ? "is not an IPv4 or IPv6 address (host names are not looked up)" : NULL;
}

static const char *set_server(struct ctl_args *args, char *value)
{
	return set_address(&args->server, value);
}

static const char *add_address(struct ctl_args *args, char *value)
{
	if (args->n_addresses == EXPORT_CLIENTS_MAX)
		return "is one address too many: 64 at most";
	const char *fault = set_address(&args->addresses[args->n_addresses], value);
	if (!fault)
		args->n_addresses++;
	return fault;
}

const struct ctl_option ctl_options[] = {
	{"socket", "PATH", 0, false, "the daemon's control socket (" CTL_SOCKET ")", set_socket},
	{"output", "FORMAT", 'o', false, "table for people, json for programs", set_output},
	{"timeout", "SECONDS", 0, false, "wait no longer", set_timeout},
	{"no-wait", NULL, 0, false, "return once accepted, not once done", set_nothing},
	{"help", NULL, 'h', false, "this text", set_nothing},
	{"version", NULL, 0, false, "print the version", set_nothing},
	{"volume", "PATH", 0, false, "the trusted root above the folder or the workspaces",
		set_volume},
	{"folder", "PATH", 0, false, "the folder: absolute, or relative to --volume", set_folder},
	{"incarnation", "ID", 0, false, "the sandbox's own identity (its pod's uid)",
		set_incarnation},
	{"client", "ADDRESS", 0, true,
		"an agent node that may mount; once for each of its addresses", add_address},
	{"uid", "N", 0, false, "owner: the sandbox's user; of a mount or bind the harness's",
		set_uid},
	{"gid", "N", 0, false, "its group", set_gid},
	{"sync", NULL, 0, false, "answer a write only when it is on disk", set_nothing},
	{"server", "ADDRESS", 0, false, "the sandbox node", set_server},
	{"port", "N", 0, false, "TCP port of the NFS server (20490)", set_port},
	{"source-volume", "PATH", 0, false, "the trusted root above the bound folder",
		set_source_volume},
	{"source-folder", "PATH", 0, false,
		"the bound folder: absolute, or relative to --source-volume", set_source_folder},
	{"listen", "ADDRESS", 0, true, "an address the NFS server is meant to listen on",
		add_address},
};
_Static_assert(sizeof ctl_options / sizeof ctl_options[0] == CTL_N_OPTIONS &&
		       1 << (CTL_N_OPTIONS - 1) == CTL_OPT_LISTEN,
	"ctl_options[] follows enum ctl_option_bit");

#define SPEC_COMMON  (CTL_OPT_INCARNATION | CTL_OPT_UID | CTL_OPT_GID)
#define ASKS_DAEMON  (CTL_OPT_SOCKET | CTL_OPT_TIMEOUT)
#define CHANGES_RUNS (ASKS_DAEMON | CTL_OPT_NO_WAIT)

const struct ctl_verb ctl_verbs[] = {
	{"status", NULL, "this node: server, exports, mounts, faults", 0, ASKS_DAEMON, 10,
		ctl_status},
	{"runs", NULL, "every run on this node, one line per role", 0, ASKS_DAEMON, 10, ctl_runs},
	{"describe", "RUN", "everything known of one run", 0, ASKS_DAEMON, 10, ctl_describe},
	{"export", "RUN", "serve a sandbox's folder to an agent node",
		SPEC_COMMON | CTL_OPT_FOLDER | CTL_OPT_CLIENT,
		CHANGES_RUNS | CTL_OPT_VOLUME | CTL_OPT_SYNC, 60, ctl_export},
	{"mount", "RUN", "show a sandbox's folder of another node at VOLUME/RUN/sandbox",
		SPEC_COMMON | CTL_OPT_SERVER | CTL_OPT_VOLUME, CHANGES_RUNS | CTL_OPT_PORT, 60,
		ctl_mount},
	{"bind", "RUN", "show a sandbox's folder of this node at VOLUME/RUN/sandbox",
		SPEC_COMMON | CTL_OPT_SOURCE_FOLDER | CTL_OPT_VOLUME,
		CHANGES_RUNS | CTL_OPT_SOURCE_VOLUME, 60, ctl_bind},
	{"release", "RUN", "end a run's export and mount on this node", 0, CHANGES_RUNS, 60,
		ctl_release},
	{"wait", "RUN|PATH", "wait until a run's folder is mounted and answers; needs no daemon", 0,
		CTL_OPT_TIMEOUT | CTL_OPT_VOLUME, 60, ctl_wait},
	{"doctor", NULL, "can this node serve and mount, and if not, why", 0,
		ASKS_DAEMON | CTL_OPT_FOLDER | CTL_OPT_VOLUME | CTL_OPT_PORT | CTL_OPT_LISTEN, 5,
		ctl_doctor},
	{"drain", NULL, "end every export and mount and stop the server; stays drained", 0,
		CHANGES_RUNS, 60, ctl_drain},
	{"resume", NULL, "end the drained state", 0, ASKS_DAEMON, 10, ctl_resume},
	{"help", "[VERB]", "what a verb takes; without one, this overview", 0, 0, 0, ctl_help},
};
const size_t ctl_n_verbs = sizeof ctl_verbs / sizeof ctl_verbs[0];
