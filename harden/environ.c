/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that pass by default say nothing secret and load no code. */
#include "harden/environ.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

static const char *const allowed[] = {"PATH", "USER", "LOGNAME", "SHELL", "HOSTNAME", "TERM",
	"COLORTERM", "NO_COLOR", "LANG", "LANGUAGE", "LC_*", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};

static bool matches(const char *pattern, const char *name, size_t len)
{
	const char *end = name + len;

	for (; *pattern; pattern++, name++) {
		if (pattern[0] == '*' && !pattern[1])
			return true;
		if (name == end || *name != *pattern)
			return false;
	}
	return name == end;
}

static bool passes(const struct policy *p, const char *var)
{
	const size_t len = strcspn(var, "=");

	if (!var[len] || matches("HOME", var, len)) /* HOME is the plan's */
		return false;
	if (p->keep_env)
		return true;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (matches(allowed[i], var, len))
			return true;
	for (size_t i = 0; i < p->env.n; i++)
		if (!strchr(p->env.v[i], '=') && matches(p->env.v[i], var, len))
			return true;
	return false;
}

const char *environ_get(char *const *env, const char *name)
{
	size_t len = strlen(name);

	for (; *env; env++)
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

void environ_free(char **env)
{
	for (char **v = env; v && *v; v++)
		free(*v);
	free(env);
}

/* Replaces a variable of the same name; the list has room for one more. */
static int put(char **env, const char *var)
{
	size_t len = strcspn(var, "="), i = 0;
	char *copy = strdup(var);

	if (!copy)
		return -ENOMEM;
	while (env[i] && (strncmp(env[i], var, len) != 0 || env[i][len] != '='))
		i++;
	free(env[i]);
	env[i] = copy;
	return 0;
}

static int put_value(char **env, const char *name, const char *value)
{
	_cleanup_free_ char *var = NULL;

	if (!value)
		return 0;
	if (asprintf(&var, "%s=%s", name, value) < 0)
		return -ENOMEM;
	return put(env, var);
}

static int fill(const struct policy *p, const struct plan *plan, char *const *from, char **env,
	size_t *dropped)
{
	int r = 0;

	for (; *from && r == 0; from++) {
		if (passes(p, *from))
			r = put(env, *from);
		else if (!plan->home || strncmp(*from, "HOME=", 5) != 0)
			++*dropped;
	}
	if (r == 0 && !environ_get(env, "PATH"))
		r = put(env, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	if (r == 0)
		r = put_value(env, "HOME", plan->home);
	if (r == 0)
		r = put_value(env, "TMPDIR", plan->tmpdir);
	if (r == 0)
		r = put_value(env, "KORA_RUN", p->run);
	for (size_t i = 0; i < p->env.n && r == 0; i++)
		if (strchr(p->env.v[i], '='))
			r = put(env, p->env.v[i]);
	return r;
}

int environ_make(const struct policy *p, const struct plan *plan, char *const *env, char ***ret,
	size_t *ret_dropped)
{
	size_t n = 0, dropped = 0;

	while (env[n])
		n++;
	char **v = calloc(n + p->env.n + 5, sizeof(*v));

	if (!v)
		return -ENOMEM;
	int r = fill(p, plan, env, v, &dropped);

	if (r < 0) {
		environ_free(v);
		return r;
	}
	*ret = v;
	*ret_dropped = dropped;
	return 0;
}
