/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket under peers that misbehave, on a daemon that plans nothing. */
#include "mountd/control.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mountd/mountinfo.h"
#include "mountd/server.h"

#define TURN_MS 5
#define TURNS	2000

static struct daemon d;
static struct loop_timer *turn_timer;
static char folder[] = "/tmp/test-control.XXXXXX";

static void do_nothing(void *data)
{
	(void)data;
}

static void on_specs(void *data)
{
	daemon_sync(data);
}

static void stop_loop(void *data)
{
	loop_stop(data);
}

static void set_up(void)
{
	struct kerr e;

	log_set(LOG_FORMAT_TEXT, LOG_LEVEL_ERROR);
	cr_assert(mkdtemp(folder));
	d.preflight = PREFLIGHT_NONE;
	d.preflight.state = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d.preflight.control_gid = getgid();
	d.options.runtime_dir = d.options.state_dir = folder;
	cr_assert_eq(loop_new(&d.loop), 0);
	cr_assert_eq(loop_timer_new(d.loop, do_nothing, NULL, &d.plan_timer), 0);
	cr_assert_eq(loop_timer_new(d.loop, stop_loop, d.loop, &turn_timer), 0);
	cr_assert_eq(server_new(&d, &d.server), 0);
	cr_assert_eq(mountinfo_new(&d, &d.mountinfo), 0);
	cr_assert_eq(source_dir_new(d.loop, folder, &d.desired, on_specs, &d, &d.source, &e), 0);
	cr_assert_eq(control_new(&d, &d.control, &e), 0, "%s", e.detail);
}

static void tear_down(void)
{
	char command[64];

	control_free(d.control);
	source_dir_free(d.source);
	mountinfo_free(d.mountinfo);
	server_free(d.server);
	desired_clear(&d.desired);
	while (d.runs.n)
		runs_drop(&d.runs, d.runs.list[0]);
	free(d.runs.list);
	loop_timer_free(d.plan_timer);
	loop_timer_free(turn_timer);
	loop_free(d.loop);
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}

TestSuite(control, .init = set_up, .fini = tear_down);

static int connect_peer(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)snprintf(name.sun_path, sizeof name.sun_path, "%s/control.sock", folder);
	cr_assert_eq(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
	return fd;
}

static void turn(void)
{
	loop_timer_set(turn_timer, TURN_MS);
	loop_run(d.loop);
}

/* The next packet, or NULL when the peer was dropped. */
static json_t *receive(int fd)
{
	static char buffer[1 << 17];

	for (int i = 0; i < TURNS; i++) {
		ssize_t n = recv(fd, buffer, sizeof buffer, 0);

		if (n > 0) {
			json_t *object = json_loadb(buffer, (size_t)n, 0, NULL);

			cr_assert(json_is_object(object), "%.*s", (int)n, buffer);
			return object;
		}
		if (n == 0 || errno != EAGAIN)
			return NULL;
		turn();
	}
	cr_assert_fail("no answer");
	return NULL;
}

static json_t *ask(int fd, const char *request)
{
	json_t *answer;

	cr_assert_eq(send(fd, request, strlen(request), MSG_NOSIGNAL), (ssize_t)strlen(request));
	answer = receive(fd);
	cr_assert(answer, "%s", request);
	return answer;
}

static void expect_kind(const char *request, const char *kind, const char *field)
{
	int fd = connect_peer();
	json_t *answer = ask(fd, request);
	const char *got = json_string_value(json_object_get(answer, "kind"));
	const char *got_field = json_string_value(json_object_get(answer, "field"));

	cr_expect(json_is_false(json_object_get(answer, "ok")), "%s", request);
	cr_expect(got && strcmp(got, kind) == 0, "%s: %s", request, got);
	if (field)
		cr_expect(got_field && strcmp(got_field, field) == 0, "%s: %s", request, got_field);
	json_decref(answer);
	(void)close(fd);
}

