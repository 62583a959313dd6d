/* SPDX-License-Identifier: Apache-2.0 */
/* How the watch is started: its options, and ways to the API server. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountd/watch_access.h"
#include "mountd/watch_options.h"

static int parse(struct watch_options *o, char *fault, const char *a, const char *b)
{
	char *argv[] = {(char[]){"watch"}, (char *)(uintptr_t)a, (char *)(uintptr_t)b, NULL};

	return watch_options_parse(1 + (a != NULL) + (b != NULL), argv, o, fault);
}

Test(watch_options, defaults_and_environment)
{
	struct watch_options o;
	char fault[OPTIONS_FAULT_SIZE];

	(void)unsetenv("NODE_NAME");
	cr_expect_eq(parse(&o, fault, NULL, NULL), -EINVAL);
	cr_expect(strstr(fault, "--node"));
	(void)setenv("NODE_NAME", "node-1.example", 1);
	cr_assert_eq(parse(&o, fault, NULL, NULL), 0);
	cr_expect_str_eq(o.node, "node-1.example");
	cr_expect_eq(o.port, 20490);
	cr_expect_eq(o.http_port, 20491);
	cr_expect_eq(o.unexport_grace_seconds, 10);
	(void)setenv("NODE_NAME", "Not A Node", 1);
	cr_expect_eq(parse(&o, fault, NULL, NULL), -EINVAL);
	cr_expect_eq(parse(&o, fault, "--version", NULL), 0);
}

Test(watch_options, good_values)
{
	static const char *const good[] = {"--http=[::1]:80", "--http=10.0.0.1:1", "--http=off",
		"--socket=/s", "--port=1", "--kubelet-dir=/k", "--workspace-root=/w",
		"--cross-namespace", "--unexport-grace=0", "--kubeconfig=f", "--server=https://x",
		"--token-file=t", "--ca-file=c", "--log-format=json", "--log-level=debug"};
	struct watch_options o;
	char fault[OPTIONS_FAULT_SIZE];

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		cr_expect_eq(parse(&o, fault, "--node=n", good[i]), 0, "%s: %s", good[i], fault);
}

Test(watch_options, bad_values)
{
	static const char *const bad[] = {"--node=", "--node=A", "--http=", "--http=80",
		"--http=0.0.0.0:80", "--http=127.0.0.1:0", "--http=localhost:80", "--socket=s",
		"--port=0", "--kubelet-dir=k", "--workspace-root=/../x", "--unexport-grace=x",
		"--server=http://x", "--kubeconfig=", "--token-file=", "--log-format=xml",
		"--log-level=all", "--nothing", "--cross-namespace=1", "argument"};
	struct watch_options o;
	char fault[OPTIONS_FAULT_SIZE];

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		fault[0] = '\0';
		cr_expect_eq(parse(&o, fault, "--node=n", bad[i]), -EINVAL, "%s", bad[i]);
		cr_expect(fault[0]);
	}
}

static char folder[] = "/tmp/test-watch-setup.XXXXXX";

static void enter(void)
{
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
}

static void leave(void)
{
	char command[64];

	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}

TestSuite(watch_access, .init = enter, .fini = leave);

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	cr_assert(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

Test(watch_access, in_cluster)
{
	struct access a = {0};
	struct kerr e = {0};

	(void)unsetenv("KUBERNETES_SERVICE_HOST");
	cr_expect_eq(access_in_cluster(NULL, "t", "c", &a, &e), -EINVAL);
	(void)setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
	(void)setenv("KUBERNETES_SERVICE_PORT", "6443", 1);
	cr_expect_eq(access_in_cluster(NULL, "t", "c", &a, &e), -ENOENT);
	write_file("t", "secret\n");
	write_file("c", "x");
	cr_assert_eq(access_in_cluster(NULL, "t", "c", &a, &e), 0);
	cr_expect_str_eq(a.server, "https://[fd00::1]:6443");
	access_clear(&a);
}

Test(watch_access, token_is_read_anew)
{
	struct access a = {.token_file = (char[]){"t"}};
	char *token;

	write_file("t", "one\n");
	cr_assert_eq(access_read_token(&a, &token), 0);
	cr_expect_str_eq(token, "one");
	free(token);
	write_file("t", "two");
	cr_assert_eq(access_read_token(&a, &token), 0);
	cr_expect_str_eq(token, "two");
	free(token);
	(void)unlink("t");
	cr_expect_eq(access_read_token(&a, &token), -ENOENT);
}

#define CONFIG(cluster, user) \
	"{\"current-context\":\"x\",\"contexts\":[{\"name\":\"y\",\"context\":{}},{\"name\":" \
	"\"x\"," \
	"\"context\":{\"cluster\":\"c\",\"user\":\"u\"}}],\"clusters\":[{\"name\":\"c\"," \
	"\"cluster\":{" cluster "}}],\"users\":[{\"name\":\"u\",\"user\":{" user "}}]}"

Test(watch_access, kubeconfig)
{
	struct access a = {0};
	struct kerr e = {0};

	write_file("k",
		CONFIG("\"server\":\"https://h:1/\",\"certificate-authority-data\":\"YWJjZA==\"",
			"\"token\":\"secret\",\"client-certificate-data\":\"YWI=\""));
	cr_assert_eq(access_from_kubeconfig("k", &a, &e), 0, "%s", e.detail);
	cr_expect_str_eq(a.server, "https://h:1");
	cr_expect_str_eq(a.token, "secret");
	cr_expect_eq(a.ca.size, 4);
	cr_expect_eq(memcmp(a.ca.bytes, "abcd", 4), 0);
	cr_expect_eq(a.certificate.size, 2);
	access_clear(&a);
}

Test(watch_access, kubeconfigs_that_are_refused)
{
	static const char *const texts[] = {"apiVersion: v1\n", "{}", CONFIG("", ""),
		CONFIG("\"server\":\"http://h\"", ""),
		CONFIG("\"server\":\"https://h\",\"insecure-skip-tls-verify\":true", ""),
		CONFIG("\"server\":\"https://h\",\"certificate-authority-data\":\"!\"", ""),
		CONFIG("\"server\":\"https://h\"", "\"exec\":{\"command\":\"x\"}")};
	struct access a = {0};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct kerr e = {0};

		write_file("k", texts[i]);
		cr_expect_eq(access_from_kubeconfig("k", &a, &e), -EINVAL, "%s", texts[i]);
		cr_expect(e.detail[0], "%s", texts[i]);
	}
}
