/* SPDX-License-Identifier: Apache-2.0 */
/* Is a configuration of the export engine possible? */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nfs/export.h"
#include "nfs/listeners.h"

#define SCOPE_MAX 64 /* __NEW_UTS_LEN: where there is no netlink it is set as a host name */

static int refuse(struct kerr *e, const char *field, const char *detail)
{
	return kerr_set(e, -EINVAL, "check setting", field, "%s", detail);
}

static int check_listen(const struct exporter_config *c, struct kerr *e)
{
	if (c->n_listen == 0)
		return refuse(e, "listen",
			"no address: name this node's own, a wildcard would take over every port "
			"of it");
	if (c->n_listen > LISTENERS_MAX)
		return refuse(e, "listen", "too many addresses");
	for (size_t i = 0; i < c->n_listen; i++) {
		char text[ADDR_TEXT_SIZE];
		struct addr addr;
		addr_format(&c->listen[i], text);
		if (addr_parse(text, &addr) < 0)
			return refuse(e, "listen", "not an address of one host");
		for (size_t j = 0; j < i; j++)
			if (addr_equal(&c->listen[i], &c->listen[j]))
				return refuse(e, "listen", "the same address twice");
	}
	return c->port ? 0 : refuse(e, "port", "1 to 65535 is possible");
}

static int check_seconds(unsigned seconds, const char *field, struct kerr *e)
{
	if (seconds >= NFSD_TIME_MIN && seconds <= NFSD_TIME_MAX)
		return 0;
	return kerr_set(e, -EINVAL, "check setting", field, "%u: %d to %d seconds are possible",
		seconds, NFSD_TIME_MIN, NFSD_TIME_MAX);
}

static int check_scope(const char *scope, struct kerr *e)
{
	size_t length = scope ? strlen(scope) : 0;

	if (length == 0 || length > SCOPE_MAX)
		return refuse(e, "server scope", "1 to 64 characters, unique to this node");
	for (const char *c = scope; *c; c++)
		if (*c <= ' ' || *c > '~')
			return refuse(e, "server scope", "only visible ASCII characters");
	return 0;
}

int exporter_config_check(const struct exporter_config *c, struct kerr *e)
{
	int error = check_listen(c, e);

	if (error < 0)
		return error;
	if (c->threads < 1 || c->threads > NFSD_THREADS_MAX)
		return refuse(e, "threads", "1 to 1024 are possible");
	if ((error = check_seconds(c->lease_seconds, "lease", e)) < 0 ||
		(error = check_seconds(c->grace_seconds, "grace", e)) < 0 ||
		(error = check_scope(c->server_scope, e)) < 0)
		return error;
	if (!c->state_dir || path_absolute_fault(c->state_dir))
		return refuse(e, "state folder", "an absolute path is needed");
	if (!c->runtime_dir || path_absolute_fault(c->runtime_dir))
		return refuse(e, "runtime folder", "an absolute path is needed");
	return 0;
}
