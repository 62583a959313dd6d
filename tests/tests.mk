# SPDX-License-Identifier: Apache-2.0
# Tests, checks and fuzzing. Other .mk files may add programs to UNIT_EXTRA and FUZZERS (with rules
# of their own) and targets to TEST_TARGETS; they are included before this file.

TESTED_SRC := $(BASE_SRC) $(NFS_SRC) $(SHARED_SRC) $(filter-out $(CTL_MAIN),$(CTL_SRC))
TEST_LIBS = $(call pkg,libs,$(DAEMON_PKGS))

# Unit tests: tests/test_<module>.c, Criterion, all under ASan and UBSan.
UNIT := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/test_*.c))

$(B)/san/libkora.a: $(call san,$(TESTED_SRC))
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(UNIT): $(B)/tests/%: $(B)/san/tests/%.o $(B)/san/libkora.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(SANITIZE) -o $@ $^ $(TEST_LIBS) $(call pkg,libs,criterion)

# The real program, sanitised, for the tests that drive it.
$(B)/san/kora-mountctl: $(call san,$(CTL_MAIN)) $(B)/san/libkora.a
	$(call say,LD,$@)$(CC) $(SANITIZE) -o $@ $^ $(TEST_LIBS)

unit: $(UNIT) $(UNIT_EXTRA) $(B)/san/kora-mountctl
	$(Q)KORA_MOUNTCTL=$(B)/san/kora-mountctl tests/unit $(UNIT) $(UNIT_EXTRA)

# Fuzz targets: tests/fuzz/fuzz_<parser>.c, libFuzzer.
FUZZ_SECONDS ?= 60
FUZZERS := $(sort $(FUZZERS) $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all
fuzzobj = $(patsubst %.c,$(B)/fuzz/obj/%.o,$(1))

$(B)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC-FUZZ,$<)$(CLANG) -std=gnu17 -D_GNU_SOURCE -I. -DKORA_VERSION='"$(VERSION)"' $(WARNINGS) \
		$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/fuzz/libkora.a: $(call fuzzobj,$(TESTED_SRC))
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(B)/fuzz/fuzz_%: $(B)/fuzz/obj/tests/fuzz/fuzz_%.o $(B)/fuzz/libkora.a
	$(call say,LD,$@)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ $(TEST_LIBS)

.PRECIOUS: $(B)/obj/%.o $(B)/san/%.o $(B)/fuzz/obj/%.o
-include $(shell find $(B)/fuzz/obj -name '*.d' 2>/dev/null)

known-fuzz-seconds:
	$(Q)bash -c '. integration/common.sh && whole_number FUZZ_SECONDS "$$1" 1 86400' make '$(FUZZ_SECONDS)'
.PHONY: known-fuzz-seconds

fuzz: known-fuzz-seconds $(addprefix $(B)/fuzz/,$(FUZZERS))
	$(Q)tests/fuzz/run $(FUZZ_SECONDS) $(B)/fuzz $(FUZZERS)

fuzz-smoke:
	$(Q)$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=3

# Static checks. A file is looked at anew when its object is.
TIDY_SRC := $(BASE_SRC) $(NFS_SRC) $(SHARED_SRC) $(CTL_SRC) $(WATCH_SRC) $(wildcard $(DAEMON_MAIN)) $(SECCOMP_SRC) \
	harden/launch_main.c $(HARDEN_SRC) $(LANDLOCK_SRC)
TIDY := $(patsubst %.c,$(B)/tidy/%.ok,$(TIDY_SRC))

$(B)/tidy/%.ok: %.c $(B)/obj/%.o .clang-tidy
	@mkdir -p $(@D)
	$(call say,TIDY,$<)clang-tidy --quiet $< -- -std=gnu17 -D_GNU_SOURCE -I. -DKORA_VERSION='""' \
		$(PKG_CFLAGS) && touch $@

tidy: $(TIDY)

format:
	$(Q)tests/sources '*.c' '*.h' | xargs clang-format -i

check:
	$(Q)MAKE='$(MAKE)' B=$(B) CI=$(CI) tests/check

# Everything. deps first, since the rest asks pkg-config for what it installs.
TEST_TARGETS := check unit $(TEST_TARGETS) fuzz-smoke scenarios

