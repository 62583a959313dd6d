/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of /proc/PID/status. */
#include "harden/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SEEN_UID = 1 << 0,
	SEEN_GID = 1 << 1,
	SEEN_CAPS = 1 << 2, /* CapAmb, the last of them */
	SEEN_NNP = 1 << 3,
};

static void parse_ids(const char *s, uint32_t ids[4])
{
	(void)sscanf(s, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]);
}

static void parse_group_list(const char *s, struct proc_status *st)
{
	char *end;

	for (unsigned long id = strtoul(s, &end, 10); end != s; id = strtoul(s, &end, 10)) {
		if (st->n_groups < sizeof(st->groups) / sizeof(st->groups[0]))
			st->groups[st->n_groups] = (uint32_t)id;
		st->n_groups++;
		s = end;
		if (*s == '\n' || (s[0] == ' ' && s[1] == '\n'))
			break; /* strtoul would walk into the next line */
	}
}

static const char *field(const char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0 || line[len] != ':')
		return NULL;
	return line + len + 1 + strspn(line + len + 1, " \t");
}

static unsigned int parse_caps(const char *line, struct proc_status *st)
{
	static const char *const names[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};
	uint64_t *const sets[] = {
		&st->inheritable, &st->permitted, &st->effective, &st->bounding, &st->ambient};

	for (size_t i = 0; i < 5; i++) {
		const char *v = field(line, names[i]);

		if (v)
			*sets[i] = strtoull(v, NULL, 16);
		if (v && i == 4)
			return SEEN_CAPS;
	}
	return 0;
}

static unsigned int parse_line(const char *line, struct proc_status *st)
{
	const char *v;

	switch (line[0]) {
	case 'N':
		if ((v = field(line, "Name")))
			(void)sscanf(v, "%31[^\n]", st->name);
		if (!(v = field(line, "NoNewPrivs")))
			return 0;
		st->no_new_privs = atoi(v);
		return SEEN_NNP;
	case 'U':
		if (!(v = field(line, "Uid")))
			return 0;
		parse_ids(v, st->uid);
		return SEEN_UID;
	case 'G':
		if ((v = field(line, "Groups")) && *v != '\n')
			parse_group_list(v, st);
		if (!(v = field(line, "Gid")))
			return 0;
		parse_ids(v, st->gid);
		return SEEN_GID;
	case 'S':
		if ((v = field(line, "Seccomp")))
			st->seccomp = atoi(v);
		if ((v = field(line, "Seccomp_filters")))
			st->seccomp_filters = atoi(v);
		return 0;
	case 'C':
		return parse_caps(line, st);
	default:
		return 0;
	}
}

int status_parse(const char *text, struct proc_status *ret)
{
	struct proc_status st = {.seccomp_filters = -1};
	unsigned int seen = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		seen |= parse_line(line, &st);
	}
	if (seen != (SEEN_UID | SEEN_GID | SEEN_CAPS | SEEN_NNP))
		return -EBADMSG;
	*ret = st;
	return 0;
}

int status_read(int fd, struct proc_status *ret)
{
	char text[STATUS_MAX];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return status_parse(text, ret);
}
