/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl's many transfers, driven by the loop. */
#pragma once

#include "mountd/loop.h"

struct multi;

/* Both may remove, start and end transfers. */
struct multi_owner {
	/* Each finished transfer's CURLOPT_PRIVATE and its CURLcode. */
	void (*on_done)(void *private, int code);
	/* Memory was out: any transfer may wait in vain, and is to be removed. */
	void (*on_loss)(void *data);
};

/* owner is borrowed. -ENOMEM, or -EIO where the library does not start. */
int multi_new(struct loop *loop, const struct multi_owner *owner, void *data, struct multi **ret);
void multi_free(struct multi *m); /* all transfers must have been removed */

void *multi_handle(struct multi *m); /* CURLM */