static void expect_well(void)
{
	int fd = connect_peer();
	json_t *answer = ask(fd, "{\"verb\":\"runs\"}");

	while (json_object_get(answer, "item")) {
		json_decref(answer);
		answer = receive(fd);
		cr_assert(answer);
	}
	cr_expect(json_is_true(json_object_get(answer, "ok")));
	json_decref(answer);
	(void)close(fd);
}

#define BIND \
	"{\"kind\":\"bind\",\"run\":\"demo\",\"incarnation\":\"1\",\"source_volume\":\"/a\"," \
	"\"volume\":\"/b\",\"uid\":1,\"gid\":1"

Test(control, refusals)
{
	expect_kind("x", "usage", NULL);
	expect_kind("[]", "usage", NULL);
	expect_kind("{}", "usage", "verb");
	expect_kind("{\"verb\":\"status\",\"verb\":\"runs\"}", "usage", NULL);
	expect_kind("{\"verb\":7}", "usage", "verb");
	expect_kind("{\"verb\":\"mount\"}", "usage", "verb");
	expect_kind("{\"verb\":\"runs\",\"run\":\"x\"}", "usage", "run");
	expect_kind("{\"verb\":\"describe\"}", "usage", "run");
	expect_kind("{\"verb\":\"describe\",\"run\":\"../x\"}", "usage", "run");
	expect_kind("{\"verb\":\"describe\",\"run\":\"x\"}", "not-found", "run");
	expect_kind("{\"verb\":\"release\",\"run\":\"x\"}", "not-found", "run");
	expect_kind("{\"verb\":\"release\",\"run\":\"x\",\"wait_ms\":-1}", "usage", "wait_ms");
	expect_kind("{\"verb\":\"drain\",\"wait_ms\":\"1\"}", "usage", "wait_ms");
	expect_kind("{\"verb\":\"apply\"}", "usage", "spec");
	expect_kind("{\"verb\":\"apply\",\"spec\":7}", "refused", "spec");
	expect_kind("{\"verb\":\"apply\",\"spec\":" BIND ",\"x\":1}}", "refused", "x");
	expect_kind("{\"verb\":\"apply\",\"wait_ms\":1,\"spec\":" BIND "}}", "timeout", NULL);
}

Test(control, apply_writes_a_spec_and_release_removes_it)
{
	int fd = connect_peer();

	json_decref(ask(fd, "{\"verb\":\"apply\",\"spec\":" BIND "}}"));
	cr_assert(desired_file(&d.desired, "demo.mount.json"));
	cr_assert(runs_find(&d.runs, "demo", ROLE_MOUNT)->wished);
	json_decref(ask(fd, "{\"verb\":\"release\",\"run\":\"demo\"}"));
	cr_assert_null(desired_file(&d.desired, "demo.mount.json"));
	cr_assert_not(runs_find(&d.runs, "demo", ROLE_MOUNT)->wished);
	(void)close(fd);
}

Test(control, a_directory_that_is_not_read_is_told)
{
	int fd = connect_peer();
	json_t *answer;

	cr_assert_eq(chmod(folder, 0777), 0);
	answer = ask(fd, "{\"verb\":\"apply\",\"spec\":" BIND "}}");
	cr_expect(strstr(json_string_value(json_object_get(answer, "message")), "chmod go-w"));
	json_decref(answer);
	answer = ask(fd, "{\"verb\":\"status\"}");
	cr_assert_eq(json_array_size(json_object_get(answer, "faults")), 1);
	json_decref(answer);
	cr_assert_eq(chmod(folder, 0700), 0);
	answer = ask(fd, "{\"verb\":\"status\"}");
	cr_expect_eq(json_array_size(json_object_get(answer, "faults")), 0);
	json_decref(answer);
	(void)close(fd);
}

Test(control, release_removes_whatever_speaks_of_the_run)
{
	static const char *const of_run[] = {"a.json", "z.json", "demo.export.json"};
	int fd = connect_peer();

	for (size_t i = 0; i < 2; i++)
		cr_assert_eq(source_dir_write(d.source, of_run[i], BIND "}", strlen(BIND "}")), 0);
	cr_assert_eq(source_dir_write(d.source, "demo.export.json", "broken", 6), 0);
	cr_assert_eq(source_dir_write(d.source, "other.json", "broken", 6), 0);
	json_decref(ask(fd, "{\"verb\":\"release\",\"run\":\"demo\"}"));
	for (size_t i = 0; i < 3; i++)
		cr_expect_null(desired_file(&d.desired, of_run[i]), "%s", of_run[i]);
	cr_expect(desired_file(&d.desired, "other.json"));
	(void)close(fd);
}

