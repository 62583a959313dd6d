/* SPDX-License-Identifier: Apache-2.0 */
/* A program's long options: one table for parsing, checking and help. */
#include "mountd/base/option_table.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

#define FIRST_RULE 256 /* what getopt_long() returns beyond any character */

int option_fault(
	char fault[OPTIONS_FAULT_SIZE], const char *option, const char *value, const char *why)
{
	(void)snprintf(fault, OPTIONS_FAULT_SIZE, "%s%s%.200s%s: %s", option, value ? " '" : "",
		value ? value : "", value ? "'" : "", why);
	return -EINVAL;
}

static int set_one(const struct option_rule *rule, void *data, const char *value,
	char fault[OPTIONS_FAULT_SIZE])
{
	const char *why = rule->set(data, value);
	char option[64];

	(void)snprintf(option, sizeof option, "--%s", rule->name);
	return why ? option_fault(fault, option, value, why) : 0;
}

/* Of letters in a row getopt_long() names one in optopt, and has not left the word yet. */
static int unknown(const char *word, char fault[OPTIONS_FAULT_SIZE])
{
	const char letter[] = {'-', (char)optopt, '\0'};
	bool is_letter = optopt > 0 && optopt < FIRST_RULE;

	return option_fault(fault, is_letter ? letter : word, NULL,
		"unknown, ambiguous, or takes no value (see --help)");
}

int option_table_parse(const struct option_rule *rules, size_t n, int argc, char *const *argv,
	void *data, char fault[OPTIONS_FAULT_SIZE])
{
	_cleanup_free_ struct option *table = calloc(n + 1, sizeof *table);
	int c, r = 0;

	if (!table)
		return option_fault(fault, "options", NULL, "out of memory");
	for (size_t i = 0; i < n; i++)
		table[i] = (struct option){rules[i].name,
			rules[i].meta ? required_argument : no_argument, NULL, FIRST_RULE + (int)i};
	optind = 0;
	opterr = 0;
	while (r == 0 && (c = getopt_long(argc, argv, "+:", table, NULL)) != -1) {
		if (c == ':')
			return option_fault(fault, argv[optind - 1], NULL, "needs a value");
		if (c == '?')
			return unknown(argv[optind - 1], fault);
		r = set_one(&rules[c - FIRST_RULE], data, optarg, fault);
	}
	if (r == 0 && optind < argc)
		return option_fault(fault, "argument", argv[optind], "not an option");
	return r;
}

void option_table_help(const struct option_rule *rules, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		char left[40];
		const char *text = rules[i].help;

		(void)snprintf(left, sizeof left, "--%s %s", rules[i].name,
			rules[i].meta ? rules[i].meta : "");
		while (*text) {
			int length = (int)strcspn(text, "\n");

			fprintf(out, "  %-24s %.*s\n", left, length, text);
			left[0] = '\0';
			text += length + (text[length] == '\n');
		}
	}
}
