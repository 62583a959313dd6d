/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is started, and how. Words in capitals are replaced; each peer is asked for the nearest to
 * our posture that it can do, and for little more.
 */
#pragma once

enum who {
	AS_ROOT,
	AS_POD, /* uid 10001 without capabilities: as a restricted pod starts it */
};

#define MAX_ARGS 40

struct start {
	const char *name;
	enum who who;
	const char *argv[MAX_ARGS];
};

#define OURS "LAUNCH", "--profile", "runtime", "--run", "a", "--workspaces", "WS"
#define SETPRIV_IDS \
	"--reuid=10001", "--regid=10001", "--clear-groups", "--inh-caps=-all", \
		"--bounding-set=-all", "--no-new-privs"
#define SETPRIV_ALL \
	SETPRIV_IDS, "--landlock-access", "fs", "--landlock-rule", \
		"path-beneath:execute,read-file,read-dir:/", "--seccomp-filter", "FILTER"
#define BWRAP_NAMESPACES \
	"/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", \
		"/proc", "--die-with-parent"
#define BWRAP_ALL \
	BWRAP_NAMESPACES, "--tmpfs", "/tmp", "--bind", "RUN", "RUN", "--uid", "10001", "--gid", \
		"10001", "--cap-drop", "ALL", "--new-session", "--seccomp", "FILTER_FD"

#define PLAIN	    "plain"
#define PLAIN_POD   "plain, as pod"
#define OURS_POD    "ours, pod, whole posture, verified"
#define OURS_ROOT   "ours, root, ids+caps+Landlock+filter"
#define SETPRIV	    "setpriv ids+caps+Landlock+filter"
#define SETPRIV_NEW "newer setpriv ids+caps+Landlock+filter"
#define SETPRIV_OLD "setpriv ids+caps"
#define FLOOR	    "rules and filter, nothing else"
#define BWRAP_ROOT  "bwrap, root, all namespaces, ids, filter"
#define BWRAP_POD   "bwrap, pod, all namespaces, ids, filter"
/* The same with a program whose C library asks the processor nothing, which traps in some machines.
 */
#define PLAIN_MUSL "plain, as pod, musl program"
#define OURS_MUSL  "ours, pod, whole posture, verified, musl program"
#define BWRAP_MUSL "bwrap, pod, all namespaces, ids, filter, musl program"

static struct start starts[] = {
	{PLAIN, AS_ROOT, {"TRUE"}},
	{PLAIN_POD, AS_POD, {"TRUE"}},
	{OURS_POD, AS_POD, {OURS, "--read-only-root=no", "--exec", "DIR", "--", "TRUE"}},
	{"ours, pod, not verified", AS_POD,
		{OURS, "--read-only-root=no", "--verify=no", "--exec", "DIR", "--", "TRUE"}},
	{"ours, pod, neither verified nor filtered", AS_POD,
		{OURS, "--read-only-root=no", "--verify=no", "--seccomp", "none", "--exec", "DIR",
			"--", "TRUE"}},
	{"ours, only read its options", AS_POD, {"LAUNCH", "--version"}},
	{FLOOR, AS_POD,
		{"FLOOR", "TRUE", "DIR", "RUN", "/usr", "/opt", "/etc", "/sys/fs/cgroup",
			"/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage",
			"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
			"/dev/tty", "/proc/self", "/proc/sys", "/proc/cpuinfo", "/proc/meminfo",
			"/proc/loadavg", "/proc/stat", "/proc/uptime", "/proc/version",
			"/proc/filesystems"}},
	{OURS_ROOT, AS_ROOT,
		{OURS, "--uid", "10001", "--read-only-root=no", "--exec", "DIR", "--", "TRUE"}},
	{"ours, root, and a read-only root", AS_ROOT,
		{OURS, "--uid", "10001", "--exec", "DIR", "--", "TRUE"}},
	{SETPRIV_OLD, AS_ROOT, {"/usr/bin/setpriv", SETPRIV_IDS, "TRUE"}},
	{SETPRIV, AS_ROOT, {"/usr/bin/setpriv", SETPRIV_ALL, "TRUE"}},
	{SETPRIV_NEW, AS_ROOT,
		{"NEWER_LOADER", "--library-path", "NEWER_LIB", "NEWER_SETPRIV", SETPRIV_ALL,
			"TRUE"}},
	{"bwrap, root, bind only", AS_ROOT, {"/usr/bin/bwrap", "--bind", "/", "/", "TRUE"}},
	{"bwrap, root, all namespaces", AS_ROOT, {BWRAP_NAMESPACES, "TRUE"}},
	{BWRAP_ROOT, AS_ROOT, {BWRAP_ALL, "TRUE"}},
	{BWRAP_POD, AS_POD, {BWRAP_ALL, "TRUE"}},
	{PLAIN_MUSL, AS_POD, {"MUSL"}},
	{OURS_MUSL, AS_POD, {OURS, "--read-only-root=no", "--exec", "DIR", "--", "MUSL"}},
	{BWRAP_MUSL, AS_POD, {BWRAP_ALL, "MUSL"}},
	{"minijail0", AS_ROOT,
		{"/usr/bin/minijail0", "-u", "10001", "-g", "10001", "-n", "-c", "0", "--ambient",
			"TRUE"}},
	{"landrun", AS_ROOT, {"/usr/local/bin/landrun", "--best-effort", "--rox", "/", "TRUE"}},
	{"firejail", AS_ROOT,
		{"/usr/bin/firejail", "--quiet", "--noprofile", "--caps.drop=all", "--seccomp",
			"TRUE"}},
	{"crun", AS_ROOT,
		{"/usr/bin/crun", "--cgroup-manager=disabled", "run", "-b", "BUNDLE",
			"kora-bench"}},
};

#define N_STARTS (sizeof(starts) / sizeof(starts[0]))
