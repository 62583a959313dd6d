/* SPDX-License-Identifier: Apache-2.0 */
/* Calls from whoever connects to the tombstone. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "nfs/tombstone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char reply[TOMBSTONE_REPLY_MAX];
	static const struct addr server = {AF_INET6, {0xfd, 0x20, [15] = 1}};
	int n = tombstone_answer(&server, data, size, reply);

	if (n > (int)sizeof reply || n == 0 || n % 4 > 0)
		abort();
	return 0;
}
