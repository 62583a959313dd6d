/* SPDX-License-Identifier: Apache-2.0 */
/* What nfsd was last started with by us. */
#include "nfs/server_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"

static const char name[] = "nfsd.started";

char *server_record_text(const struct exporter_config *config)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	(void)fprintf(f, "scope %s\nlease %u\ngrace %u\nthreads %u\n", config->server_scope,
		config->lease_seconds, config->grace_seconds, config->threads);
	for (size_t i = 0; i < config->n_listen; i++) {
		char addr[ADDR_TEXT_SIZE];
		addr_format(&config->listen[i], addr);
		(void)fprintf(f, "listen %s %u\n", addr, config->port);
	}
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

void server_record_listeners(const char *record, struct listeners *to)
{
	while (*record) {
		char text[ADDR_TEXT_SIZE];
		struct addr addr;
		uint16_t port;
		if (sscanf(record, "listen %45s %" SCNu16, text, &port) == 2 &&
			addr_parse(text, &addr) == 0)
			listeners_add(to, &addr, port);
		record += strcspn(record, "\n");
		record += *record == '\n';
	}
}

static int open_folder(const char *runtime_dir)
{
	return open(runtime_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void server_record_read(const char *runtime_dir, char **ret)
{
	_cleanup_close_ int folder = open_folder(runtime_dir);
	_cleanup_close_ int fd =
		folder < 0 ? -1 : openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char text[8192];
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	*ret = size < 0 ? NULL : strndup(text, (size_t)size);
}

/* A reader sees the former record or this one, whole. */
int server_record_write(const struct exporter_config *config, struct kerr *e)
{
	_cleanup_close_ int folder = open_folder(config->runtime_dir), fd = -1;
	_cleanup_free_ char *text = server_record_text(config);
	static const char fresh[] = "nfsd.started.new";

	if (!text)
		return kerr_set(e, -ENOMEM, "write record", name, NULL);
	if (folder >= 0)
		fd = openat(
			folder, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
		renameat(folder, fresh, folder, name) < 0)
		return kerr_set(e, errno ? -errno : -ENOSPC, "write record", name, "below %s",
			config->runtime_dir);
	return 0;
}

void server_record_remove(const char *runtime_dir)
{
	_cleanup_close_ int folder = open_folder(runtime_dir);

	if (folder >= 0)
		(void)unlinkat(folder, name, 0);
}
