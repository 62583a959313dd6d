/* SPDX-License-Identifier: Apache-2.0 */
/* What the tombstone says to calls, byte for byte. */
#include "nfs/tombstone.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const struct addr SERVER = {AF_INET, {10, 20, 0, 1}};

struct words {
	uint32_t word[64];
	size_t n;
};

static void add(struct words *w, uint32_t value)
{
	w->word[w->n++] = htonl(value);
}

static struct words call_header(uint32_t program, uint32_t version, uint32_t procedure)
{
	struct words w = {0};

	add(&w, 0x1234); /* xid */
	add(&w, 0);
	add(&w, 2);
	add(&w, program);
	add(&w, version);
	add(&w, procedure);
	add(&w, 1); /* AUTH_SYS with a body of 8 bytes */
	add(&w, 8);
	add(&w, 0xaaaa);
	add(&w, 0xbbbb);
	add(&w, 0);
	add(&w, 0);
	return w;
}

static struct words compound(uint32_t n_operations)
{
	struct words w = call_header(100003, 4, 1);

	add(&w, 3); /* tag "abc", padded */
	add(&w, 0x61626300);
	add(&w, 2);
	add(&w, n_operations);
	return w;
}

#define SESSION 0x6b6f7261, 0x20746f6d, 0x6273746f, 0x6e650000

static void add_session(struct words *w)
{
	static const uint32_t words[] = {SESSION};

	for (size_t i = 0; i < 4; i++)
		add(w, words[i]);
}

static void add_foreign_session(struct words *w)
{
	for (uint32_t i = 0; i < 4; i++)
		add(w, 0xc0ffee00 + i);
}

static void add_slot(struct words *w)
{
	add(w, 7); /* sequence */
	add(w, 2); /* slot */
	add(w, 9); /* highest slot */
	add(w, 1); /* cache this */
}

static void add_sequence(struct words *w)
{
	add(w, 53);
	add_session(w);
	add_slot(w);
}

static size_t answer(const struct words *w, uint32_t out[TOMBSTONE_REPLY_MAX / 4])
{
	unsigned char reply[TOMBSTONE_REPLY_MAX];
	int n = tombstone_answer(&SERVER, (const unsigned char *)w->word, w->n * 4, reply);

	cr_assert_gt(n, 0);
	cr_assert_eq(n % 4, 0);
	memcpy(out, reply, (size_t)n);
	for (int i = 0; i < n / 4; i++)
		out[i] = ntohl(out[i]);
	return (size_t)n / 4;
}

static void expect(const struct words *call, const uint32_t *words, size_t n)
{
	uint32_t out[TOMBSTONE_REPLY_MAX / 4];

	cr_assert_eq(answer(call, out), n);
	for (size_t i = 0; i < n; i++)
		cr_expect_eq(out[i], words[i], "word %zu: %x, not %x", i, out[i], words[i]);
}

#define EXPECT(call, ...) \
	do { \
		const uint32_t words_[] = {0x1234, 1, 0, 0, 0, 0, __VA_ARGS__}; \
		expect((call), words_, sizeof words_ / sizeof *words_); \
	} while (0)
#define TAG	 3, 0x61626300
#define SEQUENCE 53, 0, SESSION, 7, 2, 9, 9, 0

Test(tombstone, null_is_answered)
{
	struct words w = call_header(100003, 4, 0);

	const uint32_t words[] = {0x1234, 1, 0, 0, 0, 0};
	expect(&w, words, 6);
}

Test(tombstone, what_follows_a_sequence_is_stale)
{
	struct words w = compound(3);

	add_sequence(&w);
	add(&w, 22); /* PUTFH */
	add(&w, 4);
	add(&w, 0xdead);
	add(&w, 25); /* READ */
	EXPECT(&w, 70, TAG, 2, SEQUENCE, 22, 70);
}

Test(tombstone, a_lone_sequence_renews)
{
	struct words w = compound(1);

	add_sequence(&w);
	EXPECT(&w, 0, TAG, 1, SEQUENCE);
}

