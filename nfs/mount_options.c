/* SPDX-License-Identifier: Apache-2.0 */
/* One table says what is asked for and how the kernel shows it once it is in force. */
#include "nfs/mount_options.h"

#include <errno.h>
#include <libmount/libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

struct wanted {
	const char *name, *value;  /* as asked for; NULL: by a flag, or by the line before */
	const char *shown, *shows; /* as mountinfo has it */
	bool vital;
};

/*
 * hard, because soft bounds nothing and loses writes: the cut-off is the bound. nosharecache gives
 * every mount a superblock of its own, so that a cut one is never found again by its successor.
 * lookupcache and actimeo: what the server's side creates is seen at once, what it changes within
 * a second.
 */
static const struct wanted constant[] = {
	{"vers", "4.2", "vers", "4.2", true},
	{"sec", "sys", "sec", "sys", true},
	{"hard", NULL, "hard", NULL, true},
	{NULL, NULL, "nosuid", NULL, true},
	{NULL, NULL, "nodev", NULL, true},
	{NULL, NULL, "noatime", NULL, false},
	{"nosharecache", NULL, "nosharecache", NULL, false},
	{"lookupcache", "positive", "lookupcache", "pos", false},
	{"actimeo", "1", "acregmin", "1", false},
	{NULL, NULL, "acregmax", "1", false},
	{NULL, NULL, "acdirmin", "1", false},
	{NULL, NULL, "acdirmax", "1", false},
};
#define N_CONSTANT (sizeof constant / sizeof *constant)

struct per_server {
	char address[ADDR_TEXT_SIZE];
	char port[6];
	struct wanted list[3];
};

static void per_server(const struct addr *server, uint16_t port, struct per_server *ret)
{
	const char *proto = server->family == AF_INET6 ? "tcp6" : "tcp";

	addr_format(server, ret->address);
	(void)snprintf(ret->port, sizeof ret->port, "%u", port);
	ret->list[0] = (struct wanted){"proto", proto, "proto", proto, true};
	ret->list[1] = (struct wanted){"port", ret->port, "port", ret->port, true};
	ret->list[2] = (struct wanted){"addr", ret->address, "addr", ret->address, true};
}

static int append_wanted(char **options, const struct wanted *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].name &&
			mnt_optstr_append_option(options, list[i].name, list[i].value) < 0)
			return -ENOMEM;
	return 0;
}

/*
 * Left to itself the kernel asks for attributes where it sees them used, but it does not look at
 * their use where they are kept for 5 s or less: then every other page comes without, and its files
 * are asked for one by one.
 */
int mount_options_nfs(const struct addr *server, uint16_t port, const struct addr *client,
	bool all_attributes, char **ret)
{
	_cleanup_free_ char *options = NULL;
	char client_text[ADDR_TEXT_SIZE];
	struct per_server own;

	per_server(server, port, &own);
	addr_format(client, client_text);
	if (append_wanted(&options, constant, N_CONSTANT) < 0 ||
		append_wanted(&options, own.list, sizeof own.list / sizeof *own.list) < 0 ||
		mnt_optstr_append_option(&options, "clientaddr", client_text) < 0 ||
		(all_attributes && mnt_optstr_append_option(&options, "rdirplus", "force") < 0))
		return -ENOMEM;
	*ret = TAKE_PTR(options);
	return 0;
}

struct option {
	const char *name, *value; /* neither ends with a NUL; value NULL: none */
	size_t name_size, value_size;
};

/* What the kernel shows, taken apart once. */
struct shown {
	struct option list[64];
	size_t n;
};

static void take_apart(const char *options, struct shown *ret)
{
	char *rest = (char *)options, *name, *value;
	size_t name_size, value_size;

	ret->n = 0;
	while (ret->n < sizeof ret->list / sizeof *ret->list &&
		mnt_optstr_next_option(&rest, &name, &name_size, &value, &value_size) == 0)
		ret->list[ret->n++] = (struct option){name, value, name_size, value_size};
}

static const struct option *find(const struct shown *shown, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < shown->n; i++)
		if (shown->list[i].name_size == size &&
			memcmp(shown->list[i].name, name, size) == 0)
			return &shown->list[i];
	return NULL;
}

static bool in_force(const struct shown *all, const struct wanted *w)
{
	const struct option *option = find(all, w->shown);
	char text[64];
	struct addr shown, wanted;

	if (!option || !w->shows)
		return option;
	if (!option->value || option->value_size >= sizeof text)
		return false;
	memcpy(text, option->value, option->value_size);
	text[option->value_size] = '\0';
	if (strcmp(w->shown, "addr") == 0) /* IPv6 has more than one spelling */
		return addr_parse(text, &shown) == 0 && addr_parse(w->shows, &wanted) == 0 &&
		       addr_equal(&shown, &wanted);
	return strcmp(text, w->shows) == 0;
}

static enum options_match compare(
	const struct shown *shown, const struct wanted *list, size_t n, char *fault, size_t size)
{
	enum options_match match = OPTIONS_MATCH;

	for (size_t i = 0; i < n; i++) {
		const struct wanted *w = &list[i];
		if (in_force(shown, w))
			continue;
		size_t used = strlen(fault);
		(void)snprintf(fault + used, size - used, "%s%s%s%s", used ? "," : "", w->shown,
			w->shows ? "=" : "", w->shows ? w->shows : "");
		if (w->vital)
			match = OPTIONS_WRONG;
		else if (match == OPTIONS_MATCH)
			match = OPTIONS_DIFFER;
	}
	return match;
}

enum options_match mount_options_compare(
	const char *options, const struct addr *server, uint16_t port, char *fault, size_t size)
{
	struct per_server own;
	struct shown shown;
	enum options_match a, b;

	fault[0] = '\0';
	take_apart(options, &shown);
	per_server(server, port, &own);
	a = compare(&shown, own.list, sizeof own.list / sizeof *own.list, fault, size);
	b = compare(&shown, constant, N_CONSTANT, fault, size);
	return a > b ? a : b;
}
