/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel's caches are told about a set of exports. */
#include "nfs/answers.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nfs/answer_entries.h"
#include "nfs/nfsd_abi.h"

#define NOW INT64_C(1800000000)

static struct answers answers = {.pseudo_uuid = {0x77}, .workspaces_inode = 2};
static char lines[64][512];
static size_t n_lines;

static struct addr address(const char *text)
{
	struct addr a;

	cr_assert_eq(addr_parse(text, &a), 0);
	return a;
}

/* uuids and inodes are made of tag; clients is a list separated by spaces, sorted. */
static struct export_point *make(
	const char *run, const char *incarnation, unsigned char tag, const char *clients)
{
	struct export_point *p = calloc(1, sizeof *p);
	char *copy = strdup(clients), *save = NULL;

	cr_assert(p && copy);
	(void)snprintf(p->export.id.run, sizeof p->export.id.run, "%s", run);
	(void)snprintf(
		p->export.id.incarnation, sizeof p->export.id.incarnation, "%s", incarnation);
	p->export.clients = calloc(EXPORT_CLIENTS_MAX, sizeof *p->export.clients);
	p->export.uid = 10001;
	p->export.gid = 10002;
	p->uuid[0] = tag;
	p->inode = tag;
	p->run_inode = (unsigned char)run[0];
	for (char *c = strtok_r(copy, " ", &save); c; c = strtok_r(NULL, " ", &save))
		p->export.clients[p->export.n_clients++] = address(c);
	free(copy);
	return p;
}

static struct export_point *insert(
	const char *run, const char *incarnation, unsigned char tag, const char *clients)
{
	struct export_point *p = make(run, incarnation, tag, clients);

	cr_assert_eq(answers_insert(&answers, p), 0);
	return p;
}

static int collect(const struct upcall_entry *entry, void *data)
{
	(void)data;
	cr_assert_lt(n_lines, sizeof lines / sizeof *lines);
	int n = upcall_format(entry, lines[n_lines], sizeof *lines);
	cr_assert_gt(n, 0);
	lines[n_lines++][n - 1] = '\0';
	return 0;
}

static bool told(const char *line)
{
	for (size_t i = 0; i < n_lines; i++)
		if (strcmp(lines[i], line) == 0)
			return true;
	return false;
}

static void fini(void)
{
	answers_clear(&answers);
}

TestSuite(answers, .fini = fini);

Test(answers, keeps_exports_in_order)
{
	struct run_id id = {"b", "1"};

	(void)insert("b", "1", 1, "10.0.0.1");
	(void)insert("a", "2", 2, "10.0.0.1");
	(void)insert("b", "0", 3, "10.0.0.1");
	(void)insert("a", "1", 4, "10.0.0.1");
	cr_expect_eq(answers.points[0]->uuid[0], 4);
	cr_expect_eq(answers.points[1]->uuid[0], 2);
	cr_expect_eq(answers.points[2]->uuid[0], 3);
	cr_expect_eq(answers.points[3]->uuid[0], 1);
	export_point_free(answers_take(&answers, &id));
	cr_expect_null(answers_find(&answers, &id));
	cr_expect_null(answers_take(&answers, &id));
	cr_expect_eq(answers.n, 3);
}

Test(answers, one_export_to_one_client_is_ten_entries)
{
	(void)insert("demo", "u1", 0xe1, "10.0.0.1");
	cr_expect_eq(answers_preload(&answers, collect, NULL), 0);
	cr_expect_eq(n_lines, 10);
	cr_expect_str_eq(lines[0], "nfsd 10.0.0.1 2147483647 kora-10.0.0.1");
	cr_expect(told("kora-10.0.0.1 / 2147483647 66573 65534 65534 0 uuid "
		       "\\x77000000000000000000000000000000"));
	cr_expect(told("kora-10.0.0.1 1 \\x00000000 2147483647 /"));
	cr_expect(told("kora-10.0.0.1 6 \\x77000000000000000000000000000000 2147483647 /"));
	cr_expect(told("kora-10.0.0.1 /workspaces 2147483647 66573 65534 65534 0 uuid "
		       "\\x77000000000000000000000000000000"));
	cr_expect(told("kora-10.0.0.1 7 \\x020000000000000077000000000000000000000000000000 "
		       "2147483647 /workspaces"));
	cr_expect(told("kora-10.0.0.1 /workspaces/demo 2147483647 66573 65534 65534 0 uuid "
		       "\\x77000000000000000000000000000000"));
	cr_expect(told("kora-10.0.0.1 7 \\x640000000000000077000000000000000000000000000000 "
		       "2147483647 /workspaces/demo"));
	cr_expect(told("kora-10.0.0.1 /workspaces/demo/u1 2147483647 1052 10001 10002 0 uuid "
		       "\\xe1000000000000000000000000000000"));
	cr_expect(told("kora-10.0.0.1 7 \\xe100000000000000e1000000000000000000000000000000 "
		       "2147483647 /workspaces/demo/u1"));
}

