/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl's command line: every option, and every way to get it wrong. */
#include "mountd/ctl_options.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct ctl_args args;
static struct ctl_fault fault;

/* Splits line at blanks; "''" is an empty argument. */
static int parse(const char *line)
{
	static char text[8192];
	char *argv[160] = {"kora-mountctl"};
	int argc = 1;

	snprintf(text, sizeof text, "%s", line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = strcmp(word, "''") == 0 ? word + 2 : word;
	fault = (struct ctl_fault){0};
	return ctl_args_parse(argc, argv, &args, &fault);
}

Test(ctl_options, export_takes_all_of_its_options)
{
	cr_assert_eq(parse("export demo --socket /s -o json --timeout 7 --no-wait --volume /srv "
			   "--folder a/b --incarnation 7c1 --client 10.0.0.2 --client=fd20::2 "
			   "--uid 10001 --gid 10002 --sync"),
		CTL_OK, "%s", fault.what);
	cr_expect_str_eq(args.verb->name, "export");
	cr_expect_str_eq(args.operand, "demo");
	cr_expect_str_eq(args.socket, "/s");
	cr_expect(args.json);
	cr_expect_eq(args.timeout, 7);
	cr_expect(args.given & CTL_OPT_NO_WAIT);
	cr_expect(args.given & CTL_OPT_SYNC);
	cr_expect_str_eq(args.volume, "/srv");
	cr_expect_str_eq(args.folder, "a/b");
	cr_expect_str_eq(args.incarnation, "7c1");
	cr_expect_eq(args.n_addresses, 2);
	cr_expect_eq(args.addresses[1].family, AF_INET6);
	cr_expect_eq(args.uid, 10001);
	cr_expect_eq(args.gid, 10002);
}

Test(ctl_options, mount_bind_and_doctor_take_theirs)
{
	cr_assert_eq(parse("mount demo --server fd20::1 --port 20491 --volume /w/ --incarnation i "
			   "--uid 1 --gid 1"),
		CTL_OK, "%s", fault.what);
	cr_expect_eq(args.server.family, AF_INET6);
	cr_expect_eq(args.port, 20491);
	cr_expect_str_eq(args.volume, "/w", "a trailing slash is a shell's, not the operator's");
	cr_assert_eq(parse("bind demo --source-volume /s --source-folder d --volume /w "
			   "--incarnation i --uid 1 --gid 1"),
		CTL_OK, "%s", fault.what);
	cr_expect_str_eq(args.source_volume, "/s");
	cr_expect_str_eq(args.source_folder, "d");
	cr_assert_eq(parse("doctor --listen 10.0.0.1 --output table"), CTL_OK, "%s", fault.what);
	cr_expect_eq(args.n_addresses, 1);
	cr_expect_not(args.json);
}

Test(ctl_options, defaults)
{
	cr_assert_eq(parse("wait demo"), CTL_OK);
	cr_expect_eq(args.timeout, 60);
	cr_assert_eq(parse("status"), CTL_OK);
	cr_expect_eq(args.timeout, 10);
	cr_expect_str_eq(args.socket, CTL_SOCKET);
	cr_expect_eq(args.port, 20490);
}

Test(ctl_options, options_go_anywhere)
{
	cr_expect_eq(parse("-o json describe --timeout 3 demo"), CTL_OK, "%s", fault.what);
	cr_expect_str_eq(args.operand, "demo");
	cr_expect_eq(parse("-ojson describe -- demo"), CTL_OK, "%s", fault.what);
	cr_expect_str_eq(args.operand, "demo");
	cr_expect_eq(parse("--help"), CTL_OK);
	cr_expect_null(args.verb);
	cr_expect_eq(parse("export --help"), CTL_OK, "help asks for nothing else");
	cr_expect_eq(parse("-h"), CTL_OK);
	cr_expect_eq(parse("--version"), CTL_OK);
}

static const struct {
	const char *line, *fault;
} wrong[] = {
	{"", "a verb is missing"},
	{"stat", "no verb 'stat'"},
	{"runs demo", "runs: 'demo' is one argument too many"},
	{"release a b", "release: 'b' is one argument too many"},
	{"describe", "describe: RUN is missing"},
	{"bind --gid 1",
		"bind: RUN, --volume, --incarnation, --uid and --source-folder are missing"},
	{"mount demo --volume /w --incarnation i --uid 1 --gid 1", "mount: --server is missing"},
	{"help me", "no verb 'me'"},
	{"help status runs", "help: 'runs' is one argument too many"},
	{"describe Demo", "describe: 'Demo' is not a run's name"},
	{"describe a/b", "describe: 'a/b' is not a run's name"},
	{"wait -demo", "no option '-demo'"},
	{"status --nope", "no option '--nope'"},
	{"status --no-wait=1", "no option '--no-wait=1', or it takes no value"},
	{"status --time 3", "--time: write --timeout in full"},
	{"status --timeout", "--timeout needs a value"},
	{"status -o", "-o needs a value"},
	{"status --timeout 0", "--timeout '0' is not between 1 and 86400 seconds"},
	{"status --timeout 1s", "--timeout '1s' is not a decimal number"},
	{"status --timeout 99999999999999999999",
		"--timeout '99999999999999999999' is not between"},
	{"status -o yaml", "--output 'yaml' is neither table nor json"},
	{"status -o json --output json", "--output is given twice"},
	{"status --socket ''", "--socket '' is empty"},
	{"status --uid 1", "status takes no --uid"},
	{"status --uid 1 --sync", "status takes no --uid and --sync"},
	{"wait demo --socket /s", "wait takes no --socket"},
	{"export demo --uid 0", "--uid '0' is not between 1 and 4294967294"},
	{"export demo --gid 4294967295", "--gid '4294967295' is not between"},
	{"export demo --uid -1", "--uid '-1' is not a decimal number"},
	{"export demo --client node-1", "--client 'node-1' is not an IPv4 or IPv6 address"},
	{"export demo --client 0.0.0.0", "--client '0.0.0.0' is no address of a single host"},
	{"export demo --folder a/../b", "--folder 'a/../b' has a \"..\" component"},
	{"export demo --folder ''", "--folder '' is empty"},
	{"export demo --volume srv", "--volume 'srv' is not absolute"},
	{"export demo --incarnation A", "--incarnation 'A' is not a DNS label"},
	{"export demo --folder /a", "export: --incarnation, --client, --uid and --gid are missing"},
	{"mount demo --port 65536", "--port '65536' is not between 1 and 65535"},
	{"mount demo --server fe80::1", "--server 'fe80::1' is no address of a single host"},
	{"bind demo --source-volume s", "--source-volume 's' is not absolute"},
	{"bind demo --source-folder ..", "--source-folder '..' has a \"..\" component"},
	{"doctor --folder a", "doctor: --volume is missing"},
	{"doctor --listen ::", "--listen '::' is no address of a single host"},
};

Test(ctl_options, wrong_ones_are_told_apart)
{
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		cr_expect_eq(parse(wrong[i].line), CTL_USAGE, "%s", wrong[i].line);
		cr_expect(strncmp(fault.what, wrong[i].fault, strlen(wrong[i].fault)) == 0,
			"'%s' says: %s", wrong[i].line, fault.what);
	}
}

