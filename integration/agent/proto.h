/* SPDX-License-Identifier: Apache-2.0 */
/* Frames between a test node's agent and the host, over a virtio-serial port. */
#pragma once

#include <stdint.h>

#define FRAME_MAGIC	  0x6b6f7261u
#define FRAME_PAYLOAD_MAX (60u * 1024u)
#define PORT_NAME_PREFIX  "kora."

enum frame_type {
	FRAME_COMMAND = 'C',  /* host: text for bash -c */
	FRAME_TERMINAL = 'T', /* host: the same on a terminal; payload begins with struct window */
	FRAME_INPUT = 'I',    /* host: standard input */
	FRAME_INPUT_END = 'E',
	FRAME_WINDOW = 'W', /* host: struct window */
	FRAME_OUT = 'O',    /* node: standard output */
	FRAME_ERR = 'R',    /* node: standard error */
	FRAME_EXIT = 'X',   /* node: uint32_t exit status, 128 + signal when killed */
};

/* Both ends are the same machine's byte order: nothing is converted. */
struct frame {
	uint32_t magic;
	uint32_t session; /* chosen by the host; frames of another session are stale and dropped */
	uint32_t type;
	uint32_t len;
};

struct window {
	uint16_t rows, columns;
};
