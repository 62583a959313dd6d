/* SPDX-License-Identifier: Apache-2.0 */
/* OCI profiles (Docker, containerd, Podman) to programs. */
#include "seccomp/oci.h"

#include "mountd/base/cleanup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static const char *const top_keys[] = {"defaultAction", "defaultErrnoRet", "defaultErrno",
	"architectures", "archMap", "flags", "syscalls", "listenerPath", "listenerMetadata", NULL};
static const char *const arch_keys[] = {"architecture", "subArchitectures", NULL};

static const char *own_arch(void)
{
	static const char *const names[SECCOMP_N_ARCHES] = {
		"SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"};

	return names[SECCOMP_NATIVE];
}

static int no_own_arch(struct oci *o, const char *where)
{
	return oci_fail(
		o, -EBADMSG, where, "%s, this machine's architecture, is not listed", own_arch());
}

static int warn_closed(struct oci *o, const char *where, size_t n)
{
	return n ? oci_warn(o, "%s: a call of another architecture than %s kills the process",
			   where, own_arch())
		 : 0;
}

/* A second architecture is a second table of calls, and socketcall's arguments can't be checked. */
static int read_architectures(struct oci *o, const json_t *top, bool *ret_given)
{
	const json_t *list = NULL;
	size_t others = 0;

	int r = oci_get_strings(o, top, "", "architectures", &list);
	if (r < 0 || !json_array_size(list))
		return r;
	*ret_given = true;
	for (size_t i = 0; i < json_array_size(list); i++)
		others += strcmp(json_string_value(json_array_get(list, i)), own_arch()) != 0;
	if (others == json_array_size(list))
		return no_own_arch(o, "architectures");
	return warn_closed(o, "architectures", others);
}

static int read_arch_map(struct oci *o, const json_t *top, bool given)
{
	const json_t *map = NULL, *name = NULL, *subs = NULL;
	char where[64];
	bool found = false;

	int r = oci_get(o, top, "", "archMap", JSON_ARRAY, &map);
	if (r < 0 || !json_array_size(map))
		return r;
	if (given)
		return oci_fail(o, -EBADMSG, "archMap", "not together with \"architectures\"");
	for (size_t i = 0; r >= 0 && i < json_array_size(map); i++) {
		const json_t *v = json_array_get(map, i);
		(void)snprintf(where, sizeof(where), "archMap[%zu]", i);
		if (!json_is_object(v))
			return oci_fail(o, -EBADMSG, where, "must be an object");
		r = oci_only_keys(o, v, where, arch_keys);
		if (r >= 0)
			r = oci_get(o, v, where, "architecture", JSON_STRING, &name);
		if (r >= 0)
			r = oci_get_strings(o, v, where, "subArchitectures", &subs);
		if (r < 0 || !name || strcmp(json_string_value(name), own_arch()) != 0)
			continue;
		found = true;
		r = warn_closed(o, where, json_array_size(subs));
	}
	return r >= 0 && !found ? no_own_arch(o, "archMap") : r;
}

static int read_flags(struct oci *o, const json_t *top)
{
	static const struct {
		const char *name;
		unsigned flag;
	} flags[] = {
		{"SECCOMP_FILTER_FLAG_TSYNC", SECCOMP_FILTER_FLAG_TSYNC},
		{"SECCOMP_FILTER_FLAG_LOG", SECCOMP_FILTER_FLAG_LOG},
		{"SECCOMP_FILTER_FLAG_SPEC_ALLOW", SECCOMP_FILTER_FLAG_SPEC_ALLOW},
	};
	const size_t count = sizeof(flags) / sizeof(flags[0]);
	const json_t *list = NULL;

	int r = oci_get_strings(o, top, "", "flags", &list);
	for (size_t i = 0; r >= 0 && i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));
		size_t k = 0;
		while (k < count && strcmp(flags[k].name, name) != 0)
			k++;
		if (k == count)
			return oci_fail(o, -EOPNOTSUPP, "flags", "\"%s\" is not supported", name);
		o->program->flags |= flags[k].flag;
	}
	return r;
}

static int refuse_listener(struct oci *o, const json_t *top)
{
	static const char *const keys[] = {"listenerPath", "listenerMetadata"};

	for (size_t i = 0; i < 2; i++) {
		const json_t *v = NULL;
		int r = oci_get(o, top, "", keys[i], JSON_STRING, &v);
		if (r < 0)
			return r;
		if (v && *json_string_value(v))
			return oci_fail(
				o, -EOPNOTSUPP, keys[i], "an agent that listens is not supported");
	}
	return 0;
}

/* Does what the profile never heard of fall back to libc's older way, or to the default? */
static void set_defaults(struct oci *o)
{
	struct seccomp_policy *p = &o->program->policy;
	int32_t action = (int32_t)(o->default_action & SECCOMP_RET_ACTION_FULL);
	const uint32_t enosys = SECCOMP_RET_ERRNO | ENOSYS;

	seccomp_policy_init(p, SECCOMP_NATIVE, o->default_action);
	if (action > (int32_t)SECCOMP_RET_ERRNO)
		return;
	p->beyond = enosys;
	for (int nr = 0; nr < POLICY_NUMBERS; nr++)
		if ((o->highest >= 0 && nr > o->highest) ||
			!syscall_by_number(SECCOMP_NATIVE, (uint32_t)nr))
			p->numbers[nr] = enosys;
}