Test(ctl_options, advice_is_the_help_of_the_verb_once_it_is_known)
{
	static const struct {
		const char *line, *now;
	} advised[] = {
		{"", "kora-mountctl --help lists"},
		{"-o yaml status", "kora-mountctl --help lists"},
		{"status -o yaml", "kora-mountctl status --help shows what it takes"},
		{"mount demo", "kora-mountctl mount --help shows what it takes"},
		{"mount demo --nope", "kora-mountctl mount --help shows what it takes"},
		{"stat", "did you mean 'status'? kora-mountctl --help lists the verbs"},
		{"relaese demo", "did you mean 'release'?"},
		{"help exprt", "did you mean 'export'?"},
		{"umount demo", "did you mean 'release'?"},
		{"list", "did you mean 'runs'?"},
		{"help show", "did you mean 'describe'?"},
		{"frobnicate", "kora-mountctl --help lists the verbs"},
		{"ssssssssssssssssssssssssssssssssss", "kora-mountctl --help lists the verbs"},
	};

	for (size_t i = 0; i < sizeof advised / sizeof *advised; i++) {
		cr_expect_eq(parse(advised[i].line), CTL_USAGE, "%s", advised[i].line);
		cr_expect(strncmp(fault.now, advised[i].now, strlen(advised[i].now)) == 0,
			"'%s' advises: %s", advised[i].line, fault.now);
	}
}

Test(ctl_options, the_output_is_known_however_wrong_the_rest_is)
{
	static const char *const json[] = {"nope -o json", "-o json nope", "status --nope -ojson",
		"status --timeout 0 --output=json", "status -o json --output json", "-o json"};
	static const char *const table[] = {"nope", "nope -- -o json", "nope --socket -o json",
		"status -o yaml", "nope -o", "nope --output"};

	for (size_t i = 0; i < sizeof json / sizeof *json; i++) {
		cr_expect_eq(parse(json[i]), CTL_USAGE, "%s", json[i]);
		cr_expect(args.json, "%s", json[i]);
	}
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		cr_expect_eq(parse(table[i]), CTL_USAGE, "%s", table[i]);
		cr_expect_not(args.json, "%s", table[i]);
	}
}

Test(ctl_options, help_takes_a_verb_or_none)
{
	cr_expect_eq(parse("help"), CTL_OK, "%s", fault.what);
	cr_expect_null(args.operand);
	cr_expect_eq(parse("help mount"), CTL_OK, "%s", fault.what);
	cr_expect_str_eq(args.operand, "mount");
}

