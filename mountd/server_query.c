/* SPDX-License-Identifier: Apache-2.0 */
/* What others may ask of the kernel's server, and who waits for a fresh look. */
#include "mountd/server_state.h"

bool server_is_known(const struct server *s)
{
	return s->known;
}

bool server_is_serving(const struct server *s)
{
	return s->serving;
}

bool server_is_stopped(const struct server *s)
{
	return s->known && !s->job && s->status.state != SERVER_OURS;
}

uint64_t server_not_before_ms(const struct server *s)
{
	uint64_t now = loop_clock_ms();

	if (s->look && s->look_after_ms > now &&
		(s->not_before_ms <= now || s->look_after_ms < s->not_before_ms))
		return s->look_after_ms;
	return s->not_before_ms;
}

void server_refresh(struct server *s, void (*then)(void *data), void *data)
{
	if (then && s->n_then == SERVER_THEN_MAX) {
		then(data);
		return;
	}
	if (then)
		s->then[s->n_then++] = (struct then){then, data};
	s->look = true;
	daemon_plan_soon(s->daemon);
}

void server_refresh_forget(struct server *s, void *data)
{
	for (size_t i = s->n_then; i-- > 0;)
		if (s->then[i].data == data)
			s->then[i] = s->then[--s->n_then];
}

struct exporter *server_open_exporter(const struct server *s)
{
	return s->exporter;
}

const struct exporter_config *server_config(const struct server *s)
{
	return &s->config;
}

const struct server_status *server_status(const struct server *s)
{
	return &s->status;
}

const char *server_cache_rung(const struct server *s)
{
	return s->exporter ? exporter_cache_rung(s->exporter) : s->status.cache_rung;
}

const char *server_fault(const struct server *s, int *ret_error)
{
	if (ret_error)
		*ret_error = s->fault_error;
	return s->fault;
}
