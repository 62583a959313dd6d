/* SPDX-License-Identifier: Apache-2.0 */
/* OCI profiles: "includes" and "excludes", the conditions of Docker's format. */
#include "seccomp/oci.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

static const char *const condition_keys[] = {"caps", "arches", "minKernel", NULL};

static const char *own_arch(void)
{
	static const char *const names[SECCOMP_N_ARCHES] = {"amd64", "arm64"};

	return names[SECCOMP_NATIVE];
}

/* "4.8" and nothing around it; a running kernel's release may go on after that. */
static bool parse_version(const char *s, bool whole, unsigned ret[2])
{
	unsigned v[2];
	int n = 0;

	if (sscanf(s, "%3u.%3u%n", &v[0], &v[1], &n) != 2 || (whole && s[n]) ||
		strspn(s, "0123456789.") < (size_t)n)
		return false;
	ret[0] = v[0];
	ret[1] = v[1];
	return true;
}

static int kernel_reaches(struct oci *o, const char *where, const char *min, bool *ret)
{
	struct utsname u;
	unsigned have[2], want[2];

	if (!parse_version(min, true, want))
		return oci_fail(o, -EBADMSG, where, "\"minKernel\" \"%s\" is not MAJOR.MINOR", min);
	if (uname(&u) < 0 || !parse_version(u.release, false, have))
		return oci_fail(o, -EBADMSG, where, "can't compare \"minKernel\" with this kernel");
	*ret = have[0] != want[0] ? have[0] > want[0] : have[1] >= want[1];
	return 0;
}

static bool lists(const json_t *list, const char *s)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(json_string_value(json_array_get(list, i)), s))
			return true;
	return false;
}

struct condition {
	const json_t *caps, *arches;
	bool has_kernel, kernel_reached;
};

static int read_condition(
	struct oci *o, const json_t *entry, const char *where, const char *key, struct condition *c)
{
	const json_t *v = NULL, *min = NULL;
	char inner[128];

	*c = (struct condition){0};
	int r = oci_get(o, entry, where, key, JSON_OBJECT, &v);
	if (r < 0 || !v)
		return r;
	(void)snprintf(inner, sizeof(inner), "%s.%s", where, key);
	r = oci_only_keys(o, v, inner, condition_keys);
	if (r >= 0)
		r = oci_get_strings(o, v, inner, "caps", &c->caps);
	if (r >= 0)
		r = oci_get_strings(o, v, inner, "arches", &c->arches);
	if (r >= 0)
		r = oci_get(o, v, inner, "minKernel", JSON_STRING, &min);
	if (r < 0 || !min || !*json_string_value(min))
		return r;
	c->has_kernel = true;
	return kernel_reaches(o, inner, json_string_value(min), &c->kernel_reached);
}

/* The launcher leaves no capabilities, so a condition on having one never holds. */
int oci_applies(struct oci *o, const json_t *entry, const char *where, bool *ret)
{
	struct condition in, ex;

	int r = read_condition(o, entry, where, "includes", &in);
	if (r >= 0)
		r = read_condition(o, entry, where, "excludes", &ex);
	if (r < 0)
		return r;
	bool included = !json_array_size(in.caps) &&
			(!json_array_size(in.arches) || lists(in.arches, own_arch())) &&
			(!in.has_kernel || in.kernel_reached);
	bool excluded = lists(ex.arches, own_arch()) || (ex.has_kernel && ex.kernel_reached);
	*ret = included && !excluded;
	return 0;
}
