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
LAUNCH_LDFLAGS = -static-pie -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--gc-sections

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

-include $(shell find $(B)/launch/obj -name '*.d' 2>/dev/null)
