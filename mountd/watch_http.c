/* SPDX-License-Identifier: Apache-2.0 */
/* HTTPS requests in the loop, by libcurl. */
#include "mountd/watch_http.h"

#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/watch_multi.h"

#define ERROR_BODY_MAX	8192
#define CONNECT_SECONDS 10L
/* A peer that acknowledges nothing for so long is gone: HTTP/2 would go on using its connection. */
#define SILENCE_MS 30000

struct http_request {
	struct http_request *next;
	struct http *http;
	CURL *easy;
	struct curl_slist *headers;
	char *body;
	int (*on_data)(void *data, const char *bytes, size_t size);
	void (*on_end)(void *data, const struct http_end *end);
	void *data;
	bool lost;			/* its socket may be one that nobody watches */
	int error;			/* on_data's, or -ENOMEM */
	char problem[CURL_ERROR_SIZE];	/* curl's words */
	char reply[ERROR_BODY_MAX + 1]; /* the body of a refusal */
	size_t reply_size;
};

struct http {
	const struct access *access;
	struct multi *multi;
	struct http_request *requests;
};

void http_encode(char *path, size_t size, const char *value)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
	size_t n = strlen(path);

	for (; *value && n + 4 < size; value++) {
		if (strchr(plain, *value))
			path[n++] = *value;
		else
			n += (size_t)snprintf(path + n, size - n, "%%%02X", (unsigned char)*value);
	}
	path[n] = '\0';
}

static void free_request(struct http_request *r)
{
	struct http_request **at = &r->http->requests;

	while (*at && *at != r)
		at = &(*at)->next;
	if (*at)
		*at = r->next;
	if (r->easy) {
		(void)curl_multi_remove_handle(multi_handle(r->http->multi), r->easy);
		curl_easy_cleanup(r->easy);
	}
	curl_slist_free_all(r->headers);
	free(r->body);
	free(r);
}

static int errno_of(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return 0;
	case CURLE_OUT_OF_MEMORY:
		return -ENOMEM;
	case CURLE_COULDNT_RESOLVE_HOST:
		return -EHOSTUNREACH;
	case CURLE_COULDNT_CONNECT:
		return -ECONNREFUSED;
	case CURLE_OPERATION_TIMEDOUT:
		return -ETIMEDOUT;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CACERT_BADFILE:
		return -EKEYREJECTED;
	default:
		return -ECONNRESET;
	}
}

/* A refusal's body is a Status, whose message is for people; of anything else the first line. */
static void explain(struct http_request *r, struct http_end *end, char *text, size_t size)
{
	json_t *status = json_loadb(r->reply, r->reply_size, 0, NULL);
	const char *message = json_string_value(json_object_get(status, "message"));
	json_int_t seconds = json_integer_value(
		json_object_get(json_object_get(status, "details"), "retryAfterSeconds"));

	if (end->error < 0)
		(void)snprintf(text, size, "%s", *r->problem ? r->problem : strerror(-end->error));
	else if (end->status >= 300)
		(void)snprintf(text, size, "%ld: %.*s", end->status,
			message ? 600 : (int)strcspn(r->reply, "\r\n"),
			message ? message : r->reply);
	if (seconds > 0 && seconds < 3600)
		end->retry_after = (unsigned)seconds;
	json_decref(status);
}

static void finish(void *request, int code)
{
	struct http_request *r = request;
	struct http_end end = {.error = r->error ? r->error : errno_of((CURLcode)code)};
	void (*on_end)(void *data, const struct http_end *end) = r->on_end;
	void *data = r->data;
	curl_off_t wait = 0;
	char text[700] = "";

	(void)curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &end.status);
	if (curl_easy_getinfo(r->easy, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0 &&
		wait < 3600)
		end.retry_after = (unsigned)wait;
	explain(r, &end, text, sizeof text);
	end.message = text;
	free_request(r);
	on_end(data, &end);
}

/* Those that begin meanwhile, as others' next attempts, are not among them. */
static void lose_all(void *data)
{
	struct http *h = data;
	struct http_request *r;

	for (r = h->requests; r; r = r->next)
		r->lost = true;
	for (;;) {
		for (r = h->requests; r && !r->lost;)
			r = r->next;
		if (!r)
			return;
		r->error = -ENOMEM;
		finish(r, CURLE_OK);
	}
}

static size_t take_bytes(char *bytes, size_t one, size_t n, void *data)
{
	struct http_request *r = data;
	size_t size = one * n, room = ERROR_BODY_MAX - r->reply_size;
	long status = 0;

	(void)curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && status < 300) {
		r->error = r->on_data ? r->on_data(r->data, bytes, size) : 0;
		return r->error < 0 ? CURL_WRITEFUNC_ERROR : size;
	}
	memcpy(r->reply + r->reply_size, bytes, size < room ? size : room);
	r->reply_size += size < room ? size : room;
	return size;
}

