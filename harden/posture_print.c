/* SPDX-License-Identifier: Apache-2.0 */
/* `kora-launch verify`: the posture as a table and as JSON. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "harden/execute.h"
#include "harden/parse.h"
#include "harden/posture.h"

static const char *const verdicts[] = {
	[VERDICT_PASS] = "pass",
	[VERDICT_FAIL] = "fail",
	[VERDICT_POD] = "pod",
	[VERDICT_UNKNOWN] = "unknown",
};

void posture_table(const struct posture *p, FILE *out)
{
	(void)fprintf(out, "process %d (%s)\n%-8s %-11s %-25s %s\n", p->pid, p->name, "VERDICT",
		"STANDARD", "CONTROL", "EVIDENCE");
	for (size_t i = 0; i < p->n; i++)
		(void)fprintf(out, "%-8s %-11s %-25s %s\n", verdicts[p->controls[i].verdict],
			p->controls[i].standard, p->controls[i].name, p->controls[i].evidence);
	if (!posture_without(p, VERDICT_POD))
		(void)fputs("pod: not in force; the pod's specification decides it, "
			    "kora-launch can't\n",
			out);
}

int posture_json(const struct posture *p, FILE *out)
{
	json_t *list = json_array();
	int r = list ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->n && r == 0; i++) {
		const struct control *c = &p->controls[i];
		json_t *o = json_pack("{s:s, s:s, s:s, s:s%}", "control", c->name, "standard",
			c->standard, "verdict", verdicts[c->verdict], "evidence", c->evidence,
			strlen(c->evidence));

		r = json_array_append_new(list, o) < 0 ? -ENOMEM : 0;
	}
	const bool launcher = posture_without(p, VERDICT_FAIL);
	json_t *all = json_pack("{s:i, s:s, s:b, s:b, s:o}", "pid", (int)p->pid, "name", p->name,
		"holds", launcher && posture_without(p, VERDICT_POD), "launcher_holds", launcher,
		"controls", list);

	if (!all || json_dumpf(all, out, JSON_INDENT(2)) < 0)
		r = -ENOMEM;
	(void)fputc('\n', out);
	json_decref(all);
	return r;
}

static void help(FILE *out)
{
	(void)fputs("usage: kora-launch verify [--pid PID] [-o table|json]\n\n"
		    "Prints the posture of this process, or of another, control by control.\n\n"
		    "  --pid PID                 of this process\n"
		    "  -o, --output FORMAT       table for people (default), json for programs\n"
		    "  -h, --help                print this\n\n"
		    "Exit status: 0 everything holds; 1 a control fails; 2 only controls do not\n"
		    "hold that the pod's specification decides; 125 wrong usage, or no such\n"
		    "process.\n",
		out);
}

static int bad_usage(const char *what, const char *value, const char *needed)
{
	(void)fprintf(stderr, "kora-launch: verify: %s '%s': %s (see kora-launch verify --help)\n",
		what, value, needed);
	return -EINVAL;
}

struct request {
	pid_t pid;
	bool json;
	bool help;
};

static int take(struct request *q, int opt, char **argv)
{
	uint64_t number;

	switch (opt) {
	case 'h':
		q->help = true;
		return 0;
	case 'p':
		if (parse_u64(optarg, INT_MAX, &number) < 0 || !number)
			return bad_usage("--pid", optarg, "a process's number is needed");
		q->pid = (pid_t)number;
		return 0;
	case 'o':
		q->json = strcmp(optarg, "json") == 0;
		if (!q->json && strcmp(optarg, "table") != 0)
			return bad_usage("--output", optarg, "table or json is needed");
		return 0;
	case ':':
		return bad_usage("option", argv[optind - 1], "it needs a value");
	default:
		return bad_usage("option", argv[optind - 1], "there is none such");
	}
}

static int parse(struct request *q, int argc, char **argv)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int opt, r = 0;

	while (r == 0 && !q->help && (opt = getopt_long(argc, argv, ":p:o:h", longs, NULL)) != -1)
		r = take(q, opt, argv);
	if (r == 0 && !q->help && optind < argc)
		return bad_usage("argument", argv[optind], "there are options only");
	return r;
}

static int print(const struct posture *p, bool json)
{
	if (json && posture_json(p, stdout) < 0)
		return EXIT_POSTURE;
	if (!json)
		posture_table(p, stdout);
	if (!posture_without(p, VERDICT_FAIL))
		return 1;
	return posture_without(p, VERDICT_POD) ? 0 : 2;
}

int posture_main(int argc, char **argv)
{
	struct request q = {.pid = getpid()};
	struct posture p;

	if (parse(&q, argc, argv) < 0)
		return EXIT_POSTURE;
	if (q.help) {
		help(stdout);
		return 0;
	}
	int r = posture_collect(q.pid, &p);

	if (r < 0) {
		(void)fprintf(stderr, "kora-launch: verify: process %d: %s\n", q.pid, strerror(-r));
		return EXIT_POSTURE;
	}
	return print(&p, q.json);
}
