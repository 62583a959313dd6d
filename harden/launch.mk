# SPDX-License-Identifier: Apache-2.0
# kora-launch: a static position-independent program. Works from the top Makefile and alone:
#   make -f harden/launch.mk build/kora-launch

B ?= build
CC ?= gcc
CLANG ?= clang
V ?= 0
Q ?= $(if $(filter 1,$(V)),,@)
CFLAGS ?= -O2 -g

# musl starts a program in half the time: the GNU C library asks the processor for its features at
# every start, and under a hypervisor each question traps. LAUNCH_LIBC=glibc builds with that.
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
MUSL_TRIPLE := $(MULTIARCH:-gnu=-musl)
LAUNCH_LIBC ?= $(if $(wildcard /usr/lib/$(MUSL_TRIPLE)/rcrt1.o),musl,glibc)
LAUNCH_DIR := $(B)/launch/$(LAUNCH_LIBC)

# Clang has the last one from 16.
LAUNCH_HARDENING := -fstack-protector-strong -fstack-clash-protection \
	$(shell $(CC) -ftrivial-auto-var-init=zero -fsyntax-only -x c /dev/null 2>/dev/null && \
		echo -ftrivial-auto-var-init=zero) $(if $(filter x86_64-%,$(MULTIARCH)),-fcf-protection=full)
LAUNCH_LDFLAGS = -static-pie -Wl,-z,relro,-z,now,-z,noexecstack
ifeq ($(LAUNCH_LIBC),musl)
# Debian's musl-gcc ignores -static-pie, so the parts are named here. The kernel's and the
# libraries' headers are linked to, to keep the GNU C library's out.
MUSL := /usr/lib/$(MUSL_TRIPLE)
LAUNCH_INCLUDE := $(LAUNCH_DIR)/include
LAUNCH_LIBC_CFLAGS = -nostdinc -isystem /usr/include/$(MUSL_TRIPLE) \
	-isystem $(shell $(CC) -print-file-name=include) -idirafter $(LAUNCH_INCLUDE)
LAUNCH_LINK = $(CC) -nostdlib -nostartfiles $(LAUNCH_LDFLAGS) $(LDFLAGS) -o $(1) \
	$(MUSL)/rcrt1.o $(MUSL)/crti.o $(2) -Wl,--start-group -l:libcap-ng.a -l:libjansson.a \
	$(MUSL)/libc.a $(shell $(CC) -print-libgcc-file-name) -Wl,--end-group $(MUSL)/crtn.o
LAUNCH_LIBC_SRC := harden/musl/glibc_names.c

$(LAUNCH_INCLUDE):
	$(Q)mkdir -p $@.tmp && ln -sfn /usr/include/linux $@.tmp/linux && \
	ln -sfn /usr/include/asm-generic $@.tmp/asm-generic && \
	ln -sfn /usr/include/$(MULTIARCH)/asm $@.tmp/asm && \
	for h in cap-ng.h jansson.h jansson_config.h; do \
		for d in /usr/include /usr/include/$(MULTIARCH); do \
			[ ! -e $$d/$$h ] || ln -sf $$d/$$h $@.tmp/$$h; done; done && mv $@.tmp $@
else
LAUNCH_LIBC_CFLAGS = -D_FORTIFY_SOURCE=3
# Static, the GNU C library warns of name lookups that libcap-ng has and the launcher does not use.
LAUNCH_LINK = $(CC) $(LAUNCH_LDFLAGS) -Wl,--no-warnings $(LDFLAGS) -o $(1) $(2) -lcap-ng -ljansson
endif
LAUNCH_CFLAGS = -std=gnu17 -D_GNU_SOURCE -I. $(SECCOMP_CPPFLAGS) $(LAUNCH_LIBC_CFLAGS) -fPIE \
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wformat=2 \
	-Wvla -Wundef $(if $(CI),-Werror) $(if $(VERSION),-DKORA_VERSION='"$(VERSION)"')

# What the top Makefile defines, for when this file is used alone.
obj ?= $(patsubst %.c,$(B)/obj/%.o,$(1))
san ?= $(patsubst %.c,$(B)/san/%.o,$(1))
say ?= $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' '$(1)' '$(2)';)
include seccomp/seccomp.mk