static int add_header(struct http_request *r, const char *name, const char *value)
{
	_cleanup_free_ char *line = NULL;
	struct curl_slist *list;

	if (asprintf(&line, "%s: %s", name, value) < 0) {
		line = NULL;
		return -ENOMEM;
	}
	list = curl_slist_append(r->headers, line);
	if (!list)
		return -ENOMEM;
	r->headers = list;
	return 0;
}

static int set_headers(struct http_request *r, const struct http_call *call)
{
	_cleanup_free_ char *token = NULL;
	_cleanup_free_ char *bearer = NULL;
	int e = access_read_token(r->http->access, &token);

	if (e == 0)
		e = add_header(r, "Accept", "application/json");
	if (e == 0 && call->content_type)
		e = add_header(r, "Content-Type", call->content_type);
	if (e < 0 || !token)
		return e;
	if (asprintf(&bearer, "Bearer %s", token) < 0) {
		bearer = NULL;
		return -ENOMEM;
	}
	return add_header(r, "Authorization", bearer);
}

static void set_blob(CURL *easy, CURLoption option, const struct access_blob *blob)
{
	struct curl_blob value = {blob->bytes, blob->size, CURL_BLOB_NOCOPY};

	if (blob->bytes)
		(void)curl_easy_setopt(easy, option, &value);
}

static int set_socket(void *data, curl_socket_t fd, curlsocktype purpose)
{
	unsigned ms = SILENCE_MS;

	(void)data;
	(void)purpose;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
	return CURL_SOCKOPT_OK;
}

static void set_access(CURL *easy, const struct access *a)
{
	if (a->ca_file)
		(void)curl_easy_setopt(easy, CURLOPT_CAINFO, a->ca_file);
	set_blob(easy, CURLOPT_CAINFO_BLOB, &a->ca);
	set_blob(easy, CURLOPT_SSLCERT_BLOB, &a->certificate);
	set_blob(easy, CURLOPT_SSLKEY_BLOB, &a->key);
	(void)curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	/* A proxy that the environment names would get to see every pod. */
	(void)curl_easy_setopt(easy, CURLOPT_PROXY, "");
	(void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https");
	(void)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	(void)curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
	(void)curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, set_socket);
	(void)curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	(void)curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 20L);
	(void)curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 5L);
	(void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	(void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
	(void)curl_easy_setopt(easy, CURLOPT_USERAGENT, "kora-sandbox-watch/" KORA_VERSION);
}

static int set_call(struct http_request *r, const struct http_call *call)
{
	_cleanup_free_ char *url = NULL;
	CURL *easy = r->easy;

	if (asprintf(&url, "%s%s", r->http->access->server, call->path) < 0) {
		url = NULL;
		return -ENOMEM;
	}
	if (call->body) {
		r->body = strdup(call->body);
		if (!r->body)
			return -ENOMEM;
		(void)curl_easy_setopt(easy, CURLOPT_POSTFIELDS, r->body);
	}
	if (strcmp(call->method, "GET") != 0)
		(void)curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, call->method);
	if (call->stall_seconds) {
		(void)curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
		(void)curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)call->stall_seconds);
	}
	(void)curl_easy_setopt(easy, CURLOPT_TIMEOUT, (long)call->timeout_seconds);
	(void)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, r->headers);
	(void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
	(void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, r);
	(void)curl_easy_setopt(easy, CURLOPT_PRIVATE, r);
	(void)curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, r->problem);
	return curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK ? 0 : -ENOMEM;
}

int http_start(struct http *h, const struct http_call *call, struct http_request **ret)
{
	struct http_request *r = calloc(1, sizeof *r);
	int e;

	if (!r)
		return -ENOMEM;
	*r = (struct http_request){.http = h,
		.easy = curl_easy_init(),
		.on_data = call->on_data,
		.on_end = call->on_end,
		.data = call->data};
	e = r->easy ? set_headers(r, call) : -ENOMEM;
	if (e == 0) {
		set_access(r->easy, h->access);
		e = set_call(r, call);
	}
	if (e == 0 && curl_multi_add_handle(multi_handle(h->multi), r->easy) != CURLM_OK)
		e = -EIO;
	if (e < 0) {
		free_request(r);
		return e;
	}
	r->next = h->requests;
	h->requests = r;
	*ret = r;
	return 0;
}

void http_cancel(struct http_request *r)
{
	if (r)
		free_request(r);
}

int http_new(struct loop *loop, const struct access *access, struct http **ret)
{
	static const struct multi_owner owner = {finish, lose_all};
	struct http *h = calloc(1, sizeof *h);
	int r;

	if (!h)
		return -ENOMEM;
	h->access = access;
	r = multi_new(loop, &owner, h, &h->multi);
	if (r < 0) {
		free(h);
		return r;
	}
	*ret = h;
	return 0;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	while (h->requests)
		free_request(h->requests);
	multi_free(h->multi);
	free(h);
}
