/* SPDX-License-Identifier: Apache-2.0 */
/* This node's own unique name: NFS server scope and NFS client identifier. */
#include "mountd/node_id.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

#define MACHINE_ID_LENGTH 32 /* machine-id(5): hexadecimal digits */
#define NAME_BYTES	  16

static const char purpose[] = "kora-sandbox-mount node name 1";

static int read_machine_id(const char *path, char id[MACHINE_ID_LENGTH + 1], struct kerr *e)
{
	static const char advice[] = "give the node a unique name with --node-name";
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return kerr_set(e, -errno, "open machine id", path, "%s", advice);
	n = read(fd, id, MACHINE_ID_LENGTH);
	if (n < 0)
		return kerr_set(e, -errno, "read machine id", path, "%s", advice);
	id[n] = '\0';
	if (n != MACHINE_ID_LENGTH || strspn(id, "0123456789abcdef") != MACHINE_ID_LENGTH ||
		strspn(id, "0") == MACHINE_ID_LENGTH)
		return kerr_set(e, -EINVAL, "read machine id", path,
			"not 32 hexadecimal digits, or all zero: %s", advice);
	return 0;
}

int node_name_derive(const char *machine_id_path, char name[NODE_NAME_MAX + 1], struct kerr *e)
{
	char id[MACHINE_ID_LENGTH + 1];
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned length;
	char *end = name;
	int r = read_machine_id(machine_id_path, id, e);

	if (r < 0)
		return r;
	if (!HMAC(EVP_sha256(), id, MACHINE_ID_LENGTH, (const unsigned char *)purpose,
		    sizeof purpose - 1, digest, &length))
		return kerr_set(e, -EIO, "hash machine id", machine_id_path, NULL);
	end += sprintf(end, "kora-");
	for (size_t i = 0; i < NAME_BYTES; i++)
		end += sprintf(end, "%02x", digest[i]);
	return 0;
}

int node_name_check(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t n = strlen(name);

	return n >= 1 && n <= NODE_NAME_MAX && strspn(name, allowed) == n ? 0 : -EINVAL;
}
