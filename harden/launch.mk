# SPDX-License-Identifier: Apache-2.0
# kora-launch: a static position-independent program. Works from the top Makefile and alone:
#   make -f harden/launch.mk build/kora-launch

B ?= build
CC ?= gcc
CLANG ?= clang
V ?= 0
Q ?= $(if $(filter 1,$(V)),,@)
CFLAGS ?= -O2 -g

LAUNCH_CFLAGS = -std=gnu17 -D_GNU_SOURCE -I. $(SECCOMP_CPPFLAGS) -fPIE -Wall -Wextra -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wformat=2 -Wvla -Wundef $(if $(CI),-Werror) \
	$(if $(VERSION),-DKORA_VERSION='"$(VERSION)"')
LAUNCH_HARDENING = -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection \
	-ftrivial-auto-var-init=zero -fcf-protection=full
LAUNCH_SAN = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LAUNCH_LDFLAGS = -static-pie -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--gc-sections,--no-warnings

# What the top Makefile defines, for when this file is used alone.
obj ?= $(patsubst %.c,$(B)/obj/%.o,$(1))
san ?= $(patsubst %.c,$(B)/san/%.o,$(1))
say ?= $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' '$(1)' '$(2)';)
include seccomp/seccomp.mk

HARDEN_SRC := $(filter-out harden/launch_main.c,$(wildcard harden/*.c))
LANDLOCK_SRC := $(wildcard landlock/*.c)
LAUNCH_LIB_SRC = $(HARDEN_SRC) $(LANDLOCK_SRC) $(SECCOMP_SRC)
launch_obj = $(patsubst %.c,$(B)/launch/obj/%.o,$(1))

$(B)/launch/obj/%.o: %.c | $(SECCOMP_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(LAUNCH_CFLAGS) $(CFLAGS) $(LAUNCH_HARDENING) -ffunction-sections -MMD -MP -c -o $@ $<

$(B)/liblaunch.a: $(call launch_obj,$(LAUNCH_LIB_SRC))
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# A dynamic launcher would depend on the image it confines: it must have no interpreter.
$(B)/kora-launch: $(call launch_obj,harden/launch_main.c) $(B)/liblaunch.a
	$(call say,LD,$@)$(CC) $(LAUNCH_LDFLAGS) $(LDFLAGS) -o $@.tmp $^ -lcap-ng -ljansson
	$(Q)! readelf -lW $@.tmp | grep -q INTERP || { echo "$@: has an interpreter" >&2; exit 1; }
	$(Q)! readelf -dW $@.tmp | grep -q NEEDED || { echo "$@: needs libraries" >&2; exit 1; }
	$(Q)readelf -hW $@.tmp | grep -q 'Type:.*DYN' || { echo "$@: not position-independent" >&2; exit 1; }
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
$(B)/tests/launch/bench: tests/launch/bench.c tests/launch/check.h
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(LAUNCH_TEST_CFLAGS) -O2 -o $@ $<
$(B)/tests/launch/static-true: tests/launch/true.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -O2 -static -o $@ $<
launch-bench: $(B)/kora-launch $(B)/tests/launch/bench $(B)/tests/launch/static-true
	@mkdir -p $(B)/bench
	$(Q)tests/launch/bench.sh $(B)/kora-launch $(B)/tests/launch $(B)/bench/launcher.json

.PHONY: launch-test launch-devwork launch-bench

-include $(shell find $(B)/launch/obj -name '*.d' 2>/dev/null)
