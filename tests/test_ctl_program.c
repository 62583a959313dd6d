/* SPDX-License-Identifier: Apache-2.0 */
/* The real kora-mountctl against a scripted daemon: what it asks, prints and returns. */
#include "tests/ctl_run.h"

#include <jansson.h>
#include <sched.h>
#include <time.h>

#include "mountd/netns_lock.h"

static struct outcome o;
static char request[65536];

/* Sets up a daemon that answers packets, runs the program with argv, --socket added. */
static void ask(const char *const *packets, bool hang, const char *const *argv)
{
	struct server server;
	const char *all[32];
	size_t n = 0;

	server_start(&server, packets, hang);
	for (; argv[n]; n++)
		all[n] = argv[n];
	all[n++] = "--socket";
	all[n++] = server.path;
	all[n] = NULL;
	run_ctl(&o, all);
	server_end(&server, request, sizeof request);
}

#define PACKETS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
#define ARGV(...)    ((const char *const[]){__VA_ARGS__, NULL})
#define OK	     "{\"ok\": true}"

static const char status_packet[] =
	"{\"ok\": true, \"version\": \"0.1.0\", \"node\": \"n1\", \"uptime_seconds\": 3725, "
	"\"drained\": false, \"server\": {\"state\": \"ours\", \"threads\": 4, "
	"\"listen\": [\"10.20.0.1:20490\", \"[fd20::1]:20490\"], \"server_rung\": \"netlink\", "
	"\"cache_rung\": \"procfs\", \"revoke_rung\": \"unlock-filesystem\"}, "
	"\"exports\": {\"ready\": 2, \"pending\": 1}, \"mounts\": {\"ready\": 0, \"pending\": 0}, "
	"\"faults\": [\"x.json: uid is missing\"]}";

Test(ctl_program, status_for_people, .timeout = 60)
{
	ask(PACKETS(status_packet), false, ARGV("status"));
	cr_expect_eq(o.code, 0);
	cr_expect_str_eq(o.err, "");
	cr_expect_str_eq(request, "{\"verb\":\"status\"}");
	cr_expect_str_eq(o.out,
		"node          n1\n"
		"version       0.1.0\n"
		"uptime        1h02m\n"
		"server        ours, 4 threads\n"
		"listen        10.20.0.1:20490\n"
		"              [fd20::1]:20490\n"
		"rungs         server netlink, cache procfs, revoke unlock-filesystem\n"
		"exports       2 ready, 1 pending\n"
		"mounts        0 ready, 0 pending\n"
		"fault         x.json: uid is missing\n");
}

Test(ctl_program, a_stopped_server_uses_nothing, .timeout = 60)
{
	ask(PACKETS("{\"ok\": true, \"version\": \"0.1.0\", \"node\": \"n1\", "
		    "\"uptime_seconds\": 1, \"server\": {\"state\": \"stopped\", \"threads\": 0, "
		    "\"listen\": [\"10.20.0.1:20490\"], \"server_rung\": \"netlink\", "
		    "\"cache_rung\": \"procfs\", \"revoke_rung\": \"unlock-filesystem\"}}"),
		false, ARGV("status"));
	cr_expect(strstr(o.out, "\nwould listen  10.20.0.1:20490\n"), "%s", o.out);
	cr_expect_null(strstr(o.out, "rungs"), "%s", o.out);
}

#define DRAINED(left) \
	"{\"ok\": true, \"drained\": true, \"exports\": {\"ready\": 0, \"pending\": " left "}, " \
	"\"mounts\": {\"ready\": 1, \"pending\": 0}}"

Test(ctl_program, status_tells_a_drain_that_is_under_way, .timeout = 60)
{
	ask(PACKETS(DRAINED("2")), false, ARGV("status"));
	cr_expect(strstr(o.out, "\ndrained       not yet, 3 exports and mounts are left\n"), "%s",
		o.out);
	ask(PACKETS("{\"ok\": true, \"drained\": true}"), false, ARGV("status"));
	cr_expect(strstr(o.out, "\ndrained       yes (kora-mountctl resume"), "%s", o.out);
}

