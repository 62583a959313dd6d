/* SPDX-License-Identifier: Apache-2.0 */
/* Ids first, while there are capabilities to change them with; capabilities after. */
#include "harden/creds.h"

#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SECUREBITS \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | \
		SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | \
		SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

#define BIT(cap) (UINT64_C(1) << (cap))

static const char *needs(const char *cap)
{
	static char text[48];

	(void)snprintf(text, sizeof(text), " (%s is needed)", cap);
	return errno == EPERM ? text : "";
}

static int switch_ids(const struct policy *p, struct fail *f)
{
	if (p->uid == ID_UNSET)
		return fail_set(
			f, EPERM, "started as root: --uid N is needed (in a pod: runAsUser)");
	uid_t uid = (uid_t)p->uid;
	gid_t gid = p->gid == ID_UNSET ? (gid_t)uid : (gid_t)p->gid;

	if (setgroups(p->n_groups, p->groups) < 0)
		return fail_set(f, errno, "setgroups: %s%s", strerror(errno), needs("CAP_SETGID"));
	if (setresgid(gid, gid, gid) < 0)
		return fail_set(
			f, errno, "setresgid %u: %s%s", gid, strerror(errno), needs("CAP_SETGID"));
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		return fail_set(f, errno, "PR_SET_KEEPCAPS: %s", strerror(errno));
	if (setresuid(uid, uid, uid) < 0)
		return fail_set(
			f, errno, "setresuid %u: %s%s", uid, strerror(errno), needs("CAP_SETUID"));
	return 0;
}

static int insist_on_ids(const struct policy *p, const struct proc_status *now, struct fail *f)
{
	if (p->uid != ID_UNSET && (uint32_t)p->uid != now->uid[1])
		return fail_set(f, EPERM,
			"uid %u was asked for, started as %u, and only root can change it: set "
			"runAsUser: %u",
			(unsigned int)p->uid, now->uid[1], (unsigned int)p->uid);
	if (p->gid != ID_UNSET && (uint32_t)p->gid != now->gid[1])
		return fail_set(f, EPERM,
			"gid %u was asked for, started as %u, and only root can change it: set "
			"runAsGroup: %u",
			(unsigned int)p->gid, now->gid[1], (unsigned int)p->gid);
	return 0;
}

/* Where the process has them. */
static void leave_only(uint64_t caps, const struct proc_status *before, struct report *r)
{
	capng_clear(CAPNG_SELECT_ALL);
	for (unsigned int cap = 0; cap < 64; cap++)
		if (caps & before->permitted & BIT(cap))
			(void)capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, cap);
	if (capng_apply(CAPNG_SELECT_CAPS) < 0)
		report_gap(r, "capabilities: the sets could not be emptied");
}

