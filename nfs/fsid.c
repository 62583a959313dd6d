/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of an export: HMAC-SHA256 of what it is under the node key. */
#include "nfs/fsid.h"

#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

#define MAC_SIZE 32

struct fsid_key {
	EVP_MAC_CTX *mac; /* has the key; begun anew for each message */
};

void fsid_key_free(struct fsid_key *k)
{
	if (k)
		EVP_MAC_CTX_free(k->mac);
	free(k);
}

static void fsid_key_freep(struct fsid_key **k)
{
	fsid_key_free(*k);
}

int fsid_key_new(const unsigned char key[FSID_KEY_SIZE], struct fsid_key **ret)
{
	char digest[] = "SHA256";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end(),
	};
	_cleanup_(fsid_key_freep) struct fsid_key *k = calloc(1, sizeof *k);
	EVP_MAC *hmac;

	if (!k)
		return -ENOMEM;
	hmac = EVP_MAC_fetch(NULL, OSSL_MAC_NAME_HMAC, NULL);
	k->mac = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
	EVP_MAC_free(hmac); /* the context has a reference */
	if (!k->mac || !EVP_MAC_init(k->mac, key, FSID_KEY_SIZE, params) ||
		EVP_MAC_CTX_get_mac_size(k->mac) != MAC_SIZE)
		return -ENOTSUP;
	*ret = TAKE_PTR(k);
	return 0;
}

/* What is authenticated: the parts, each with its NUL, so that no two lists are alike. */
static int derive(
	struct fsid_key *k, const char *const *parts, size_t n, unsigned char out[FSID_UUID_SIZE])
{
	unsigned char mac[MAC_SIZE];
	size_t size;

	if (!EVP_MAC_init(k->mac, NULL, 0, NULL))
		return -ENOTSUP;
	for (size_t i = 0; i < n; i++)
		if (!EVP_MAC_update(k->mac, (const unsigned char *)parts[i], strlen(parts[i]) + 1))
			return -ENOTSUP;
	if (!EVP_MAC_final(k->mac, mac, &size, sizeof mac))
		return -ENOTSUP;
	memcpy(out, mac, FSID_UUID_SIZE);
	return 0;
}

int fsid_of_export(struct fsid_key *k, const struct run_id *id, unsigned char uuid[FSID_UUID_SIZE])
{
	const char *const parts[] = {"export", id->run, id->incarnation};

	return derive(k, parts, 3, uuid);
}

int fsid_key_fingerprint(const unsigned char key[FSID_KEY_SIZE], char text[FSID_FINGERPRINT_SIZE])
{
	const char *const parts[] = {"fingerprint"};
	_cleanup_(fsid_key_freep) struct fsid_key *k = NULL;
	unsigned char bytes[FSID_UUID_SIZE];
	int error = fsid_key_new(key, &k);

	if (error == 0)
		error = derive(k, parts, 1, bytes);
	if (error < 0)
		return error;
	for (size_t i = 0; i < sizeof bytes; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}