Test(ctl_program, status_names_the_servers_that_do_not_answer, .timeout = 60)
{
	ask(PACKETS("{\"ok\": true, \"silent_servers\": [{\"address\": \"10.20.0.1:20490\", "
		    "\"state\": \"silent\", \"seconds\": 7}, {\"address\": \"[fd20::1]:20490\", "
		    "\"state\": \"lost\", \"seconds\": 3725}]}"),
		false, ARGV("status"));
	cr_expect_eq(o.code, 0);
	cr_expect(
		strstr(o.out, "\nsilent server 10.20.0.1:20490 silent for 7s\n"
			      "lost server   [fd20::1]:20490 silent for 1h02m, its mounts are cut "
			      "off\n"),
		"%s", o.out);
}

Test(ctl_program, status_for_programs, .timeout = 60)
{
	ask(PACKETS("{\"ok\": true, \"version\": \"0.1.0\", \"node\": \"n1\"}"), false,
		ARGV("status", "-o", "json"));
	cr_expect_eq(o.code, 0);
	cr_expect_str_eq(o.out, "{\n  \"version\": \"0.1.0\",\n  \"node\": \"n1\"\n}\n");
}

Test(ctl_program, runs_are_aligned_and_cannot_steer_the_terminal, .timeout = 60)
{
	char long_ago[256];

	snprintf(long_ago, sizeof long_ago,
		"{\"item\": {\"run\": \"a-long-name\", \"role\": \"mount\", \"state\": "
		"\"retrying\", "
		"\"since\": %lld, \"peer\": \"10.20.0.1\", \"path\": \"/w/a\", "
		"\"fault\": \"no\\u001b[2J \\u00e9\"}}",
		(long long)time(NULL) - 90061);
	ask(PACKETS(long_ago,
		    "{\"item\": {\"run\": \"b\", \"role\": \"export\", \"state\": \"ready\"}}", OK),
		false, ARGV("runs"));
	cr_expect_eq(o.code, 0);
	cr_expect_str_eq(o.out,
		"RUN          ROLE    STATE     AGE    PEER       PATH  FAULT\n"
		"a-long-name  mount   retrying  1d01h  10.20.0.1  /w/a  no\\x1b[2J \xc3\xa9\n"
		"b            export  ready     0s     -          -     -\n",
		"%s", o.out);
}

Test(ctl_program, a_long_fault_is_told_whole, .timeout = 60)
{
	static const char item[] =
		"{\"item\": {\"run\": \"a\", \"fault\": \"\u00e9\u00e9\u00e9\u00e9 "
		"567890123456789012345678901234567890123456789012345678 0123456789\"}}";

	ask(PACKETS(item, OK), false, ARGV("runs"));
	cr_expect(strstr(o.out, "45678 0123456789\n"), "%s", o.out);
	ask(PACKETS(item, OK), false, ARGV("describe", "a"));
	cr_expect(strstr(o.out, "45678 0123456789\n"), "%s", o.out);
}

Test(ctl_program, describe_shows_what_it_does_not_know_too, .timeout = 60)
{
	ask(PACKETS("{\"item\": {\"run\": \"demo\", \"role\": \"bind\", \"attempts\": 3, "
		    "\"new\": {\"a\": 1}, \"list\": [\"x\", 2], \"none\": {}, \"empty\": []}}",
		    OK),
		false, ARGV("describe", "demo"));
	cr_expect_eq(o.code, 0);
	cr_expect_str_eq(request, "{\"verb\":\"describe\",\"run\":\"demo\"}");
	cr_expect_str_eq(o.out, "run           demo\n"
				"role          bind\n"
				"attempts      3\n"
				"new.a         1\n"
				"list          x\n"
				"              2\n"
				"none          {}\n"
				"empty         []\n");
	ask(PACKETS(OK), false, ARGV("describe", "demo"));
	cr_expect_eq(o.code, 3, "no item: no such run");
}

