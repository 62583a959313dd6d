/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a stream of JSON into objects as its bytes come in. */
#include "mountd/watch_split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

#define DEPTH_MAX 200
/* A buffer that one huge object has left is given back. */
#define KEPT_ROOM (256U << 10)

struct text {
	char *bytes;
	size_t size;
	size_t room;
	size_t max;
};

struct split {
	enum split_kind kind;
	split_fn *fn;
	void *data;
	struct text object;
	struct text frame;
	unsigned depth;
	unsigned skip_depth;  /* of what holds the value being left out; 0: none is */
	unsigned items_depth; /* SPLIT_LIST: 2 inside the items, else 0 */
	bool in_string;
	bool escaped;
	bool is_value;	  /* a colon has come: what follows is the value of name */
	bool ended;	  /* SPLIT_LIST: the document is over */
	char name[16];	  /* the last string, if it fits */
	size_t name_size; /* sizeof name: it did not */
};

int split_new(enum split_kind kind, size_t max, split_fn *fn, void *data, struct split **ret)
{
	struct split *s = calloc(1, sizeof *s);

	if (!s)
		return -ENOMEM;
	*s = (struct split){.kind = kind,
		.fn = fn,
		.data = data,
		.object.max = max,
		.frame.max = SPLIT_FRAME_MAX};
	*ret = s;
	return 0;
}

void split_free(struct split *s)
{
	if (!s)
		return;
	free(s->object.bytes);
	free(s->frame.bytes);
	free(s);
}

static int put(struct text *t, const char *bytes, size_t n)
{
	if (n > t->max - t->size)
		return -EMSGSIZE;
	if (t->size + n + 1 > t->room) {
		size_t room = t->room ? t->room : 4096;
		char *more;

		while (room < t->size + n + 1)
			room *= 2;
		more = realloc(t->bytes, room);
		if (!more)
			return -ENOMEM;
		t->bytes = more;
		t->room = room;
	}
	memcpy(t->bytes + t->size, bytes, n);
	t->size += n;
	t->bytes[t->size] = '\0';
	return 0;
}

/* The depth at which an object of interest lies. */
static unsigned base_depth(const struct split *s)
{
	return s->kind == SPLIT_EVENTS ? 0 : s->items_depth;
}

static bool in_object(const struct split *s)
{
	return (s->kind == SPLIT_EVENTS || s->items_depth) && s->depth > base_depth(s);
}

static int keep(struct split *s, char c)
{
	if (s->skip_depth)
		return 0;
	if (in_object(s))
		return put(&s->object, &c, 1);
	/* Between the items there is nothing to keep. */
	return s->kind == SPLIT_LIST && !s->items_depth ? put(&s->frame, &c, 1) : 0;
}

static bool name_is(const struct split *s, const char *name)
{
	size_t n = strlen(name);

	return s->name_size == n && memcmp(s->name, name, n) == 0;
}

static int emit(struct split *s)
{
	int r = s->fn(s->data, s->object.bytes, s->object.size);

	s->object.size = 0;
	if (s->object.room > KEPT_ROOM) {
		free(s->object.bytes);
		s->object.bytes = NULL;
		s->object.room = 0;
	}
	return r;
}

static int on_open(struct split *s, char c)
{
	int r;

	if (s->ended || s->depth == DEPTH_MAX)
		return -EBADMSG;
	if (s->kind == SPLIT_EVENTS && s->depth == 0 && c != '{')
		return -EBADMSG;
	if (s->is_value && !s->skip_depth && name_is(s, "managedFields")) {
		r = put(in_object(s) ? &s->object : &s->frame, "null", 4);
		if (r < 0)
			return r;
		s->skip_depth = s->depth;
		s->depth++;
		return 0;
	}
	if (s->kind == SPLIT_LIST && s->depth == 1 && c == '[' && s->is_value &&
		name_is(s, "items")) {
		r = keep(s, c);
		s->depth++;
		s->items_depth = 2;
		return r;
	}
	s->depth++;
	return keep(s, c);
}

static int on_close(struct split *s, char c)
{
	int r;

	if (s->depth == 0)
		return -EBADMSG;
	if (s->skip_depth) {
		if (--s->depth == s->skip_depth)
			s->skip_depth = 0;
		return 0;
	}
	if (s->items_depth == s->depth && s->items_depth)
		s->items_depth = 0;
	r = keep(s, c);
	if (r == 0 && in_object(s) && s->depth == base_depth(s) + 1) {
		s->depth--;
		return emit(s);
	}
	s->depth--;
	s->ended = s->kind == SPLIT_LIST && s->depth == 0;
	return r;
}

static int on_string_byte(struct split *s, char c)
{
	if (s->escaped) {
		s->escaped = false;
		s->name_size = sizeof s->name;
	} else if (c == '\\') {
		s->escaped = true;
	} else if (c == '"') {
		s->in_string = false;
	} else if (s->name_size < sizeof s->name) {
		s->name[s->name_size++] = c;
	}
	return keep(s, c);
}

static int on_byte(struct split *s, char c)
{
	int r;

	if (s->in_string)
		return on_string_byte(s, c);
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		return 0;
	case '{':
	case '[':
		r = on_open(s, c);
		break;
	case '}':
	case ']':
		r = on_close(s, c);
		break;
	case '"':
		if (s->depth == 0)
			return -EBADMSG;
		s->in_string = true;
		s->name_size = 0;
		r = keep(s, c);
		break;
	default:
		r = s->depth == 0 ? -EBADMSG : keep(s, c);
		break;
	}
	s->is_value = c == ':';
	return r;
}

int split_feed(struct split *s, const char *bytes, size_t size)
{
	int r = 0;

	for (size_t i = 0; i < size && r == 0; i++)
		r = on_byte(s, bytes[i]);
	return r;
}

bool split_is_whole(const struct split *s)
{
	return s->depth == 0 && !s->in_string && (s->kind == SPLIT_EVENTS || s->ended);
}

const char *split_frame(const struct split *s, size_t *ret_size)
{
	*ret_size = s->frame.size;
	return s->frame.bytes ? s->frame.bytes : "";
}
