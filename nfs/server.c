/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's NFS server: whose it is, starting and stopping it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/export.h"
#include "nfs/foreign.h"
#include "nfs/genl.h"
#include "nfs/listeners.h"
#include "nfs/nfsd_abi.h"
#include "nfs/nfsdfs.h"
#include "nfs/server_record.h"
#include "nfs/server_rungs.h"

/* What runs now, seen with our configuration and our record of the last start. */
struct view {
	struct listeners_verdict verdict;
	unsigned threads;
	bool as_recorded;   /* started by us with this very configuration */
	bool all_listening; /* every configured address, and no other */
	struct listeners own;
};

static int read_threads(int fs, unsigned *ret, struct kerr *e)
{
	_cleanup_free_ char *text = NULL;
	int error = nfsdfs_read(fs, "threads", &text, e);

	if (error == 0)
		*ret = (unsigned)strtoul(text, NULL, 10);
	return error;
}

/* The ports that matter: nfsd's own, and ours. */
static void collect_ports(const char *portlist, const struct listeners *ours, struct listeners *ret)
{
	static const struct addr none = {0};
	struct nfsd_port port;

	for (size_t i = 0; i < ours->n; i++)
		listeners_add(ret, &none, ours->list[i].port);
	while (nfsd_portlist_next(&portlist, &port) > 0)
		listeners_add(ret, &none, port.port);
}

static int judge(int fs, const struct exporter_config *config, const char *record, struct view *ret,
	struct kerr *e)
{
	struct listeners wanted = {0}, ours, ports = {0}, sockets;
	_cleanup_free_ char *portlist = NULL;
	int error = nfsdfs_read(fs, "portlist", &portlist, e);

	if (error < 0)
		return error;
	for (size_t i = 0; i < config->n_listen; i++)
		listeners_add(&wanted, &config->listen[i], config->port);
	ours = wanted;
	server_record_listeners(record, &ours);
	collect_ports(portlist, &ours, &ports);
	error = listeners_read_sockets(&ports, &sockets, e);
	if (error < 0)
		return error;
	listeners_judge(portlist, &sockets, &wanted, &ret->verdict);
	ret->all_listening = ret->verdict.n_nfsd == wanted.n && ret->verdict.n_ours == wanted.n;
	listeners_judge(portlist, &sockets, &ours, &ret->verdict);
	for (size_t i = 0; i < ours.n; i++)
		if (listeners_have(&sockets, &ours.list[i]))
			listeners_add(&ret->own, &ours.list[i].addr, ours.list[i].port);
	return 0;
}

static int look(int fs, const struct exporter_config *config, struct view *ret, struct kerr *e)
{
	_cleanup_free_ char *record = NULL, *wanted = NULL;
	struct view view = {0};
	int error;

	server_record_read(config->runtime_dir, &record);
	wanted = server_record_text(config);
	if (!wanted)
		return kerr_set(e, -ENOMEM, "look at nfsd", NULL, NULL);
	error = read_threads(fs, &view.threads, e);
	if (error == 0)
		error = judge(fs, config, record ? record : "", &view, e);
	if (error < 0)
		return error;
	/* Without a record, since /run was lost with a container, the listeners have to do. */
	view.as_recorded = !record || strcmp(record, wanted) == 0;
	*ret = view;
	return 0;
}

static int refuse_foreign(const char *foreign, const char *stage, struct kerr *e)
{
	return kerr_set(e, -EEXIST, stage, foreign,
		"another NFS server uses this kernel's nfsd, and was left alone: stop it "
		"(`systemctl disable --now nfs-server`) or keep this node out of the sandbox pool");
}

static int check_addresses(const struct exporter_config *config, struct kerr *e)
{
	for (size_t i = 0; i < config->n_listen; i++) {
		char text[ADDR_TEXT_SIZE];
		int own = addr_is_own(&config->listen[i]);
		if (own > 0)
			continue;
		addr_format(&config->listen[i], text);
		return kerr_set(e, own < 0 ? own : -EADDRNOTAVAIL, "check listen address", text,
			own < 0 ? NULL : "no interface of this node has it");
	}
	return 0;
}

