/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that are zeroed, apart, used again, and none of a child's. */
#include "mountd/base/slab.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 1000
#define MANY 500

static struct slab slab = {.size = SIZE};
static unsigned char *list[MANY];

static bool is_mapped(const void *object)
{
	uintptr_t page = (uintptr_t)object & ~(uintptr_t)4095;
	unsigned char in_core;

	return mincore((void *)page, 1, &in_core) == 0 || errno != ENOMEM;
}

static bool is_all(const unsigned char *object, unsigned char value)
{
	for (size_t i = 0; i < SIZE; i++)
		if (object[i] != value)
			return false;
	return true;
}

static void take(size_t i)
{
	list[i] = slab_take(&slab);
	cr_assert(list[i]);
	cr_expect_eq((uintptr_t)list[i] % 16, 0);
	cr_expect(is_all(list[i], 0));
	memset(list[i], (int)(i % 251 + 1), SIZE);
}

static void give(size_t i)
{
	cr_expect(is_all(list[i], (unsigned char)(i % 251 + 1)), "%zu", i);
	slab_give(&slab, list[i]);
}

Test(slab, objects_are_zeroed_and_apart)
{
	for (size_t i = 0; i < MANY; i++)
		take(i);
	for (size_t round = 0; round < 3; round++) {
		for (size_t i = round; i < MANY; i += 3)
			give(i);
		for (size_t i = round; i < MANY; i += 3)
			take(i);
	}
	for (size_t i = MANY; i-- > 0;)
		give(i);
}

Test(slab, what_is_not_needed_is_given_back)
{
	unsigned char *first, *last;

	for (size_t i = 0; i < MANY; i++)
		take(i);
	first = list[0];
	last = list[MANY - 1];
	for (size_t i = 0; i < MANY; i++)
		give(i);
	cr_expect_not(is_mapped(first));
	cr_expect(is_mapped(last), "one chunk stays");
	take(0);
	cr_expect_lt(list[0] - last < 0 ? last - list[0] : list[0] - last, 65536);
	give(0);
}

Test(slab, a_child_does_not_get_them)
{
	int status = -1;
	pid_t pid;

	take(0);
	pid = fork();
	if (pid == 0)
		_exit(is_mapped(list[0]));
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	cr_expect(is_mapped(list[0]));
	give(0);
}