Test(tombstone, reclaim_complete_succeeds)
{
	struct words w = compound(2);

	add_sequence(&w);
	add(&w, 58);
	add(&w, 0);
	EXPECT(&w, 0, TAG, 2, SEQUENCE, 58, 0);
}

Test(tombstone, the_lost_servers_session_is_unknown)
{
	struct words w = compound(3), bind = compound(1);

	add(&w, 53);
	add_foreign_session(&w);
	add_slot(&w);
	add(&w, 22);
	EXPECT(&w, 10052, TAG, 1, 53, 10052);
	add(&bind, 41);
	add_foreign_session(&bind);
	add(&bind, 7);
	add(&bind, 0);
	EXPECT(&bind, 10052, TAG, 1, 41, 10052);
}

Test(tombstone, its_session_may_be_bound_and_any_ended)
{
	struct words bind = compound(1), destroy = compound(1), client = compound(1);

	add(&bind, 41);
	add_session(&bind);
	add(&bind, 7); /* back channel or both */
	add(&bind, 0);
	EXPECT(&bind, 0, TAG, 1, 41, 0, SESSION, 3, 0);

	add(&destroy, 44);
	EXPECT(&destroy, 0, TAG, 1, 44, 0);
	add(&client, 57);
	EXPECT(&client, 0, TAG, 1, 57, 0);
}

Test(tombstone, the_client_is_given_a_number_by_a_server_named_by_its_address)
{
	struct words w = compound(1);

	add(&w, 42);
	EXPECT(&w, 0, TAG, 1, 42, 0, 0x746f6d62, 0x73746f6e, 1, 0x10000, 0, 0, 0, 9, 0x31302e32,
		0x302e302e, 0x31000000, 9, 0x31302e32, 0x302e302e, 0x31000000, 0);
}

static struct words create_session(uint32_t client)
{
	struct words w = compound(1);

	add(&w, 43);
	add(&w, client);
	add(&w, 0x73746f6e);
	add(&w, 5); /* sequence */
	add(&w, 3); /* persistent, with a back channel */
	for (uint32_t i = 0; i < 6; i++)
		add(&w, 100 + i);
	add(&w, 0);
	for (uint32_t i = 0; i < 6; i++)
		add(&w, 200 + i);
	add(&w, 1); /* of RDMA */
	add(&w, 16);
	return w;
}

Test(tombstone, a_session_is_made_as_asked_for_without_a_back_channel)
{
	struct words w = create_session(0x746f6d62);

	EXPECT(&w, 0, TAG, 1, 43, 0, SESSION, 5, 0, 100, 101, 102, 103, 104, 105, 0, 200, 201, 202,
		203, 204, 205, 1, 16);
}

Test(tombstone, the_lost_servers_client_number_is_unknown)
{
	struct words w = create_session(0x12345678);

	EXPECT(&w, 10022, TAG, 1, 43, 10022);
}

Test(tombstone, every_shorter_call_is_refused)
{
	unsigned char reply[TOMBSTONE_REPLY_MAX];
	struct words w = compound(2);

	add_sequence(&w);
	add(&w, 22);
	for (size_t length = 0; length < w.n * 4; length++)
		cr_expect_eq(
			tombstone_answer(&SERVER, (const unsigned char *)w.word, length, reply),
			-EBADMSG);
	cr_expect_gt(tombstone_answer(&SERVER, (const unsigned char *)w.word, w.n * 4, reply), 0);
}

Test(tombstone, other_programs_versions_and_replies_are_refused)
{
	unsigned char reply[TOMBSTONE_REPLY_MAX];
	struct words cases[] = {call_header(100005, 3, 0), call_header(100003, 3, 0),
		call_header(100003, 4, 2), compound(0), call_header(100003, 4, 0),
		call_header(100003, 4, 0)};

	cases[4].word[1] = htonl(1);   /* a reply */
	cases[5].word[7] = htonl(401); /* a credential longer than any may be */
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_expect_eq(tombstone_answer(&SERVER, (const unsigned char *)cases[i].word,
				     cases[i].n * 4, reply),
			-EBADMSG, "case %zu", i);
}
