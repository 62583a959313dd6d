/* SPDX-License-Identifier: Apache-2.0 */
/* HTTPS requests in the loop: none blocks, each is bounded. Nothing else includes <curl/curl.h>. */
#pragma once

#include <stdbool.h>

#include "mountd/loop.h"
#include "mountd/watch_access.h"

struct http;
struct http_request;

/* How a request ended. */
struct http_end {
	int error;	      /* negative errno: no answer, or on_data's; 0: status counts */
	long status;	      /* 0: there was none */
	unsigned retry_after; /* seconds the server asks to wait; 0: not said */
	const char *message;  /* what went wrong, in words; "" if nothing; borrowed */
};

struct http_call {
	const char *method;
	const char *path; /* and query, from the first slash on; encoded */
	const char *body; /* NULL: none */
	const char *content_type;
	unsigned timeout_seconds; /* from start to end */
	unsigned stall_seconds;	  /* without a byte; 0: may be silent */
	/*
	 * The body of a 2xx answer as it comes; negative errno ends the request. Neither this nor
	 * what it calls may start or cancel a request.
	 */
	int (*on_data)(void *data, const char *bytes, size_t size);
	/* Once, last; the request is gone. Not called after http_cancel(). */
	void (*on_end)(void *data, const struct http_end *end);
	void *data;
};

/* access is borrowed. -ENOMEM, or -EIO where the library does not start. */
int http_new(struct loop *loop, const struct access *access, struct http **ret);
void http_free(struct http *h); /* cancels what is under way */

/* Negative errno: it did not start, and on_end is not called. */
int http_start(struct http *h, const struct http_call *call, struct http_request **ret);
void http_cancel(struct http_request *request); /* NULL is fine */

/* Appends value, encoded, to a path or query. */
void http_encode(char *path, size_t size, const char *value);
