/* SPDX-License-Identifier: Apache-2.0 */
/* --help, made from the tables that parsing uses. */
#include "mountd/ctl_options.h"

#include <string.h>

#define USAGE_WIDTH  88 /* with " [OPTION...]" 100 */
#define USAGE_INDENT 7

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

/* The required ones by name and value, wrapped at the width of a terminal. */
static void print_usage(FILE *out, const struct ctl_verb *verb)
{
	int column = fprintf(out, "Usage: kora-mountctl %s%s%s", verb->name,
		verb->operand ? " " : "", verb->operand ? verb->operand : "");

	for (size_t i = 0; i < CTL_N_OPTIONS; i++) {
		char word[64];
		const struct ctl_option *o = &ctl_options[i];
		if (!(verb->required & 1u << i))
			continue;
		int length = snprintf(word, sizeof word, " --%s %s%s", o->name, o->argument,
			o->repeats ? "..." : "");
		if (column + length > USAGE_WIDTH)
			column = fprintf(out, "\n%*s", USAGE_INDENT, "") - 1;
		column += fprintf(out, "%s", word);
	}
	fputs(" [OPTION...]\n\n", out);
}

void ctl_help_print(FILE *out, const struct ctl_verb *verb)
{
	if (!verb) {
		print_overview(out);
		return;
	}
	fprintf(out, "kora-mountctl %s: %s\n\n", verb->name, verb->summary);
	print_usage(out, verb);
	print_options(out, verb->required | verb->allowed | CTL_ALWAYS_ALLOWED, verb->required);
	if (verb->default_timeout)
		fprintf(out, "\n--timeout is %u seconds unless given%s.\n", verb->default_timeout,
			verb->run == ctl_doctor		  ? ", for each check"
			: verb->allowed & CTL_OPT_NO_WAIT ? "; what is not done by then goes on"
							  : "");
	if (strcmp(verb->name, "wait") == 0)
		fprintf(out, "--volume is %s unless given.\n", CTL_VOLUME);
}

int ctl_help(const struct ctl_args *args, struct ctl_fault *fault)
{
	const struct ctl_verb *verb = NULL;

	(void)fault; /* parsing has refused what is no verb */
	for (size_t i = 0; args->operand && i < ctl_n_verbs; i++)
		if (strcmp(ctl_verbs[i].name, args->operand) == 0)
			verb = &ctl_verbs[i];
	ctl_help_print(stdout, verb);
	return CTL_OK;
}
