/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of an export: HMAC-SHA256 of what it is under the node key. */
#include "nfs/fsid.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

/* What is authenticated: the parts, each with its NUL, so that no two lists are alike. */
static int derive(const unsigned char *key, const char *const *parts, size_t n,
	unsigned char out[FSID_UUID_SIZE])
{
	unsigned char text[3 * (NAME_MAX_LENGTH + 1)], mac[EVP_MAX_MD_SIZE];
	unsigned mac_size;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		size_t size = strlen(parts[i]) + 1;
		memcpy(text + used, parts[i], size);
		used += size;
	}
	if (!HMAC(EVP_sha256(), key, FSID_KEY_SIZE, text, used, mac, &mac_size) ||
		mac_size < FSID_UUID_SIZE)
		return -ENOTSUP;
	memcpy(out, mac, FSID_UUID_SIZE);
	return 0;
}

int fsid_of_workspaces(const unsigned char key[FSID_KEY_SIZE], unsigned char uuid[FSID_UUID_SIZE])
{
	const char *const parts[] = {"workspaces"};

	return derive(key, parts, 1, uuid);
}

int fsid_of_run(
	const unsigned char key[FSID_KEY_SIZE], const char *run, unsigned char uuid[FSID_UUID_SIZE])
{
	const char *const parts[] = {"run", run};

	return derive(key, parts, 2, uuid);
}

int fsid_of_export(const unsigned char key[FSID_KEY_SIZE], const struct run_id *id,
	unsigned char uuid[FSID_UUID_SIZE])
{
	const char *const parts[] = {"export", id->run, id->incarnation};

	return derive(key, parts, 3, uuid);
}

int fsid_key_fingerprint(const unsigned char key[FSID_KEY_SIZE], char text[FSID_FINGERPRINT_SIZE])
{
	const char *const parts[] = {"fingerprint"};
	unsigned char bytes[FSID_UUID_SIZE];
	int error = derive(key, parts, 1, bytes);

	if (error < 0)
		return error;
	for (size_t i = 0; i < sizeof bytes; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}
