/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, parsed strictly. */
#include "mountd/ctl_options.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#define NEAR_DISTANCE 2
#define NEAR_LENGTH   16 /* a longer word resembles no verb */

/* A usage fault whose advice is the help of the verb, once it is known. */
static int __attribute__((format(printf, 3, 4)))
usage(const struct ctl_args *args, struct ctl_fault *fault, const char *format, ...)
{
	char what[1024], now[128];
	va_list list;

	va_start(list, format);
	(void)vsnprintf(what, sizeof what, format, list);
	va_end(list);
	if (args->verb)
		(void)snprintf(now, sizeof now, "kora-mountctl %s --help shows what it takes",
			args->verb->name);
	else
		(void)snprintf(now, sizeof now, "kora-mountctl --help lists verbs and options");
	return ctl_fault_set(fault, CTL_USAGE, now, "%s", what);
}

static const struct ctl_verb *find_verb(const char *name)
{
	for (size_t i = 0; i < ctl_n_verbs; i++)
		if (strcmp(ctl_verbs[i].name, name) == 0)
			return &ctl_verbs[i];
	return NULL;
}

static size_t min_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's: letters to insert, delete or replace. b has at most NEAR_LENGTH of them. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[NEAR_LENGTH + 1], n = strlen(b);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t above = row[j];
			row[j] = min_of(
				min_of(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[n];
}

/* What others call a verb. */
static const char *const other_names[][2] = {
	{"umount", "release"},
	{"unmount", "release"},
	{"unexport", "release"},
	{"delete", "release"},
	{"remove", "release"},
	{"list", "runs"},
	{"show", "describe"},
};

/* The first letter is rarely the wrong one. */
static const struct ctl_verb *nearest_verb(const char *name)
{
	const struct ctl_verb *nearest = NULL;
	size_t least = NEAR_DISTANCE + 1;

	for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
		if (strcmp(other_names[i][0], name) == 0)
			return find_verb(other_names[i][1]);
	if (strlen(name) > NEAR_LENGTH)
		return NULL;
	for (size_t i = 0; i < ctl_n_verbs; i++) {
		size_t distance = edit_distance(ctl_verbs[i].name, name);
		if (ctl_verbs[i].name[0] == name[0] && distance < least) {
			nearest = &ctl_verbs[i];
			least = distance;
		}
	}
	return nearest;
}

static int unknown_verb(const char *name, struct ctl_fault *fault)
{
	const struct ctl_verb *nearest = nearest_verb(name);
	char now[128];

	(void)snprintf(now, sizeof now, "%s%s%skora-mountctl --help lists the verbs",
		nearest ? "did you mean '" : "", nearest ? nearest->name : "",
		nearest ? "'? " : "");
	return ctl_fault_set(fault, CTL_USAGE, now, "no verb '%.80s'", name);
}

static int take_operand(struct ctl_args *args, const char *text, struct ctl_fault *fault)
{
	if (!args->verb) {
		args->verb = find_verb(text);
		return args->verb ? CTL_OK : unknown_verb(text, fault);
	}
	if (args->operand || !args->verb->operand)
		return usage(args, fault, "%s: '%.80s' is one argument too many", args->verb->name,
			text);
	args->operand = text;
	return CTL_OK;
}

static int take_option(
	struct ctl_args *args, size_t i, char *value, const char *spelling, struct ctl_fault *fault)
{
	const struct ctl_option *o = &ctl_options[i];

	if (spelling[0] == '-' && spelling[1] == '-' &&
		strcspn(spelling + 2, "=") != strlen(o->name))
		return usage(args, fault, "%s: write --%s in full", spelling, o->name);
	if ((args->given & 1u << i) && !o->repeats)
		return usage(args, fault, "--%s is given twice", o->name);
	args->given |= 1u << i;
	const char *what = o->set(args, value);
	return what ? usage(args, fault, "--%s '%s' %s", o->name, value, what) : CTL_OK;
}

/* An operand and the options of mask as a sentence's subject: "RUN, --uid and --gid". */
static void list_words(const char *operand, unsigned mask, char *text, size_t size)
{
	size_t used = operand ? (size_t)snprintf(text, size, "%s", operand) : 0;

	for (; mask && used < size; mask &= mask - 1) {
		const char *joint = used == 0 ? "" : mask & (mask - 1) ? ", " : " and ";
		used += (size_t)snprintf(text + used, size - used, "%s--%s", joint,
			ctl_options[__builtin_ctz(mask)].name);
	}
}

static bool wants_operand(const struct ctl_verb *verb)
{
	return verb->operand && verb->operand[0] != '[';
}

static int check_missing(const struct ctl_args *args, struct ctl_fault *fault)
{
	const struct ctl_verb *verb = args->verb;
	const char *operand = wants_operand(verb) && !args->operand ? verb->operand : NULL;
	unsigned missing = verb->required & ~args->given;
	char words[512];

	/* doctor needs a volume for a relative folder only; export says it in its own words. */
	if (verb->run == ctl_doctor && args->folder && args->folder[0] != '/' && !args->volume)
		missing |= CTL_OPT_VOLUME;
	if (!missing && !operand)
		return CTL_OK;
	list_words(operand, missing, words, sizeof words);
	int count = __builtin_popcount(missing) + (operand != NULL);
	return usage(args, fault, "%s: %s %s missing", verb->name, words, count > 1 ? "are" : "is");
}

static int check_operand(const struct ctl_args *args, struct ctl_fault *fault)
{
	const struct ctl_verb *verb = args->verb;

	if (!args->operand)
		return CTL_OK;
	if (verb->run == ctl_help)
		return find_verb(args->operand) ? CTL_OK : unknown_verb(args->operand, fault);
	bool is_path = strcmp(verb->operand, "RUN") != 0 && strchr(args->operand, '/');
	if (!is_path && !name_is_valid(args->operand))
		return usage(args, fault,
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
	char words[512];

	if (surplus) {
		list_words(NULL, surplus, words, sizeof words);
		return usage(args, fault, "%s takes no %s", verb->name, words);
	}
	int code = check_missing(args, fault);
	return code == CTL_OK ? check_operand(args, fault) : code;
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
		return usage(args, fault, "%s needs a value", spelling);
	for (size_t i = 0; i < CTL_N_OPTIONS; i++)
		if (c == 256 + (int)i || (ctl_options[i].letter && c == ctl_options[i].letter))
			return take_option(args, i, optarg, spelling, fault);
	return usage(args, fault, "no option '%.80s', or it takes no value", spelling);
}

/* What comes after a fault matters in one respect: how the fault is to be told. */
static void take_output_only(struct ctl_args *args, int c)
{
	const size_t output = __builtin_ctz(CTL_OPT_OUTPUT);

	if (c == 256 + (int)output || c == ctl_options[output].letter)
		args->json |= strcmp(optarg, "json") == 0;
}

static int parse_all(int argc, char **argv, struct ctl_args *args, struct ctl_fault *fault)
{
	struct option longs[CTL_N_OPTIONS + 1];
	int code = CTL_OK;

	fill_long_options(longs);
	optind = 0; /* glibc: start anew, whatever was parsed before */
	opterr = 0;
	for (int at = 1;; at = optind) {
		int c = getopt_long(argc, argv, letters, longs, NULL);
		if (c < 0)
			break;
		if (code == CTL_OK)
			code = take(args, c, argv[at], fault);
		else
			take_output_only(args, c);
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
		return usage(ret, fault, "a verb is missing");
	if (!ret->timeout)
		ret->timeout = ret->verb->default_timeout;
	return check_options(ret, fault);
}
