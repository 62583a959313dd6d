/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of /proc/net/rpc/<cache>/channel. */
#include "nfs/upcall.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct reader {
	const char *at;
	const char *end;
};

struct writer {
	char *at;
	size_t left;
	bool full;
};

const char *upcall_cache_name(enum upcall_cache cache)
{
	static const char *const names[UPCALL_CACHES] = {
		[UPCALL_IP] = "auth.unix.ip",
		[UPCALL_KEY] = "nfsd.fh",
		[UPCALL_EXPORT] = "nfsd.export",
	};

	return names[cache];
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool at_word_end(const struct reader *r)
{
	return r->at == r->end || *r->at == ' ' || *r->at == '\n';
}

static int take_hex_byte(struct reader *r, unsigned char *ret)
{
	if (r->end - r->at < 2 || hex_digit(r->at[0]) < 0 || hex_digit(r->at[1]) < 0)
		return -EINVAL;
	*ret = (unsigned char)(hex_digit(r->at[0]) << 4 | hex_digit(r->at[1]));
	r->at += 2;
	return 0;
}

/* A backslash and three octal digits. */
static int take_octal_byte(struct reader *r, unsigned char *ret)
{
	unsigned value = 0;

	if (r->end - r->at < 4)
		return -EINVAL;
	for (int i = 1; i < 4; i++) {
		if (r->at[i] < '0' || r->at[i] > '7')
			return -EINVAL;
		value = value << 3 | (unsigned)(r->at[i] - '0');
	}
	if (value > 0xff)
		return -EINVAL;
	*ret = (unsigned char)value;
	r->at += 4;
	return 0;
}

static int take_byte(struct reader *r, bool hex, unsigned char *ret)
{
	if (hex)
		return take_hex_byte(r, ret);
	if (*r->at == '\\')
		return take_octal_byte(r, ret);
	*ret = (unsigned char)*r->at++;
	return 0;
}

/* The next word, unquoted. Returns its length; -EINVAL: none, or bad quoting; -ENAMETOOLONG. */
static int take_word(struct reader *r, unsigned char *word, size_t size)
{
	size_t n = 0;
	bool hex;

	while (r->at < r->end && *r->at == ' ')
		r->at++;
	if (at_word_end(r))
		return -EINVAL;
	hex = r->end - r->at >= 2 && r->at[0] == '\\' && r->at[1] == 'x';
	if (hex)
		r->at += 2;
	while (!at_word_end(r)) {
		unsigned char byte;
		int error = take_byte(r, hex, &byte);
		if (error < 0)
			return error;
		if (n == size)
			return -ENAMETOOLONG;
		word[n++] = byte;
	}
	return (int)n;
}

/* The same as a text, which has no NUL in it. */
static int take_text(struct reader *r, char *text, size_t size)
{
	int n = take_word(r, (unsigned char *)text, size - 1);

	if (n < 0)
		return n;
	if (n == 0 || memchr(text, '\0', (size_t)n))
		return -EINVAL;
	text[n] = '\0';
	return 0;
}

static int take_type(struct reader *r, unsigned *ret)
{
	char text[4];
	uint64_t value = 0;
	int error = take_text(r, text, sizeof text);

	if (error < 0)
		return -EINVAL;
	for (const char *p = text; *p; p++) {
		if (*p < '0' || *p > '9')
			return -EINVAL;
		value = value * 10 + (uint64_t)(*p - '0');
	}
	*ret = (unsigned)value;
	return 0;
}

int upcall_address(const char *text, struct addr *ret)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		return addr_from_sockaddr((const struct sockaddr *)&in, ret);
	if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1)
		return addr_from_sockaddr((const struct sockaddr *)&in6, ret);
	return -EINVAL;
}

static int parse_ip(struct reader *r, struct upcall_request *q)
{
	char class[16], address[ADDR_TEXT_SIZE];
	int error;

	if ((error = take_text(r, class, sizeof class)) < 0 ||
		(error = take_text(r, address, sizeof address)) < 0)
		return error == -ENAMETOOLONG ? -EAFNOSUPPORT : error;
	if (strcmp(class, "nfsd") != 0 || upcall_address(address, &q->address) < 0)
		return -EAFNOSUPPORT;
	return 0;
}

