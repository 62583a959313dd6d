/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, exports and mounts as values; the path a client asks for. */
#include "nfs/run.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct export sample_export(void)
{
	struct export e = {.id = {"demo", "uid-1"}, .uid = 10001, .gid = 10002, .n_clients = 2};

	e.volume = strdup("/srv/sandboxes");
	e.folder = strdup("demo");
	e.clients = calloc(2, sizeof *e.clients);
	cr_assert_eq(addr_parse("10.20.0.2", &e.clients[0]), 0);
	cr_assert_eq(addr_parse("fd20::2", &e.clients[1]), 0);
	return e;
}

Test(run, export_copy_is_equal_and_independent)
{
	struct export e = sample_export(), copy;

	cr_assert_eq(export_copy(&e, &copy), 0);
	cr_expect(export_equal(&e, &copy));
	cr_expect_neq(e.clients, copy.clients);
	copy.clients[1].bytes[15] ^= 1;
	cr_expect_not(export_equal(&e, &copy));
	copy.clients[1].bytes[15] ^= 1;
	copy.sync = true;
	cr_expect_not(export_equal(&e, &copy));
	export_clear(&e);
	export_clear(&copy);
}

Test(run, mount_copy_is_equal_and_independent)
{
	struct mount m = {.id = {"demo", "uid-1"}, .kind = MOUNT_NFS, .port = 20490}, copy;

	m.volume = strdup("/srv/workspaces");
	cr_assert_eq(mount_copy(&m, &copy), 0);
	cr_expect(mount_equal(&m, &copy));
	cr_expect_neq(m.volume, copy.volume);
	copy.port = 2049;
	cr_expect_not(mount_equal(&m, &copy));
	mount_clear(&m);
	mount_clear(&copy);
}

Test(run, pseudo_path_round_trip)
{
	struct run_id id = {"demo", "0c6e7f3a"}, back;
	char path[PSEUDO_PATH_SIZE];

	pseudo_path(&id, path);
	cr_assert_str_eq(path, "/workspaces/demo/0c6e7f3a");
	cr_assert_eq(pseudo_path_parse(path, &back), 0);
	cr_expect(run_id_equal(&id, &back));
}

Test(run, longest_names_fit_the_pseudo_path)
{
	struct run_id id, back;
	char path[PSEUDO_PATH_SIZE];

	memset(&id, 0, sizeof id);
	memset(id.run, 'a', NAME_MAX_LENGTH);
	memset(id.incarnation, 'b', NAME_MAX_LENGTH);
	pseudo_path(&id, path);
	cr_assert_eq(pseudo_path_parse(path, &back), 0);
	cr_expect(run_id_equal(&id, &back));
}

Test(run, pseudo_path_refuses_what_is_not_ours)
{
	static const char *const bad[] = {"", "/", "/workspaces", "/workspaces/",
		"/workspaces/demo", "/workspaces/demo/", "/workspaces//uid",
		"/workspaces/demo/uid/", "/workspaces/demo/uid/x", "/workspaces/../uid",
		"/srv/demo/uid", "workspaces/demo/uid", "/workspaces/Demo/uid",
		"/workspaces/1234567890123456789012345678901234567890123456789012345678901234/uid"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct run_id id;
		cr_expect_eq(pseudo_path_parse(bad[i], &id), -EINVAL, "%s", bad[i]);
	}
}
