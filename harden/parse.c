/* SPDX-License-Identifier: Apache-2.0 */
/* Strict parsers: what is not understood completely is an error. */
#include "harden/parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "mountd/base/cleanup.h"

int parse_u64(const char *s, uint64_t max, uint64_t *ret)
{
	uint64_t v = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return -EINVAL;
		unsigned int digit = (unsigned int)(*s - '0');

		if (v > (max - digit) / 10 || digit > max)
			return -ERANGE;
		v = v * 10 + digit;
	}
	*ret = v;
	return 0;
}

int parse_bool(const char *s, bool *ret)
{
	static const char *const yes[] = {"yes", "true", "on", "1"};
	static const char *const no[] = {"no", "false", "off", "0"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (strcmp(s, yes[i]) == 0 || strcmp(s, no[i]) == 0) {
			*ret = strcmp(s, yes[i]) == 0;
			return 0;
		}
	}
	return -EINVAL;
}

static int one_limit(const char *s, uint64_t *ret)
{
	if (strcmp(s, "unlimited") == 0) {
		*ret = RLIM_INFINITY;
		return 0;
	}
	return parse_u64(s, RLIM_INFINITY - 1, ret);
}

int parse_limit(const char *s, struct limit *ret)
{
	struct limit l = {.set = true};
	_cleanup_free_ char *copy = strdup(s);

	if (!copy)
		return -ENOMEM;
	char *colon = strchr(copy, ':');

	if (colon)
		*colon = '\0';
	int r = one_limit(copy, &l.soft);

	if (r == 0)
		r = one_limit(colon ? colon + 1 : copy, &l.hard);
	if (r < 0 || l.soft > l.hard)
		return -EINVAL;
	*ret = l;
	return 0;
}

static int add_range(struct ports *ports, uint16_t low, uint16_t high)
{
	struct port_range *v = reallocarray(ports->v, ports->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	ports->v = v;
	v[ports->n++] = (struct port_range){low, high};
	return 0;
}

static int one_port(char *s, struct ports *ports)
{
	uint64_t low, high;
	char *dash = strchr(s, '-');

	if (strcmp(s, "any") == 0) {
		ports->any = true;
		return 0;
	}
	if (dash)
		*dash = '\0';
	if (parse_u64(s, UINT16_MAX, &low) < 0)
		return -EINVAL;
	high = low;
	if (dash && parse_u64(dash + 1, UINT16_MAX, &high) < 0)
		return -EINVAL;
	if (low > high)
		return -EINVAL;
	if (low == PORT_NEVER && high == PORT_NEVER)
		return -EPERM;
	return add_range(ports, (uint16_t)low, (uint16_t)high);
}

int parse_ports(const char *s, struct ports *ports)
{
	_cleanup_free_ char *copy = strdup(s);
	int r = copy ? 0 : -ENOMEM;

	for (char *at = copy; at && r == 0;) {
		char *item = strsep(&at, ",");

		r = one_port(item, ports);
	}
	return r;
}

int parse_groups(const char *s, gid_t **ret, size_t *ret_n)
{
	_cleanup_free_ char *copy = strdup(s);
	_cleanup_free_ gid_t *v = NULL;
	size_t n = 0;

	if (!copy)
		return -ENOMEM;
	for (char *at = *copy ? copy : NULL; at;) {
		char *item = strsep(&at, ",");
		gid_t *more = reallocarray(v, n + 1, sizeof(*v));
		uint64_t id;

		if (!more)
			return -ENOMEM;
		v = more;
		if (parse_u64(item, UINT32_MAX - 1, &id) < 0)
			return -EINVAL;
		v[n++] = (gid_t)id;
	}
	*ret = TAKE_PTR(v);
	*ret_n = n;
	return 0;
}

int parse_signal(const char *s, int *ret)
{
	static const struct {
		const char *name;
		int number;
	} names[] = {{"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"KILL", SIGKILL},
		{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"TERM", SIGTERM}, {"CONT", SIGCONT},
		{"STOP", SIGSTOP}, {"WINCH", SIGWINCH}, {"PWR", SIGPWR}};
	uint64_t number;

	if (parse_u64(s, 64, &number) == 0 && number > 0) {
		*ret = (int)number;
		return 0;
	}
	if (strncmp(s, "SIG", 3) == 0)
		s += 3;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].name, s) == 0) {
			*ret = names[i].number;
			return 0;
		}
	}
	return -EINVAL;
}

bool valid_run(const char *s)
{
	size_t len = strlen(s);

	if (len < 1 || len > 63 || s[0] == '-' || s[len - 1] == '-')
		return false;
	return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

bool valid_path(const char *s)
{
	if (s[0] != '/' || strlen(s) >= PATH_MAX)
		return false;
	for (const char *c = s; c; c = strchr(c + 1, '/')) {
		size_t len = strcspn(c + 1, "/");

		if ((len == 1 && c[1] == '.') || (len == 2 && c[1] == '.' && c[2] == '.'))
			return false;
	}
	return true;
}

bool valid_env_name(const char *s, bool star)
{
	size_t len = strlen(s);

	if (star && len && s[len - 1] == '*')
		len--;
	if (!len || isdigit((unsigned char)s[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return true;
}
