/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generated programs, interpreted: their decision about every number against the tables that
 * were reviewed by reading (golden-ARCH-PROFILE.txt beside this file). With -u the tables are
 * written anew.
 */
#include "tests/seccomp/calls.h"
#include "tests/seccomp/decide.h"

#include "mountd/base/cleanup.h"

#include <unistd.h>

static const char *const profile_names[] = {"strict", "dev"};

static void print_call(FILE *f, enum seccomp_arch arch, enum seccomp_filter filter, uint32_t nr,
	const uint64_t args[3], const char *text)
{
	char call[64];

	(void)snprintf(call, sizeof(call), "(%#llx, %#llx, %#llx)", (unsigned long long)args[0],
		(unsigned long long)args[1], (unsigned long long)args[2]);
	fprintf(f, "\t%-28s %s%s%s\n", call, word_of(decide(arch, filter, nr, args)),
		text ? " # " : "", text ? text : "");
}

static void print_arguments(
	FILE *f, enum seccomp_arch arch, enum seccomp_filter filter, const struct syscall_info *s)
{
	uint64_t args[3];
	uint32_t nr = (uint32_t)s->nr[arch];
	struct seccomp_policy p;
	const struct policy_rule *r = NULL;

	if (seccomp_profile_policy(filter, arch, &p) < 0)
		exit(1);
	while ((r = seccomp_policy_next_rule(&p, (int)nr, r))) {
		witness(r, args);
		print_call(f, arch, filter, nr, args, "a rule");
	}
	seccomp_policy_done(&p);
	for (size_t i = 0; i < N_CHOSEN; i++)
		if (!strcmp(chosen_calls[i].name, s->name))
			print_call(f, arch, filter, nr, chosen_calls[i].args, NULL);
}

/* Numbers without a name are shown as the range of one fate that they are. */
static uint32_t print_unnamed(
	FILE *f, enum seccomp_arch arch, enum seccomp_filter filter, uint32_t nr)
{
	static const uint64_t none[3];
	uint32_t fate = decide(arch, filter, nr, none), last = nr;

	while (last < HIGHEST_TRIED && !syscall_by_number(arch, last + 1) &&
		decide(arch, filter, last + 1, none) == fate)
		last++;
	fprintf(f, "%u-%u - %s\n", nr, last, word_of(fate));
	return last;
}

static void print_table(FILE *f, enum seccomp_arch arch, enum seccomp_filter filter)
{
	static const uint64_t none[3];

	fprintf(f, "# What happens on %s under the profile %s.\n", seccomp_arch_name(arch),
		profile_names[filter]);
	for (uint32_t nr = 0; nr <= HIGHEST_TRIED; nr++) {
		const struct syscall_info *s = syscall_by_number(arch, nr);
		bool constant = is_constant(arch, filter, nr);
		if (!s) {
			nr = print_unnamed(f, arch, filter, nr);
			continue;
		}
		fprintf(f, "%u %s %s\n", nr, s->name,
			constant ? word_of(decide(arch, filter, nr, none)) : "by arguments");
		if (!constant)
			print_arguments(f, arch, filter, s);
	}
}

/* Line by line, so that a difference shows as what it is. */
static void compare_table(const char *path, FILE *now)
{
	_cleanup_fclose_ FILE *then = fopen(path, "re");
	char a[256], b[256];

	if (!then) {
		check(false, "%s: %s", path, strerror(errno));
		return;
	}
	rewind(now);
	for (unsigned line = 1;; line++) {
		char *x = fgets(a, sizeof(a), then), *y = fgets(b, sizeof(b), now);
		if (!x && !y)
			return;
		check(x && y && !strcmp(a, b), "%s:%u:\n  reviewed %s  now      %s", path, line,
			x ? a : "(end)\n", y ? b : "(end)");
		if (!x || !y)
			return;
	}
}

static void table(
	const char *folder, enum seccomp_arch arch, enum seccomp_filter filter, bool update)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/golden-%s-%s.txt", folder, seccomp_arch_name(arch),
		profile_names[filter]);
	_cleanup_fclose_ FILE *f = update ? fopen(path, "w+e") : tmpfile();
	if (!f) {
		check(false, "%s: %s", path, strerror(errno));
		return;
	}
	print_table(f, arch, filter);
	if (!update)
		compare_table(path, f);
}

/* What the kernel can't see in the upper halves must not matter: all of them, one at a time. */
static void high_bits(
	enum seccomp_arch arch, enum seccomp_filter filter, uint32_t nr, const uint64_t args[3])
{
	const struct syscall_info *s = syscall_by_number(arch, nr);
	uint32_t fate = decide(arch, filter, nr, args);

	for (unsigned i = 0; i < 3; i++)
		for (unsigned bit = 32; bit < 64; bit++) {
			uint64_t set[3] = {args[0], args[1], args[2]};
			set[i] |= 1ull << bit;
			check(decide(arch, filter, nr, set) == fate,
				"%s %s: argument %u of %s with bit %u set: %s, without %s",
				seccomp_arch_name(arch), profile_names[filter], i, s->name, bit,
				word_of(decide(arch, filter, nr, set)), word_of(fate));
		}
}

