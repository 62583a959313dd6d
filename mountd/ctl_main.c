/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl: what an operator asks a node about its sandboxes' folders, and tells it to do. */
#include "mountd/ctl.h"

#include <signal.h>
#include <string.h>

static int run(const struct ctl_args *args, struct ctl_fault *fault)
{
	if (args->given & CTL_OPT_VERSION) {
		printf("kora-mountctl %s\n", KORA_VERSION);
		return CTL_OK;
	}
	if (args->given & CTL_OPT_HELP) {
		ctl_help_print(stdout, args->verb);
		return CTL_OK;
	}
	int code = args->verb->run(args, fault);
	if (code == CTL_UNREACHABLE) {
		size_t used = strlen(fault->now);
		(void)snprintf(fault->now + used, sizeof fault->now - used,
			"%skora-mountctl doctor works without the daemon", used ? "; " : "");
	}
	return code;
}

/* A result that was not written is not a success. */
static int flush_output(struct ctl_fault *fault)
{
	if (!ferror(stdout) && fflush(stdout) == 0)
		return CTL_OK;
	return ctl_fault_set(
		fault, CTL_FAILED, NULL, "cannot write the result: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	struct ctl_args args;
	struct ctl_fault fault = {0};

	(void)signal(SIGPIPE, SIG_IGN);
	int code = ctl_args_parse(argc, argv, &args, &fault);
	if (code == CTL_OK)
		code = run(&args, &fault);
	/* doctor's finding is its output: there is nothing to add to it. */
	if (code != CTL_OK && fault.what[0])
		ctl_print_fault(&args, &fault);
	if (flush_output(&fault) == CTL_OK)
		return code;
	fprintf(stderr, "kora-mountctl: %s\n", fault.what);
	return code == CTL_OK ? CTL_FAILED : code;
}
