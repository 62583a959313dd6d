/* SPDX-License-Identifier: Apache-2.0 */
/* `kora-launch seccomp`: what happens to a system call, and why. */
#include "seccomp/show.h"

#include "mountd/base/cleanup.h"

#include <getopt.h>
#include <string.h>

static const char usage[] =
	"usage: kora-launch seccomp show [OPTION]...\n"
	"       kora-launch seccomp explain NAME|NUMBER [OPTION]...\n"
	"What the filters decide about every system call, or about one of them and why.\n"
	"  -p, --profile NAME  strict (default) or dev\n"
	"  -f, --file FILE     an OCI profile instead\n"
	"  -o, --output KIND   table (default) or json\n"
	"  -h, --help          this text\n";

struct request {
	enum seccomp_profile profile;
	const char *file;
	bool json;
	const char *call;
};

static void print_rule(const struct policy_rule *rule, const char *text, bool guard, void *arg)
{
	char conditions[512], word[32];

	(void)arg;
	view_conditions(rule, conditions, sizeof(conditions));
	printf("  %s if %s%s%s%s\n", view_word(rule->action, word), conditions, text ? ": " : "",
		text ? text : "", guard ? " (guard)" : "");
}

static void add_rule(const struct policy_rule *rule, const char *text, bool guard, void *arg)
{
	char conditions[512], word[32];

	view_conditions(rule, conditions, sizeof(conditions));
	json_t *o = json_pack("{s:s, s:s, s:b}", "decision", view_word(rule->action, word), "if",
		conditions, "guard", guard);
	if (o && text)
		(void)json_object_set_new(o, "text", json_string(text));
	(void)json_array_append_new(arg, o);
}

/* With rules, what remains when none of them takes the call. */
static uint32_t remaining(const struct view *v, uint32_t nr)
{
	uint32_t profile = nr < POLICY_NUMBERS ? v->policy.numbers[nr] : v->policy.beyond;

	if (v->builtin)
		return profile;
	uint32_t guard = nr < POLICY_NUMBERS ? v->guard_policy.numbers[nr] : v->guard_policy.beyond;
	return bpf_combine(guard, profile);
}

static json_t *describe(const struct view *v, uint32_t nr)
{
	const struct syscall_info *s = syscall_by_number(SECCOMP_NATIVE, nr);
	char word[32];
	bool args;
	uint32_t action = view_decide(v, nr, &args);

	json_t *o = json_pack("{s:I, s:s?, s:s, s:s, s:s}", "number", (json_int_t)nr, "name",
		s ? s->name : NULL, "decision", args ? "arguments" : view_word(action, word),
		"group", view_group(v, nr), "reason", view_reason(v, nr));
	if (!o || !args)
		return o;
	json_t *rules = json_array();
	view_rules(v, nr, add_rule, rules);
	(void)json_object_set_new(o, "rules", rules);
	(void)json_object_set_new(o, "otherwise", json_string(view_word(remaining(v, nr), word)));
	return o;
}

static int dump(json_t *o)
{
	int r = o && !json_dumpf(o, stdout, JSON_INDENT(2)) && putchar('\n') != EOF ? 0 : 1;

	json_decref(o);
	return r;
}

static int show_json(const struct view *v)
{
	json_t *calls = json_array();

	for (uint32_t nr = 0; (int)nr <= syscall_highest(SECCOMP_NATIVE); nr++)
		if (syscall_by_number(SECCOMP_NATIVE, nr))
			(void)json_array_append_new(calls, describe(v, nr));
	return dump(json_pack("{s:s, s:s, s:o}", "profile", v->title, "architecture",
		seccomp_arch_name(SECCOMP_NATIVE), "syscalls", calls));
}

static int show_table(const struct view *v)
{
	char word[32];
	bool args;

	printf("# %s on %s%s\n", v->title, seccomp_arch_name(SECCOMP_NATIVE),
		v->builtin ? "" : ", under the guard");
	printf("%-6s %-24s %-13s %s\n", "NUMBER", "NAME", "DECISION", "GROUP");
	for (uint32_t nr = 0; (int)nr <= syscall_highest(SECCOMP_NATIVE); nr++) {
		const struct syscall_info *s = syscall_by_number(SECCOMP_NATIVE, nr);
		uint32_t action = s ? view_decide(v, nr, &args) : 0;
		if (s)
			printf("%-6u %-24s %-13s %s\n", nr, s->name,
				args ? "arguments" : view_word(action, word), view_group(v, nr));
	}
	uint32_t newer = (uint32_t)syscall_highest(SECCOMP_NATIVE) + 1;
	printf("%-6s %-24s %-13s %s\n", "", "(newer)",
		view_word(view_decide(v, newer, &args), word), "-");
	return ferror(stdout) != 0;
}

