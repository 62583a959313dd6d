/* SPDX-License-Identifier: Apache-2.0 */
/* One operation each: does something at random, or returns false where there is nothing to do. */
#pragma once

#include "tests/soak/soak.h"

/* ops.c */
typedef bool test(const struct world *w, const struct run *r);
bool is_both(const struct world *w, const struct run *r);
/* One of the runs that the test is true of, or NULL. */
struct run *any(struct world *w, test *is);
bool has_power(const struct world *w, size_t node);

/* ops_wishes.c */
bool do_export(struct world *w);
bool do_mount(struct world *w);
bool do_replace(struct world *w);
bool do_release(struct world *w);
bool do_release_export(struct world *w);
bool do_release_mount(struct world *w);
bool do_bind(struct world *w);
bool do_unbind(struct world *w);
bool do_remake_folder(struct world *w);

/* ops_faults.c */
bool do_kill(struct world *w);
bool do_start(struct world *w);
bool do_kill_workers(struct world *w);
bool do_stop_nfsd(struct world *w);
bool do_power_off(struct world *w);
bool do_power_on(struct world *w);
bool do_cut(struct world *w);
bool do_lose(struct world *w);
bool do_heal(struct world *w);
bool do_drain(struct world *w);
bool do_resume(struct world *w);
bool do_unmount(struct world *w);
