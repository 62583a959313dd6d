/* SPDX-License-Identifier: Apache-2.0 */
/* Letting clients let go of a folder themselves, before what they hold there is taken. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/client_expire.h"
#include "nfs/holding.h"
#include "nfs/nfsdfs.h"
#include "nfs/server_rungs.h"

#define PAUSE_NS     100000000
#define LET_GO_TRIES 30

bool export_may_be_held(const struct exporter_config *config, const struct export *export)
{
	_cleanup_close_ int fs = -1;

	return nfsdfs_open_mounted(config->runtime_dir, &fs) == 0 &&
	       clients_hold_anything(fs, export);
}

/*
 * To open a file for writing is against any delegation, and nfsd calls it back; that is not waited
 * for. The name is a stranger's: what it stands for is looked at before it is opened.
 */
static void recall(int fd, const char *name)
{
	_cleanup_close_ int found = openat(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), opened = -1;
	char path[sizeof "/proc/self/fd/" + 11];
	struct stat st;

	if (found < 0 || fstat(found, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", found);
	opened = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Would what is held be taken by expiring clients, who lose what they hold elsewhere as well? */
static bool costs_others(unsigned masked_rungs, bool shared)
{
	const char *best = revoke_best_rung(masked_rungs);

	return strcmp(best, "expire-client") == 0 ||
	       (shared && strcmp(best, "unlock-filesystem") == 0);
}

int export_recall(const struct exporter_config *config, const struct export *quiesced,
	const struct other_exports *others, struct kerr *e)
{
	_cleanup_(holding_clear) struct holding h = HOLDING(quiesced, e);
	_cleanup_close_ int folder = -1;
	int r;

	(void)export_open_folder(quiesced, &folder, NULL, NULL);
	r = holding_look(&h, config, folder, others, holding_collect);
	if (r != 0 || h.held.n == 0 || !costs_others(config->masked_rungs, h.shared))
		return r < 0 ? r : 0;
	(void)holding_search(&h, recall);
	for (unsigned i = 0; i < LET_GO_TRIES; i++) {
		r = holding_each_client(&h, holding_inside);
		if (r <= 0)
			return r;
		(void)nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
	return 0;
}
