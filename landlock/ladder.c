/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI ladder as one table: which ABI brought which right. */
#include "landlock/ladder.h"

#include <stdio.h>
#include <string.h>

#include "landlock/landlock_abi.h"

#define FS_ABI_1 (LL_FS_REFER - 1U) /* every bit below the first that came later */

static const struct rung {
	int abi;
	struct ll_set set;
	const char *name;
} ladder[] = {
	{1, {.fs = FS_ABI_1}, "filesystem access"},
	{2, {.fs = LL_FS_REFER}, "rename and link between directories"},
	{3, {.fs = LL_FS_TRUNCATE}, "truncate"},
	{4, {.net = LL_NET_BIND_TCP}, "TCP bind"},
	{4, {.net = LL_NET_CONNECT_TCP}, "TCP connect"},
	{5, {.fs = LL_FS_IOCTL_DEV}, "device ioctl"},
	{6, {.scoped = LL_SCOPE_ABSTRACT_UNIX}, "abstract socket scope"},
	{6, {.scoped = LL_SCOPE_SIGNAL}, "signal scope"},
	{7, {.flags = LL_LOG_SAME_EXEC_OFF}, "audit of the launcher off"},
	{7, {.flags = LL_LOG_NEW_EXEC_ON}, "audit of the program"},
	{7, {.flags = LL_LOG_SUBDOMAINS_OFF}, "audit of nested domains off"},
	{9, {.fs = LL_FS_RESOLVE_UNIX}, "pathname sockets"},
	{10, {.net = LL_NET_BIND_UDP}, "UDP bind"},
	{10, {.net = LL_NET_CONNECT_SEND_UDP}, "UDP connect and send"},
};

#define N_RUNGS (sizeof(ladder) / sizeof(ladder[0]))

struct ll_set ll_known(int abi)
{
	struct ll_set all = {0};

	for (size_t i = 0; i < N_RUNGS && ladder[i].abi <= abi; i++) {
		all.fs |= ladder[i].set.fs;
		all.net |= ladder[i].set.net;
		all.scoped |= ladder[i].set.scoped;
		all.flags |= ladder[i].set.flags;
	}
	return all;
}

static struct ll_set both(const struct ll_set *a, const struct ll_set *b)
{
	return (struct ll_set){
		a->fs & b->fs, a->net & b->net, a->scoped & b->scoped, a->flags & b->flags};
}

static struct ll_set without(const struct ll_set *a, const struct ll_set *b)
{
	return (struct ll_set){
		a->fs & ~b->fs, a->net & ~b->net, a->scoped & ~b->scoped, a->flags & ~b->flags};
}

void ll_fit(int abi, const struct ll_set *want, struct ll_set *ret_have, struct ll_set *ret_lack)
{
	const struct ll_set known = ll_known(abi);

	*ret_have = both(want, &known);
	*ret_lack = without(want, &known);
}

void ll_demand(int floor, struct ll_set *lack)
{
	const struct ll_set known = ll_known(floor);

	*lack = both(lack, &known);
}

size_t ll_describe(const struct ll_set *set, char *buf, size_t len)
{
	size_t n = 0, at = 0;

	if (len)
		buf[0] = '\0';
	for (size_t i = 0; i < N_RUNGS; i++) {
		const struct ll_set hit = both(set, &ladder[i].set);

		if (!(hit.fs | hit.net | hit.scoped | hit.flags))
			continue;
		int w = snprintf(buf + at, len - at, "%s%s (ABI %d)", n ? ", " : "", ladder[i].name,
			ladder[i].abi);
		n++;
		if (w < 0 || (size_t)w >= len - at)
			at = len ? len - 1 : 0;
		else
			at += (size_t)w;
	}
	return n;
}
