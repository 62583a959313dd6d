/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: the node's network, its NFS client, and the folders that are to be served and shown. */
#include "mountd/ctl_doctor.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <string.h>

#include "mountd/ctl_holder.h"
#include "mountd/host_netns.h"
#include "mountd/node_id.h"
#include "nfs/actual.h"
#include "nfs/export.h"

static bool reachable_address(const struct ifaddrs *i, struct addr *ret)
{
	char text[ADDR_TEXT_SIZE];

	if (!i->ifa_addr || i->ifa_flags & IFF_LOOPBACK || addr_from_sockaddr(i->ifa_addr, ret) < 0)
		return false;
	addr_format(ret, text);
	return addr_parse(text, ret) == 0; /* refuses link-local ones, among others */
}

size_t doctor_own_addresses(struct addr ret[DOCTOR_ADDRESSES_MAX])
{
	struct ifaddrs *list;
	size_t n = 0;

	if (getifaddrs(&list) < 0)
		return 0;
	for (struct ifaddrs *i = list; i && n < DOCTOR_ADDRESSES_MAX; i = i->ifa_next)
		n += reachable_address(i, &ret[n]);
	freeifaddrs(list);
	return n;
}

static void check_wanted_addresses(struct doctor *d)
{
	for (size_t i = 0; i < d->args->n_addresses; i++) {
		char text[ADDR_TEXT_SIZE];
		addr_format(&d->args->addresses[i], text);
		if (addr_is_own(&d->args->addresses[i]) > 0)
			doctor_say(d, "listen", VERDICT_OK, NULL, "%s is this node's", text);
		else
			doctor_say(d, "listen", VERDICT_FAIL,
				"give an address that an interface of this node has",
				"%s is not this node's", text);
	}
}

void doctor_addresses(struct doctor *d)
{
	struct addr own[DOCTOR_ADDRESSES_MAX];
	size_t n = doctor_own_addresses(own), used = 0;
	char list[512] = "";

	for (size_t i = 0; i < n && used + ADDR_TEXT_SIZE + 2 < sizeof list; i++) {
		char text[ADDR_TEXT_SIZE];
		addr_format(&own[i], text);
		used += (size_t)snprintf(
			list + used, sizeof list - used, "%s%s", i ? ", " : "", text);
	}
	if (n)
		doctor_say(d, "addresses", VERDICT_OK, NULL, "%s", list);
	else
		doctor_say(d, "addresses", VERDICT_FAIL, "bring the node's network up",
			"no address that another node could reach");
	check_wanted_addresses(d);
}

static bool in_pod_cgroup(void)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	_cleanup_fclose_ FILE *file = fopen("/proc/self/cgroup", "re");

	while (file && getline(&line, &size, file) >= 0)
		if (strstr(line, "kubepods"))
			return true;
	return false;
}

bool doctor_in_container(void)
{
	return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ||
	       getenv("KUBERNETES_SERVICE_HOST") || in_pod_cgroup();
}

void doctor_netns(struct doctor *d)
{
	enum host_netns netns = host_netns();
	bool contained = doctor_in_container();

	if (netns == HOST_NETNS_UNKNOWN)
		doctor_say(d, "network", VERDICT_WARN,
			contained
				? "make sure the pod has hostNetwork: true (docker: --network host)"
				: "run as root, and in the node's own process namespace, to tell",
			"cannot tell from here whether this is the node's network namespace");
	else if (netns == HOST_NETNS_OWN)
		doctor_say(d, "network", VERDICT_OK, NULL, "the node's own network namespace");
	else
		doctor_say(d, "network", VERDICT_FAIL,
			contained ? "give the pod hostNetwork: true: mounts must not end with it"
				  : "run in the node's network namespace (nsenter -t 1 -n): mounts "
				    "must not end with another",
			"not the node's network namespace");
}

/* What the daemon goes by counts, whatever this node's machine id is. */
void doctor_node_name(struct doctor *d)
{
	char name[NODE_NAME_MAX + 1] = "", text[640];
	_cleanup_json_ json_t *status = NULL;
	struct ctl_fault fault;
	struct kerr e = {0};
	pid_t pid;
	int error = node_name_derive("/etc/machine-id", name, &e);
	int code = doctor_ask(d, "status", NULL, &status, &fault);
	const char *given =
		code == CTL_OK ? json_string_value(json_object_get(status, "node")) : NULL;

	if (given && (error < 0 || strcmp(given, name) != 0)) {
		doctor_say(d, "node-name", VERDICT_OK, NULL,
			"%s, given to the daemon by --node-name", given);
		return;
	}
	if (error == 0) {
		doctor_say(d, "node-name", VERDICT_OK, NULL, "%s, from the machine id", name);
		return;
	}
	kerr_format(&e, text, sizeof text);
	/* An image has no machine id: to its daemon the name is given. */
	bool may_be_given =
		code != CTL_UNREACHABLE || ctl_daemon_runs(&pid) || doctor_in_container();
	doctor_say(d, "node-name", may_be_given ? VERDICT_WARN : VERDICT_FAIL,
		"systemd-machine-id-setup makes one; or give the daemon --node-name, without which "
		"it does not start",
		"%s", text);
}

