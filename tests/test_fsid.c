/* SPDX-License-Identifier: Apache-2.0 */
/* Identities of exports: stable, distinct, bound to the node's key. */
#include "nfs/fsid.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const unsigned char bytes[FSID_KEY_SIZE] = {1, 2, 3, 4, 5};
static const unsigned char other_bytes[FSID_KEY_SIZE];
static struct fsid_key *key, *other;

static void set_up(void)
{
	cr_assert_eq(fsid_key_new(bytes, &key), 0);
	cr_assert_eq(fsid_key_new(other_bytes, &other), 0);
}

static void tear_down(void)
{
	fsid_key_free(key);
	fsid_key_free(other);
}

TestSuite(fsid, .init = set_up, .fini = tear_down);

static bool same(const unsigned char *a, const unsigned char *b)
{
	return memcmp(a, b, FSID_UUID_SIZE) == 0;
}

/* Computed with: printf 'export\0demo\0uid-1\0' | openssl mac -digest SHA256 -macopt hexkey:… */
Test(fsid, is_what_it_was_in_every_version)
{
	static const unsigned char known[FSID_UUID_SIZE] = {0x57, 0x2D, 0x05, 0x48, 0x57, 0x8F,
		0xA9, 0x54, 0x6B, 0x78, 0xDA, 0xB7, 0x1E, 0x6D, 0xE3, 0x94};
	struct run_id id = {"demo", "uid-1"};
	unsigned char uuid[FSID_UUID_SIZE];

	for (int i = 0; i < 3; i++) {
		memset(uuid, 0, sizeof uuid);
		cr_assert_eq(fsid_of_export(key, &id, uuid), 0);
		cr_expect(same(uuid, known));
	}
}

Test(fsid, differs_by_run_incarnation_and_key)
{
	struct run_id a = {"demo", "uid-1"}, b = {"demo", "uid-2"}, c = {"demouid", "-1"};
	unsigned char u[4][FSID_UUID_SIZE];

	cr_assert_eq(fsid_of_export(key, &a, u[0]), 0);
	cr_assert_eq(fsid_of_export(key, &b, u[1]), 0);
	cr_assert_eq(fsid_of_export(key, &c, u[2]), 0);
	cr_assert_eq(fsid_of_export(other, &a, u[3]), 0);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			cr_expect_not(same(u[i], u[j]), "%d and %d", i, j);
}

Test(fsid, the_longest_names_fit)
{
	struct run_id id;
	unsigned char uuid[FSID_UUID_SIZE];

	memset(&id, 'x', sizeof id);
	id.run[NAME_MAX_LENGTH] = id.incarnation[NAME_MAX_LENGTH] = '\0';
	cr_expect_eq(fsid_of_export(key, &id, uuid), 0);
}

Test(fsid, a_thousand_runs_are_distinct)
{
	static unsigned char uuids[1000][FSID_UUID_SIZE];

	for (int i = 0; i < 1000; i++) {
		struct run_id id = {.incarnation = "1"};
		(void)snprintf(id.run, sizeof id.run, "run-%d", i);
		cr_assert_eq(fsid_of_export(key, &id, uuids[i]), 0);
		for (int j = 0; j < i; j++)
			cr_assert_not(same(uuids[i], uuids[j]));
	}
}

Test(fsid, the_fingerprint_tells_keys_apart)
{
	char a[FSID_FINGERPRINT_SIZE], b[FSID_FINGERPRINT_SIZE];

	cr_assert_eq(fsid_key_fingerprint(bytes, a), 0);
	cr_assert_eq(fsid_key_fingerprint(other_bytes, b), 0);
	cr_expect_eq(strlen(a), FSID_FINGERPRINT_SIZE - 1);
	cr_expect_str_neq(a, b);
}