Test(control, drained_node_takes_no_wish)
{
	int fd = connect_peer();

	json_decref(ask(fd, "{\"verb\":\"apply\",\"spec\":" BIND "}}"));
	json_decref(ask(fd, "{\"verb\":\"drain\"}"));
	cr_expect_not(runs_find(&d.runs, "demo", ROLE_MOUNT)->wished);
	expect_kind("{\"verb\":\"apply\",\"spec\":" BIND "}}", "drained", NULL);
	json_decref(ask(fd, "{\"verb\":\"resume\"}"));
	cr_expect(runs_find(&d.runs, "demo", ROLE_MOUNT)->wished, "the specs were kept");
	(void)close(fd);
}

Test(control, overruling_file_is_named)
{
	cr_assert_eq(source_dir_write(d.source, "a.json", BIND "}", strlen(BIND "}")), 0);
	expect_kind("{\"verb\":\"apply\",\"spec\":" BIND "}}", "refused", "run");
}

Test(control, oversized_packet_is_answered)
{
	static char packet[CONTROL_PACKET_MAX + 2];
	int fd = connect_peer();
	json_t *answer;

	memset(packet, ' ', sizeof packet - 1);
	answer = ask(fd, packet);
	cr_expect_str_eq(json_string_value(json_object_get(answer, "kind")), "usage");
	json_decref(answer);
	json_decref(ask(fd, "{\"verb\":\"runs\"}"));
	(void)close(fd);
	expect_well();
}

Test(control, silent_peers_give_way)
{
	int fds[3 * CONTROL_CONNECTIONS];

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
		fds[i] = connect_peer();
		turn();
	}
	expect_well();
	cr_expect_null(receive(fds[0]), "the one that was idle for longest");
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		(void)close(fds[i]);
}

Test(control, waiting_peers_keep_their_place_and_others_are_told)
{
	int fds[CONTROL_CONNECTIONS], late;
	json_t *answer;

	json_decref(ask(fds[0] = connect_peer(), "{\"verb\":\"apply\",\"spec\":" BIND "}}"));
	(void)close(fds[0]);
	for (size_t i = 0; i < CONTROL_CONNECTIONS; i++) {
		static const char wait[] =
			"{\"verb\":\"apply\",\"wait_ms\":3600000,\"spec\":" BIND "}}";

		fds[i] = connect_peer();
		cr_assert_eq(send(fds[i], wait, sizeof wait - 1, 0), (ssize_t)sizeof wait - 1);
		turn();
	}
	late = connect_peer();
	answer = receive(late);
	cr_assert(answer);
	cr_expect(json_is_false(json_object_get(answer, "ok")));
	json_decref(answer);
	(void)close(late);
	for (size_t i = 0; i < CONTROL_CONNECTIONS; i++)
		(void)close(fds[i]);
	turn();
	expect_well();
}

/* A peer that asks and asks and never reads: held up by its own full socket, harmless to others. */
Test(control, flood_without_reading)
{
	static const char request[] = "{\"verb\":\"describe\",\"run\":\"demo\"}";
	int fd = connect_peer();
	unsigned sent = 0;

	for (int i = 0; i < 200; i++) {
		while (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) > 0)
			sent++;
		turn();
	}
	cr_expect_gt(sent, 100);
	expect_well();
	(void)close(fd);
	expect_well();
}

Test(control, peer_that_leaves_while_it_waits)
{
	static const char wait[] = "{\"verb\":\"apply\",\"wait_ms\":60000,\"spec\":" BIND "}}";

	for (int i = 0; i < 3 * CONTROL_CONNECTIONS; i++) {
		int fd = connect_peer();

		cr_assert_eq(send(fd, wait, sizeof wait - 1, 0), (ssize_t)sizeof wait - 1);
		if (i % 2)
			turn();
		(void)close(fd);
	}
	expect_well();
}

