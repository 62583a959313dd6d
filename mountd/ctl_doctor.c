/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl doctor: runs the checks, each bounded, and tells what they found. */
#include "mountd/ctl_doctor.h"

#include <poll.h>
#include <stdarg.h>
#include <string.h>

#define FINDINGS_MAX 65536 /* bytes of JSON from one check */

static const struct check {
	const char *name;
	void (*run)(struct doctor *d);
} checks[] = {
	{"kernel", doctor_kernel},
	{"modules", doctor_modules},
	{"rungs", doctor_rungs},
	{"daemon", doctor_daemon},
	{"runs", doctor_runs},
	{"server", doctor_server},
	{"listeners", doctor_listeners},
	{"network", doctor_netns},
	{"addresses", doctor_addresses},
	{"node-name", doctor_node_name},
	{"client-id", doctor_client},
	{"mounts", doctor_mounts},
	{"folder", doctor_folder},
	{"volume", doctor_volume},
};
#define N_CHECKS (sizeof checks / sizeof checks[0])

static const char *const verdict_names[] = {
	[VERDICT_OK] = "ok", [VERDICT_WARN] = "warn", [VERDICT_FAIL] = "fail"};

void doctor_say(struct doctor *d, const char *check, enum verdict verdict, const char *advice,
	const char *format, ...)
{
	char evidence[1024];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(evidence, sizeof evidence, format, args);
	va_end(args);
	json_t *finding = json_pack("{s:s, s:s, s:s, s:s*}", "check", check, "verdict",
		verdict_names[verdict], "evidence", evidence, "advice", advice);
	if (!finding)
		finding = json_pack("{s:s, s:s, s:s}", "check", check, "verdict",
			verdict_names[verdict], "evidence", "(not UTF-8)");
	(void)json_array_append_new(d->findings, finding);
}

void doctor_blame_module(struct doctor *d, const char *module)
{
	json_t *last = json_array_get(d->findings, json_array_size(d->findings) - 1);

	(void)json_object_set_new(last, "missing_module", json_string(module));
}

struct task {
	const struct check *check;
	const struct ctl_args *args;
};

static void check_body(int fd, const void *context)
{
	const struct task *task = context;
	struct doctor d = {.args = task->args, .findings = json_array()};

	task->check->run(&d);
	(void)json_dumpfd(d.findings, fd, JSON_COMPACT);
}

/* The child's whole output, or NULL when it did not end in time or said nothing sensible. */
static json_t *collect(const struct ctl_child *child, int64_t deadline)
{
	_cleanup_free_ char *text = malloc(FINDINGS_MAX);
	struct pollfd p = {.fd = child->fd, .events = POLLIN};
	size_t used = 0;

	while (text && used < FINDINGS_MAX) {
		if (poll(&p, 1, ctl_left_ms(deadline)) == 0)
			return NULL;
		ssize_t n = read(child->fd, text + used, FINDINGS_MAX - used);
		if (n == 0)
			return json_loadb(text, used, 0, NULL);
		if (n > 0)
			used += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			break;
	}
	return NULL;
}

static void run_check(struct doctor *d, const struct check *check)
{
	struct ctl_child child = CTL_CHILD_NONE;
	struct task task = {.check = check, .args = d->args};
	_cleanup_json_ json_t *findings = NULL;
	int r = ctl_child_start(&child, check_body, &task);

	if (r == 0)
		findings = collect(&child, ctl_now_ms() + d->args->timeout * 1000LL);
	ctl_child_end(&child);
	if (json_is_array(findings))
		(void)json_array_extend(d->findings, findings);
	else
		doctor_say(d, check->name, VERDICT_FAIL,
			"something this check looks at hangs: see dmesg for hung tasks",
			"no answer within %u s", d->args->timeout);
}

static const char *text_of(const json_t *finding, const char *key)
{
	const char *text = json_string_value(json_object_get(finding, key));

	return text ? text : "";
}

static void print_finding(const json_t *finding)
{
	char name[64];

	(void)snprintf(name, sizeof name, "%-4s  %s", text_of(finding, "verdict"),
		text_of(finding, "check"));
	printf("%-20s", name);
	ctl_print_text(text_of(finding, "evidence"));
	if (json_object_get(finding, "advice")) {
		printf("\n%-20s-> ", "");
		ctl_print_text(text_of(finding, "advice"));
	}
	putchar('\n');
}

static size_t count(const json_t *findings, enum verdict verdict)
{
	size_t i, n = 0;
	json_t *finding;

	json_array_foreach(findings, i, finding)
		n += strcmp(text_of(finding, "verdict"), verdict_names[verdict]) == 0;
	return n;
}

static bool module_missing(const json_t *findings)
{
	size_t i;
	json_t *finding;

	json_array_foreach(findings, i, finding)
		if (json_object_get(finding, "missing_module"))
			return true;
	return false;
}

static void print_all(const struct doctor *d)
{
	size_t failed = count(d->findings, VERDICT_FAIL), i;
	json_t *finding;

	if (d->args->json) {
		_cleanup_json_ json_t *result =
			json_pack("{s:b, s:O}", "healthy", failed == 0, "checks", d->findings);
		ctl_print_json(result);
		return;
	}
	json_array_foreach(d->findings, i, finding)
		print_finding(finding);
	printf("%zu ok, %zu to look at, %zu failed\n", count(d->findings, VERDICT_OK),
		count(d->findings, VERDICT_WARN), failed);
}

int ctl_doctor(const struct ctl_args *args, struct ctl_fault *fault)
{
	_cleanup_json_ json_t *findings = json_array();
	struct doctor d = {.args = args, .findings = findings};

	(void)fault; /* the findings are the output, nothing is to be added */
	for (size_t i = 0; i < N_CHECKS; i++)
		run_check(&d, &checks[i]);
	print_all(&d);
	if (count(findings, VERDICT_FAIL) == 0)
		return CTL_OK;
	return module_missing(findings) ? CTL_MODULE_MISSING : CTL_UNHEALTHY;
}