static void all_high_bits(enum seccomp_arch arch, enum seccomp_filter filter)
{
	uint64_t args[3];

	for (size_t i = 0; i < seccomp_rule_count; i++) {
		const struct seccomp_rule *r = &seccomp_rules[i];
		const struct syscall_info *s = syscall_by_name(r->call);
		memset(args, 0, sizeof(args));
		for (size_t k = 0; k < 3 && r->args[k].mask; k++) {
			check(syscall_arg_mask(s, r->args[k].index) == UINT32_MAX ||
					!strcmp(s->name, "unshare"),
				"%s: argument %u is not one of 32 bits", r->call, r->args[k].index);
			args[r->args[k].index] = r->args[k].value;
		}
		if (s->nr[arch] >= 0)
			high_bits(arch, filter, (uint32_t)s->nr[arch], args);
	}
	for (size_t i = 0; i < N_CHOSEN; i++)
		high_bits(arch, filter, (uint32_t)syscall_by_name(chosen_calls[i].name)->nr[arch],
			chosen_calls[i].args);
}

static void within_guard(
	enum seccomp_arch arch, enum seccomp_filter filter, const struct seccomp_data *data)
{
	const struct program *guard = &programs[arch][FILTER_GUARD];
	uint32_t fate = decide_data(arch, filter, data);

	check(bpf_combine(bpf_eval(guard->insns, guard->len, data, NULL), fate) == fate,
		"%s %s: number %d(%#llx, %#llx): %s, and the guard refuses it",
		seccomp_arch_name(arch), profile_names[filter], data->nr, data->args[0],
		data->args[1], word_of(fate));
}

/* The guard would change nothing: a built-in profile is enough by itself. */
static void contains_guard(enum seccomp_arch arch, enum seccomp_filter filter)
{
	struct seccomp_data data = {.arch = seccomp_arch_audit(arch)};

	for (data.nr = 0; data.nr <= HIGHEST_TRIED; data.nr++) {
		memset(data.args, 0, sizeof(data.args));
		within_guard(arch, filter, &data);
		/* Every flag of clone and unshare, every ioctl of terminals. */
		for (unsigned i = 0; i < 2; i++)
			for (unsigned bit = 0; bit < 64; bit++) {
				data.args[i] = 1ull << bit;
				within_guard(arch, filter, &data);
				data.args[i] = 0;
			}
		for (data.args[1] = 0x5400; data.args[1] < 0x5500; data.args[1]++)
			within_guard(arch, filter, &data);
	}
}

static void foreign(enum seccomp_arch arch, enum seccomp_filter filter)
{
	static const uint32_t arches[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0,
		AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64};
	struct seccomp_data data = {0};

	for (size_t i = 0; i < sizeof(arches) / sizeof(arches[0]); i++) {
		data.arch = arches[i];
		for (data.nr = 0; data.nr <= HIGHEST_TRIED; data.nr++)
			check((decide_data(arch, filter, &data) == SECCOMP_RET_KILL_PROCESS) ==
					(arches[i] != seccomp_arch_audit(arch)),
				"%s %s: number %d of architecture %#x", seccomp_arch_name(arch),
				profile_names[filter], data.nr, data.arch);
	}
}

static void odd_numbers(enum seccomp_arch arch, enum seccomp_filter filter)
{
	static const uint64_t none[3];
	uint32_t enosys = SECCOMP_RET_ERRNO | ENOSYS;
	uint32_t x32 = arch == SECCOMP_X86_64 ? SECCOMP_RET_KILL_PROCESS : enosys;

	for (uint32_t nr = 0; nr <= HIGHEST_TRIED; nr++) {
		check(decide(arch, filter, nr | SECCOMP_X32_BIT, none) == x32, "x32 %u", nr);
		check(decide(arch, filter, nr | 0xc0000000u, none) == x32, "x32, negative %u", nr);
		check(decide(arch, filter, nr | 0x80000000u, none) == enosys, "negative %u", nr);
	}
	for (uint32_t nr = (uint32_t)syscall_highest(arch) + 1; nr; nr = nr * 2 + 1) {
		check(decide(arch, filter, nr, none) ==
				(nr & SECCOMP_X32_BIT && nr != UINT32_MAX ? x32 : enosys),
			"%s: number %#x: %s", seccomp_arch_name(arch), nr,
			word_of(decide(arch, filter, nr, none)));
		if (nr == UINT32_MAX)
			break;
	}
}

int main(int argc, char **argv)
{
	bool update = argc > 1 && !strcmp(argv[1], "-u");
	const char *folder = argc > 1 + update ? argv[1 + update] : "tests/seccomp";

	for (enum seccomp_arch arch = 0; arch < SECCOMP_N_ARCHES; arch++)
		for (enum seccomp_filter filter = FILTER_STRICT; filter <= FILTER_DEV; filter++) {
			table(folder, arch, filter, update);
			all_high_bits(arch, filter);
			contains_guard(arch, filter);
			foreign(arch, filter);
			odd_numbers(arch, filter);
		}
	return finish();
}