Test(answers, the_root_of_a_filesystem_has_a_key_without_inode)
{
	insert("demo", "u1", 0xe1, "10.0.0.1")->root = true;
	cr_expect_eq(answers_preload(&answers, collect, NULL), 0);
	cr_expect_eq(n_lines, 11);
	cr_expect(told("kora-10.0.0.1 6 \\xe1000000000000000000000000000000 2147483647 "
		       "/workspaces/demo/u1"));
}

Test(answers, sync_is_only_the_folder_s)
{
	insert("demo", "u1", 0xe1, "10.0.0.1")->export.sync = true;
	cr_expect_eq(answers_preload(&answers, collect, NULL), 0);
	cr_expect(told("kora-10.0.0.1 /workspaces/demo/u1 2147483647 1036 10001 10002 0 uuid "
		       "\\xe1000000000000000000000000000000"));
}

Test(answers, a_quiesced_folder_is_read_only)
{
	insert("demo", "u1", 0xe1, "10.0.0.1")->quiesced = true;
	cr_expect_eq(answers_preload(&answers, collect, NULL), 0);
	cr_expect(told("kora-10.0.0.1 /workspaces/demo/u1 2147483647 1053 10001 10002 0 uuid "
		       "\\xe1000000000000000000000000000000"));
}

Test(answers, a_client_of_many_exports_is_introduced_once)
{
	(void)insert("a", "1", 1, "10.0.0.1 10.0.0.2 fd20::2");
	(void)insert("b", "1", 2, "10.0.0.1");
	cr_expect_eq(answers_preload(&answers, collect, NULL), 0);
	cr_expect_eq(n_lines, 3 * 6 + 4 * 4);
}

Test(answers, a_client_that_another_export_lists_is_known_already)
{
	const struct export_point *p = insert("a", "1", 1, "10.0.0.1 10.0.0.2");

	(void)insert("b", "1", 2, "10.0.0.1");
	cr_expect_eq(answers_preload_point(&answers, p, collect, NULL), 0);
	cr_expect_eq(n_lines, 6 + 2 * 4);
	cr_expect_not(told("nfsd 10.0.0.1 2147483647 kora-10.0.0.1"));
	cr_expect(told("nfsd 10.0.0.2 2147483647 kora-10.0.0.2"));
}

static int refuse_second(const struct upcall_entry *entry, void *data)
{
	size_t *seen = data;

	(void)entry;
	return ++*seen == 2 ? -EINVAL : *seen == 3 ? -EIO : 0;
}

Test(answers, a_failure_does_not_keep_the_rest_back)
{
	size_t seen = 0;

	(void)insert("demo", "u1", 1, "10.0.0.1");
	cr_expect_eq(answers_preload(&answers, refuse_second, &seen), -EINVAL);
	cr_expect_eq(seen, 10);
}

Test(answers, retiring_the_last_export_of_a_client)
{
	struct export_point *p = make("demo", "u1", 0xe1, "10.0.0.1");

	cr_expect_eq(answers_retire(&answers, p, p->export.clients, NOW, collect, NULL), 0);
	cr_expect_eq(n_lines, 11);
	cr_expect(told("nfsd 10.0.0.1 1800000300 kora-10.0.0.1"));
	cr_expect(told("kora-10.0.0.1 1 \\x00000000 1800000060"));
	cr_expect(told("kora-10.0.0.1 6 \\x77000000000000000000000000000000 1800000060"));
	cr_expect(told("kora-10.0.0.1 / 1800000060"));
	cr_expect(told("kora-10.0.0.1 /workspaces 1800000060"));
	cr_expect(told("kora-10.0.0.1 /workspaces/demo 1800000060"));
	cr_expect(told("kora-10.0.0.1 /workspaces/demo/u1 1800000060"));
	cr_expect(told("kora-10.0.0.1 6 \\xe1000000000000000000000000000000 1800000060"));
	cr_expect(told(
		"kora-10.0.0.1 7 \\xe100000000000000e1000000000000000000000000000000 1800000060"));
	export_point_free(p);
}