Test(ctl_program, export_sends_a_spec_and_its_patience, .timeout = 60)
{
	ask(PACKETS("{\"ok\": true, \"state\": \"ready\"}"), false,
		ARGV("export", "demo", "--folder", "/srv/demo", "--incarnation", "i", "--client",
			"10.0.0.2", "--uid", "5", "--gid", "6", "--timeout", "9"));
	cr_expect_eq(o.code, 0, "%s", o.err);
	cr_expect_str_eq(o.out, "demo: export is ready\n");
	cr_expect_str_eq(request,
		"{\"verb\":\"apply\",\"spec\":{\"kind\":\"export\",\"run\":\"demo\","
		"\"incarnation\":\"i\",\"uid\":5,\"gid\":6,\"clients\":[\"10.0.0.2\"],"
		"\"sync\":false,\"volume\":\"/srv\",\"folder\":\"demo\"},\"wait_ms\":3000}");
}

Test(ctl_program, what_is_late_is_told_before_it_is_waited_for, .timeout = 60)
{
	ask(PACKETS("{\"ok\": false, \"kind\": \"timeout\", \"message\": \"still retrying: "
		    "gone\"}"),
		false,
		ARGV("export", "demo", "--folder", "/srv/demo", "--incarnation", "i", "--client",
			"10.0.0.2", "--uid", "5", "--gid", "6", "--timeout", "9"));
	cr_expect_eq(o.code, 6);
	cr_expect(strstr(o.err, "still retrying: gone; waiting for it\n"), "%s", o.err);
	cr_expect(strstr(request, "\"wait_ms\":3000}{"), "%s", request);
	cr_expect(strstr(request, "\"wait_ms\":6000}"), "%s", request);
}

Test(ctl_program, no_wait_does_not_claim_that_it_is_done, .timeout = 60)
{
	ask(PACKETS(OK), false, ARGV("release", "demo", "--no-wait"));
	cr_expect_eq(o.code, 0);
	cr_expect_str_eq(request, "{\"verb\":\"release\",\"run\":\"demo\",\"wait_ms\":0}");
	cr_expect_str_eq(o.out, "demo: release has begun\n");
	ask(PACKETS(OK), false, ARGV("drain", "-o", "json"));
	cr_expect_str_eq(o.out, "{\n  \"drained\": true\n}\n");
	cr_expect_str_eq(request, "{\"verb\":\"drain\",\"wait_ms\":60000}");
	ask(PACKETS(OK), false, ARGV("resume"));
	cr_expect_str_eq(request, "{\"verb\":\"resume\"}");
	cr_expect_str_eq(o.out, "resumed: specs are carried out again\n");
}

Test(ctl_program, every_kind_has_its_exit_code, .timeout = 60)
{
	static const struct {
		const char *kind;
		int code;
	} kinds[] = {{"usage", 2}, {"refused", 4}, {"not-found", 3}, {"timeout", 6}, {"failed", 1},
		{"module-missing", 7}, {"drained", 4}, {"news", 1}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char packet[256];
		snprintf(packet, sizeof packet,
			"{\"ok\": false, \"kind\": \"%s\", \"message\": \"why\", \"field\": "
			"\"uid\"}",
			kinds[i].kind);
		ask(PACKETS(packet), false, ARGV("release", "demo"));
		cr_expect_eq(o.code, kinds[i].code, "%s: %d", kinds[i].kind, o.code);
		cr_expect(
			strncmp(o.err, "kora-mountctl: release demo: why\n", 33) == 0, "%s", o.err);
		cr_expect_null(strstr(o.err, "field"), "a program's business");
		cr_expect_null(strstr(o.err, "RUN"), "the run is known: %s", o.err);
		cr_expect_str_eq(o.out, "");
	}
}

Test(ctl_program, a_failure_is_json_too, .timeout = 60)
{
	ask(PACKETS("{\"ok\": false, \"kind\": \"not-found\", \"message\": \"no run demo\"}"),
		false, ARGV("release", "demo", "-o", "json"));
	cr_expect_eq(o.code, 3);
	cr_expect_str_eq(o.out,
		"{\n  \"error\": {\n    \"kind\": \"not-found\",\n"
		"    \"message\": \"release demo: no run demo\",\n"
		"    \"advice\": \"kora-mountctl runs lists what this node knows, kora-mountctl "
		"status the spec files that it cannot use\"\n  }\n}\n");
	RUN(&o, "stat", "-o", "json");
	cr_expect_eq(o.code, 2);
	cr_expect(o.out[0] == '{' && strstr(o.out, "\"kind\": \"usage\""), "%s", o.out);
	ask(PACKETS("{\"ok\": false, \"kind\": \"refused\", \"message\": \"0\", \"field\": "
		    "\"uid\"}"),
		false, ARGV("release", "demo", "-o", "json"));
	cr_expect(strstr(o.out, "\"field\": \"uid\""), "%s", o.out);
}

