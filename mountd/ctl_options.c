/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, parsed strictly. */
#include "mountd/ctl_options.h"

#include <getopt.h>
#include <string.h>

static const char see_help[] = "kora-mountctl --help lists verbs and options";

static const struct ctl_verb *find_verb(const char *name)
{
	for (size_t i = 0; i < ctl_n_verbs; i++)
		if (strcmp(ctl_verbs[i].name, name) == 0)
			return &ctl_verbs[i];
	return NULL;
}

static int take_operand(struct ctl_args *args, const char *text, struct ctl_fault *fault)
{
	if (!args->verb) {
		args->verb = find_verb(text);
		return args->verb ? CTL_OK
				  : ctl_fault_set(fault, CTL_USAGE, see_help, "no verb '%s'", text);
	}
	if (args->operand || !args->verb->operand)
		return ctl_fault_set(fault, CTL_USAGE, see_help,
			"%s: '%s' is one argument too many", args->verb->name, text);
	args->operand = text;
	return CTL_OK;
}

static int take_option(
	struct ctl_args *args, size_t i, char *value, const char *spelling, struct ctl_fault *fault)
{
	const struct ctl_option *o = &ctl_options[i];

	if (spelling[0] == '-' && spelling[1] == '-' &&
		strcspn(spelling + 2, "=") != strlen(o->name))
		return ctl_fault_set(
			fault, CTL_USAGE, see_help, "%s: write --%s in full", spelling, o->name);
	if ((args->given & 1u << i) && !o->repeats)
		return ctl_fault_set(fault, CTL_USAGE, NULL, "--%s is given twice", o->name);
	args->given |= 1u << i;
	const char *what = o->set(args, value);
	if (what)
		return ctl_fault_set(fault, CTL_USAGE, NULL, "--%s '%s': %s", o->name, value, what);
	return CTL_OK;
}

static int check_operand(const struct ctl_args *args, struct ctl_fault *fault)
{
	const struct ctl_verb *verb = args->verb;

	if (!verb->operand)
		return CTL_OK;
	if (!args->operand)
		return ctl_fault_set(
			fault, CTL_USAGE, see_help, "%s: %s is missing", verb->name, verb->operand);
	bool is_path = strcmp(verb->operand, "RUN") != 0 && strchr(args->operand, '/');
	if (!is_path && !name_is_valid(args->operand))
		return ctl_fault_set(fault, CTL_USAGE, NULL,
			"%s: '%.80s' is not a run's name (a DNS label: a-z, 0-9 and '-', at most "
			"63 "
			"characters)",
			verb->name, args->operand);
	return CTL_OK;
}

static int check_options(const struct ctl_args *args, struct ctl_fault *fault)
{
	const struct ctl_verb *verb = args->verb;
	unsigned surplus = args->given & ~(verb->required | verb->allowed | CTL_ALWAYS_ALLOWED);
	unsigned missing = verb->required & ~args->given;

	if (surplus)
		return ctl_fault_set(fault, CTL_USAGE, see_help, "%s takes no --%s", verb->name,
			ctl_options[__builtin_ctz(surplus)].name);
	/* doctor needs a volume for a relative folder only; export says it in its own words. */
	if (verb->run == ctl_doctor && args->folder && args->folder[0] != '/' && !args->volume)
		missing |= CTL_OPT_VOLUME;
	if (missing)
		return ctl_fault_set(fault, CTL_USAGE, see_help, "%s: --%s is missing", verb->name,
			ctl_options[__builtin_ctz(missing)].name);
	return check_operand(args, fault);
}

/* "-" first: operands are handed over in their order, so argv is never permuted. */
static const char letters[] = "-:o:h";

static void fill_long_options(struct option longs[CTL_N_OPTIONS + 1])
{
	for (size_t i = 0; i < CTL_N_OPTIONS; i++)
		longs[i] = (struct option){.name = ctl_options[i].name,
			.has_arg = ctl_options[i].argument ? required_argument : no_argument,
			.val = 256 + (int)i};
	longs[CTL_N_OPTIONS] = (struct option){0};
}

static int take(struct ctl_args *args, int c, const char *spelling, struct ctl_fault *fault)
{
	if (c == 1)
		return take_operand(args, optarg, fault);
	if (c == ':')
		return ctl_fault_set(fault, CTL_USAGE, see_help, "%s needs a value", spelling);
	for (size_t i = 0; i < CTL_N_OPTIONS; i++)
		if (c == 256 + (int)i || (ctl_options[i].letter && c == ctl_options[i].letter))
			return take_option(args, i, optarg, spelling, fault);
	return ctl_fault_set(
		fault, CTL_USAGE, see_help, "no option '%s', or it takes no value", spelling);
}

static int parse_all(int argc, char **argv, struct ctl_args *args, struct ctl_fault *fault)
{
	struct option longs[CTL_N_OPTIONS + 1];
	int code = CTL_OK;

	fill_long_options(longs);
	optind = 0; /* glibc: start anew, whatever was parsed before */
	opterr = 0;
	for (int at = 1; code == CTL_OK; at = optind) {
		int c = getopt_long(argc, argv, letters, longs, NULL);
		if (c < 0)
			break;
		code = take(args, c, argv[at], fault);
	}
	while (code == CTL_OK && optind < argc) /* what follows "--" */
		code = take_operand(args, argv[optind++], fault);
	return code;
}

int ctl_args_parse(int argc, char **argv, struct ctl_args *ret, struct ctl_fault *fault)
{
	*ret = (struct ctl_args){.socket = CTL_SOCKET, .port = CTL_PORT};

	int code = parse_all(argc, argv, ret, fault);
	if (code != CTL_OK || ret->given & (CTL_OPT_HELP | CTL_OPT_VERSION))
		return code;
	if (!ret->verb)
		return ctl_fault_set(fault, CTL_USAGE, see_help, "a verb is missing");
	if (!ret->timeout)
		ret->timeout = ret->verb->default_timeout;
	return check_options(ret, fault);
}