Test(answers, retiring_one_incarnation_leaves_the_other_its_way)
{
	struct export_point *p = make("demo", "u1", 0xe1, "10.0.0.1");

	(void)insert("demo", "u2", 0xe2, "10.0.0.1");
	cr_expect_eq(answers_retire(&answers, p, p->export.clients, NOW, collect, NULL), 0);
	cr_expect_eq(n_lines, 3);
	cr_expect(told("kora-10.0.0.1 6 \\xe1000000000000000000000000000000 1800000060"));
	cr_expect(told("kora-10.0.0.1 /workspaces/demo/u1 1800000060"));
	export_point_free(p);
}

Test(answers, retiring_before_the_export_is_taken_out_is_the_same)
{
	struct export_point *p = insert("demo", "u1", 0xe1, "10.0.0.1");

	cr_expect_eq(answers_retire(&answers, p, p->export.clients, NOW, collect, NULL), 0);
	cr_expect_eq(n_lines, 11);
}

static struct upcall_entry entry;
static struct answer_texts texts;

static int ask_ip(const char *client)
{
	struct upcall_request q = {.cache = UPCALL_IP};

	cr_assert_eq(upcall_address(client, &q.address), 0);
	return answers_request(&answers, &q, NOW, &entry, &texts);
}

static int ask_export(const char *domain, const char *path)
{
	struct upcall_request q = {.cache = UPCALL_EXPORT};

	strcpy(q.domain, domain);
	strcpy(q.path, path);
	return answers_request(&answers, &q, NOW, &entry, &texts);
}

static int ask_key(const char *domain, struct upcall_fsid fsid)
{
	struct upcall_request q = {.cache = UPCALL_KEY, .fsid = fsid};

	strcpy(q.domain, domain);
	return answers_request(&answers, &q, NOW, &entry, &texts);
}

static void expect_refused(int answered)
{
	cr_expect_eq(answered, 1);
	cr_expect(entry.negative);
	cr_expect_eq(entry.expiry, NOW + ANSWER_NEGATIVE_SECONDS);
}

static void expect_granted_until(int answered, const char *path, int64_t expiry)
{
	cr_expect_eq(answered, 1);
	cr_expect_not(entry.negative);
	cr_expect_eq(entry.expiry, expiry);
	cr_expect_str_eq(entry.path, path);
}

static void expect_granted(int answered, const char *path)
{
	expect_granted_until(answered, path, ANSWER_EXPIRY_NEVER);
}

Test(answers, an_address_is_known_by_its_exports)
{
	(void)insert("demo", "u1", 1, "10.0.0.1");
	cr_expect_eq(ask_ip("10.0.0.1"), 1);
	cr_expect_not(entry.negative);
	cr_expect_str_eq(entry.domain, "kora-10.0.0.1");
	expect_refused(ask_ip("10.0.0.2"));
	expect_refused(ask_ip("fe80::1"));
}

Test(answers, a_domain_of_somebody_else_is_left_to_them)
{
	(void)insert("demo", "u1", 1, "10.0.0.1");
	cr_expect_eq(ask_export("*", "/"), 0);
	cr_expect_eq(ask_export("10.0.0.1", "/"), 0);
	cr_expect_eq(ask_export("kora-", "/"), 0);
	cr_expect_eq(ask_export("kora-010.0.0.1", "/"), 0);
	cr_expect_eq(ask_export("kora-::ffff:10.0.0.1", "/"), 0);
	cr_expect_eq(ask_key("10.0.0.1", fsid_root()), 0);
}

