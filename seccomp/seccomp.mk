# SPDX-License-Identifier: Apache-2.0
# The system call filters. Programs link $(SECCOMP_SRC) and jansson; their objects need
# $(SECCOMP_HEADERS) first and $(SECCOMP_CPPFLAGS).

HOSTCC ?= gcc
SECCOMP_DIR := $(B)/seccomp
SECCOMP_CPPFLAGS := -I$(SECCOMP_DIR)
SECCOMP_POLICY_SRC := seccomp/policy.c seccomp/bpf.c seccomp/syscalls.c seccomp/profiles/profiles.c \
	seccomp/profiles/groups.c seccomp/profiles/rules.c
SECCOMP_SRC := $(SECCOMP_POLICY_SRC) seccomp/filter.c seccomp/oci.c seccomp/oci_conditions.c \
	seccomp/oci_fields.c seccomp/oci_syscalls.c seccomp/show.c seccomp/view.c
SECCOMP_GEN_SRC := seccomp/gen.c seccomp/gen_confirm.c $(SECCOMP_POLICY_SRC)
SECCOMP_HEADERS := $(SECCOMP_DIR)/filters_x86_64.h $(SECCOMP_DIR)/filters_aarch64.h
SECCOMP_INPUT := $(wildcard seccomp/*.h seccomp/*.inc seccomp/profiles/*.h)

SECCOMP_FILTER_OBJ := $(foreach d,obj san fuzz/obj,$(B)/$(d)/seccomp/filter.o)
$(SECCOMP_FILTER_OBJ): $(SECCOMP_HEADERS)
$(SECCOMP_FILTER_OBJ) $(B)/tidy/seccomp/filter.ok: PKG_CFLAGS += $(SECCOMP_CPPFLAGS)

# The generator runs on the machine that builds, whatever it builds for.
$(SECCOMP_DIR)/gen: $(SECCOMP_GEN_SRC) $(SECCOMP_INPUT)
	@mkdir -p $(@D)
	$(call say,HOSTCC,$@)$(HOSTCC) -std=gnu17 -D_GNU_SOURCE -I. $(WARNINGS) -O1 -o $@ \
		$(SECCOMP_GEN_SRC) -lseccomp

$(SECCOMP_HEADERS) &: $(SECCOMP_DIR)/gen
	$(call say,GEN,$(SECCOMP_HEADERS))$(SECCOMP_DIR)/gen $(SECCOMP_DIR)

# Tests. The static programs also run in the virtual machines; the other architecture's are built
# where its compiler is.
CC_AARCH64 ?= aarch64-linux-gnu-gcc
SECCOMP_TEST_NAMES := golden numbers live behaviour
SECCOMP_TESTS := $(SECCOMP_TEST_NAMES:%=$(B)/tests/seccomp_%)
SECCOMP_TESTS_AARCH64 := $(if $(shell command -v $(CC_AARCH64)),$(SECCOMP_TESTS:%=%.aarch64))
SECCOMP_TEST_SRC := $(SECCOMP_POLICY_SRC) seccomp/filter.c
SECCOMP_TEST_CFLAGS := -std=gnu17 -D_GNU_SOURCE -I. $(SECCOMP_CPPFLAGS) $(WARNINGS) -O1 -g -static

$(B)/tests/seccomp_numbers.c: seccomp/syscalls.inc tests/seccomp/numbers.awk
	@mkdir -p $(@D)
	$(Q)awk -v column=2 -f tests/seccomp/numbers.awk $< >$@
$(B)/tests/seccomp_numbers.aarch64.c: seccomp/syscalls.inc tests/seccomp/numbers.awk
	@mkdir -p $(@D)
	$(Q)awk -v column=3 -f tests/seccomp/numbers.awk $< >$@
$(B)/tests/seccomp_numbers: $(B)/tests/seccomp_numbers.c
	$(call say,CC,$@)$(CC) -static -o $@ $<
$(B)/tests/seccomp_numbers.aarch64: $(B)/tests/seccomp_numbers.aarch64.c
	$(call say,CC,$@)$(CC_AARCH64) -static -o $@ $<

$(filter-out %_numbers,$(SECCOMP_TESTS)): $(B)/tests/seccomp_%: tests/seccomp/test_%.c \
		$(SECCOMP_TEST_SRC) $(SECCOMP_INPUT) $(wildcard tests/seccomp/*.h) $(SECCOMP_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(SECCOMP_TEST_CFLAGS) -o $@ $< $(SECCOMP_TEST_SRC)
$(filter-out %_numbers.aarch64,$(SECCOMP_TESTS_AARCH64)): $(B)/tests/seccomp_%.aarch64: \
		tests/seccomp/test_%.c $(SECCOMP_TEST_SRC) $(SECCOMP_INPUT) \
		$(wildcard tests/seccomp/*.h) $(SECCOMP_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC_AARCH64) $(SECCOMP_TEST_CFLAGS) -o $@ $< $(SECCOMP_TEST_SRC)

seccomp-test: $(SECCOMP_TESTS) $(SECCOMP_TESTS_AARCH64)
	$(Q)tests/seccomp/run $(SECCOMP_DIR) $^
TEST_TARGETS += seccomp-test

# After a change of the tables: writes the reviewed ones anew, to be read as a diff.
seccomp-golden: $(B)/tests/seccomp_golden
	$(Q)tests/seccomp/run -u $(SECCOMP_DIR) $<

SECCOMP_UNIT := $(B)/tests/test_seccomp_oci $(B)/tests/test_seccomp_show
$(SECCOMP_UNIT): $(B)/tests/test_seccomp_%: $(B)/san/tests/seccomp/test_%.o \
		$(SECCOMP_SRC:%.c=$(B)/san/%.o)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(SANITIZE) -o $@ $^ -ljansson -lcriterion
UNIT_EXTRA += $(SECCOMP_UNIT)

$(B)/fuzz/fuzz_oci: $(B)/fuzz/obj/tests/fuzz/fuzz_oci.o $(SECCOMP_SRC:%.c=$(B)/fuzz/obj/%.o)
	$(call say,LD,$@)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ -ljansson
FUZZERS += fuzz_oci

.PHONY: seccomp-test seccomp-golden