/* Not by libcap-ng, which reads the set from /proc anew, before and after. */
static int drop_bounding(uint64_t set)
{
	for (unsigned long cap = 0; set >> cap; cap++)
		if (set >> cap & 1 && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			return -errno;
	return 0;
}

/* With CAP_KILL the parent can be signalled, whoever it is: what refuses the canary is the domain.
 */
static uint64_t for_canaries(const struct policy *p)
{
	return p->verify ? BIT(CAP_KILL) : 0;
}

/* Bounding set and securebits need CAP_SETPCAP, which setresuid() took from the effective set. */
static void drop_caps(const struct policy *p, const struct proc_status *before, struct report *r)
{
	if (before->permitted & BIT(CAP_SETPCAP)) {
		leave_only(BIT(CAP_SETPCAP) | for_canaries(p), before, r);
		if (drop_bounding(before->bounding) < 0)
			report_gap(r, "capabilities: the bounding set could not be emptied");
		if (prctl(PR_SET_SECUREBITS, SECUREBITS, 0, 0, 0) < 0)
			report_gap(r, "securebits: %s", strerror(errno));
	}
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	leave_only(for_canaries(p), before, r);
}

void creds_finish(const struct policy *p, const struct proc_status *before, struct report *r)
{
	if (before->permitted & for_canaries(p))
		leave_only(0, before, r);
}

int creds_apply(
	const struct policy *p, const struct proc_status *before, struct report *r, struct fail *f)
{
	int e = before->uid[1] == 0 ? switch_ids(p, f) : insist_on_ids(p, before, f);

	if (e < 0)
		return e;
	if (before->permitted | before->inheritable | before->bounding | before->ambient)
		drop_caps(p, before, r);
	return 0;
}

static void verify_ids(const struct policy *p, const struct proc_status *now, struct report *r)
{
	for (size_t i = 0; i < 4; i++)
		if (now->uid[i] == 0) {
			report_gap(r, "user: uid %u %u %u %u has 0 in it: set runAsNonRoot",
				now->uid[0], now->uid[1], now->uid[2], now->uid[3]);
			break;
		}
	for (size_t i = 0; i < 4 && !p->allow_root_group; i++)
		if (now->gid[i] == 0) {
			report_gap(r,
				"group: gid 0 owns system files: set runAsGroup, or accept it "
				"with --allow-root-group");
			break;
		}
	for (size_t i = 0; i < now->n_groups && i < 64 && !p->allow_root_group; i++)
		if (now->groups[i] == 0) {
			report_gap(r, "groups: the supplementary groups have group 0: set "
				      "supplementalGroupsPolicy: Strict, or accept it with "
				      "--allow-root-group");
			break;
		}
}

/* A group asked for and missing breaks sharing, one not asked for opens files: both are gaps. */
static void verify_groups(const struct policy *p, const struct proc_status *now, struct report *r)
{
	if (!p->groups_set)
		return;
	for (size_t i = 0; i < now->n_groups && i < 64; i++) {
		bool asked = now->groups[i] == now->gid[1];

		for (size_t k = 0; k < p->n_groups && !asked; k++)
			asked = p->groups[k] == now->groups[i];
		if (!asked)
			report_gap(r, "groups: group %u was not asked for", now->groups[i]);
	}
	for (size_t k = 0; k < p->n_groups; k++) {
		bool found = p->groups[k] == now->gid[1];

		for (size_t i = 0; i < now->n_groups && i < 64 && !found; i++)
			found = p->groups[k] == now->groups[i];
		if (!found)
			report_gap(r, "groups: group %u is missing: add it to supplementalGroups",
				p->groups[k]);
	}
}

static void verify_caps(const struct proc_status *now, struct report *r)
{
	int bits;

	if (now->permitted | now->effective | now->inheritable | now->ambient)
		report_gap(r,
			"capabilities: inheritable %llx permitted %llx effective %llx ambient %llx "
			"are left",
			(unsigned long long)now->inheritable, (unsigned long long)now->permitted,
			(unsigned long long)now->effective, (unsigned long long)now->ambient);
	if (now->bounding)
		report_gap(r,
			"capabilities: the bounding set is %llx and emptying it needs CAP_SETPCAP: "
			"set capabilities.drop: [ALL]",
			(unsigned long long)now->bounding);
	/* Without CAP_SETPCAP the bits can't be set; with an empty bounding set they decide
	 * nothing: no exec gives a capability. */
	bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
	if ((bits & SECUREBITS) != SECUREBITS && now->bounding)
		report_gap(r, "securebits: %#x, not locked", bits);
}

void creds_verify(const struct policy *p, const struct proc_status *now, struct report *r)
{
	size_t gaps = r->gaps;

	verify_ids(p, now, r);
	verify_groups(p, now, r);
	verify_caps(now, r);
	if (!now->no_new_privs)
		report_gap(r, "no_new_privs: not set");
	if (gaps == r->gaps)
		report_have(r, "identity: uid %u gid %u, %zu groups, no capabilities, no_new_privs",
			now->uid[1], now->gid[1], now->n_groups);
}
