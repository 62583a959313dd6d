/* SPDX-License-Identifier: Apache-2.0 */
/* `kora-launch seccomp`: what it prints is what the programs decide, and every option works. */
#include "seccomp/show.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char output[262144];

/* Runs the command and reads what it wrote to the stream; the words end with NULL. */
static int run(FILE *stream, ...)
{
	char *argv[16] = {(char *)"seccomp"};
	int argc = 1;
	va_list ap;

	va_start(ap, stream);
	while ((argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);

	FILE *file = tmpfile();
	int saved = dup(fileno(stream));
	cr_assert(file && saved >= 0 && !fflush(stream));
	cr_assert_geq(dup2(fileno(file), fileno(stream)), 0);
	int r = seccomp_main(argc, argv);
	(void)fflush(stream);
	(void)dup2(saved, fileno(stream));
	(void)close(saved);
	rewind(file);
	output[fread(output, 1, sizeof(output) - 1, file)] = '\0';
	(void)fclose(file);
	return r;
}

static void says(const char *what)
{
	cr_expect(strstr(output, what), "no \"%s\" in:\n%s", what, output);
}

/* A file that holds an OCI profile. */
static char *profile_file(const char *text)
{
	static char path[] = "/tmp/kora-test-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
	return path;
}

Test(show, table)
{
	cr_assert_eq(run(stdout, "show", NULL), 0);
	says("# profile strict on ");
	for (unsigned i = 0; i < syscall_count; i++) {
		char line[64];
		if (syscall_table[i].nr[SECCOMP_NATIVE] < 0)
			continue;
		(void)snprintf(line, sizeof(line), "\n%-6d %-24s ",
			syscall_table[i].nr[SECCOMP_NATIVE], syscall_table[i].name);
		says(line);
	}
	says("(newer)                  ENOSYS");
}

Test(show, json_agrees_with_the_programs)
{
	json_t *o, *call;
	size_t i;
	struct view v;

	cr_assert_eq(run(stdout, "show", "--profile", "dev", "-o", "json", NULL), 0);
	o = json_loads(output, JSON_REJECT_DUPLICATES, NULL);
	cr_assert(o);
	cr_expect_str_eq(json_string_value(json_object_get(o, "profile")), "profile dev");
	cr_assert_eq(view_open(&v, SECCOMP_PROFILE_DEV, NULL, "x"), 0);
	json_array_foreach(json_object_get(o, "syscalls"), i, call) {
		uint32_t nr = (uint32_t)json_integer_value(json_object_get(call, "number"));
		const char *decision = json_string_value(json_object_get(call, "decision"));
		char word[32];
		bool args;
		uint32_t action = view_decide(&v, nr, &args);
		cr_expect_str_eq(decision, args ? "arguments" : view_word(action, word));
		cr_expect_eq(!args, !json_array_size(json_object_get(call, "rules")), "%u", nr);
		cr_expect_str_neq(json_string_value(json_object_get(call, "group")), "-");
	}
	cr_expect_gt(i, 300);
	view_close(&v);
	json_decref(o);
}

Test(explain, calls)
{
	cr_expect_eq(run(stdout, "explain", "keyctl", NULL), 0);
	says("profile strict: EPERM\n");
	says("why: keyrings: ");
	cr_expect_eq(run(stdout, "explain", "ptrace", "-p", "dev", NULL), 0);
	says("profile dev: allow\n");
	cr_expect_eq(run(stdout, "explain", "socket", NULL), 0);
	says("depends on its arguments");
	says("allow if argument 0 == 0x1: AF_UNIX\n");
	says("EPERM otherwise");
	cr_expect_eq(run(stdout, "explain", "ioctl", NULL), 0);
	says("EPERM if argument 1 == 0x5412: TIOCSTI");
	says("allow otherwise");
	cr_expect_eq(run(stdout, "explain", "unshare", NULL), 0);
	says("profile strict: EPERM\n");
	cr_expect_eq(run(stdout, "explain", "clone3", NULL), 0);
	says("ENOSYS");
}

Test(explain, numbers)
{
	cr_expect_eq(run(stdout, "explain", "5000", NULL), 0);
	says("unnamed (5000 on ");
	says("ENOSYS");
	says("above the highest number");
	cr_expect_eq(run(stdout, "explain", "420", NULL), 0);
	says("a number that no call has");
#if defined(__x86_64__)
	cr_expect_eq(run(stdout, "explain", "0x40000001", NULL), 0);
	says("kill process");
	says("x32");
#endif
	cr_expect_eq(run(stdout, "explain", "0xffffffff", "-o", "json", NULL), 0);
	says("\"decision\": \"ENOSYS\"");
}

Test(explain, an_oci_profile)
{
	char *path = profile_file(
		"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"dup\"],"
		"\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":22,\"args\":[{\"index\":0,"
		"\"op\":\"SCMP_CMP_GE\",\"value\":3}]}]}");

	cr_expect_eq(run(stdout, "explain", "dup", "--file", path, NULL), 0);
	says("errno 22 if argument 0 >= 0x3\n");
	says("allow otherwise");
	cr_expect_eq(run(stdout, "explain", "io_uring_setup", "-f", path, NULL), 0);
	says("ENOSYS");
	cr_expect_eq(run(stderr, "explain", "dup", "-f", path, NULL), 0);
	says("defaultAction: ");
	(void)unlink(path);
	cr_expect_eq(run(stderr, "explain", "dup", "-f", path, NULL), 1);
	says("No such file");
}

Test(usage, mistakes)
{
	cr_expect_eq(run(stdout, "--help", NULL), 0);
	says("usage: ");
	cr_expect_eq(run(stderr, NULL), 2);
	cr_expect_eq(run(stderr, "shout", NULL), 2);
	says("unknown command: shout");
	cr_expect_eq(run(stderr, "explain", NULL), 2);
	cr_expect_eq(run(stderr, "show", "x", NULL), 2);
	cr_expect_eq(run(stderr, "show", "-p", "none", NULL), 2);
	says("no such profile: none");
	cr_expect_eq(run(stderr, "show", "-o", "xml", NULL), 2);
	cr_expect_eq(run(stderr, "show", "--nope", NULL), 2);
	cr_expect_eq(run(stderr, "explain", "no_such_call", NULL), 1);
	says("no system call \"no_such_call\"");
	cr_expect_eq(run(stderr, "explain", "socketcall", NULL), 1);
	says("kills the process");
}
