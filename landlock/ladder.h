/* SPDX-License-Identifier: Apache-2.0 */
/* What of a wanted Landlock posture a kernel's ABI can enforce, and what it can't. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ll_set {
	uint64_t fs;	 /* enum ll_fs */
	uint64_t net;	 /* enum ll_net */
	uint64_t scoped; /* enum ll_scope */
	uint32_t flags;	 /* enum ll_restrict */
};

/* Every right of an ABI; an ABI above LL_ABI_NEWEST counts as LL_ABI_NEWEST, below 1 as nothing. */
struct ll_set ll_known(int abi);

/* ret_have: what of want the ABI has; ret_lack: the rest. */
void ll_fit(int abi, const struct ll_set *want, struct ll_set *ret_have, struct ll_set *ret_lack);

/* The rights of abi that a later ABI than floor brought are dropped from lack: nice to have only.
 */
void ll_demand(int floor, struct ll_set *lack);

/* Names what a set contains, with the ABI that brings each, e.g. "truncate (ABI 3), signal scope
 * (ABI 6)". Returns the number of names; text is cut, never overrun. */
size_t ll_describe(const struct ll_set *set, char *buf, size_t len);
