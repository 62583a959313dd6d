/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl's many transfers, driven by the loop. */
#pragma once

#include "mountd/loop.h"

struct multi;

/*
 * done is given each finished transfer's CURLOPT_PRIVATE and its CURLcode; it may remove, start
 * and end transfers. -ENOMEM, or -EIO where the library does not start.
 */
int multi_new(struct loop *loop, void (*done)(void *private, int code), struct multi **ret);
void multi_free(struct multi *m); /* all transfers must have been removed */

void *multi_handle(struct multi *m); /* CURLM */