/* The wish of a failed apply is kept, so its taking back is told. */
Test(ctl_program, a_failed_wish_stays, .timeout = 60)
{
	static const char *const kinds[] = {"failed", "module-missing"};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char packet[128];
		snprintf(packet, sizeof packet,
			"{\"ok\": false, \"kind\": \"%s\", \"message\": \"why\"}", kinds[i]);
		ask(PACKETS(packet), false,
			ARGV("mount", "demo", "--server", "10.0.0.1", "--incarnation", "i",
				"--volume", "/w", "--uid", "5", "--gid", "6"));
		cr_expect_eq(o.code, i ? 7 : 1);
		cr_expect(strstr(o.err, "the wish stays and is tried again"), "%s", o.err);
		cr_expect(strstr(o.err, "kora-mountctl release demo takes it back"), "%s", o.err);
	}
	ask(PACKETS("{\"ok\": false, \"kind\": \"failed\", \"message\": \"why\", \"field\": "
		    "\"spec\"}"),
		false,
		ARGV("mount", "demo", "--server", "10.0.0.1", "--incarnation", "i", "--volume",
			"/w", "--uid", "5", "--gid", "6"));
	cr_expect_null(strstr(o.err, "wish"), "it was not taken: %s", o.err);
	ask(PACKETS("{\"ok\": false, \"kind\": \"failed\", \"message\": \"why\"}"), false,
		ARGV("release", "demo"));
	cr_expect_null(strstr(o.err, "wish"), "a release is none: %s", o.err);
}

Test(ctl_program, what_is_late_can_be_taken_back, .timeout = 60)
{
	const char *const *late =
		PACKETS("{\"ok\": false, \"kind\": \"timeout\", \"message\": \"still working\"}");
	const char *const *wish = ARGV("mount", "demo", "--server", "10.0.0.1", "--incarnation",
		"i", "--volume", "/w", "--uid", "5", "--gid", "6", "--timeout", "1");

	ask(late, false, wish);
	cr_expect_eq(o.code, 6);
	cr_expect(strstr(o.err, "it goes on: kora-mountctl describe demo shows how far it is, "
				"kora-mountctl release demo takes it back\n"),
		"%s", o.err);
	ask(late, false, ARGV("drain"));
	cr_expect(strstr(o.err, "kora-mountctl runs shows how far it is, kora-mountctl resume ends "
				"it\n"),
		"%s", o.err);
	ask(late, false, ARGV("release", "demo"));
	cr_expect(strstr(o.err, "kora-mountctl describe demo shows how far it is\n"), "%s", o.err);
	ask(PACKETS(), false, wish); /* as one that is killed meanwhile does */
	cr_expect_eq(o.code, 5);
	cr_expect(
		strstr(o.err, "if it has heard this, it goes on: kora-mountctl release demo takes "
			      "it back"),
		"%s", o.err);
	ask(PACKETS("{\"item\": {}}"), true, wish);
	cr_expect_eq(o.code, 6);
	cr_expect(
		strstr(o.err, "if it has heard this, it goes on: kora-mountctl release demo takes "
			      "it back\n"),
		"%s", o.err);
}

Test(ctl_program, nonsense_and_silence_end, .timeout = 60)
{
	ask(PACKETS("{\"ok\": tr"), false, ARGV("runs"));
	cr_expect_eq(o.code, 1, "half a packet");
	ask(PACKETS("[]"), false, ARGV("runs"));
	cr_expect_eq(o.code, 1, "no object");
	ask(PACKETS("{\"ok\": true, \"ok\": true}"), false, ARGV("runs"));
	cr_expect_eq(o.code, 1, "a key twice");
	ask(PACKETS(), false, ARGV("runs"));
	cr_expect_eq(o.code, 5, "closed without an answer");
	ask(PACKETS("{\"item\": {}}"), true, ARGV("runs", "--timeout", "1"));
	cr_expect_eq(o.code, 6, "silent");
	cr_expect(strstr(o.err, "did not answer in time"));
}