HARDEN_SRC := $(filter-out harden/launch_main.c,$(wildcard harden/*.c))
LANDLOCK_SRC := $(wildcard landlock/*.c)
LAUNCH_SRC = harden/launch_main.c $(HARDEN_SRC) $(LANDLOCK_SRC) $(SECCOMP_SRC) $(LAUNCH_LIBC_SRC)
LAUNCH_OBJ = $(LAUNCH_SRC:%.c=$(LAUNCH_DIR)/obj/%.o)

$(LAUNCH_DIR)/obj/%.o: %.c | $(SECCOMP_HEADERS) $(LAUNCH_INCLUDE)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(LAUNCH_CFLAGS) $(CFLAGS) $(LAUNCH_HARDENING) -MMD -MP -c -o $@ $<
$(LAUNCH_DIR)/obj/seccomp/filter.o: $(SECCOMP_HEADERS)

# A dynamic launcher would depend on the image it confines: it must have no interpreter.
$(B)/kora-launch: $(LAUNCH_OBJ)
	$(call say,LD,$@)$(call LAUNCH_LINK,$@.tmp,$(LAUNCH_OBJ))
	$(Q)! readelf -lW $@.tmp | grep -q INTERP || { echo "$@: has an interpreter" >&2; exit 1; }
	$(Q)! readelf -dW $@.tmp | grep -q NEEDED || { echo "$@: needs libraries" >&2; exit 1; }
	$(Q)readelf -hW $@.tmp | grep -q 'Type:.*DYN' || \
		{ echo "$@: not position-independent" >&2; exit 1; }
	$(Q)mv $@.tmp $@

PROGRAMS += $(B)/kora-launch

# Tests on a real kernel: static, so that they run under the launcher and in any virtual machine.
LAUNCH_TEST_CFLAGS = -std=gnu17 -D_GNU_SOURCE -I. -Itests/launch -O1 -g $(WARNINGS) -static -pthread
LAUNCH_PROGRAMS := $(patsubst %,$(B)/tests/launch/%,probe masked run_a_run_b)

$(B)/tests/launch/run_a_run_b: tests/launch/run_a_run_b.c tests/launch/attack.c
$(B)/tests/launch/masked: tests/launch/masked.c landlock/ladder.c
$(B)/tests/launch/probe: tests/launch/probe.c
$(LAUNCH_PROGRAMS): $(wildcard tests/launch/*.h) landlock/landlock_abi.h landlock/ladder.h
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(LAUNCH_TEST_CFLAGS) -o $@ $(filter %.c,$^)

launch-test: $(B)/kora-launch $(LAUNCH_PROGRAMS)
	$(Q)V=$(V) tests/launch/run $(B)/kora-launch $(B)/tests/launch
TEST_TARGETS += launch-test

# The same inside the test machines, for every kernel (integration/30-launcher.sh).
LAUNCH_HELPERS := $(patsubst %,$(B)/integration/helpers/launch-%,probe masked run_a_run_b run lib.sh \
	options.sh reports.sh links.sh)
$(LAUNCH_PROGRAMS:$(B)/tests/launch/%=$(B)/integration/helpers/launch-%): \
		$(B)/integration/helpers/launch-%: $(B)/tests/launch/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(patsubst %,$(B)/integration/helpers/launch-%,run lib.sh options.sh reports.sh links.sh): \
		$(B)/integration/helpers/launch-%: tests/launch/%
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@
vm-helpers: $(LAUNCH_HELPERS)

# Developers' tools under both profiles; what is not installed is skipped with a line.
launch-devwork: $(B)/kora-launch
	$(Q)tests/launch/devwork.sh $(B)/kora-launch
TEST_TARGETS += launch-devwork

LAUNCH_UNIT := $(B)/tests/test_launch_keys $(B)/tests/test_launch_plan
LAUNCH_PURE_SRC := $(addprefix harden/,config.c environ.c fail.c keys.c mountinfo.c options.c parse.c \
	plan.c policy.c status.c) $(LANDLOCK_SRC)
$(LAUNCH_UNIT): $(B)/tests/test_%: $(B)/san/tests/launch/test_%.o $(LAUNCH_PURE_SRC:%.c=$(B)/san/%.o)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(SANITIZE) -o $@ $^ -lcriterion
UNIT_EXTRA += $(LAUNCH_UNIT)

LAUNCH_FUZZERS := fuzz_launch_config fuzz_launch_options
$(LAUNCH_FUZZERS:%=$(B)/fuzz/%): $(B)/fuzz/%: $(B)/fuzz/obj/tests/fuzz/%.o \
		$(LAUNCH_PURE_SRC:%.c=$(B)/fuzz/obj/%.o)
	$(call say,LD,$@)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^
FUZZERS += $(LAUNCH_FUZZERS)

# Start latency and cost per call, beside the peers that are installed.
LAUNCH_BENCH_SRC := tests/launch/bench.c tests/launch/bench_calls.c $(SECCOMP_TEST_SRC)
$(B)/tests/launch/bench: $(LAUNCH_BENCH_SRC) $(wildcard tests/launch/*.h) $(SECCOMP_INPUT) $(SECCOMP_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(LAUNCH_TEST_CFLAGS) $(SECCOMP_CPPFLAGS) -O2 -o $@ $(LAUNCH_BENCH_SRC)
$(B)/tests/launch/static-true: tests/launch/true.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -O2 -static -o $@ $<
LAUNCH_FLOOR_OBJ := $(patsubst %.c,$(LAUNCH_DIR)/obj/%.o,tests/launch/floor.c $(LANDLOCK_SRC) \
	seccomp/filter.c)
$(B)/tests/launch/floor: $(LAUNCH_FLOOR_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(call LAUNCH_LINK,$@,$(LAUNCH_FLOOR_OBJ))
$(B)/tests/launch/musl-true: $(LAUNCH_DIR)/obj/tests/launch/true.o
	$(call say,LD,$@)$(call LAUNCH_LINK,$@,$<)
launcher-bench: $(B)/kora-launch $(addprefix $(B)/tests/launch/,bench static-true musl-true floor)
	@mkdir -p $(B)/bench
	$(Q)B=$(B) tests/launch/bench.sh $(B)/kora-launch $(B)/tests/launch $(B)/bench/launcher

BENCH_AREAS += launcher

.PHONY: launch-test launch-devwork launcher-bench

-include $(shell find $(B)/launch -name '*.d' 2>/dev/null)
