/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop, on libuv; nothing else includes <uv.h>. */
#include "mountd/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "mountd/base/cleanup.h"

struct loop {
	uv_loop_t uv;
};

struct loop_timer {
	uv_timer_t uv;
	loop_fn *fn;
	void *data;
};

struct loop_poll {
	uv_poll_t uv;
	loop_poll_fn *fn;
	void *data;
};

struct loop_signal {
	uv_signal_t uv;
	loop_fn *fn;
	void *data;
};

int loop_new(struct loop **ret)
{
	_cleanup_free_ struct loop *loop = calloc(1, sizeof *loop);
	int r;

	if (!loop)
		return -ENOMEM;
	r = uv_loop_init(&loop->uv);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(loop);
	return 0;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	/* The last handles' closing takes a turn, or two after a loop_stop() that was not heeded.
	 */
	for (int turn = 0; turn < 3 && uv_loop_close(&loop->uv) < 0; turn++)
		(void)uv_run(&loop->uv, UV_RUN_NOWAIT);
	free(loop);
}

void loop_run(struct loop *loop)
{
	(void)uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *loop)
{
	uv_stop(&loop->uv);
}

uint64_t loop_clock_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void free_handle(uv_handle_t *handle)
{
	free(handle->data);
}

static void on_timer(uv_timer_t *uv)
{
	struct loop_timer *timer = uv->data;

	timer->fn(timer->data);
}

int loop_timer_new(struct loop *loop, loop_fn *fn, void *data, struct loop_timer **ret)
{
	struct loop_timer *timer = calloc(1, sizeof *timer);

	if (!timer)
		return -ENOMEM;
	timer->fn = fn;
	timer->data = data;
	timer->uv.data = timer;
	(void)uv_timer_init(&loop->uv, &timer->uv); /* cannot fail */
	*ret = timer;
	return 0;
}

void loop_timer_set(struct loop_timer *timer, uint64_t in_ms)
{
	uv_update_time(timer->uv.loop);
	(void)uv_timer_start(&timer->uv, on_timer, in_ms, 0);
}

void loop_timer_stop(struct loop_timer *timer)
{
	(void)uv_timer_stop(&timer->uv);
}

bool loop_timer_running(const struct loop_timer *timer)
{
	return uv_is_active((const uv_handle_t *)&timer->uv);
}

void loop_timer_free(struct loop_timer *timer)
{
	if (timer)
		uv_close((uv_handle_t *)&timer->uv, free_handle);
}

static void on_poll(uv_poll_t *uv, int status, int events)
{
	struct loop_poll *poll = uv->data;
	unsigned happened = 0;

	if (events & UV_READABLE)
		happened |= LOOP_READ;
	if (events & UV_WRITABLE)
		happened |= LOOP_WRITE;
	if (events & UV_PRIORITIZED)
		happened |= LOOP_PRIORITY;
	if (events & UV_DISCONNECT || status < 0)
		happened |= LOOP_HANGUP;
	poll->fn(poll->data, happened);
}

int loop_poll_set(struct loop_poll *poll, unsigned events)
{
	int wanted = 0;

	if (!events)
		return uv_poll_stop(&poll->uv);
	if (events & LOOP_READ)
		wanted |= UV_READABLE;
	if (events & LOOP_WRITE)
		wanted |= UV_WRITABLE;
	if (events & LOOP_PRIORITY)
		wanted |= UV_PRIORITIZED;
	if (events & LOOP_HANGUP)
		wanted |= UV_DISCONNECT;
	return uv_poll_start(&poll->uv, wanted, on_poll);
}

int loop_poll_new(struct loop *loop, int fd, unsigned events, loop_poll_fn *fn, void *data,
	struct loop_poll **ret)
{
	_cleanup_free_ struct loop_poll *poll = calloc(1, sizeof *poll);
	int r;

	if (!poll)
		return -ENOMEM;
	poll->fn = fn;
	poll->data = data;
	r = uv_poll_init(&loop->uv, &poll->uv, fd);
	if (r < 0)
		return r;
	poll->uv.data = poll;
	r = loop_poll_set(poll, events);
	if (r < 0) {
		loop_poll_free(TAKE_PTR(poll));
		return r;
	}
	*ret = TAKE_PTR(poll);
	return 0;
}

void loop_poll_free(struct loop_poll *poll)
{
	if (!poll)
		return;
	/* Leaves epoll now: the caller closes the descriptor next. */
	(void)uv_poll_stop(&poll->uv);
	uv_close((uv_handle_t *)&poll->uv, free_handle);
}

static sigset_t followed; /* of this process, as a handler is */

void loop_signals_default(void)
{
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&followed, number) > 0)
			(void)signal(number, SIG_DFL);
}

static void on_signal(uv_signal_t *uv, int number)
{
	struct loop_signal *signal = uv->data;

	(void)number;
	signal->fn(signal->data);
}

int loop_signal_new(
	struct loop *loop, int number, loop_fn *fn, void *data, struct loop_signal **ret)
{
	struct loop_signal *signal = calloc(1, sizeof *signal);
	int r;

	if (!signal)
		return -ENOMEM;
	signal->fn = fn;
	signal->data = data;
	signal->uv.data = signal;
	(void)uv_signal_init(&loop->uv, &signal->uv);
	(void)sigaddset(&followed, number);
	r = uv_signal_start(&signal->uv, on_signal, number);
	if (r < 0) {
		loop_signal_free(signal);
		return r;
	}
	*ret = signal;
	return 0;
}

void loop_signal_free(struct loop_signal *signal)
{
	if (signal)
		uv_close((uv_handle_t *)&signal->uv, free_handle);
}