Test(ctl_options, a_long_list_and_a_long_word_are_refused)
{
	char line[8192] = "export demo", word[4096];

	for (int i = 0; i < 65; i++)
		strcat(line, " --client 10.0.0.1");
	cr_expect_eq(parse(line), CTL_USAGE);
	cr_expect(strstr(fault.what, "one address too many"));
	memset(word, 'a', sizeof word - 1);
	word[sizeof word - 1] = '\0';
	snprintf(line, sizeof line, "describe %s", word);
	cr_expect_eq(parse(line), CTL_USAGE);
	cr_expect_lt(strlen(fault.what), 300, "it does not fill the terminal");
}

/* Help, man page and completion come from, or must follow, the one table. */
Test(ctl_options, the_man_page_names_every_option_and_verb)
{
	static char page[32768];
	FILE *file = fopen("mountd/kora-mountctl.8", "r");

	cr_assert_not_null(file);
	page[fread(page, 1, sizeof page - 1, file)] = '\0';
	fclose(file);
	for (size_t i = 0; i < CTL_N_OPTIONS; i++) {
		char wanted[64];
		snprintf(wanted, sizeof wanted, "-%s", ctl_options[i].name);
		cr_expect(strstr(page, wanted), "the man page lacks -%s", wanted);
	}
	for (size_t i = 0; i < ctl_n_verbs; i++) {
		char wanted[64];
		snprintf(wanted, sizeof wanted, ".It Cm %s", ctl_verbs[i].name);
		cr_expect(strstr(page, wanted), "the man page lacks %s", ctl_verbs[i].name);
	}
}

static void expect_spec(const char *line, const char *kind, const char *spec)
{
	cr_assert_eq(parse(line), CTL_OK, "%s", fault.what);
	json_t *json = ctl_spec_from_args(&args, kind, &fault);
	cr_assert_not_null(json, "%s", fault.what);
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	cr_expect_str_eq(text, spec);
	free(text);
	json_decref(json);
}

Test(ctl_options, arguments_become_specs)
{
	expect_spec("export demo --folder /srv/sb/demo/ --incarnation i --client 10.0.0.2 --uid 5 "
		    "--gid 6",
		"export",
		"{\"clients\":[\"10.0.0.2\"],\"folder\":\"demo\",\"gid\":6,\"incarnation\":\"i\","
		"\"kind\":\"export\",\"run\":\"demo\",\"sync\":false,\"uid\":5,"
		"\"volume\":\"/srv/sb\"}");
	expect_spec("export demo --volume /srv --folder sb/demo --incarnation i --client ::1 "
		    "--uid 5 --gid 6 --sync",
		"export",
		"{\"clients\":[\"::1\"],\"folder\":\"sb/demo\",\"gid\":6,\"incarnation\":\"i\","
		"\"kind\":\"export\",\"run\":\"demo\",\"sync\":true,\"uid\":5,"
		"\"volume\":\"/srv\"}");
	expect_spec("mount demo --server 10.0.0.1 --volume /w --incarnation i --uid 5 --gid 6",
		"mount",
		"{\"gid\":6,\"incarnation\":\"i\",\"kind\":\"mount\",\"port\":20490,"
		"\"run\":\"demo\",\"server\":\"10.0.0.1\",\"uid\":5,\"volume\":\"/w\"}");
	expect_spec("bind demo --source-folder /demo --volume /w --incarnation i --uid 5 --gid 6",
		"bind",
		"{\"gid\":6,\"incarnation\":\"i\",\"kind\":\"bind\",\"run\":\"demo\","
		"\"source_folder\":\"demo\",\"source_volume\":\"/\",\"uid\":5,\"volume\":\"/w\"}");
}

Test(ctl_options, a_folder_needs_its_volume_or_a_root)
{
	static const char tail[] = "--incarnation i --client 10.0.0.2 --uid 5 --gid 6";
	char line[256];

	snprintf(line, sizeof line, "export demo --folder demo %s", tail);
	cr_assert_eq(parse(line), CTL_OK);
	cr_expect_null(ctl_spec_from_args(&args, "export", &fault));
	cr_expect(strstr(fault.what, "name its --volume"), "%s", fault.what);
	snprintf(line, sizeof line, "export demo --volume /srv --folder /srv/demo %s", tail);
	cr_assert_eq(parse(line), CTL_OK);
	cr_expect_null(ctl_spec_from_args(&args, "export", &fault));
	cr_expect(strstr(fault.what, "must be relative to --volume"), "%s", fault.what);
	snprintf(line, sizeof line, "export demo --folder / %s", tail);
	cr_assert_eq(parse(line), CTL_OK);
	cr_expect_null(ctl_spec_from_args(&args, "export", &fault));
	cr_expect_eq(fault.code, CTL_USAGE);
}
