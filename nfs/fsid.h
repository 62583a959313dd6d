/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity of an export, as its file handles carry it: a UUID derived from the node key. The
 * same after every restart, different on every node, and not to be guessed by who has not seen
 * it, so that handles cannot be forged.
 */
#pragma once

#include "nfs/run.h"

#define FSID_KEY_SIZE  32
#define FSID_UUID_SIZE 16

/* The node key made ready for use, of which every export makes some. */
struct fsid_key;

/* -ENOTSUP: libcrypto refuses HMAC-SHA256 (it is told to allow only other algorithms). */
int fsid_key_new(const unsigned char key[FSID_KEY_SIZE], struct fsid_key **ret);
void fsid_key_free(struct fsid_key *k);

/* -ENOTSUP as above. */
int fsid_of_export(struct fsid_key *k, const struct run_id *id, unsigned char uuid[FSID_UUID_SIZE]);

/* What may be shown of the key: tells two keys apart and reveals nothing of them. Hex text. */
#define FSID_FINGERPRINT_SIZE 33
int fsid_key_fingerprint(const unsigned char key[FSID_KEY_SIZE], char text[FSID_FINGERPRINT_SIZE]);
