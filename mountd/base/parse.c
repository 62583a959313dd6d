/* SPDX-License-Identifier: Apache-2.0 */
/* Strict parsers for the small values that users and peers hand us. */
#include "mountd/base/parse.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

int parse_unsigned(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	if (!*text)
		return -EINVAL;
	for (const char *p = text; *p; p++) {
		if (*p < '0' || *p > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return -ERANGE;
	}
	if (value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

static bool is_alphanumeric(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool name_is_valid(const char *text)
{
	size_t length = strnlen(text, NAME_MAX_LENGTH + 1);

	if (length == 0 || length > NAME_MAX_LENGTH)
		return false;
	if (!is_alphanumeric(text[0]) || !is_alphanumeric(text[length - 1]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!is_alphanumeric(text[i]) && text[i] != '-')
			return false;
	return true;
}

static const char *component_fault(const char *component, size_t length)
{
	if (length == 0)
		return "has an empty component";
	if (length == 1 && component[0] == '.')
		return "has a \".\" component";
	if (length == 2 && component[0] == '.' && component[1] == '.')
		return "has a \"..\" component";
	if (length > NAME_MAX)
		return "has a component of more than 255 bytes";
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)component[i] < 0x20 || component[i] == 0x7f)
			return "has a control character";
	return NULL;
}

static const char *components_fault(const char *path)
{
	for (;;) {
		size_t length = strcspn(path, "/");
		const char *fault = component_fault(path, length);
		if (fault)
			return fault;
		if (!path[length])
			return NULL;
		path += length + 1;
	}
}

static const char *length_fault(const char *path)
{
	if (!*path)
		return "is empty";
	if (strnlen(path, PATH_MAX) == PATH_MAX)
		return "is longer than 4095 bytes";
	return NULL;
}

const char *path_absolute_fault(const char *path)
{
	const char *fault = length_fault(path);

	if (fault)
		return fault;
	if (path[0] != '/')
		return "is not absolute";
	return path[1] ? components_fault(path + 1) : NULL;
}

const char *path_relative_fault(const char *path)
{
	const char *fault = length_fault(path);

	if (fault)
		return fault;
	if (path[0] == '/')
		return "is absolute, but must be relative to its volume";
	return strcmp(path, ".") == 0 ? NULL : components_fault(path);
}
