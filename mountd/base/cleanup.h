/* SPDX-License-Identifier: Apache-2.0 */
/* Scope-bound ownership: resources are released where their name goes out of scope. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

/* Closing keeps errno, so that a failure's errno survives the way out. A close is never retried. */
static inline void cleanup_close(const int *fd)
{
	if (*fd < 0)
		return;
	int saved = errno;
	(void)close(*fd);
	errno = saved;
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

static inline void cleanup_closedir(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}

#define _cleanup_free_	   _cleanup_(cleanup_free)
#define _cleanup_close_	   _cleanup_(cleanup_close)
#define _cleanup_fclose_   _cleanup_(cleanup_fclose)
#define _cleanup_closedir_ _cleanup_(cleanup_closedir)

/* Hand a resource on: the value is returned and the variable no longer owns it. */
#define TAKE_PTR(p) \
	({ \
		__typeof__(p) take_ptr_ = (p); \
		(p) = NULL; \
		take_ptr_; \
	})
#define TAKE_FD(fd) \
	({ \
		int take_fd_ = (fd); \
		(fd) = -1; \
		take_fd_; \
	})