void doctor_client(struct doctor *d)
{
	char text[256] = "";
	_cleanup_fclose_ FILE *file = fopen("/sys/fs/nfs/net/nfs_client/identifier", "re");

	if (!file) {
		doctor_say(d, "client-id", VERDICT_OK, NULL,
			"not set yet: the NFS client is not loaded");
		return;
	}
	if (!fgets(text, sizeof text, file))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!text[0] || strcmp(text, "(null)") == 0)
		doctor_say(d, "client-id", VERDICT_WARN,
			"the daemon sets it before its first mount; mounts made before share the "
			"host "
			"name with cloned nodes",
			"not set: clients are told apart by host name only");
	else
		doctor_say(d, "client-id", VERDICT_OK, NULL, "%s", text);
}

static int read_mounts(struct actual_mounts *ret)
{
	_cleanup_close_ int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : actual_mounts_read(fd, ret);
}

static bool is_nfs(const struct actual_mount *m)
{
	return strncmp(m->fstype, "nfs", 3) == 0 && strcmp(m->fstype, "nfsd") != 0;
}

/* Propagation shows one mount in several places. */
static bool is_listed_before(const struct actual_mounts *mounts, size_t i)
{
	const struct actual_mount *m = &mounts->list[i];

	for (size_t j = 0; j < i; j++) {
		const struct actual_mount *other = &mounts->list[j];
		if (other->major == m->major && other->minor == m->minor && is_nfs(other) &&
			strcmp(other->root, m->root) == 0 && strcmp(other->source, m->source) == 0)
			return true;
	}
	return false;
}

/* Counted from the kernel's table: a mount of a dead server is never touched. */
void doctor_mounts(struct doctor *d)
{
	struct actual_mounts mounts = {0};
	size_t ours = 0, others = 0;
	int r = read_mounts(&mounts);

	if (r < 0) {
		doctor_say(
			d, "mounts", VERDICT_FAIL, "mount /proc", "no mountinfo: %s", strerror(-r));
		return;
	}
	for (size_t i = 0; i < mounts.n; i++) {
		struct run_id id;
		struct addr server;
		uint16_t port;
		if (!is_nfs(&mounts.list[i]) || is_listed_before(&mounts, i))
			continue;
		if (actual_mount_is_ours(&mounts.list[i], &id, &server, &port))
			ours++;
		else
			others++;
	}
	actual_mounts_clear(&mounts);
	doctor_say(
		d, "mounts", VERDICT_OK, NULL, "%zu of ours, %zu other NFS mounts", ours, others);
}

static const char *folder_advice(int error)
{
	switch (error) {
	case -ENOENT:
		return "create it, or correct its name or --volume";
	case -ENOTDIR:
		return "name a folder, not a file";
	case -ELOOP:
		return "name the folder itself: below the volume no symbolic link is followed";
	case -EXDEV:
		return "name a folder that lies below its volume";
	case -EOPNOTSUPP:
		return "keep sandboxes on a filesystem that can be exported, such as ext4, xfs or "
		       "btrfs";
	default:
		return "export would fail in the same way: mend what is named here, and ask again";
	}
}

static void say_folder(struct doctor *d, const char *volume, const char *folder)
{
	struct export export = {.volume = strdup(volume), .folder = strdup(folder)};
	_cleanup_close_ int tree = -1;
	struct kerr e = {0};
	char text[640];

	if (!export.volume || !export.folder || export_open_folder(&export, &tree, NULL, &e) < 0) {
		kerr_format(&e, text, sizeof text);
		doctor_say(d, "folder", VERDICT_FAIL, folder_advice(e.error),
			"cannot be exported: %s", text);
	} else {
		doctor_say(d, "folder", VERDICT_OK, NULL, "%s can be exported", d->args->folder);
	}
	export_clear(&export);
}

void doctor_folder(struct doctor *d)
{
	const char *folder = d->args->folder;
	char parent[PATH_MAX];

	if (!folder)
		return;
	if (geteuid() != 0)
		doctor_say(d, "folder", VERDICT_WARN, "run as root to tell",
			"unknown without privilege");
	else if (folder[0] != '/')
		say_folder(d, d->args->volume, folder);
	else if (ctl_path_split(folder, parent, sizeof parent, &folder) < 0)
		doctor_say(d, "folder", VERDICT_FAIL, "name a sandbox's own folder",
			"%s is no sandbox's folder", d->args->folder);
	else
		say_folder(d, parent, folder);
}

static void say_volume(struct doctor *d, const char *path, const struct actual_mount *m)
{
	if (m->shared)
		doctor_say(d, "volume", VERDICT_OK, NULL, "%s lies on %s, which is shared", path,
			m->target);
	else
		doctor_say(d, "volume", VERDICT_FAIL,
			"on the node: mount --make-rshared /; in a pod use mountPropagation: "
			"Bidirectional",
			"%s lies on %s, which is %s: pods would not see mounts made there", path,
			m->target, m->slave ? "a slave only" : "private");
}

void doctor_volume(struct doctor *d)
{
	struct actual_mounts mounts = {0};
	char path[PATH_MAX];

	if (!d->args->volume)
		return;
	if (!realpath(d->args->volume, path)) {
		doctor_say(d, "volume", VERDICT_FAIL,
			"create it, or name the folder that pods get as their workspaces' volume",
			"%s: %s", d->args->volume, strerror(errno));
		return;
	}
	if (read_mounts(&mounts) < 0)
		return; /* doctor_mounts has said so */
	const struct actual_mount *m = actual_mounts_covering(&mounts, path);
	if (m)
		say_volume(d, path, m);
	actual_mounts_clear(&mounts);
}
