/* SPDX-License-Identifier: Apache-2.0 */
/* Names and handles: what can be found, and what a found handle is good for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vm/raw_client/attacks.h"
#include "tests/vm/raw_client/nfs4.h"

static void print_handle(const struct handle *h)
{
	(void)putchar(' ');
	for (uint32_t i = 0; i < h->size; i++)
		(void)printf("%02x", h->data[i]);
}

static bool parse_handle(const char *hex, struct handle *h)
{
	size_t length = strlen(hex);

	h->size = (uint32_t)length / 2;
	if (length % 2 || h->size > HANDLE_MAX)
		return false;
	for (uint32_t i = 0; i < h->size; i++)
		if (sscanf(hex + (size_t)2 * i, "%2hhx", &h->data[i]) != 1)
			return false;
	return true;
}

/* Prints why there is none. */
static bool begin(const struct attack *a, struct session *s)
{
	struct result refused;

	if (session_open(&a->target, a->uid, 2, s, &refused))
		return true;
	(void)printf("%s\n", result_name(&refused));
	return false;
}

/* The last operation of a walk to each path, and what is told of its result. */
static int each_path(const struct attack *a, void (*ask)(struct compound *c),
	void (*tell)(const struct result *r))
{
	static struct compound c;
	struct session s;

	if (!begin(a, &s))
		return 0;
	for (int i = 0; i < a->n; i++) {
		struct result r;
		compound_begin(&c, 2);
		op_sequence(&c, &s);
		op_path(&c, a->args[i]);
		ask(&c);
		compound_call(s.fd, s.uid, &c, &r);
		(void)printf("%s", result_name(&r));
		tell(&r);
		(void)printf("\n");
	}
	session_close(&s);
	return 0;
}

static void tell_handle(const struct result *r)
{
	if (r->reply == REPLY_OK && r->status == 0)
		print_handle(&r->handle);
}

static void tell_names(const struct result *r)
{
	(void)printf(" %u", r->names);
}

int attack_walk(const struct attack *a)
{
	return each_path(a, op_getfh, tell_handle);
}

int attack_list(const struct attack *a)
{
	return each_path(a, op_readdir, tell_names);
}

static void use(const struct session *from, const struct handle *h, uint32_t op, struct result *r)
{
	static struct compound c;
	struct session *s = (struct session *)from;

	compound_begin(&c, 2);
	op_sequence(&c, s);
	op_putfh(&c, h);
	if (op == OP_READ)
		op_read(&c, 0, 200);
	else if (op == OP_WRITE)
		op_write(&c, "forged");
	else
		op_readdir(&c);
	compound_call(s->fd, s->uid, &c, r);
}

static int use_handle(const struct attack *a, uint32_t op)
{
	struct session s;

	if (!begin(a, &s))
		return 0;
	for (int i = 0; i < a->n; i++) {
		struct handle h;
		struct result r;
		if (!parse_handle(a->args[i], &h))
			return 2;
		use(&s, &h, op, &r);
		(void)printf("%s %s\n", result_name(&r), op == OP_READ ? r.data : "");
	}
	session_close(&s);
	return 0;
}

int attack_handle(const struct attack *a)
{
	return use_handle(a, OP_READDIR);
}

int attack_read(const struct attack *a)
{
	return use_handle(a, OP_READ);
}

int attack_write(const struct attack *a)
{
	return use_handle(a, OP_WRITE);
}

/*
 * A handle of the kernel's server: version 1, no authentication, kind of fsid, kind of file
 * number; then both (fs/nfsd/nfsfh.h).
 */
enum { HEAD = 4, FSID_KIND = 2, FILE_KIND = 3, INO32_GEN = 1 };
static const uint32_t fsid_sizes[] = {8, 4, 12, 8, 8, 8, 16, 24};

/* The first that is let in is told; 0 of n is the only good end. */
struct tries {
	unsigned n, open;
	char first[2 * HANDLE_MAX + 1];
};

static void try_forged(const struct session *s, const struct handle *h, struct tries *t)
{
	struct result r;

	use(s, h, OP_READDIR, &r);
	t->n++;
	if (r.reply == REPLY_OK && r.status != 70 && r.status != 10001) {
		if (!t->open++)
			for (uint32_t i = 0; i < h->size; i++)
				(void)sprintf(t->first + (size_t)2 * i, "%02x", h->data[i]);
	}
}

static void forge_bytes(const struct session *s, const struct handle *good, struct tries *t)
{
	for (uint32_t i = HEAD; i < HEAD + fsid_sizes[good->data[FSID_KIND]]; i++) {
		struct handle h = *good;
		h.data[i] ^= 1;
		try_forged(s, &h, t);
		h.data[i] = 0;
		if (good->data[i] != 0)
			try_forged(s, &h, t);
	}
}

/* The root inode of the device, named in each of the other ways. */
static void forge_kinds(const struct session *s, const struct handle *good, struct tries *t)
{
	for (unsigned char kind = 0; kind < 8; kind++) {
		struct handle h = {.size = HEAD + fsid_sizes[kind], .data = {1, 0, kind, 0}};
		if (kind == good->data[FSID_KIND])
			continue;
		for (unsigned fill = 1; fill < 256; fill += 127) {
			memset(h.data + HEAD, (int)fill, fsid_sizes[kind]);
			try_forged(s, &h, t);
		}
		memcpy(h.data + HEAD, good->data + HEAD, fsid_sizes[kind]);
		try_forged(s, &h, t);
	}
}

int attack_forge(const struct attack *a)
{
	struct tries t = {0};
	struct session s;
	struct handle good;

	if (a->n != 1 || !parse_handle(a->args[0], &good) || good.data[FSID_KIND] > 7)
		return 2;
	if (!begin(a, &s))
		return 0;
	forge_bytes(&s, &good, &t);
	forge_kinds(&s, &good, &t);
	session_close(&s);
	(void)printf("%u of %u let in%s%s\n", t.open, t.n, t.open ? ": " : "", t.first);
	return 0;
}

int attack_inode(const struct attack *a)
{
	struct session s;
	struct handle h;
	struct result r;
	uint32_t words[2];

	if (a->n != 2 || !parse_handle(a->args[0], &h) || h.data[FSID_KIND] > 7)
		return 2;
	words[0] = (uint32_t)strtoul(a->args[1], NULL, 10);
	words[1] = 0; /* generation */
	h.size = HEAD + fsid_sizes[h.data[FSID_KIND]];
	h.data[FILE_KIND] = INO32_GEN;
	memcpy(h.data + h.size, words, sizeof words);
	h.size += sizeof words;
	if (!begin(a, &s))
		return 0;
	use(&s, &h, OP_READ, &r);
	(void)printf("%s %s\n", result_name(&r), r.data);
	session_close(&s);
	return 0;
}
