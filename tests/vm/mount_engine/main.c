/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mount engine on a real kernel, against the two servers of mount_engine.sh.
 *
 *   mount_engine [CASE...]                  every case, or these; one line each
 *   mount_engine detach clean|cut RUN [AT UNIQUE-ID]      by hand, for a look at its system calls
 */
#include "tests/vm/mount_engine/mount_engine.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mount_known known; /* of the mount that the next detaching is of; nothing */
struct mount_config config = {.client_identifier = "node-test-0001", .staging = -1};

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"attach", case_attach},
	{"ipv6", case_ipv6},
	{"not-exported", case_not_exported},
	{"unknown-client", case_unknown_client},
	{"foreign-name", case_foreign_name},
	{"nobody-listens", case_nobody_listens},
	{"replace", case_replace},
	{"replace-old-rung", case_replace_old_rung},
	{"killed-replacement", case_killed_replacement},
	{"busy", case_busy},
	{"dead-server", case_dead_server},
	{"dead-server-old-rung", case_dead_server_old_rung},
	{"replace-dead", case_replace_dead},
	{"killed-attempt", case_killed_attempt},
	{"bind", case_bind},
	{"bind-and-nfs", case_bind_and_nfs},
	{"bind-busy", case_bind_busy},
	{"foreign", case_foreign},
	{"seen-and-replaced", case_seen_and_replaced},
	{"bad-targets", case_bad_targets},
	{"mountpoint", case_mountpoint},
	{"private-volume", case_private_volume},
	{"squashed-root", case_squashed_root},
	{"container", case_container},
	{"renamed-run", case_renamed_run},
	{"never-looks", case_never_looks},
	{"only-mount", case_only_mount},
	{"exchanged-symlinks", case_exchanged_symlinks},
};

static void clean_up(void)
{
	const char *rung;

	heal();
	(void)detach_here(DETACH_CUT, &rung, NULL);
	(void)!system("umount -l " TARGET " 2>/dev/null; umount -l " VOLUME "/r1 2>/dev/null; "
		      "umount -l " VOLUME " 2>/dev/null; rm -rf "
		      "--one-file-system " VOLUME "; mkdir -p " VOLUME " " SOURCES);
}

static bool run_case(size_t i)
{
	double start = now();
	int status = -1;

	clean_up();
	(void)printf("%s\n", cases[i].name);
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		(void)setpgid(0, 0);
		cases[i].run();
		(void)fflush(stdout);
		_exit(0);
	}
	bool ended = wait_exit(pid, 120, &status);
	(void)kill(-pid, SIGKILL);
	bool good = ended && status == 0;
	(void)printf("%s %s (%.1f s)\n", good ? "ok" : "FAILED", cases[i].name, now() - start);
	(void)fflush(stdout);
	return good;
}

static int detach_by_hand(const char *how, const char *run)
{
	struct report r = {0};
	const char *rung = "";

	r.error = mount_detach(&config, VOLUME, run, &known,
		strcmp(how, "cut") == 0 ? DETACH_CUT : DETACH_CLEAN, &rung, &r.e);
	(void)puts(r.error < 0 ? explain(&r) : rung);
	return r.error < 0;
}

int main(int argc, char **argv)
{
	int failed = 0, ran = 0;

	if (argc == 6) {
		known.at = argv[4];
		known.unique_id = strtoull(argv[5], NULL, 10);
	}
	if ((argc == 4 || argc == 6) && strcmp(argv[1], "detach") == 0)
		return detach_by_hand(argv[2], argv[3]);
	struct kerr e = {0};
	(void)mkdir("/run/engine", 0700); /* traces go there */
	check(mount_staging_new(&config.staging, &e) == 0, "%s %s", e.stage, strerror(-e.error));
	(void)printf("rungs: %s%s\n", mount_rungs() & MOUNT_RUNG_BENEATH ? "beneath " : "",
		mount_rungs() & MOUNT_RUNG_SHUTDOWN ? "shutdown" : "");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool wanted = argc == 1;
		for (int j = 1; j < argc; j++)
			wanted = wanted || strcmp(argv[j], cases[i].name) == 0;
		if (!wanted)
			continue;
		ran++;
		failed += !run_case(i);
	}
	clean_up();
	(void)printf("%d of %d cases failed\n", failed, ran);
	return failed || !ran;
}
