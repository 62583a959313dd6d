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
	[VERDICT_UNKNOWN] = "unknown",
};

void posture_table(const struct posture *p, FILE *out)
{
	(void)fprintf(out, "process %d (%s)\n%-8s %-11s %-25s %s\n", p->pid, p->name, "VERDICT",
		"STANDARD", "CONTROL", "EVIDENCE");
	for (size_t i = 0; i < p->n; i++)
		(void)fprintf(out, "%-8s %-11s %-25s %s\n", verdicts[p->controls[i].verdict],
			p->controls[i].standard, p->controls[i].name, p->controls[i].evidence);
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
	json_t *all = json_pack("{s:i, s:s, s:b, s:o}", "pid", (int)p->pid, "name", p->name,
		"holds", posture_holds(p), "controls", list);

	if (!all || json_dumpf(all, out, JSON_INDENT(2)) < 0)
		r = -ENOMEM;
	(void)fputc('\n', out);
	json_decref(all);
	return r;
}

static int usage(void)
{
	(void)fputs("usage: kora-launch verify [--pid PID] [-o table|json]\n", stderr);
	return EXIT_POSTURE;
}

static int parse(int argc, char **argv, pid_t *pid, bool *json)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"output", required_argument, NULL, 'o'},
		{0},
	};
	uint64_t number;
	int opt;

	while ((opt = getopt_long(argc, argv, "p:o:", longs, NULL)) != -1) {
		if (opt == 'p' && parse_u64(optarg, INT_MAX, &number) == 0 && number > 0)
			*pid = (pid_t)number;
		else if (opt == 'o' &&
			 (strcmp(optarg, "json") == 0 || strcmp(optarg, "table") == 0))
			*json = optarg[0] == 'j';
		else
			return -EINVAL;
	}
	return optind == argc ? 0 : -EINVAL;
}

int posture_main(int argc, char **argv)
{
	pid_t pid = getpid();
	bool json = false;
	struct posture p;

	if (parse(argc, argv, &pid, &json) < 0)
		return usage();
	int r = posture_collect(pid, &p);

	if (r < 0) {
		(void)fprintf(stderr, "kora-launch: verify: process %d: %s\n", pid, strerror(-r));
		return EXIT_POSTURE;
	}
	if (json)
		r = posture_json(&p, stdout);
	else
		posture_table(&p, stdout);
	return r < 0 ? EXIT_POSTURE : posture_holds(&p) ? 0 : 1;
}
