/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions and Events as the API server takes them. */
#pragma once

#include "mountd/watch_condition.h"

/* UTC, in whole seconds. */
#define MESSAGE_TIME_SIZE 32
void message_time(time_t now, char text[MESSAGE_TIME_SIZE]);

/* A strategic merge patch of the pod's status, for that uid alone. NULL: memory is out. */
char *message_patch(const struct pod *pod, const struct condition *c, time_t now);
/* count: how often it has happened since `first`. */
char *message_event(const struct pod *pod, const char *node, enum happening h, enum role role,
	const char *message, unsigned count, time_t first, time_t now);