static int explain_number(const struct view *v, uint32_t nr, bool json)
{
	const struct syscall_info *s = syscall_by_number(SECCOMP_NATIVE, nr);
	char word[32];
	bool args;
	uint32_t action = view_decide(v, nr, &args);

	if (json)
		return dump(describe(v, nr));
	printf("%s (%u on %s), %s: %s\n", s ? s->name : "unnamed", nr,
		seccomp_arch_name(SECCOMP_NATIVE), v->title,
		args ? "depends on its arguments" : view_word(action, word));
	if (args) {
		view_rules(v, nr, print_rule, NULL);
		printf("  %s otherwise\n", view_word(remaining(v, nr), word));
	}
	printf("  why: %s%s%s\n", v->builtin && s ? view_group(v, nr) : "",
		v->builtin && s ? ": " : "", view_reason(v, nr));
	return 0;
}

static int explain(const struct view *v, const struct request *q)
{
	const struct syscall_info *s = syscall_by_name(q->call);
	char *end;
	unsigned long nr = strtoul(q->call, &end, 0);

	if (*q->call >= '0' && *q->call <= '9' && !*end && nr <= UINT32_MAX)
		return explain_number(v, (uint32_t)nr, q->json);
	if (s && s->nr[SECCOMP_NATIVE] >= 0)
		return explain_number(v, (uint32_t)s->nr[SECCOMP_NATIVE], q->json);
	if (!s && !syscall_is_foreign(q->call)) {
		fprintf(stderr, "kora-launch seccomp: no system call \"%s\"\n", q->call);
		return 1;
	}
	fprintf(stderr,
		"kora-launch seccomp: %s has no %s; a call of another architecture kills the"
		" process\n",
		seccomp_arch_name(SECCOMP_NATIVE), q->call);
	return 1;
}

static int answer(const struct request *q)
{
	_cleanup_(seccomp_program_freep) struct seccomp_program *oci = NULL;
	const char *const *warnings = NULL;
	char err[512], title[64];
	struct view v;

	int r = q->file ? seccomp_load_oci(q->file, &oci, err, sizeof(err)) : 0;
	if (r < 0) {
		fprintf(stderr, "kora-launch seccomp: %s\n", err);
		return 1;
	}
	for (size_t i = 0; oci && i < seccomp_program_warnings(oci, &warnings); i++)
		fprintf(stderr, "kora-launch seccomp: %s: %s\n", q->file, warnings[i]);
	(void)snprintf(title, sizeof(title), "profile %s", seccomp_profile_name(q->profile));
	r = view_open(&v, q->profile, oci, q->file ? q->file : title);
	if (r < 0) {
		fprintf(stderr, "kora-launch seccomp: %s\n", strerror(-r));
		return 1;
	}
	if (q->call)
		r = explain(&v, q);
	else
		r = q->json ? show_json(&v) : show_table(&v);
	view_close(&v);
	return r;
}

static int bad_usage(const char *what, const char *value)
{
	fprintf(stderr, "kora-launch seccomp: %s%s%s\n%s", what, value ? ": " : "",
		value ? value : "", usage);
	return 2;
}

static int set_option(struct request *q, int option, const char *value)
{
	if (option == 'p') {
		int p = seccomp_profile_from_name(value);
		if (p <= SECCOMP_PROFILE_NONE)
			return bad_usage("no such profile", value);
		q->profile = (enum seccomp_profile)p;
		return 0;
	}
	if (option == 'f') {
		q->file = value;
		return 0;
	}
	if (option != 'o')
		return bad_usage("unknown option", NULL);
	q->json = !strcmp(value, "json");
	return q->json || !strcmp(value, "table") ? 0 : bad_usage("no such output", value);
}

int seccomp_main(int argc, char **argv)
{
	static const struct option options[] = {
		{"profile", required_argument, NULL, 'p'},
		{"file", required_argument, NULL, 'f'},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct request q = {.profile = SECCOMP_PROFILE_STRICT};
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "p:f:o:h", options, NULL)) >= 0) {
		if (option == 'h')
			return fputs(usage, stdout) == EOF;
		int r = set_option(&q, option, optarg);
		if (r)
			return r;
	}
	const char *verb = optind < argc ? argv[optind++] : NULL;
	if (!verb)
		return bad_usage("show or explain?", NULL);
	if (!strcmp(verb, "explain")) {
		if (optind == argc)
			return bad_usage("explain needs a system call", NULL);
		q.call = argv[optind++];
	} else if (strcmp(verb, "show") != 0) {
		return bad_usage("unknown command", verb);
	}
	return optind < argc ? bad_usage("too many arguments", argv[optind]) : answer(&q);
}
