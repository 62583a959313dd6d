/* SPDX-License-Identifier: Apache-2.0 */
/* What the tombstone says to calls, byte for byte. */
#include "nfs/tombstone.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

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

static void add_sequence(struct words *w)
{
	add(w, 53);
	for (uint32_t i = 0; i < 4; i++)
		add(w, 0xc0ffee00 + i);
	add(w, 7); /* sequence */
	add(w, 2); /* slot */
	add(w, 9); /* highest slot */
	add(w, 1); /* cache this */
}

static size_t answer(const struct words *w, uint32_t out[TOMBSTONE_REPLY_MAX / 4])
{
	unsigned char reply[TOMBSTONE_REPLY_MAX];
	int n = tombstone_answer((const unsigned char *)w->word, w->n * 4, reply);

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
#define SEQUENCE 53, 0, 0xc0ffee00, 0xc0ffee01, 0xc0ffee02, 0xc0ffee03, 7, 2, 9, 9, 0

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

Test(tombstone, a_session_may_be_bound_and_ended)
{
	struct words bind = compound(1), destroy = compound(1), client = compound(1);

	add(&bind, 41);
	for (uint32_t i = 0; i < 4; i++)
		add(&bind, i);
	add(&bind, 7); /* back channel or both */
	add(&bind, 0);
	EXPECT(&bind, 0, TAG, 1, 41, 0, 0, 1, 2, 3, 3, 0);

	add(&destroy, 44);
	EXPECT(&destroy, 0, TAG, 1, 44, 0);
	add(&client, 57);
	EXPECT(&client, 0, TAG, 1, 57, 0);
}

Test(tombstone, a_new_client_is_stale)
{
	struct words w = compound(1);

	add(&w, 42); /* EXCHANGE_ID */
	EXPECT(&w, 70, TAG, 1, 42, 70);
}

Test(tombstone, every_shorter_call_is_refused)
{
	unsigned char reply[TOMBSTONE_REPLY_MAX];
	struct words w = compound(2);

	add_sequence(&w);
	add(&w, 22);
	for (size_t length = 0; length < w.n * 4; length++)
		cr_expect_eq(
			tombstone_answer((const unsigned char *)w.word, length, reply), -EBADMSG);
	cr_expect_gt(tombstone_answer((const unsigned char *)w.word, w.n * 4, reply), 0);
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
		cr_expect_eq(tombstone_answer(
				     (const unsigned char *)cases[i].word, cases[i].n * 4, reply),
			-EBADMSG, "case %zu", i);
}