# Programs and scripts of tests/vm/ that run inside the test machines, on the real kernel.
VM_HELPERS := $(patsubst tests/vm/%.c,$(B)/integration/helpers/%,$(wildcard tests/vm/*.c)) \
	$(patsubst tests/vm/%,$(B)/integration/helpers/%,$(wildcard tests/vm/*.sh)) \
	$(addprefix $(B)/integration/helpers/,mount_engine raw_client soak inject bench_runs)

$(B)/integration/helpers/%.sh: tests/vm/%.sh
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/integration/helpers/%: $(B)/obj/tests/vm/%.o $(B)/libnfs.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg,libs,$(NFS_PKGS))

# The model check: random operations on two nodes, by the same seed the same ones.
SOAK_PKGS := libnl-3.0 libnl-route-3.0 jansson
$(B)/integration/helpers/soak: $(call obj,$(wildcard tests/soak/*.c))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg,libs,$(SOAK_PKGS))

# The same model while calls to the kernel fail and their callers are killed.
$(B)/integration/helpers/inject: $(call obj,$(wildcard tests/inject/*.c) $(filter-out tests/soak/soak.c,$(wildcard tests/soak/*.c)))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg,libs,$(SOAK_PKGS) libseccomp)

# Told before anything is built or installed for it: a kernel that is none, and what else is wrong with a command line.
known-kernel:
	$(Q)integration/kernels.sh --known $(ON_KERNEL)
ON_KERNEL = $(KERNEL)
# Of what is for all kernels, or has a default of its own.
GIVEN_KERNEL = $(if $(filter file,$(origin KERNEL)),,$(filter-out all,$(KERNEL)))
.PHONY: known-kernel

RUN_CASES = integration/run --kernel $(or $(GIVEN_KERNEL),all) --jobs $(SCENARIO_JOBS)
SCENARIO_JOBS ?= 3
COMMAND.scenarios = $(RUN_CASES)
# One case for each fault known from the field; MINUTES of dropped packets in the longest.
COMMAND.field = KORA_MINUTES=$(or $(MINUTES),1) $(RUN_CASES) $(or $(CASE),--field)
COMMAND.inject = integration/inject $(if $(WATCH),--watch) --kernel $(KERNEL) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(AT_ONCE),--at-once $(AT_ONCE)) $(if $(SITE),--site '$(SITE)')
COMMAND.soak = integration/soak --kernel $(KERNEL) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES))

IN_MACHINES := scenarios field inject soak
$(IN_MACHINES:%=known-%): known-%:
	$(Q)$(COMMAND.$*) --check
$(IN_MACHINES): %: known-% all vm-helpers
	$(Q)$(COMMAND.$*)
.PHONY: $(IN_MACHINES) $(IN_MACHINES:%=known-%)

$(B)/integration/helpers/bench_runs: $(call obj,$(wildcard tests/vm/bench_runs/*.c)) $(B)/libnfs.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg,libs,$(NFS_PKGS))

$(B)/integration/helpers/mount_engine: $(call obj,$(wildcard tests/vm/mount_engine/*.c)) $(B)/libnfs.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg,libs,$(NFS_PKGS))

$(B)/integration/helpers/raw_client: $(call obj,$(wildcard tests/vm/raw_client/*.c))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg,libs,libtirpc)

vm-helpers: $(VM_HELPERS)

deps:
	$(Q)integration/deps.sh

test: known-scenarios deps
	$(Q)$(MAKE) -s -j2 all
	$(Q)MAKE='$(MAKE)' B=$(B) CI=$(CI) tests/run $(TEST_TARGETS)

.PHONY: vm-helpers unit fuzz fuzz-smoke tidy format check deps test

# Measurements, never part of the tests: each area writes $(B)/bench/<area>.json and .svg. Those that are
# files of integration/bench/ run in the test machines, with KERNEL.
VM_AREAS := $(patsubst integration/bench/%.sh,%,$(wildcard integration/bench/*.sh))
BENCH_ALL = $(BENCH_AREAS) $(VM_AREAS)
bench: known-kernel
	$(Q)$(foreach area,$(filter-out $(BENCH_ALL),$(AREA)),$(error no area '$(area)': one of $(BENCH_ALL)))
	$(Q)integration/deps.sh bench || echo "bench: with what is installed" >&2
	$(Q)$(MAKE) --no-print-directory $(addsuffix -bench,$(or $(AREA),$(BENCH_ALL)))
$(VM_AREAS:%=%-bench): %-bench: known-kernel all vm-helpers
	$(Q)KORA_BUILD=$(abspath $(B)) integration/bench/run $* $(KERNEL)
.PHONY: bench $(VM_AREAS:%=%-bench)

# Installation.
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions

UNITDIR ?= $(PREFIX)/lib/systemd/system

TOOLS = $(filter-out $(B)/kora-sandbox-mount,$(PROGRAMS))
MAN8 := $(wildcard mountd/*.8 harden/*.8 seccomp/*.8)
MAN1 := $(wildcard harden/*.1)

install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(SBINDIR) $(DESTDIR)$(COMPLETIONDIR) $(DESTDIR)$(UNITDIR) \
		$(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man8
	install -m 755 $(B)/kora-sandbox-mount $(DESTDIR)$(SBINDIR)/
	install -m 755 $(TOOLS) $(DESTDIR)$(BINDIR)/
	install -m 644 $(MAN8) $(DESTDIR)$(MANDIR)/man8/
	install -m 644 $(MAN1) $(DESTDIR)$(MANDIR)/man1/
	install -m 644 mountd/kora-mountctl.bash $(DESTDIR)$(COMPLETIONDIR)/kora-mountctl
	$(Q)sed 's|@SBINDIR@|$(SBINDIR)|' mountd/kora-sandbox-mount.service.in >$(B)/kora-sandbox-mount.service
	install -m 644 $(B)/kora-sandbox-mount.service $(DESTDIR)$(UNITDIR)/

# What install made; what the daemon keeps is the operator's to remove.
uninstall:
	rm -f $(DESTDIR)$(SBINDIR)/kora-sandbox-mount $(addprefix $(DESTDIR)$(BINDIR)/,$(notdir $(TOOLS))) \
		$(addprefix $(DESTDIR)$(MANDIR)/man8/,$(notdir $(MAN8))) $(addprefix $(DESTDIR)$(MANDIR)/man1/,$(notdir $(MAN1))) \
		$(DESTDIR)$(COMPLETIONDIR)/kora-mountctl $(DESTDIR)$(UNITDIR)/kora-sandbox-mount.service

help:
	@printf '%s\n' \
	'make all          the programs, in $(B)/' \
	'make demo         two nodes on a real kernel share a sandbox'"'"'s folder, in about two minutes' \
	'make test         check, unit, kube-test, the launcher'"'"'s and the chart'"'"'s tests, and the scenarios on all kernels; ends with one line; about 20 minutes on 2 cores' \
	'make check        formatting, layers, static analysis, man pages, shell scripts, installation' \
	'make format       clang-format, in place' \
	'make unit         unit tests, sanitised' \
	'make fuzz         every fuzz target for FUZZ_SECONDS=60' \
	'make bench        ratios against the peers; one area: AREA=ready|scale|restart|files|freshness|detach|launcher; KERNEL=6.1' \
	'make kube-test    the watch against a scripted API server' \
	'make scenarios    the cases on all kernels; KERNEL=6.1 on one, here and in make test; integration/run takes them by name' \
	'make field        every fault known from the field, on all kernels; CASE=20-same-host-name KERNEL=6.1 for one; MINUTES=30 of dropped packets' \
	'make e2e-kubernetes   image, chart and examples on a real Kubernetes; make kubernetes-scenarios: pods on all kernels; KERNEL=6.12 for both' \
	'make soak         2,000 random operations beside a model, in about an hour, or MINUTES=10; SEED=1 repeats, KERNEL=6.1' \
	'make inject       every call of the daemon fails once, and is its last once before and after: hours; SITE=openat, MINUTES=60, SEED=1, KERNEL=6.1; WATCH=1: those of the watch' \
	'make chart        the Helm chart: both Helms, types, rights, what has to be refused (npm)' \
	'make image        OCI image archives, without a container engine; make image-check starts them' \
	'make deps         installs what the build and the tests need (Debian 12 and 13)' \
	'make install      DESTDIR= PREFIX=/usr/local; programs, man pages, completion, systemd unit; make uninstall removes them' \
	'make clean        removes what was made, results too; downloads and the Kubernetes built from them stay until make distclean' \
	'' \
	'V=1 shows commands, CI=1 makes warnings errors, B= names another build folder.'

.PHONY: install uninstall help
