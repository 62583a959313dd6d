/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop: timers, descriptors, signals. What waits for something waits here. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum loop_events {
	LOOP_READ = 1 << 0,
	LOOP_WRITE = 1 << 1,
	LOOP_PRIORITY = 1 << 2, /* how /proc/…/mountinfo tells a change */
	LOOP_HANGUP = 1 << 3,
};

struct loop;
struct loop_timer;
struct loop_poll;
struct loop_signal;

typedef void loop_fn(void *data);
typedef void loop_poll_fn(void *data, unsigned events);

/* -ENOMEM, -EMFILE */
int loop_new(struct loop **ret);
/* Everything made in the loop must have been freed before. */
void loop_free(struct loop *loop);
void loop_run(struct loop *loop); /* until loop_stop() */
void loop_stop(struct loop *loop);
/* Monotonic milliseconds, read from the clock now. */
uint64_t loop_clock_ms(void);

/* One shot. Setting a running timer anew moves it. free(NULL) is fine for all three kinds. */
int loop_timer_new(struct loop *loop, loop_fn *fn, void *data, struct loop_timer **ret);
void loop_timer_set(struct loop_timer *timer, uint64_t in_ms);
void loop_timer_stop(struct loop_timer *timer);
bool loop_timer_running(const struct loop_timer *timer);
void loop_timer_free(struct loop_timer *timer);

/*
 * Watches fd, which stays the caller's and must stay open until loop_poll_free(). events 0
 * pauses. -EEXIST: fd is watched already; -EPERM: a file that cannot be polled.
 */
int loop_poll_new(struct loop *loop, int fd, unsigned events, loop_poll_fn *fn, void *data,
	struct loop_poll **ret);
int loop_poll_set(struct loop_poll *poll, unsigned events);
void loop_poll_free(struct loop_poll *poll);

int loop_signal_new(
	struct loop *loop, int signal, loop_fn *fn, void *data, struct loop_signal **ret);
void loop_signal_free(struct loop_signal *signal);
/* In a child: what a loop of its parent follows does again what it does by itself. */
void loop_signals_default(void);