Test(answers, paths_are_granted_to_who_is_listed)
{
	(void)insert("demo", "u1", 1, "10.0.0.1");
	(void)insert("other", "u2", 2, "10.0.0.2");
	expect_granted(ask_export("kora-10.0.0.1", "/"), "/");
	cr_expect(entry.flags & NFSD_EXPORT_V4ROOT);
	expect_granted(ask_export("kora-10.0.0.1", "/workspaces"), "/workspaces");
	expect_granted(ask_export("kora-10.0.0.1", "/workspaces/demo"), "/workspaces/demo");
	cr_expect(entry.flags & NFSD_EXPORT_V4ROOT);
	expect_granted(ask_export("kora-10.0.0.1", "/workspaces/demo/u1"), "/workspaces/demo/u1");
	cr_expect_not(entry.flags & NFSD_EXPORT_V4ROOT);
	expect_refused(ask_export("kora-10.0.0.1", "/workspaces/other"));
	expect_refused(ask_export("kora-10.0.0.1", "/workspaces/other/u2"));
	expect_refused(ask_export("kora-10.0.0.1", "/workspaces/demo/u2"));
	expect_refused(ask_export("kora-10.0.0.1", "/workspaces/demo/u1/deeper"));
	expect_refused(ask_export("kora-10.0.0.1", "/workspaces/demo/"));
	expect_refused(ask_export("kora-10.0.0.1", "/etc"));
	expect_refused(ask_export("kora-10.0.0.3", "/"));
}

Test(answers, keys_are_granted_to_who_is_listed)
{
	struct export_point *p = insert("demo", "u1", 1, "10.0.0.1");

	(void)insert("other", "u2", 2, "10.0.0.2");
	expect_granted(ask_key("kora-10.0.0.1", fsid_root()), "/");
	expect_granted(ask_key("kora-10.0.0.1", fsid_uuid(p->uuid)), "/workspaces/demo/u1");
	expect_granted(
		ask_key("kora-10.0.0.1", fsid_inode_uuid(1, p->uuid)), "/workspaces/demo/u1");
	expect_refused(ask_key("kora-10.0.0.2", fsid_uuid(p->uuid)));
	expect_refused(ask_key("kora-10.0.0.3", fsid_root()));
}

Test(answers, a_folder_made_anew_is_another)
{
	struct export_point *p = insert("demo", "u1", 1, "10.0.0.1");

	expect_refused(ask_key("kora-10.0.0.1", fsid_inode_uuid(2, p->uuid)));
}

Test(answers, directories_of_the_pseudo_root_go_by_their_inodes)
{
	struct export_point *p = insert("demo", "u1", 1, "10.0.0.1");
	unsigned char former[FSID_UUID_SIZE] = {0x78};

	(void)insert("other", "u2", 2, "10.0.0.2");
	expect_granted(ask_key("kora-10.0.0.1", fsid_uuid(answers.pseudo_uuid)), "/");
	expect_granted(
		ask_key("kora-10.0.0.1", fsid_inode_uuid(2, answers.pseudo_uuid)), "/workspaces");
	expect_granted(ask_key("kora-10.0.0.1", fsid_inode_uuid(p->run_inode, answers.pseudo_uuid)),
		"/workspaces/demo");
	expect_refused(ask_key("kora-10.0.0.1", fsid_inode_uuid('o', answers.pseudo_uuid)));
	expect_refused(ask_key("kora-10.0.0.1", fsid_inode_uuid(999, answers.pseudo_uuid)));
	expect_refused(ask_key("kora-10.0.0.3", fsid_uuid(answers.pseudo_uuid)));
	expect_refused(ask_key("kora-10.0.0.3", fsid_inode_uuid(2, answers.pseudo_uuid)));
	expect_refused(ask_key("kora-10.0.0.1", fsid_uuid(former)));
	expect_refused(ask_key("kora-10.0.0.1", fsid_inode_uuid(p->run_inode, former)));
}

Test(answers, keys_of_other_kinds_are_refused)
{
	struct upcall_fsid device = {.type = 0, .size = 8}, odd = {.type = 6, .size = 8};

	(void)insert("demo", "u1", 1, "10.0.0.1");
	expect_refused(ask_key("kora-10.0.0.1", device));
	expect_refused(ask_key("kora-10.0.0.1", odd));
}
