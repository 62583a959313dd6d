/* SPDX-License-Identifier: Apache-2.0 */
/* The filesystem "nfsd", through which the kernel's NFS server is controlled. */
#include "nfs/nfsdfs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "mountd/base/cleanup.h"
#include "nfs/nfsd_abi.h"

static int mount_fault(int error, const char *path, struct kerr *e)
{
	const char *detail = NULL;

	if (error == -ENODEV)
		detail = "this kernel has no NFS server: install and load the module nfsd "
			 "(modprobe nfsd)";
	else if (error == -EPERM || error == -EACCES)
		detail = "needs root with CAP_SYS_ADMIN, and a security module that allows mounts";
	return kerr_set(e, error, "mount filesystem nfsd", path, detail ? "%s" : NULL, detail);
}

static int mount_at(const char *path)
{
	unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return -errno;
	if (fs.f_type == NFSD_SUPER_MAGIC)
		return 0;
	return mount("nfsd", path, "nfsd", flags, NULL) < 0 ? -errno : 0;
}

int nfsdfs_open(const char *runtime_dir, int *ret_fs, struct kerr *e)
{
	_cleanup_free_ char *path = NULL;
	int error, fd;

	if (asprintf(&path, "%s/nfsd", runtime_dir) < 0)
		return kerr_set(e, -ENOMEM, "mount filesystem nfsd", NULL, NULL);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return kerr_set(e, -errno, "make folder", path, NULL);
	error = mount_at(path);
	if (error < 0)
		return mount_fault(error, path, e);
	(void)mount_at("/proc/fs/nfsd");
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return kerr_set(e, -errno, "open filesystem nfsd", path, NULL);
	*ret_fs = fd;
	return 0;
}

int nfsdfs_open_mounted(const char *runtime_dir, int *ret_fs)
{
	char path[PATH_MAX];
	int fd;

	(void)snprintf(path, sizeof path, "%s/nfsd", runtime_dir);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fs = fd;
	return 0;
}

int nfsdfs_write(int fs, const char *file, const char *text, struct kerr *e)
{
	_cleanup_close_ int fd = openat(fs, file, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return kerr_set(e, -errno, "open nfsd control file", file, NULL);
	if (write(fd, text, strlen(text)) < 0)
		return kerr_set(e, -errno, "write nfsd control file", file, "\"%.*s\"",
			(int)strcspn(text, "\n"), text);
	return 0;
}

int nfsdfs_read(int fs, const char *file, char **ret, struct kerr *e)
{
	_cleanup_close_ int fd = openat(fs, file, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	size_t size = 0, room = 0;
	ssize_t n;

	if (fd < 0)
		return kerr_set(e, -errno, "open nfsd control file", file, NULL);
	do {
		if (room - size < 4096) {
			char *more = realloc(text, room + 16384);
			if (!more)
				return kerr_set(e, -ENOMEM, "read nfsd control file", file, NULL);
			text = more;
			room += 16384;
		}
		n = read(fd, text + size, room - size - 1);
		size += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	if (n < 0)
		return kerr_set(e, -errno, "read nfsd control file", file, NULL);
	text[size] = '\0';
	*ret = TAKE_PTR(text);
	return 0;
}
