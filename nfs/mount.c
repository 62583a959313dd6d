/* SPDX-License-Identifier: Apache-2.0 */
/* The mount engine: adopt what is right, else make it unseen and put it in its place. */
#include "nfs/mount.h"
#include "nfs/client_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/client_state.h"
#include "nfs/mount_adopt.h"
#include "nfs/mount_client.h"
#include "nfs/mount_ids.h"
#include "nfs/mount_options.h"
#include "nfs/mount_place.h"
#include "nfs/mount_staging.h"
#include "nfs/mount_target.h"

/* What would fail for certain is told before the server is asked. */
static int check_bare(const struct place *p, struct kerr *e)
{
	_cleanup_close_ int fd = -1;

	if (!target_is_bare(p->target))
		return 0;
	return target_open_bare(p->target, p->mount, &fd, p->fault, p->fault_size, e);
}

static void nfs_source(const struct mount *m, char *text, size_t size)
{
	char host[ADDR_TEXT_SIZE], path[PSEUDO_PATH_SIZE];
	bool v6 = m->server.family == AF_INET6;

	addr_format(&m->server, host);
	pseudo_path(&m->id, path);
	(void)snprintf(text, size, "%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", path);
}

/* A kernel that does goes on doing so. */
static bool knows_forced_readdirplus(void)
{
	static bool known;

	return known || (known = mount_client_knows("rdirplus", "force"));
}

static int stage_nfs(const struct mount_config *config, const struct mount *m, struct staged *ret,
	struct mount_outcome *out, struct kerr *e)
{
	_cleanup_staged_ struct staged s = STAGED_NONE;
	_cleanup_free_ char *options = NULL;
	char source[ADDR_TEXT_SIZE + PSEUDO_PATH_SIZE + 4];
	struct addr client;
	int error = mount_client_prepare(
		config->client_identifier, out->client_fault, sizeof out->client_fault, e);

	if (error < 0 || (error = mount_client_address(&m->server, m->port, &client, e)) < 0)
		return error;
	nfs_source(m, source, sizeof source);
	if (mount_options_nfs(&m->server, m->port, &client, knows_forced_readdirplus(), &options) <
		0)
		return kerr_set(e, -ENOMEM, "mount", source, NULL);
	error = mount_stage(config->staging, "nfs4", source, MOUNT_OPTIONS_FLAGS, options, &s, e);
	if (error < 0)
		return error;
	if (mount_options_compare(s.options, &m->server, m->port, out->options_fault,
		    sizeof out->options_fault) == OPTIONS_WRONG)
		return kerr_set(e, -EPROTO, "mount", source, "the kernel did not apply %s",
			out->options_fault);
	if (client_state_mount_is_shut(&m->server, m->port, s.major, s.minor))
		return kerr_set(e, -EAGAIN, "mount", source,
			"the server's last other mount was cut off meanwhile");
	*ret = s;
	s = STAGED_NONE;
	return 0;
}

/* 1 or 0; negative errno where it cannot be told: a second one would stay for good. */
static int has_marker(const struct target *t)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};
	const struct actual_mount *top;
	int error;

	if (target_is_bare(t))
		return 0;
	error = actual_mounts_read_own(&mounts);
	if (error < 0)
		return error;
	top = actual_mounts_at(&mounts, t->path);
	return top && (actual_mount_is_marker(top, NULL) || actual_mounts_marker_of(&mounts, top));
}

static int place_marker(const struct mount_config *config, struct place *p, struct kerr *e)
{
	_cleanup_staged_ struct staged s = STAGED_NONE;
	char source[sizeof ACTUAL_MARKER_PREFIX + NAME_MAX_LENGTH];
	int error = has_marker(p->target);

	if (error < 0)
		return kerr_set(e, error, "read mountinfo", NULL, NULL);
	if (error > 0)
		return 0;
	(void)snprintf(source, sizeof source, ACTUAL_MARKER_PREFIX "%s", p->mount->id.run);
	error = mount_stage(config->staging, "tmpfs", source,
		MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0555,size=4k,nr_inodes=2", &s,
		e);
	return error < 0 ? error : mount_place_marker(p, &s, e);
}

static int make(const struct mount_config *config, struct place *p, struct mount_outcome *out,
	struct kerr *e)
{
	const struct mount *m = p->mount;
	_cleanup_staged_ struct staged s = STAGED_NONE;
	int error = check_bare(p, e);

	if (error < 0)
		return error;
	if (m->kind == MOUNT_NFS)
		error = stage_nfs(config, m, &s, out, e);
	else
		error = mount_stage_bind(m->source_volume, m->source_folder, &s, e);
	if (error == 0 && m->kind == MOUNT_BIND)
		error = place_marker(config, p, e);
	if (error == 0)
		error = mount_place(p, &s, &out->rung, e);
	if (error < 0)
		return error;
	out->major = s.major;
	out->minor = s.minor;
	out->mount_id = s.id;
	(void)mount_id_unique(s.tree, &out->unique_id);
	return 0;
}

int mount_attach(const struct mount_config *config, const struct mount *m,
	const struct mount_seen *seen, struct mount_outcome *ret, struct kerr *e)
{
	_cleanup_target_ struct target target = TARGET_NONE;
	struct mount_outcome out = {0};
	int error = target_open(m, &target, e);

	if (error < 0)
		return error;
	error = mount_adopt(seen, &target, m, &out, e);
	if (error == 0) {
		struct place place = {.mount = m,
			.target = &target,
			.beneath = !(config->masked_rungs & MOUNT_RUNG_BENEATH),
			.fault = out.target_fault,
			.fault_size = sizeof out.target_fault};
		error = make(config, &place, &out, e);
	}
	if (error < 0)
		return error;
	(void)strcpy(out.target, target.path);
	*ret = out;
	return 0;
}
