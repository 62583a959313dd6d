/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that come, change, lose their labels and go, as two watches tell of them. */
#include "mountd/watch_store.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct store store;

static void tear_down(void)
{
	store_clear(&store);
}

TestSuite(watch_store, .fini = tear_down);

static struct pod make(const char *uid, uint64_t version)
{
	struct pod p = {.component = POD_SANDBOX, .version = version};

	p.uid = strdup(uid);
	p.name = strdup(uid);
	p.namespace = strdup("t");
	p.run = strdup("demo");
	p.agent_node = strdup("here");
	return p;
}

static int put(unsigned source, const char *uid, uint64_t version)
{
	struct pod p = make(uid, version);

	return store_put(&store, source, &p, 100);
}

Test(watch_store, older_news_of_the_other_watch_are_not_taken)
{
	cr_expect_eq(put(0, "a", 5), 1);
	cr_expect_eq(put(1, "a", 4), 0);
	cr_expect_eq(store_find(&store, "a")->pod.version, 5);
	cr_expect_eq(store_find(&store, "a")->sources, 3);
	cr_expect_eq(put(1, "a", 6), 1);
	cr_expect_eq(store.n, 1);
}

Test(watch_store, lost_by_both_is_a_stray)
{
	(void)put(0, "a", 1);
	(void)put(1, "a", 1);
	store_lose(&store, 0, "a", 7);
	cr_expect(store_find(&store, "a")->sources);
	store_lose(&store, 1, "a", 8);
	cr_assert(store_find(&store, "a"), "it stays until it is known to be gone");
	cr_expect_not(store_find(&store, "a")->sources);
	cr_expect_eq(store_find(&store, "a")->check_ms, 8);
	(void)put(0, "a", 2);
	cr_expect(store_find(&store, "a")->sources, "it is back");
	store_lose(&store, 0, "unknown", 9);
}

Test(watch_store, what_a_new_list_does_not_show_is_lost)
{
	(void)put(0, "a", 1);
	(void)put(0, "b", 1);
	(void)put(1, "c", 1);
	store_begin(&store, 0);
	(void)put(0, "b", 1);
	store_end(&store, 0, 50);
	cr_expect_not(store_find(&store, "a")->sources);
	cr_expect(store_find(&store, "b")->sources);
	cr_expect(store_find(&store, "c")->sources, "that is the other list's");
}

Test(watch_store, list_that_broke_off_loses_nothing)
{
	(void)put(0, "a", 1);
	store_begin(&store, 0);
	store_begin(&store, 0);
	(void)put(0, "a", 1);
	store_end(&store, 0, 50);
	cr_expect(store_find(&store, "a")->sources);
}

Test(watch_store, stray_keeps_its_labels_but_not_its_state)
{
	struct pod p = make("a", 9);

	(void)put(0, "a", 1);
	store_lose(&store, 0, "a", 1);
	free(p.run);
	p.run = strdup("");
	free(p.agent_node);
	p.agent_node = strdup("");
	p.component = POD_OTHER;
	p.deleting = true;
	cr_assert(store_refresh(&store, store_find(&store, "a"), &p, 200));
	cr_expect_str_eq(store_find(&store, "a")->pod.run, "demo");
	cr_expect_eq(store_find(&store, "a")->pod.component, POD_SANDBOX);
	cr_expect(store_find(&store, "a")->pod.deleting);
	cr_expect_eq(store_find(&store, "a")->pod.ending_since_ms, 200);
	cr_expect_gt(store_find(&store, "a")->check_ms, 200);
}

Test(watch_store, stray_that_went_to_another_agent_is_dropped)
{
	struct pod p = make("a", 9);

	(void)put(0, "a", 1);
	store_lose(&store, 0, "a", 1);
	free(p.agent_node);
	p.agent_node = strdup("elsewhere");
	cr_expect_not(store_refresh(&store, store_find(&store, "a"), &p, 200));
	cr_expect_eq(store.n, 0);
}

Test(watch_store, end_is_counted_from_its_first_sign)
{
	struct pod p = make("a", 2);

	(void)put(0, "a", 1);
	cr_expect_eq(store_find(&store, "a")->pod.ending_since_ms, 0);
	p.deleting = true;
	(void)store_put(&store, 0, &p, 300);
	p = make("a", 3);
	p.deleting = true;
	(void)store_put(&store, 0, &p, 900);
	cr_expect_eq(store_find(&store, "a")->pod.ending_since_ms, 300);
}

Test(watch_store, many)
{
	char uid[32];

	for (int i = 0; i < 1000; i++) {
		(void)snprintf(uid, sizeof uid, "u%d", i * 7919 % 1000);
		cr_assert_eq(put(0, uid, 1), 1);
	}
	cr_expect_eq(store.n, 1000);
	for (size_t i = 1; i < store.n; i++)
		cr_assert_lt(strcmp(store.list[i - 1]->pod.uid, store.list[i]->pod.uid), 0);
}
