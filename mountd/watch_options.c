/* SPDX-License-Identifier: Apache-2.0 */
/* The watch's command line: one table for parsing, checking and help. */
#include "mountd/watch_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/parse.h"
#include "mountd/watch_fact.h"

/* Each setter returns NULL or says what is wrong with its value. */
typedef const char *set_fn(struct watch_options *o, const char *value);

static const char *set_node(struct watch_options *o, const char *value)
{
	o->node = value;
	return fact_can_be("", value) ? NULL : "not a node's name";
}

static const char *set_socket(struct watch_options *o, const char *value)
{
	o->socket = value;
	return path_absolute_fault(value);
}

static const char *set_http(struct watch_options *o, const char *value)
{
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

static const char *set_port(struct watch_options *o, const char *value)
{
	uint64_t port;

	if (parse_unsigned(value, 1, 65535, &port) < 0)
		return "not a port from 1 to 65535";
	o->port = (uint16_t)port;
	return NULL;
}

static const char *set_kubelet_dir(struct watch_options *o, const char *value)
{
	o->kubelet_dir = value;
	return path_absolute_fault(value);
}

static const char *set_root(struct watch_options *o, const char *value)
{
	if (o->n_roots == WATCH_ROOTS_MAX)
		return "given more than 32 times";
	o->roots[o->n_roots++] = value;
	return path_absolute_fault(value);
}

static const char *set_cross_namespace(struct watch_options *o, const char *value)
{
	(void)value;
	o->cross_namespace = true;
	return NULL;
}

static const char *set_grace(struct watch_options *o, const char *value)
{
	uint64_t seconds;

	if (parse_unsigned(value, 0, 3600, &seconds) < 0)
		return "not a number of seconds from 0 to 3600";
	o->unexport_grace_seconds = (unsigned)seconds;
	return NULL;
}

static const char *set_kubeconfig(struct watch_options *o, const char *value)
{
	o->kubeconfig = value;
	return *value ? NULL : "empty";
}

static const char *set_server(struct watch_options *o, const char *value)
{
	o->server = value;
	return strncmp(value, "https://", 8) == 0 ? NULL : "not an https:// URL";
}

static const char *set_token_file(struct watch_options *o, const char *value)
{
	o->token_file = value;
	return *value ? NULL : "empty";
}

static const char *set_ca_file(struct watch_options *o, const char *value)
{
	o->ca_file = value;
	return *value ? NULL : "empty";
}

static const char *set_log_format(struct watch_options *o, const char *value)
{
	return log_format_parse(value, &o->log_format) < 0 ? "neither text nor json" : NULL;
}

static const char *set_log_level(struct watch_options *o, const char *value)
{
	return log_level_parse(value, &o->log_level) < 0 ? "none of error, warning, info, debug"
							 : NULL;
}

static const char *set_version(struct watch_options *o, const char *value)
{
	(void)value;
	o->action = WATCH_VERSION;
	return NULL;
}

static const char *set_help(struct watch_options *o, const char *value)
{
	(void)value;
	o->action = WATCH_HELP;
	return NULL;
}

static const struct rule {
	const char *name;
	const char *meta; /* NULL: takes no value */
	set_fn *set;
	const char *help;
} rules[] = {
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
	for (size_t i = 0; i < N_RULES; i++) {
		char left[40];
		const char *text = rules[i].help;

		(void)snprintf(left, sizeof left, "--%s %s", rules[i].name,
			rules[i].meta ? rules[i].meta : "");
		while (*text) {
			int n = (int)strcspn(text, "\n");

			fprintf(out, "  %-24s %.*s\n", left, n, text);
			left[0] = '\0';
			text += n + (text[n] == '\n');
		}
	}
	fputs("\nSee kora-sandbox-watch(8).\n", out);
}

static int fault_of(
	char fault[WATCH_FAULT_SIZE], const char *option, const char *value, const char *why)
{
	(void)snprintf(fault, WATCH_FAULT_SIZE, "%s%s%.200s%s: %s", option, value ? " '" : "",
		value ? value : "", value ? "'" : "", why);
	return -EINVAL;
}

static int parse_all(
	int argc, char *const *argv, struct watch_options *o, char fault[WATCH_FAULT_SIZE])
{
	struct option table[N_RULES + 1] = {{0}};
	char option[64];
	int c;

	for (size_t i = 0; i < N_RULES; i++)
		table[i] = (struct option){rules[i].name,
			rules[i].meta ? required_argument : no_argument, NULL, (int)i + 256};
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:", table, NULL)) != -1) {
		if (c == ':')
			return fault_of(fault, argv[optind - 1], NULL, "needs a value");
		if (c == '?')
			return fault_of(fault, argv[optind - 1], NULL,
				"unknown, ambiguous, or takes no value (see --help)");
		(void)snprintf(option, sizeof option, "--%s", rules[c - 256].name);
		const char *why = rules[c - 256].set(o, optarg);
		if (why)
			return fault_of(fault, option, optarg, why);
	}
	if (optind < argc)
		return fault_of(fault, "argument", argv[optind], "not an option");
	return 0;
}

static int check(struct watch_options *o, char fault[WATCH_FAULT_SIZE])
{
	const char *name = getenv("NODE_NAME");

	if (o->action != WATCH_RUN)
		return 0;
	if (!o->node && (!name || set_node(o, name)))
		return fault_of(fault, name ? "NODE_NAME" : "--node", name,
			name ? "not a node's name" : "missing, and $NODE_NAME is not set");
	if (o->kubeconfig && (o->server || o->token_file || o->ca_file))
		return fault_of(fault, "--kubeconfig", o->kubeconfig,
			"not together with --server, --token-file, --ca-file");
	return 0;
}

int watch_options_parse(
	int argc, char *const *argv, struct watch_options *ret, char fault[WATCH_FAULT_SIZE])
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
	r = parse_all(argc, argv, &o, fault);
	if (r == 0)
		r = check(&o, fault);
	if (r < 0)
		return r;
	*ret = o;
	return 0;
}