static int start(int fs, const struct exporter_config *config, struct kerr *e)
{
	int error = server_record_write(config, e);

	if (error < 0)
		return error;
	error = -ENOENT;
	if (!(config->masked_rungs & EXPORT_RUNG_NETLINK_SERVER))
		error = server_start_netlink(config, e);
	if (error == -ENOENT)
		error = server_start_procfs(fs, config, e);
	if (error < 0)
		(void)nfsdfs_write(fs, "threads", "0\n", NULL); /* closes listeners as well */
	return error;
}

int server_start(const struct exporter_config *config, struct kerr *e)
{
	_cleanup_close_ int fs = -1;
	char foreign[128];
	struct view view;
	int error = check_addresses(config, e);

	if (error < 0 || (error = nfsdfs_open(config->runtime_dir, &fs, e)) < 0 ||
		(error = look(fs, config, &view, e)) < 0)
		return error;
	if (view.verdict.foreign[0])
		return refuse_foreign(view.verdict.foreign, "start nfsd beside", e);
	if (view.threads > 0 && view.as_recorded && view.all_listening)
		return 0;
	error = foreign_answerer(foreign, sizeof foreign, e);
	if (error < 0)
		return error;
	if (error > 0)
		return refuse_foreign(foreign, "start nfsd beside", e);
	if (view.threads > 0 || view.verdict.n_nfsd > 0)
		error = nfsdfs_write(fs, "threads", "0\n", e);
	return error < 0 ? error : start(fs, config, e);
}

int server_stop(const struct exporter_config *config, struct kerr *e)
{
	_cleanup_close_ int fs = -1;
	struct view view;
	int error = nfsdfs_open(config->runtime_dir, &fs, e);

	if (error < 0)
		return error == -ENODEV ? 0 : error;
	error = look(fs, config, &view, e);
	if (error < 0)
		return error;
	if (view.verdict.foreign[0])
		return refuse_foreign(view.verdict.foreign, "stop nfsd used by", e);
	if (view.threads > 0 || view.verdict.n_nfsd > 0)
		error = nfsdfs_write(fs, "threads", "0\n", e);
	if (error == 0)
		server_record_remove(config->runtime_dir);
	return error;
}

static enum server_state state_of(const struct view *view)
{
	if (view->verdict.foreign[0])
		return SERVER_FOREIGN;
	return view->threads > 0 ? SERVER_OURS : SERVER_STOPPED;
}

static const char *server_rung(unsigned masked)
{
	return !(masked & EXPORT_RUNG_NETLINK_SERVER) && server_has_netlink() ? "netlink"
									      : "procfs";
}

static const char *cache_rung(unsigned masked)
{
	_cleanup_(genl_closep) struct genl *nfsd = NULL, *sunrpc = NULL;

	if (masked & EXPORT_RUNG_NETLINK_CACHE || genl_open("nfsd", &nfsd) < 0 ||
		genl_open("sunrpc", &sunrpc) < 0)
		return "procfs";
	return genl_has_op(nfsd, NFSD_SVC_EXPORT_SET_REQS) ? "netlink" : "procfs";
}

int server_inspect(const struct exporter_config *config, struct server_status *ret, struct kerr *e)
{
	struct server_status status = {0};
	_cleanup_close_ int fs = -1;
	struct view view;
	int error = nfsdfs_open(config->runtime_dir, &fs, e);

	if (error < 0 && error != -ENODEV)
		return error;
	status.module_available = error == 0;
	status.server_rung = server_rung(config->masked_rungs);
	status.cache_rung = cache_rung(config->masked_rungs);
	status.revoke_rung = revoke_best_rung(config->masked_rungs);
	if (error == 0) {
		error = look(fs, config, &view, e);
		if (error < 0)
			return error;
		status.state = state_of(&view);
		status.threads = view.threads;
		status.all_listening = view.all_listening;
		status.own = view.own;
		(void)snprintf(status.foreign, sizeof status.foreign, "%s", view.verdict.foreign);
		if (!status.foreign[0])
			error = foreign_answerer(status.foreign, sizeof status.foreign, e);
		if (error < 0)
			return error;
	}
	*ret = status;
	return 0;
}