Test(ctl_program, without_a_daemon, .timeout = 60)
{
	char path[200];

	RUN(&o, "status", "--socket", "/nonexistent/s");
	cr_expect_eq(o.code, 5);
	cr_expect(strstr(o.err, "no socket at /nonexistent/s\n  what now: start"), "%s", o.err);
	memset(path, 'a', sizeof path - 1);
	path[0] = '/';
	path[sizeof path - 1] = '\0';
	RUN(&o, "status", "--socket", path);
	cr_expect_eq(o.code, 2);
}

Test(ctl_program, a_result_nobody_can_read_is_a_failure, .timeout = 60)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), status;
	pid_t pid = fork();

	if (pid == 0) {
		dup2(full, STDOUT_FILENO);
		execl(getenv("KORA_MOUNTCTL"), "kora-mountctl", "--help", NULL);
		_exit(127);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(WEXITSTATUS(status), 1);
}

Test(ctl_program, doctor_works_without_a_daemon, .timeout = 120)
{
	RUN(&o, "doctor", "--socket", "/nonexistent/s", "-o", "json", "--timeout", "20");
	cr_expect(o.code == 0 || o.code == 7 || o.code == 8, "%d: %s", o.code, o.err);
	static const char *const names[] = {"kernel", "module nfsd", "module nfsv4",
		"module sunrpc", "rung replace", "rung cut-off", "daemon", "server", "listener",
		"network", "addresses", "node-name", "client-id", "mounts"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char wanted[64];
		snprintf(wanted, sizeof wanted, "\"check\": \"%s\"", names[i]);
		cr_expect(strstr(o.out, wanted), "%s is missing in %s", names[i], o.out);
	}
	cr_expect_eq(strstr(o.out, "\"healthy\": true") != NULL, o.code == 0);
}

/* The finding of check as one text, "" where there is none. */
static const char *finding(const char *check)
{
	static char text[2048];
	json_t *json = json_loads(o.out, 0, NULL), *item;
	size_t i;

	text[0] = '\0';
	json_array_foreach(json_object_get(json, "checks"), i, item) {
		if (strcmp(json_string_value(json_object_get(item, "check")), check) != 0)
			continue;
		char *dumped = json_dumps(item, JSON_COMPACT);
		snprintf(text, sizeof text, "%s", dumped);
		free(dumped);
		break;
	}
	json_decref(json);
	return text;
}

#define RUN_OF(name, fault) \
	"{\"item\": {\"run\": \"" name "\", \"role\": \"mount\", \"state\": \"retrying\"" fault "}}"

/* A daemon that is there makes the node no healthier than it is. */
Test(ctl_program, doctor_tells_what_the_daemon_suffers_from, .timeout = 120)
{
	const char *found;

	ask(PACKETS(RUN_OF("a", ", \"fault\": \"no route\""), RUN_OF("b", ""),
		    RUN_OF("c", ", \"fault\": \"refused\""),
		    "{\"ok\": true, \"version\": \"0.1.0\", \"node\": \"n1\", \"drained\": true, "
		    "\"silent_servers\": [{\"address\": \"10.20.0.1:20490\", "
		    "\"state\": \"silent\", \"seconds\": 11}], "
		    "\"server\": {\"state\": \"stopped\", \"fault\": \"port taken\"}}"),
		false, ARGV("doctor", "-o", "json", "--timeout", "20"));
	cr_expect(o.code == 7 || o.code == 8, "%d: %s", o.code, o.err);
	found = finding("server");
	cr_expect(strstr(found, "\"fail\"") && strstr(found, "stopped: port taken"), "%s", found);
	found = finding("drained");
	cr_expect(strstr(found, "\"warn\"") && strstr(found, "resume"), "%s", found);
	found = finding("silent");
	cr_expect(strstr(found, "\"warn\"") &&
			  strstr(found, "10.20.0.1:20490 silent for 11s: its mounts hang"),
		"%s", found);
	found = finding("runs");
	cr_expect(strstr(found, "\"warn\"") && strstr(found, "2 of 3 fail: a (mount), c (mount)"),
		"%s", found);
	cr_expect(strstr(found, "kora-mountctl describe a says"), "%s", found);
	ask(PACKETS(RUN_OF("b", ""), status_packet), false,
		ARGV("doctor", "-o", "json", "--timeout", "20"));
	found = finding("server");
	cr_expect(strstr(found, "\"ok\""), "%s", found);
	cr_expect_str_eq(finding("drained"), "");
	cr_expect_str_eq(finding("silent"), "");
	found = finding("node-name");
	cr_expect(
		strstr(found, "\"ok\"") && strstr(found, "n1, given to the daemon by --node-name"),
		"%s", found);
	found = finding("runs");
	cr_expect(strstr(found, "\"ok\"") && strstr(found, "1, none fails"), "%s", found);
}