/* Of the entries that hold for a call the most restrictive wins, as with stacked filters. */
static int more_restrictive_first(const void *a, const void *b)
{
	const struct policy_rule *const *x = a, *const *y = b;
	int32_t p = (int32_t)((*x)->action & SECCOMP_RET_ACTION_FULL);
	int32_t q = (int32_t)((*y)->action & SECCOMP_RET_ACTION_FULL);

	if ((*x)->nr != (*y)->nr)
		return (*x)->nr < (*y)->nr ? -1 : 1;
	if (p != q)
		return p < q ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static int order_rules(struct oci *o)
{
	struct seccomp_policy *p = &o->program->policy;
	_cleanup_free_ const struct policy_rule **sorted = calloc(o->n_rules + 1, sizeof(*sorted));
	int decided = -1, r = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < o->n_rules; i++)
		sorted[i] = &o->rules[i];
	qsort(sorted, o->n_rules, sizeof(*sorted), more_restrictive_first);
	for (size_t i = 0; r >= 0 && i < o->n_rules; i++) {
		if (sorted[i]->nr == decided)
			continue;
		if (sorted[i]->n_args) {
			r = seccomp_policy_add(p, sorted[i]);
			continue;
		}
		decided = sorted[i]->nr;
		p->numbers[decided] = sorted[i]->action;
	}
	return r;
}

static int read_profile(struct oci *o, const json_t *top)
{
	static const char *const action_keys[3] = {
		"defaultAction", "defaultErrnoRet", "defaultErrno"};
	const json_t *syscalls = NULL;
	bool given = false;

	if (!json_is_object(top))
		return oci_fail(o, -EBADMSG, "", "must be an object");
	int r = oci_only_keys(o, top, "", top_keys);
	if (r >= 0)
		r = refuse_listener(o, top);
	if (r >= 0)
		r = oci_get_action(o, top, "", action_keys, &o->default_action);
	if (r >= 0)
		r = read_architectures(o, top, &given);
	if (r >= 0)
		r = read_arch_map(o, top, given);
	if (r >= 0)
		r = read_flags(o, top);
	if (r >= 0)
		r = oci_get(o, top, "", "syscalls", JSON_ARRAY, &syscalls);
	if (r >= 0)
		r = oci_read_syscalls(o, syscalls);
	if (r < 0)
		return r;
	set_defaults(o);
	if (o->default_action == SECCOMP_RET_ALLOW)
		r = oci_warn(o, "defaultAction: calls that the profile does not name are allowed");
	if (r >= 0)
		r = order_rules(o);
	if (r < 0)
		return r;
	r = seccomp_policy_compile(&o->program->policy, &o->program->insns, &o->program->len);
	return r == -E2BIG ? oci_fail(o, r, "", "needs more than %d instructions", BPF_MAXINSNS)
			   : r;
}

static int load_text(const char *source, const char *text, size_t len, struct seccomp_program **ret,
	char *err, size_t errlen)
{
	_cleanup_(seccomp_program_freep) struct seccomp_program *p = calloc(1, sizeof(*p));
	struct oci o = {
		.program = p, .highest = -1, .source = source, .err = err, .errlen = errlen};
	json_error_t e;

	if (!p)
		return oci_fail(&o, -ENOMEM, "", "out of memory");
	json_t *top = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
	if (!top)
		return oci_fail(
			&o, -EBADMSG, "", "line %d, column %d: %s", e.line, e.column, e.text);
	int r = read_profile(&o, top);
	json_decref(top);
	free(o.rules);
	if (r == -ENOMEM)
		return oci_fail(&o, r, "", "out of memory");
	if (r >= 0)
		*ret = TAKE_PTR(p);
	return r < 0 ? r : 0;
}

int seccomp_load_oci_buffer(
	const char *text, size_t len, struct seccomp_program **ret, char *err, size_t errlen)
{
	return load_text("profile", text, len, ret, err, errlen);
}

/* O_NONBLOCK: a FIFO would hang. */
static int read_file(struct oci *o, char *buf, size_t *ret_len)
{
	_cleanup_close_ int fd = open(o->source, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	size_t used = 0;

	if (fd < 0 || fstat(fd, &st) < 0)
		return oci_fail(o, -errno, "", "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return oci_fail(o, -EINVAL, "", "not a regular file");
	while (used <= OCI_MAX_FILE) {
		ssize_t n = read(fd, buf + used, OCI_MAX_FILE + 1 - used);
		if (n < 0)
			return oci_fail(o, -errno, "", "%s", strerror(errno));
		if (!n)
			break;
		used += (size_t)n;
	}
	if (used > OCI_MAX_FILE)
		return oci_fail(o, -E2BIG, "", "larger than %d bytes", OCI_MAX_FILE);
	*ret_len = used;
	return 0;
}

int seccomp_load_oci(const char *file, struct seccomp_program **ret, char *err, size_t errlen)
{
	_cleanup_free_ char *buf = malloc(OCI_MAX_FILE + 1);
	struct oci o = {.source = file, .err = err, .errlen = errlen};
	size_t len = 0;

	if (!buf)
		return oci_fail(&o, -ENOMEM, "", "out of memory");
	int r = read_file(&o, buf, &len);
	return r < 0 ? r : load_text(file, buf, len, ret, err, errlen);
}

void seccomp_program_free(struct seccomp_program *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_warnings; i++)
		free(p->warnings[i]);
	free(p->warnings);
	seccomp_policy_done(&p->policy);
	free(p->insns);
	free(p);
}

size_t seccomp_program_warnings(const struct seccomp_program *p, const char *const **ret)
{
	*ret = (const char *const *)p->warnings;
	return p->n_warnings;
}
