/* SPDX-License-Identifier: Apache-2.0 */
/* What the spec files ask for, file by file, with the last good version of each. */
#pragma once

#include "mountd/spec.h"

struct desired_file {
	char *name; /* owned */
	bool has_spec;
	struct spec spec; /* the last good version */
	char *fault;	  /* owned; what is wrong with the present version, or NULL */
	bool found;	  /* put since somebody cleared this */
	bool overruled;	  /* a file that sorts before it speaks of the same run and role */
};

#define DESIRED_CHANGED_MAX 8

struct desired {
	struct desired_file **files; /* owned; sorted by name */
	size_t n;
	struct desired_file *
		*by_run; /* owned; those that have a spec, sorted by its run and role */
	size_t n_by_run;
	size_t room; /* of both */
	/* The runs whose specs have changed, until somebody sets n_changed to 0; more: any. */
	char changed[DESIRED_CHANGED_MAX][NAME_MAX_LENGTH + 1];
	size_t n_changed;
	bool unread; /* something could not be read for now: it may ask for anything */
};

/*
 * 1: something has changed, 0: all as before, -ENOMEM. desired_put() takes the spec over.
 * A fault leaves the file's last good version in force.
 */
int desired_put(struct desired *d, const char *name, struct spec *spec);
int desired_put_fault(struct desired *d, const char *name, const char *fault);
int desired_remove(struct desired *d, const char *name);
void desired_clear(struct desired *d);

/* Borrowed until the next change. NULL: no such file. */
const struct desired_file *desired_file(const struct desired *d, const char *name);

/*
 * The *ret_n files that speak of run and role, sorted by name: the first counts. NULL: none does.
 * Borrowed until the next change.
 */
struct desired_file *const *desired_of(
	const struct desired *d, const char *run, enum role role, size_t *ret_n);

/* The file that counts for run and role. NULL: nobody asks. */
const struct desired_file *desired_find(const struct desired *d, const char *run, enum role role);

/* The file that counts in file's stead, as it sorts before it; or NULL. */
const struct desired_file *desired_overruling(
	const struct desired *d, const struct desired_file *file);