static int parse_key(struct reader *r, struct upcall_request *q)
{
	int n, error;

	if ((error = take_text(r, q->domain, sizeof q->domain)) < 0 ||
		(error = take_type(r, &q->fsid.type)) < 0)
		return error;
	n = take_word(r, q->fsid.bytes, sizeof q->fsid.bytes);
	if (n <= 0)
		return -EINVAL;
	q->fsid.size = (size_t)n;
	return 0;
}

static int parse_export(struct reader *r, struct upcall_request *q)
{
	int error = take_text(r, q->domain, sizeof q->domain);

	if (error < 0)
		return error;
	return take_text(r, q->path, sizeof q->path);
}

static bool only_newline_left(const struct reader *r)
{
	return r->at == r->end || (r->end - r->at == 1 && *r->at == '\n');
}

int upcall_parse(enum upcall_cache cache, const char *line, size_t size, struct upcall_request *ret)
{
	static int (*const parsers[UPCALL_CACHES])(struct reader *, struct upcall_request *) = {
		[UPCALL_IP] = parse_ip,
		[UPCALL_KEY] = parse_key,
		[UPCALL_EXPORT] = parse_export,
	};
	struct reader r = {.at = line, .end = line + size};
	struct upcall_request request = {.cache = cache};
	int error = parsers[cache](&r, &request);

	if (error < 0)
		return error;
	if (!only_newline_left(&r))
		return -EINVAL;
	*ret = request;
	return 0;
}

static void put_byte(struct writer *w, char c)
{
	if (w->left == 0) {
		w->full = true;
		return;
	}
	*w->at++ = c;
	w->left--;
}

static void put_text(struct writer *w, const char *text)
{
	for (; *text; text++)
		put_byte(w, *text);
}

/* Every word is followed by a space; the last one's becomes the newline. */
static void put_word(struct writer *w, const char *word)
{
	for (; *word; word++) {
		unsigned char c = (unsigned char)*word;
		if (c == '\\' || c <= ' ' || c == 0x7f) {
			char octal[5];
			(void)snprintf(octal, sizeof octal, "\\%03o", c);
			put_text(w, octal);
		} else {
			put_byte(w, *word);
		}
	}
	put_byte(w, ' ');
}

static void put_hex(struct writer *w, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	put_text(w, "\\x");
	for (size_t i = 0; i < n; i++) {
		put_byte(w, digits[bytes[i] >> 4]);
		put_byte(w, digits[bytes[i] & 15]);
	}
	put_byte(w, ' ');
}

/* Not snprintf(3): a start of the daemon writes some ten thousand of these. */
static void put_number(struct writer *w, int64_t value)
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char text[24], *at = text + sizeof text - 1;

	*at = '\0';
	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--at = '-';
	put_text(w, at);
	put_byte(w, ' ');
}

static void format_ip(struct writer *w, const struct upcall_entry *e)
{
	char address[ADDR_TEXT_SIZE];

	addr_format(&e->address, address);
	put_word(w, "nfsd");
	put_word(w, address);
	put_number(w, e->expiry);
	if (!e->negative)
		put_word(w, e->domain);
}

static void format_key(struct writer *w, const struct upcall_entry *e)
{
	put_word(w, e->domain);
	put_number(w, e->fsid.type);
	put_hex(w, e->fsid.bytes, e->fsid.size);
	put_number(w, e->expiry);
	if (!e->negative)
		put_word(w, e->path);
}

static void format_export(struct writer *w, const struct upcall_entry *e)
{
	put_word(w, e->domain);
	put_word(w, e->path);
	put_number(w, e->expiry);
	if (e->negative)
		return;
	put_number(w, e->flags);
	/* The kernel reads these as signed. */
	put_number(w, (int32_t)e->uid);
	put_number(w, (int32_t)e->gid);
	put_number(w, 0); /* a filesystem number, which none has */
	if (e->uuid) {
		put_word(w, "uuid");
		put_hex(w, e->uuid, UPCALL_UUID_SIZE);
	}
}

int upcall_format(const struct upcall_entry *entry, char *line, size_t size)
{
	static void (*const formatters[UPCALL_CACHES])(
		struct writer *, const struct upcall_entry *) = {
		[UPCALL_IP] = format_ip,
		[UPCALL_KEY] = format_key,
		[UPCALL_EXPORT] = format_export,
	};
	struct writer w = {.at = line, .left = size};

	formatters[entry->cache](&w, entry);
	if (w.full)
		return -ENAMETOOLONG;
	w.at[-1] = '\n';
	return (int)(size - w.left);
}
