/* SPDX-License-Identifier: Apache-2.0 */
/* How to reach the API server. */
#include "mountd/watch_access.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/file.h"

#define ACCOUNT_DIR    "/var/run/secrets/kubernetes.io/serviceaccount"
#define TOKEN_MAX      65536
#define KUBECONFIG_MAX (1U << 20)

void access_clear(struct access *a)
{
	free(a->server);
	free(a->token_file);
	free(a->token);
	free(a->ca_file);
	free(a->ca.bytes);
	free(a->certificate.bytes);
	free(a->key.bytes);
	*a = (struct access){0};
}

static int copy(char **to, const char *text)
{
	if (!text || !*text)
		return 0;
	*to = strdup(text);
	return *to ? 0 : -ENOMEM;
}

static int set_server(struct access *a, const char *text, struct kerr *e)
{
	size_t n = strlen(text);

	if (strncmp(text, "https://", 8) != 0)
		return kerr_set(e, -EINVAL, "take the API server's address", text,
			"not an https:// URL: tokens go encrypted only");
	while (n > 8 && text[n - 1] == '/')
		n--;
	a->server = strndup(text, n);
	return a->server ? 0 : -ENOMEM;
}

static int service_url(char *url, size_t size, struct kerr *e)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");
	bool six = host && strchr(host, ':');

	if (!host || !*host)
		return kerr_set(e, -EINVAL, "find the API server", NULL,
			"KUBERNETES_SERVICE_HOST is not set: outside a cluster give --kubeconfig, "
			"or "
			"--server, --token-file and --ca-file");
	(void)snprintf(url, size, "https://%s%s%s:%s", six ? "[" : "", host, six ? "]" : "",
		port && *port ? port : "443");
	return 0;
}

int access_in_cluster(const char *server, const char *token_file, const char *ca_file,
	struct access *ret, struct kerr *e)
{
	_cleanup_(access_clear) struct access a = {0};
	char url[512];
	int r = server ? 0 : service_url(url, sizeof url, e);

	if (r == 0)
		r = set_server(&a, server ? server : url, e);
	if (r == 0)
		r = copy(&a.token_file, token_file ? token_file : ACCOUNT_DIR "/token");
	if (r == 0)
		r = copy(&a.ca_file, ca_file ? ca_file : ACCOUNT_DIR "/ca.crt");
	if (r == -ENOMEM)
		return kerr_set(e, r, "find the API server", NULL, NULL);
	if (r < 0)
		return r;
	if (access(a.token_file, R_OK) < 0)
		return kerr_set(e, -errno, "read the token", a.token_file, NULL);
	if (access(a.ca_file, R_OK) < 0)
		return kerr_set(e, -errno, "read the certificate authority", a.ca_file, NULL);
	*ret = a;
	a = (struct access){0};
	return 0;
}

static int decode(const char *text, struct access_blob *ret)
{
	size_t n = strlen(text);
	unsigned char *bytes = malloc(n / 4 * 3 + 4);
	int size;

	if (!bytes)
		return -ENOMEM;
	size = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)n);
	if (size < 0) {
		free(bytes);
		return -EINVAL;
	}
	/* It counts the bytes that '=' stands for. */
	for (size_t i = n; i > 0 && text[i - 1] == '=' && size > 0; i--)
		size--;
	*ret = (struct access_blob){bytes, (size_t)size};
	return 0;
}

static int read_file(const char *path, struct access_blob *ret)
{
	char *text;
	size_t size;
	int r = file_read(AT_FDCWD, path, TOKEN_MAX, &text, &size);

	if (r == 0)
		*ret = (struct access_blob){(unsigned char *)text, size};
	return r;
}

/* A value that is there itself, as base64, or in a file. */
static int take_blob(const json_t *object, const char *data_key, const char *file_key,
	struct access_blob *ret, struct kerr *e)
{
	const char *data = json_string_value(json_object_get(object, data_key));
	const char *file = json_string_value(json_object_get(object, file_key));
	int r = 0;

