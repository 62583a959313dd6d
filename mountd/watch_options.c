/* SPDX-License-Identifier: Apache-2.0 */
/* The watch's command line: one table for parsing, checking and help. */
#include "mountd/watch_options.h"

#include <stdlib.h>
#include <string.h>

#include "mountd/base/parse.h"
#include "mountd/watch_fact.h"

static const char *set_node(void *data, const char *value)
{
	struct watch_options *o = data;

	o->node = value;
	return fact_can_be("", value) ? NULL : "not a node's name";
}

static const char *set_socket(void *data, const char *value)
{
	struct watch_options *o = data;

	o->socket = value;
	return path_absolute_fault(value);
}

static const char *set_http(void *data, const char *value)
{
	struct watch_options *o = data;
	const char *colon = strrchr(value, ':'), *begin = value;
	char address[ADDR_TEXT_SIZE + 2];
	uint64_t port;
	size_t n = colon ? (size_t)(colon - value) : 0;

	if (strcmp(value, "off") == 0) {
		o->http.family = 0;
		return NULL;
	}
	if (n > 2 && *value == '[' && value[n - 1] == ']') {
		begin++;
		n -= 2;
	}
	if (!n || n >= sizeof address || parse_unsigned(colon + 1, 1, 65535, &port) < 0)
		return "neither ADDRESS:PORT nor off";
	memcpy(address, begin, n);
	address[n] = '\0';
	o->http_port = (uint16_t)port;
	return addr_parse(address, &o->http) < 0 ? "not an IPv4 or IPv6 address of one host" : NULL;
}

static const char *set_port(void *data, const char *value)
{
	struct watch_options *o = data;
	uint64_t port;

	if (parse_unsigned(value, 1, 65535, &port) < 0)
		return "not a port from 1 to 65535";
	o->port = (uint16_t)port;
	return NULL;
}

static const char *set_kubelet_dir(void *data, const char *value)
{
	struct watch_options *o = data;

	o->kubelet_dir = value;
	return path_absolute_fault(value);
}

static const char *set_root(void *data, const char *value)
{
	struct watch_options *o = data;

	if (o->n_roots == WATCH_ROOTS_MAX)
		return "given more than 32 times";
	o->roots[o->n_roots++] = value;
	return path_absolute_fault(value);
}

static const char *set_cross_namespace(void *data, const char *value)
{
	struct watch_options *o = data;

	(void)value;
	o->cross_namespace = true;
	return NULL;
}

static const char *set_grace(void *data, const char *value)
{
	struct watch_options *o = data;
	uint64_t seconds;

	if (parse_unsigned(value, 0, 3600, &seconds) < 0)
		return "not a number of seconds from 0 to 3600";
	o->unexport_grace_seconds = (unsigned)seconds;
	return NULL;
}

static const char *set_kubeconfig(void *data, const char *value)
{
	struct watch_options *o = data;

	o->kubeconfig = value;
	return *value ? NULL : "empty";
}

static const char *set_server(void *data, const char *value)
{
	struct watch_options *o = data;

	o->server = value;
	return strncmp(value, "https://", 8) == 0 ? NULL : "not an https:// URL";
}

static const char *set_token_file(void *data, const char *value)
{
	struct watch_options *o = data;

	o->token_file = value;
	return *value ? NULL : "empty";
}

static const char *set_ca_file(void *data, const char *value)
{
	struct watch_options *o = data;

	o->ca_file = value;
	return *value ? NULL : "empty";
}

static const char *set_log_format(void *data, const char *value)
{
	struct watch_options *o = data;

	return log_format_parse(value, &o->log_format) < 0 ? "neither text nor json" : NULL;
}

static const char *set_log_level(void *data, const char *value)
{
	struct watch_options *o = data;

	return log_level_parse(value, &o->log_level) < 0 ? "none of error, warning, info, debug"
							 : NULL;
}

static const char *set_version(void *data, const char *value)
{
	struct watch_options *o = data;

	(void)value;
	o->action = WATCH_VERSION;
	return NULL;
}

static const char *set_help(void *data, const char *value)
{
	struct watch_options *o = data;

	(void)value;
	o->action = WATCH_HELP;
	return NULL;
}

static const struct option_rule rules[] = {
	{"node", "NAME", set_node, "this node's name in the cluster (default: $NODE_NAME)"},
	{"socket", "PATH", set_socket,
		"the daemon's (default /run/kora-sandbox-mount/control.sock)"},
	{"http", "ADDRESS:PORT", set_http,
		"serve /healthz, /readyz and /metrics there, or off\n(default 127.0.0.1:20491)"},
	{"port", "PORT", set_port, "the other nodes serve on this TCP port (default 20490)"},
	{"kubelet-dir", "DIR", set_kubelet_dir, "kubelet's (default /var/lib/kubelet)"},
	{"workspace-root", "DIR", set_root,
		"hostPath volumes may lie below it; may be repeated (default: none may)"},
	{"cross-namespace", NULL, set_cross_namespace,
		"a sandbox may name a runtime pod of another namespace"},
	{"unexport-grace", "SECONDS", set_grace,
		"an ending sandbox waits so long for its agent to unmount, 0 to 3600\n(default "
		"10)"},
	{"kubeconfig", "FILE", set_kubeconfig, "outside a cluster: in JSON, its current context"},
	{"server", "URL", set_server, "the API server (default: the cluster's service)"},
	{"token-file", "FILE", set_token_file, "default: the service account's"},
	{"ca-file", "FILE", set_ca_file, "default: the service account's"},
	{"log-format", "FORMAT", set_log_format, "text or json (default text)"},
	{"log-level", "LEVEL", set_log_level, "error, warning, info or debug (default info)"},
	{"version", NULL, set_version, "print the version"},
	{"help", NULL, set_help, "print this"},
};

#define N_RULES (sizeof rules / sizeof *rules)

void watch_options_help(FILE *out)
{
	fputs("Usage: kora-sandbox-watch [OPTION]...\n"
	      "Has kora-sandbox-mount do what the cluster's pods ask for.\n\n",
		out);
	option_table_help(rules, N_RULES, out);
	fputs("\nSee kora-sandbox-watch(8).\n", out);
}

static int check(struct watch_options *o, char fault[OPTIONS_FAULT_SIZE])
{
	const char *name = getenv("NODE_NAME");

	if (o->action != WATCH_RUN)
		return 0;
	if (!o->node && (!name || set_node(o, name)))
		return option_fault(fault, name ? "NODE_NAME" : "--node", name,
			name ? "not a node's name" : "missing, and $NODE_NAME is not set");
	if (o->kubeconfig && (o->server || o->token_file || o->ca_file))
		return option_fault(fault, "--kubeconfig", o->kubeconfig,
			"not together with --server, --token-file, --ca-file");
	return 0;
}

int watch_options_parse(
	int argc, char *const *argv, struct watch_options *ret, char fault[OPTIONS_FAULT_SIZE])
{
	struct watch_options o = {
		.socket = "/run/kora-sandbox-mount/control.sock",
		.http_port = 20491,
		.port = 20490,
		.kubelet_dir = "/var/lib/kubelet",
		.unexport_grace_seconds = 10,
		.log_level = LOG_LEVEL_INFO,
	};
	int r;

	(void)addr_parse("127.0.0.1", &o.http);
	r = option_table_parse(rules, N_RULES, argc, argv, &o, fault);
	if (r == 0)
		r = check(&o, fault);
	if (r < 0)
		return r;
	*ret = o;
	return 0;
}
