/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's export caches, by the newest rung it has. */
#include "nfs/caches.h"

#include <errno.h>
#include <sys/epoll.h>

/* A flood of requests must not keep the loop from its other work. */
#define REQUESTS_AT_ONCE 256

static int list_fds(const struct caches *c, int fds[UPCALL_CACHES])
{
	if (c->netlink) {
		cache_netlink_fds(c->netlink, fds);
		return CACHE_NETLINK_FDS;
	}
	for (int i = 0; i < UPCALL_CACHES; i++)
		fds[i] = c->channels.fd[i];
	return UPCALL_CACHES;
}

bool caches_are_open(const struct caches *c)
{
	return c->netlink || c->channels.fd[0] >= 0;
}

const char *caches_rung(const struct caches *c)
{
	if (c->netlink)
		return "netlink";
	return caches_are_open(c) ? "procfs" : "none";
}

static int open_rung(struct caches *c, bool use_netlink, struct kerr *e)
{
	int error = use_netlink ? cache_netlink_open(&c->netlink, e) : -EOPNOTSUPP;

	return error == -EOPNOTSUPP ? channels_open(&c->channels, e) : error;
}

int caches_open(struct caches *c, bool use_netlink, uint64_t tag, struct kerr *e)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};
	int fds[UPCALL_CACHES];
	int error = open_rung(c, use_netlink, e);

	if (error < 0)
		return error;
	for (int n = list_fds(c, fds), i = 0; i < n; i++) {
		if (epoll_ctl(c->epoll, EPOLL_CTL_ADD, fds[i], &event) < 0) {
			error = kerr_set(e, -errno, "watch caches", NULL, NULL);
			caches_close(c);
			return error;
		}
	}
	return 0;
}

void caches_close(struct caches *c)
{
	int fds[UPCALL_CACHES];

	/* By hand: a forked worker may hold copies, which would keep them in epoll. */
	for (int n = list_fds(c, fds), i = 0; i < n; i++)
		if (fds[i] >= 0)
			(void)epoll_ctl(c->epoll, EPOLL_CTL_DEL, fds[i], NULL);
	channels_close(&c->channels);
	cache_netlink_close(c->netlink);
	c->netlink = NULL;
}

int caches_write(struct caches *c, const struct upcall_entry *entry)
{
	return c->netlink ? cache_netlink_write(c->netlink, entry)
			  : channel_write(&c->channels, entry);
}

static bool not_for_us(int error)
{
	return error == -EINVAL || error == -EAFNOSUPPORT || error == -ENAMETOOLONG;
}

static int dispatch_channel(
	struct caches *c, enum upcall_cache cache, cache_request_fn *fn, void *data, struct kerr *e)
{
	for (int i = 0; i < REQUESTS_AT_ONCE; i++) {
		struct upcall_request q;
		int n = channel_read(&c->channels, cache, &q);
		if (n == 0)
			return 0;
		if (n > 0)
			fn(&q, data);
		else if (!not_for_us(n))
			return kerr_set(e, n, "read requests", upcall_cache_name(cache), NULL);
	}
	return 0;
}

int caches_dispatch(struct caches *c, bool all, cache_request_fn *fn, void *data, struct kerr *e)
{
	int first_error = 0;

	if (c->netlink)
		return cache_netlink_dispatch(c->netlink, all, fn, data, e);
	for (int i = 0; i < UPCALL_CACHES; i++) {
		int error = dispatch_channel(c, i, fn, data, e);
		if (error < 0 && first_error == 0)
			first_error = error;
	}
	return first_error;
}
