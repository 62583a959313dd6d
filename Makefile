# SPDX-License-Identifier: Apache-2.0
# make demo and make test do everything, set-up included; make help lists the rest.

# make demo SHELL=1: the two nodes stay open. Elsewhere, too, recipes are for bash.
DEMO_FLAGS := $(if $(filter 1,$(SHELL)),--shell)
override SHELL := /bin/bash

B ?= build
PREFIX ?= /usr/local
CC ?= gcc
CLANG ?= clang
PKG_CONFIG ?= pkg-config
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' '$(1)' '$(2)';)

VERSION := 0.1.0
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wformat=2 -Wvla -Wundef $(if $(CI),-Werror)
HARDENING := -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection \
	-ftrivial-auto-var-init=zero -fcf-protection=full
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE -I. -fPIE -DKORA_VERSION='"$(VERSION)"' $(WARNINGS) $(CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS)
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

pkg = $(shell $(PKG_CONFIG) --$(1) $(2) 2>/dev/null)
NFS_PKGS := mount libnl-3.0 libnl-genl-3.0 libnl-route-3.0 libtirpc libcrypto
DAEMON_PKGS := $(NFS_PKGS) libuv jansson
CTL_PKGS := $(NFS_PKGS) jansson
PKG_CFLAGS = $(call pkg,cflags,$(DAEMON_PKGS))

BASE_SRC := $(wildcard mountd/base/*.c)
NFS_SRC := $(wildcard nfs/*.c)
CTL_MAIN := mountd/ctl_main.c
DAEMON_MAIN := mountd/main.c
CTL_SRC := $(wildcard mountd/ctl_*.c)
WATCH_SRC := $(wildcard mountd/watch.c mountd/watch_*.c)
# Everything in mountd/ that is neither a program's main nor of the CLI or the watch is shared.
SHARED_SRC := $(filter-out $(DAEMON_MAIN) $(CTL_SRC) $(WATCH_SRC),$(wildcard mountd/*.c))

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
san = $(patsubst %.c,$(B)/san/%.o,$(1))

PROGRAMS := $(B)/kora-sandbox-mount $(B)/kora-mountctl

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) $(HARDENING) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/san/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC-SAN,$<)$(CC) $(ALL_CFLAGS) $(SANITIZE) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/libnfs.a: $(call obj,$(BASE_SRC) $(NFS_SRC))
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(B)/libmountd.a: $(call obj,$(SHARED_SRC))
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(B)/kora-sandbox-mount: $(call obj,$(DAEMON_MAIN)) $(B)/libmountd.a $(B)/libnfs.a
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg,libs,$(DAEMON_PKGS))

$(B)/kora-mountctl: $(call obj,$(CTL_SRC)) $(B)/libmountd.a $(B)/libnfs.a
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg,libs,$(CTL_PKGS))

-include mountd/watch.mk
-include harden/launch.mk
-include daemonset/chart.mk
-include integration/integration.mk
-include tests/tests.mk
-include daemonset/image.mk

# After the includes, which may add programs.
all: $(PROGRAMS)

# deps first, since the build asks pkg-config for what it installs; the kernel, since it may be none.
demo: known-kernel deps
	$(Q)integration/kernels.sh $(KERNEL)
	$(Q)$(MAKE) -s -j2 all
	$(Q)integration/demo $(DEMO_FLAGS) $(KERNEL)
KERNEL ?= 6.12

clean:
	$(Q)rm -rf $(addprefix $(B)/,kora-sandbox-mount.service obj launch seccomp bench integration image san fuzz tests test tidy check cppcheck stage werror chart \
		oci/root oci/launch oci/*.tar kubernetes/disk.img kubernetes/pki kubernetes/manifests *.a .*.lock) $(PROGRAMS)

# What was fetched, and the Kubernetes that was built from it once.
distclean: clean
	$(Q)rm -rf $(addprefix $(B)/,apt kernels qemu nfs-utils apparmor ganesha helm kubernetes oci)
	$(Q)rmdir $(B) 2>/dev/null || true

-include $(shell find $(B)/obj $(B)/san -name '*.d' 2>/dev/null)

.PHONY: all demo clean distclean
