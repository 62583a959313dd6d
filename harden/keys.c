/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, their help and their setters. */
#include "harden/keys.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harden/parse.h"
#include "mountd/base/cleanup.h"

static int set_text(char **field, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

static int set_path(char **field, const char *v, struct fail *f)
{
	if (!valid_path(v))
		return fail_set(f, EINVAL, "an absolute path without '.' and '..' is needed");
	int r = set_text(field, v);

	if (r < 0)
		return r;
	for (size_t len = strlen(*field); len > 1 && (*field)[len - 1] == '/'; len--)
		(*field)[len - 1] = '\0';
	return 0;
}

static int set_bool(bool *field, const char *v, struct fail *f)
{
	return parse_bool(v, field) < 0 ? fail_set(f, EINVAL, "yes or no is needed") : 0;
}

static int set_id(int64_t *field, const char *v, struct fail *f)
{
	uint64_t id;

	if (parse_u64(v, UINT32_MAX - 1, &id) < 0)
		return fail_set(f, EINVAL,
			"a number is needed (names are not resolved: use the number of the id)");
	*field = (int64_t)id;
	return 0;
}

static int set_limit(struct limit *field, const char *v, struct fail *f)
{
	return parse_limit(v, field) < 0
		       ? fail_set(f, EINVAL,
				 "N, SOFT:HARD or unlimited is needed, soft not above hard")
		       : 0;
}

static int set_ports(struct ports *field, const char *v, struct fail *f)
{
	int r = parse_ports(v, field);

	if (r == -EINVAL)
		return fail_set(f, EINVAL, "ports are needed: 443 or 8000-8010 or any, by comma");
	if (r == -EPERM)
		return fail_set(
			f, EINVAL, "port %d is the sandbox mount's and never opened", PORT_NEVER);
	return r;
}

static int add_grant(struct policy *p, enum grant_kind kind, const char *v, struct fail *f)
{
	bool optional = *v == '-';
	_cleanup_free_ char *path = NULL;
	int r = set_path(&path, v + optional, f);

	return r < 0 ? r : grants_add(&p->grants, kind, optional, path);
}

#define SETTER(name) static int set_##name(struct policy *p, const char *v, struct fail *f)
#define BOOL_SETTER(name, field) \
	SETTER(name) \
	{ \
		return set_bool(&p->field, v, f); \
	}
#define PATH_SETTER(name, field) \
	SETTER(name) \
	{ \
		return set_path(&p->field, v, f); \
	}
#define FIELD_SETTER(type, name, field) \
	SETTER(name) \
	{ \
		return set_##type(&p->field, v, f); \
	}
#define GRANT_SETTER(name, kind) \
	SETTER(name) \
	{ \
		return add_grant(p, kind, v, f); \
	}

BOOL_SETTER(verify, verify)
BOOL_SETTER(best_effort, best_effort)
BOOL_SETTER(verbose, verbose)
BOOL_SETTER(init, init)
BOOL_SETTER(setsid, setsid)
BOOL_SETTER(keep_env, keep_env)
BOOL_SETTER(allow_root_group, allow_root_group)
BOOL_SETTER(read_only_root, read_only_root)
BOOL_SETTER(landlock_audit, landlock_audit)
BOOL_SETTER(help, help)
BOOL_SETTER(version, version)
PATH_SETTER(workspaces, workspaces)
PATH_SETTER(chdir, chdir)
PATH_SETTER(home, home)
PATH_SETTER(tmpdir, tmpdir)
PATH_SETTER(wait_mount, wait_mount)
FIELD_SETTER(id, uid, uid)
FIELD_SETTER(id, gid, gid)
FIELD_SETTER(limit, nofile, nofile)
FIELD_SETTER(limit, nproc, nproc)
FIELD_SETTER(limit, fsize, fsize)
FIELD_SETTER(ports, tcp_bind, tcp_bind)
FIELD_SETTER(ports, tcp_connect, tcp_connect)
FIELD_SETTER(ports, udp_bind, udp_bind)
FIELD_SETTER(ports, udp_connect, udp_connect)
GRANT_SETTER(read, GRANT_READ)
GRANT_SETTER(exec, GRANT_EXEC)
GRANT_SETTER(write, GRANT_WRITE)
GRANT_SETTER(work, GRANT_WORK)
GRANT_SETTER(device, GRANT_DEVICE)
GRANT_SETTER(unix_socket, GRANT_UNIX)

SETTER(profile)
{
	static const char *const names[] = {
		[PROFILE_SANDBOX] = "sandbox",
		[PROFILE_RUNTIME] = "runtime",
		[PROFILE_NONE] = "none",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(v, names[i]) == 0) {
			p->profile = (enum profile)i;
			return 0;
		}
	}
	return fail_set(f, EINVAL, "sandbox, runtime or none is needed");
}

