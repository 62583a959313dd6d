/* SPDX-License-Identifier: Apache-2.0 */
/* kora-sandbox-watch: has the daemon do what the cluster's pods ask for. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "mountd/watch.h"

/* Also in the man page. */
enum exit_code {
	EXIT_FINE = 0,
	EXIT_FAILED = 1, /* the system refused something */
	EXIT_USAGE = 2,	 /* an option or the configuration is wrong */
};

static int run(const struct watch_options *o)
{
	struct kerr e = {0};
	struct watch *w;
	char text[640];

	log_set(o->log_format, o->log_level);
	log_set_clock(loop_clock_ms);
	(void)signal(SIGPIPE, SIG_IGN);
	if (watch_new(o, &w, &e) < 0) {
		kerr_format(&e, text, sizeof text);
		log_event(LOG_LEVEL_ERROR, "start-failed",
			log_text("errno", strerrorname_np(-e.error)), log_text("error", text));
		return e.error == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	}
	watch_run(w);
	watch_free(w);
	log_event(LOG_LEVEL_INFO, "stopped");
	return EXIT_FINE;
}

int main(int argc, char **argv)
{
	char fault[OPTIONS_FAULT_SIZE];
	struct watch_options o;

	if (watch_options_parse(argc, argv, &o, fault) < 0) {
		fprintf(stderr, "kora-sandbox-watch: %s\n", fault);
		return EXIT_USAGE;
	}
	switch (o.action) {
	case WATCH_HELP:
		watch_options_help(stdout);
		return EXIT_FINE;
	case WATCH_VERSION:
		puts("kora-sandbox-watch " KORA_VERSION);
		return EXIT_FINE;
	case WATCH_RUN:
		break;
	}
	return run(&o);
}
