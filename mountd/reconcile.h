/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: what is wished for, what is there, and the time give the next step. Pure. */
#pragma once

#include "mountd/spec.h"
#include "nfs/mount.h"

/* An export that the kernel serves, or of which clients may still hold state. */
struct held_export {
	struct export export;
	bool served;   /* exporter_add() has taken it in this process */
	bool quiesced; /* clients may change nothing in it any more; it is about to end */
	uint64_t revoke_not_before_ms; /* until then calls end that were let in before it was
					  refused */
	bool former; /* clients may hold something by an earlier mount, a former daemon's or ours */
	int folder;  /* its own mount, between exporter_remove() and export_revoke(); or -1 */
	bool recorded; /* the record says the same; else what was tried to put in its place */
	bool remade;   /* its folder is deleted, or another one now: it ends before that one is
			  exported */
	const char *revoked;  /* static: the rung; only the record is left. NULL: not yet revoked */
	unsigned swept;	      /* how many files of its clients were removed then */
	struct addr *dropped; /* owned; clients it lists no longer, who may hold something of it */
	size_t n_dropped;
};

enum busy {
	BUSY_NOT,
	BUSY_BUILDING,
	BUSY_ENDING,
};

/* One run in one role, as the planner sees it. Everything is borrowed. */
struct reconcile_view {
	enum role role;
	bool wished;		   /* some spec asks for it */
	const struct spec *want;   /* NULL: not wished for, or not possible at present */
	enum busy busy;		   /* what its worker does */
	const struct spec *trying; /* BUSY_BUILDING: what is being built */
	unsigned stuck;		   /* killed workers that the kernel has not let go */
	unsigned attempts;	   /* failed ones since the wish was made */
	unsigned end_failures;	   /* failed attempts to take down */
	uint64_t not_before_ms;

	const struct held_export *held; /* ROLE_EXPORT */
	size_t n_held;
	bool former_answers; /* nfsd goes on with what a former daemon answered, for now */

	const struct mount *held_mount; /* ROLE_MOUNT: attached, or perhaps attached; or NULL */
	bool in_force;			/* held_mount was proven and still shows */
	bool suspect;			/* its server has not answered lately */
	bool lost;			/* … and for so long that it is cut off until it does */
	uint64_t cut_not_before_ms;	/* attempts at a lost server end first; 0: there is none */
};

enum step_kind {
	STEP_NONE,
	STEP_WAIT,	 /* nothing before until_ms */
	STEP_CANCEL,	 /* the worker builds what nobody wants any more */
	STEP_ADD_EXPORT, /* export; of another incarnation than those held, or the same changed */
	STEP_END_EXPORT, /* export, one of the held */
	STEP_WITHHELD,	 /* export, which cannot end before the server has our answers */
	STEP_DROP,	 /* export, one of the held: what its dropped clients hold is taken */
	STEP_ATTACH,	 /* mount */
	STEP_DETACH,	 /* mount, the held one, in the way how says */
	STEP_FORGET,	 /* nothing is wished for and nothing is left */
};

struct step {
	enum step_kind kind;
	const struct export *export; /* borrowed from the view */
	const struct mount *mount;   /* borrowed from the view */
	enum detach_how how;
	uint64_t until_ms;
};

/*
 * Bounds on parallel workers: one dead server must not keep the others' runs waiting, and a
 * thousand runs at once must not become a thousand processes.
 */
#define SLOTS_EXPORT	     8
#define SLOTS_MOUNT	     16
#define SLOTS_SUSPECT	     8 /* of the mount slots: for servers that have not answered lately … */
#define SLOTS_END	     16
#define SLOTS_SERVER	     8 /* mounts from one server … */
#define SLOTS_SUSPECT_SERVER 1 /* … and from one that has not answered lately */

struct reconcile_slots {
	unsigned exports, mounts, suspects, ends;
	struct {
		struct addr server;
		unsigned n;
	} servers[SLOTS_MOUNT];
	size_t n_servers;
};

/* Counts a worker that runs already. */
void reconcile_occupy(struct reconcile_slots *slots, const struct reconcile_view *view);

/* The next step for one run; one that needs a worker takes its slot, or is STEP_NONE without. */
struct step reconcile(
	const struct reconcile_view *view, struct reconcile_slots *slots, uint64_t now_ms);

/* How long to wait after the nth failure (n >= 1) of that errno. random is any number. */
uint64_t reconcile_backoff_ms(int error, unsigned n, unsigned random);