SETTER(run)
{
	if (!valid_run(v))
		return fail_set(f, EINVAL,
			"a run is lower-case letters, digits and '-', at most "
			"63, not beginning or ending with '-'");
	return set_text(&p->run, v);
}

SETTER(config)
{
	if (!*v || strcmp(v, ".") == 0 || strcmp(v, "..") == 0)
		return fail_set(f, EINVAL, "a file, or a name in /etc/kora/launch.d, is needed");
	return set_text(&p->config, v);
}

SETTER(groups)
{
	gid_t *v_groups;
	size_t n;
	int r = parse_groups(v, &v_groups, &n);

	if (r == -EINVAL)
		return fail_set(f, EINVAL, "group numbers by comma are needed");
	if (r < 0)
		return r;
	free(p->groups);
	p->groups = v_groups;
	p->n_groups = n;
	p->groups_set = true;
	return 0;
}

SETTER(umask)
{
	size_t len = strlen(v);

	if (len < 1 || len > 4 || strspn(v, "01234567") != len || strtoul(v, NULL, 8) > 0777)
		return fail_set(f, EINVAL, "an octal mask is needed, for example 022");
	p->umask = (mode_t)strtoul(v, NULL, 8);
	p->umask_set = true;
	return 0;
}

SETTER(keep_fd)
{
	uint64_t fd;

	if (parse_u64(v, INT_MAX - 1, &fd) < 0 || fd < 3)
		return fail_set(f, EINVAL, "a descriptor above 2 is needed (0, 1, 2 always stay)");
	int *fds = reallocarray(p->keep_fds, p->n_keep_fds + 1, sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	p->keep_fds = fds;
	fds[p->n_keep_fds++] = (int)fd;
	return 0;
}

SETTER(env)
{
	_cleanup_free_ char *name = strdup(v);

	if (!name)
		return -ENOMEM;
	char *equals = strchr(name, '=');

	if (equals)
		*equals = '\0';
	if (!valid_env_name(name, !equals))
		return fail_set(f, EINVAL, "NAME, PREFIX* or NAME=VALUE is needed");
	if (equals)
		*equals = '=';
	char **all = reallocarray(p->env.v, p->env.n + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	p->env.v = all;
	all[p->env.n++] = TAKE_PTR(name);
	return 0;
}

SETTER(landlock_min)
{
	uint64_t abi;

	if (parse_u64(v, 99, &abi) < 0 || abi < 1)
		return fail_set(f, EINVAL, "a Landlock ABI is needed, 1 or more");
	p->landlock_min = (int)abi;
	return 0;
}

SETTER(seccomp)
{
	if (strcmp(v, "strict") != 0 && strcmp(v, "dev") != 0 && strcmp(v, "none") != 0 &&
		strchr(v, '/') == NULL)
		return fail_set(f, EINVAL,
			"strict, dev, none or a file is needed (a file has a '/' in it)");
	return set_text(&p->seccomp, v);
}

SETTER(pdeathsig)
{
	return parse_signal(v, &p->pdeathsig) < 0
		       ? fail_set(f, EINVAL, "a signal is needed, for example TERM")
		       : 0;
}

SETTER(timeout)
{
	uint64_t s;

	if (parse_u64(v, 86400, &s) < 0)
		return fail_set(f, EINVAL, "seconds are needed, at most 86400");
	p->timeout = (unsigned int)s;
	return 0;
}

#define ONE  false, false
#define MANY true, false
#define CMD  false, true

const struct key keys[] = {
	{"profile", "NAME", ONE, "sandbox (default), runtime or none", set_profile},
	{"run", "RUN", ONE, "confine to the workspace of this run", set_run},
	{"workspaces", "DIR", ONE, "where workspaces are (/workspaces)", set_workspaces},
	{"uid", "N", ONE, "user to become, or to insist on when not root", set_uid},
	{"gid", "N", ONE, "group to become or insist on (as root: the uid's number)", set_gid},
	{"groups", "N,N", ONE, "supplementary groups (as root: none)", set_groups},
	{"allow-root-group", NULL, ONE, "accept group 0", set_allow_root_group},
	{"umask", "MASK", ONE, "file mode mask (022; runtime: 077)", set_umask},
	{"rlimit-nofile", "N[:M]", ONE, "open files, soft:hard", set_nofile},
	{"rlimit-nproc", "N[:M]", ONE, "processes of the user", set_nproc},
	{"rlimit-fsize", "N[:M]", ONE, "bytes a file may grow to", set_fsize},
	{"keep-fd", "N", MANY, "leave this descriptor open", set_keep_fd},
	{"chdir", "DIR", ONE, "working directory (the run's)", set_chdir},
	{"home", "DIR", ONE, "HOME", set_home},
	{"tmpdir", "DIR", ONE, "TMPDIR, made when missing", set_tmpdir},
	{"env", "NAME[=V]", MANY, "pass a variable or PREFIX*, or set it", set_env},
	{"keep-env", NULL, ONE, "pass the whole environment", set_keep_env},
	{"read-only-root", NULL, ONE, "insist on it, or make it so as root (yes)",
		set_read_only_root},
	{"read", "[-]PATH", MANY, "grant reading; '-' before a path: skip if missing", set_read},
	{"exec", "[-]PATH", MANY, "grant reading and execution", set_exec},
	{"write", "[-]PATH", MANY, "grant reading and writing", set_write},
	{"work", "[-]PATH", MANY, "grant reading, writing and execution", set_work},
	{"device", "[-]PATH", MANY, "grant a device, with ioctl", set_device},
	{"unix", "[-]PATH", MANY, "grant connecting to sockets there", set_unix_socket},
	{"tcp-bind", "PORTS", MANY, "grant listening: 80,8000-8010 or any", set_tcp_bind},
	{"tcp-connect", "PORTS", MANY, "grant connecting", set_tcp_connect},
	{"udp-bind", "PORTS", MANY, "grant receiving (enforced from ABI 10)", set_udp_bind},
	{"udp-connect", "PORTS", MANY, "grant sending (enforced from ABI 10)", set_udp_connect},
	{"landlock-min", "ABI", ONE, "insist on what this Landlock ABI has (6)", set_landlock_min},
	{"landlock-audit", NULL, ONE, "log the program's denials to audit", set_landlock_audit},
	{"seccomp", "PROFILE", ONE, "strict (default), dev, none, or an OCI profile's file",
		set_seccomp},
	{"verify", NULL, ONE, "prove everything from the inside (yes)", set_verify},
	{"best-effort", NULL, ONE, "start even if something is not in force", set_best_effort},
	{"init", NULL, ONE, "stay as init: forward signals, reap", set_init},
	{"setsid", NULL, ONE, "start a session of its own, without terminal", set_setsid},
	{"pdeathsig", "SIGNAL", ONE, "signal when the parent dies (off)", set_pdeathsig},
	{"wait-mount", "PATH", ONE, "wait until something is mounted here", set_wait_mount},
	{"timeout", "SECONDS", ONE, "how long --wait-mount waits (60)", set_timeout},
	{"verbose", NULL, ONE, "print what is in force", set_verbose},
	{"config", "FILE", CMD, "this file, or name in /etc/kora/launch.d, only", set_config},
	{"help", NULL, CMD, "print this", set_help},
	{"version", NULL, CMD, "print the version", set_version},
};
const size_t n_keys = sizeof(keys) / sizeof(keys[0]);

int key_find(const char *name)
{
	for (size_t i = 0; i < n_keys; i++)
		if (strcmp(keys[i].name, name) == 0)
			return (int)i;
	return -ENOENT;
}
