/* SPDX-License-Identifier: Apache-2.0 */
/* /healthz, /readyz and /metrics, by libmicrohttpd in the loop. */
#include "mountd/watch_health.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

#define CONNECTIONS_MAX 16U
#define IDLE_SECONDS	10U

struct health {
	struct health_sources sources;
	struct MHD_Daemon *daemon;
	struct loop_poll *poll;
	struct loop_timer *timer;
};

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
	char *text, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), text, mode);
	enum MHD_Result r;

	if (!response) {
		if (mode == MHD_RESPMEM_MUST_FREE)
			free(text);
		return MHD_NO;
	}
	(void)MHD_add_response_header(response, "Content-Type", type);
	(void)MHD_add_response_header(response, "Cache-Control", "no-store");
	r = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return r;
}

static enum MHD_Result answer_ready(const struct health *h, struct MHD_Connection *connection)
{
	const char *why = h->sources.why_not_ready(h->sources.data);
	char text[600];

	(void)snprintf(text, sizeof text, "%s\n", why ? why : "ok");
	return answer(connection, why ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_OK, "text/plain",
		text, MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result answer_metrics(const struct health *h, struct MHD_Connection *connection)
{
	char *text = h->sources.metrics(h->sources.data);

	if (!text)
		return MHD_NO;
	return answer(connection, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", text,
		MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **state)
{
	const struct health *h = data;

	(void)version;
	(void)upload;
	/* The first call is for the headers alone. */
	if (!*state) {
		*state = data;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "GET only\n",
			MHD_RESPMEM_PERSISTENT);
	if (strcmp(url, "/healthz") == 0)
		return answer(
			connection, MHD_HTTP_OK, "text/plain", "ok\n", MHD_RESPMEM_PERSISTENT);
	if (strcmp(url, "/readyz") == 0)
		return answer_ready(h, connection);
	if (strcmp(url, "/metrics") == 0)
		return answer_metrics(h, connection);
	return answer(connection, MHD_HTTP_NOT_FOUND, "text/plain", "/healthz, /readyz, /metrics\n",
		MHD_RESPMEM_PERSISTENT);
}

static void run(struct health *h)
{
	MHD_UNSIGNED_LONG_LONG ms = 0;

	(void)MHD_run(h->daemon);
	if (MHD_get_timeout(h->daemon, &ms) == MHD_YES)
		loop_timer_set(h->timer, ms);
	else
		loop_timer_stop(h->timer);
}

static void on_poll(void *data, unsigned events)
{
	(void)events;
	run(data);
}

static void on_timer(void *data)
{
	run(data);
}

static int start(struct health *h, struct loop *loop, const struct addr *addr, uint16_t port)
{
	struct sockaddr_storage name;
	const union MHD_DaemonInfo *info;
	unsigned flags = MHD_USE_EPOLL | (addr->family == AF_INET6 ? MHD_USE_IPv6 : 0U);

	(void)addr_to_sockaddr(addr, port, &name);
	errno = 0;
	h->daemon = MHD_start_daemon(flags, port, NULL, NULL, on_request, h, MHD_OPTION_SOCK_ADDR,
		(struct sockaddr *)&name, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)8192, MHD_OPTION_END);
	if (!h->daemon)
		return errno ? -errno : -EIO;
	info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info || info->epoll_fd < 0)
		return -EIO;
	return loop_poll_new(loop, info->epoll_fd, LOOP_READ, on_poll, h, &h->poll);
}

int health_new(struct loop *loop, const struct addr *addr, uint16_t port,
	const struct health_sources *sources, struct health **ret, struct kerr *e)
{
	struct health *h = calloc(1, sizeof *h);
	char text[ADDR_TEXT_SIZE];
	int r;

	if (!h)
		return kerr_set(e, -ENOMEM, "serve HTTP", NULL, NULL);
	h->sources = *sources;
	r = loop_timer_new(loop, on_timer, h, &h->timer);
	if (r == 0)
		r = start(h, loop, addr, port);
	if (r < 0) {
		health_free(h);
		addr_format(addr, text);
		return kerr_set(e, r, "serve HTTP on", text, "port %u; --http names another", port);
	}
	*ret = h;
	return 0;
}

void health_free(struct health *h)
{
	if (!h)
		return;
	loop_poll_free(h->poll);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	loop_timer_free(h->timer);
	free(h);
}
