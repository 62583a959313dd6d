/* SPDX-License-Identifier: Apache-2.0 */
/* A program's long options: one table for parsing, checking and help. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#define OPTIONS_FAULT_SIZE 512

struct option_rule {
	const char *name;
	const char *meta; /* NULL: takes no value */
	/* Returns NULL, or what is wrong with the value. It may borrow the value, which is argv's.
	 */
	const char *(*set)(void *data, const char *value);
	const char *help; /* lines */
};

/*
 * -EINVAL: fault says which option and why, and what came before it was set.
 * Nothing but options is taken.
 */
int option_table_parse(const struct option_rule *rules, size_t n, int argc, char *const *argv,
	void *data, char fault[OPTIONS_FAULT_SIZE]);
void option_table_help(const struct option_rule *rules, size_t n, FILE *out);

/* Fills fault with "option 'value': why" and returns -EINVAL. value may be NULL. */
int option_fault(
	char fault[OPTIONS_FAULT_SIZE], const char *option, const char *value, const char *why);