	if (data)
		r = decode(data, ret);
	else if (file)
		r = read_file(file, ret);
	return r < 0 ? kerr_set(e, r, "read the kubeconfig's", data ? data_key : file_key,
			       data ? "not base64" : "file %s", file)
		     : 0;
}

/* The named entry of a list: {"name": …, key: {…}}. */
static const json_t *find(
	const json_t *root, const char *list_key, const json_t *name, const char *key)
{
	const json_t *list = json_object_get(root, list_key);

	for (size_t i = 0; name && i < json_array_size(list); i++)
		if (json_equal(json_object_get(json_array_get(list, i), "name"), name))
			return json_object_get(json_array_get(list, i), key);
	return NULL;
}

static int take_user(struct access *a, const json_t *user, struct kerr *e)
{
	int r = copy(&a->token, json_string_value(json_object_get(user, "token")));

	if (r == 0)
		r = copy(&a->token_file, json_string_value(json_object_get(user, "tokenFile")));
	if (r < 0)
		return kerr_set(e, r, "read the kubeconfig's user", NULL, NULL);
	if (json_object_get(user, "exec") || json_object_get(user, "auth-provider"))
		return kerr_set(e, -EINVAL, "read the kubeconfig's user", NULL,
			"its credentials come from a program, which is not run; give a token");
	r = take_blob(user, "client-certificate-data", "client-certificate", &a->certificate, e);
	return r < 0 ? r : take_blob(user, "client-key-data", "client-key", &a->key, e);
}

static int take_kubeconfig(struct access *a, const json_t *root, struct kerr *e)
{
	const json_t *context =
		find(root, "contexts", json_object_get(root, "current-context"), "context");
	const json_t *cluster =
		find(root, "clusters", json_object_get(context, "cluster"), "cluster");
	const char *server = json_string_value(json_object_get(cluster, "server"));
	int r;

	if (!server)
		return kerr_set(e, -EINVAL, "read the kubeconfig", NULL,
			"its current-context names no cluster with a server");
	if (json_is_true(json_object_get(cluster, "insecure-skip-tls-verify")))
		return kerr_set(e, -EINVAL, "read the kubeconfig", NULL,
			"insecure-skip-tls-verify: the token would go to whoever answers");
	r = set_server(a, server, e);
	if (r == 0)
		r = take_blob(
			cluster, "certificate-authority-data", "certificate-authority", &a->ca, e);
	return r < 0 ? r
		     : take_user(
			       a, find(root, "users", json_object_get(context, "user"), "user"), e);
}

int access_from_kubeconfig(const char *path, struct access *ret, struct kerr *e)
{
	_cleanup_(access_clear) struct access a = {0};
	_cleanup_free_ char *text = NULL;
	json_error_t error;
	json_t *root;
	size_t size;
	int r = file_read(AT_FDCWD, path, KUBECONFIG_MAX, &text, &size);

	if (r < 0)
		return kerr_set(e, r, "read the kubeconfig", path, NULL);
	root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		return kerr_set(e, -EINVAL, "read the kubeconfig", path,
			"not JSON (line %d: %s); kubectl config view --raw --flatten -o json "
			"writes it",
			error.line, error.text);
	r = take_kubeconfig(&a, root, e);
	json_decref(root);
	if (r < 0)
		return r;
	*ret = a;
	a = (struct access){0};
	return 0;
}

int access_read_token(const struct access *a, char **ret)
{
	size_t size;
	char *text;
	int r;

	*ret = NULL;
	if (!a->token_file) {
		*ret = a->token ? strdup(a->token) : NULL;
		return a->token && !*ret ? -ENOMEM : 0;
	}
	r = file_read(AT_FDCWD, a->token_file, TOKEN_MAX, &text, &size);
	if (r < 0)
		return r;
	text[strcspn(text, "\r\n")] = '\0';
	*ret = text;
	return 0;
}
