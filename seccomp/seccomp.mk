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

$(call obj,seccomp/filter.c) $(call san,seccomp/filter.c): $(SECCOMP_HEADERS)
$(call obj,seccomp/filter.c) $(call san,seccomp/filter.c): ALL_CFLAGS += $(SECCOMP_CPPFLAGS)

# The generator runs on the machine that builds, whatever it builds for.
$(SECCOMP_DIR)/gen: $(SECCOMP_GEN_SRC) $(wildcard seccomp/*.h seccomp/*.inc seccomp/profiles/*.h)
	@mkdir -p $(@D)
	$(call say,HOSTCC,$@)$(HOSTCC) -std=gnu17 -D_GNU_SOURCE -I. $(WARNINGS) -O1 -o $@ \
		$(SECCOMP_GEN_SRC) -lseccomp

$(SECCOMP_HEADERS) &: $(SECCOMP_DIR)/gen
	$(call say,GEN,$(SECCOMP_HEADERS))$(SECCOMP_DIR)/gen $(SECCOMP_DIR)