static void snapshot(int fd, const char *rest, bool good)
{
	char text[2048];
	json_t *answer;

	(void)snprintf(
		text, sizeof text, "{\"verb\":\"snapshot\",\"source\":\"kubernetes\",%s}", rest);
	answer = ask(fd, text);
	cr_expect_eq(json_is_true(json_object_get(answer, "ok")), good, "%s", rest);
	json_decref(answer);
}

Test(control, snapshot_counts_with_its_last_part)
{
	int fd = connect_peer();

	snapshot(fd, "\"part\":1,\"specs\":[" BIND "}]", true);
	cr_expect_eq(d.desired.n, 0);
	snapshot(fd, "\"part\":2,\"complete\":true,\"specs\":[]", true);
	cr_assert(desired_file(&d.desired, "kubernetes.demo.mount.json"));
	cr_expect(runs_find(&d.runs, "demo", ROLE_MOUNT)->wished);
	snapshot(fd, "\"complete\":true,\"specs\":[]", true);
	cr_expect_eq(d.desired.n, 0);
	cr_expect_not(runs_find(&d.runs, "demo", ROLE_MOUNT)->wished);
	(void)close(fd);
}

Test(control, snapshot_leaves_the_specs_of_others)
{
	int fd = connect_peer();

	cr_assert_eq(
		source_dir_write(d.source, "kubernetes.mount.json", BIND "}", strlen(BIND "}")), 0);
	cr_assert_eq(
		source_dir_write(d.source, "other.a.mount.json", BIND "}", strlen(BIND "}")), 0);
	snapshot(fd, "\"complete\":true,\"specs\":[]", true);
	cr_expect_eq(d.desired.n, 2);
	(void)close(fd);
}

Test(control, snapshot_that_is_wrong_or_cut_changes_nothing)
{
	int fd = connect_peer();

	snapshot(fd, "\"complete\":true,\"specs\":[" BIND "}]", true);
	snapshot(fd, "\"complete\":true,\"specs\":[{}]", false);
	snapshot(fd, "\"part\":1,\"specs\":[]", true);
	snapshot(fd, "\"part\":3,\"specs\":[],\"complete\":true", false);
	snapshot(fd, "\"part\":2,\"specs\":[],\"complete\":true", false);
	snapshot(fd, "\"part\":1,\"specs\":[]", true);
	(void)close(fd);
	turn();
	cr_expect(desired_file(&d.desired, "kubernetes.demo.mount.json"));
	expect_kind("{\"verb\":\"snapshot\",\"specs\":[]}", "usage", "source");
	expect_kind("{\"verb\":\"snapshot\",\"source\":\"k\",\"specs\":1}", "usage", "specs");
	expect_kind("{\"verb\":\"snapshot\",\"source\":\"k\",\"specs\":[" BIND ",\"x\":1}]}",
		"refused", "specs[0].x");
}

Test(control, runs_answer_when_something_has_changed)
{
	int fd = connect_peer(), other = connect_peer();
	json_t *answer = ask(fd, "{\"verb\":\"runs\",\"since\":0,\"wait_ms\":60000}");
	char text[128];

	(void)snprintf(text, sizeof text, "{\"verb\":\"runs\",\"since\":%lld,\"wait_ms\":60000}",
		(long long)json_integer_value(json_object_get(answer, "serial")));
	json_decref(answer);
	cr_assert_gt(send(fd, text, strlen(text), MSG_NOSIGNAL), 0);
	turn();
	cr_assert_lt(recv(fd, text, sizeof text, MSG_PEEK), 0, "nothing has changed yet");
	snapshot(other, "\"complete\":true,\"specs\":[" BIND "}]", true);
	control_check(d.control);
	answer = receive(fd);
	cr_assert(json_object_get(answer, "item"));
	json_decref(answer);
	(void)close(fd);
	(void)close(other);
}
