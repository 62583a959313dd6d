/* SPDX-License-Identifier: Apache-2.0 */
/* --help, made from the tables that parsing uses. */
#include "mountd/ctl_options.h"

static void print_option(FILE *out, const struct ctl_option *o, bool required)
{
	char left[64], letter[8] = "    ";

	if (o->letter)
		(void)snprintf(letter, sizeof letter, "-%c, ", o->letter);
	(void)snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
		o->argument ? o->argument : "");
	fprintf(out, "  %-27s %s%s\n", left, o->help, required ? " (required)" : "");
}

static void print_options(FILE *out, unsigned mask, unsigned required)
{
	for (size_t i = 0; i < CTL_N_OPTIONS; i++)
		if (mask & 1u << i)
			print_option(out, &ctl_options[i], required & 1u << i);
}

static void print_overview(FILE *out)
{
	fputs("kora-mountctl: sandboxes' folders on this node\n\n"
	      "Usage: kora-mountctl VERB [RUN] [OPTION...]\n\n",
		out);
	for (size_t i = 0; i < ctl_n_verbs; i++) {
		char left[64];
		const struct ctl_verb *verb = &ctl_verbs[i];
		(void)snprintf(left, sizeof left, "%s%s%s", verb->name, verb->operand ? " " : "",
			verb->operand ? verb->operand : "");
		fprintf(out, "  %-14s %s\n", left, verb->summary);
	}
	fputs("\nOptions of every verb:\n", out);
	print_options(out, CTL_ALWAYS_ALLOWED, 0);
	fputs("\nkora-mountctl VERB --help shows a verb's own options; kora-mountctl(8) the exit "
	      "codes.\n",
		out);
}

void ctl_help_print(FILE *out, const struct ctl_verb *verb)
{
	if (!verb) {
		print_overview(out);
		return;
	}
	fprintf(out, "kora-mountctl %s: %s\n\nUsage: kora-mountctl %s%s%s [OPTION...]\n\n",
		verb->name, verb->summary, verb->name, verb->operand ? " " : "",
		verb->operand ? verb->operand : "");
	print_options(out, verb->required | verb->allowed | CTL_ALWAYS_ALLOWED, verb->required);
	if (verb->default_timeout)
		fprintf(out, "\n--timeout is %u seconds unless given.\n", verb->default_timeout);
}