Test(ctl_program, doctor_has_advice_for_each_failure, .timeout = 120)
{
	json_t *json, *item;
	size_t i;

	RUN(&o, "doctor", "--socket", "/nonexistent/s", "-o", "json", "--timeout", "20", "--folder",
		"/nonexistent/f", "--volume", "/nonexistent", "--listen", "192.0.2.1");
	cr_expect(o.code == 7 || o.code == 8, "%d: %s", o.code, o.err);
	json = json_loads(o.out, 0, NULL);
	cr_assert_not_null(json, "%s", o.out);
	json_array_foreach(json_object_get(json, "checks"), i, item) {
		const char *verdict = json_string_value(json_object_get(item, "verdict"));
		const char *advice = json_string_value(json_object_get(item, "advice"));
		cr_expect(strcmp(verdict, "ok") == 0 || (advice && *advice), "%s",
			json_string_value(json_object_get(item, "check")));
		cr_expect(!advice || !strstr(advice, "doctor works without"), "%s", advice);
	}
	json_decref(json);
}

/* Has the daemon's name, as uid, until it is killed. */
static pid_t name_holder(uid_t uid)
{
	int ready[2];
	char byte;

	cr_assert_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct kerr e = {0};
		int fd = -1;
		if (setuid(uid) < 0 || netns_lock(&fd, &e) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void own_network(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNET) < 0)
		cr_skip_test("needs root, for a network namespace of its own");
}

Test(ctl_program, a_daemon_that_runs_without_its_socket_is_told, .timeout = 60)
{
	const struct sockaddr_un stale = {AF_UNIX, "/tmp/kora-ctl-stale"};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	char runs[128];

	own_network();
	pid_t pid = name_holder(0);
	(void)snprintf(runs, sizeof runs, "the daemon runs (pid %d), but has no socket at /", pid);
	RUN(&o, "status", "--socket", "/nonexistent/s");
	cr_expect_eq(o.code, 5);
	cr_expect(strstr(o.err, runs) && strstr(o.err, "restart it, which no run notices"), "%s",
		o.err);
	(void)unlink(stale.sun_path);
	cr_assert_eq(bind(fd, (const struct sockaddr *)&stale, sizeof stale), 0);
	RUN(&o, "runs", "--socket", stale.sun_path);
	cr_expect(o.code == 5 && strstr(o.err, runs), "nobody listens: %s", o.err);
	(void)unlink(stale.sun_path);
	RUN(&o, "doctor", "--socket", "/nonexistent/s", "-o", "json", "--timeout", "20");
	const char *found = finding("daemon");
	cr_expect(strstr(found, "\"fail\"") && strstr(found, runs), "%s", found);
	end(pid);
	close(fd);
}

Test(ctl_program, a_name_that_is_not_roots_is_no_daemon, .timeout = 60)
{
	own_network();
	pid_t pid = name_holder(65534);
	RUN(&o, "status", "--socket", "/nonexistent/s");
	cr_expect_eq(o.code, 5);
	cr_expect(strstr(o.err, "the daemon is not reachable: no socket at /nonexistent/s"), "%s",
		o.err);
	end(pid);
}
