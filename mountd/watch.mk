# SPDX-License-Identifier: Apache-2.0
# kora-sandbox-watch, its unit tests, its fuzz target, and its tests against a scripted API server.

WATCH_MAIN := mountd/watch_main.c
WATCH_PKGS := libcurl libmicrohttpd libuv jansson libcrypto
# What of the shared code it uses; nothing of it touches a kernel interface.
WATCH_SHARED := $(BASE_SRC) mountd/loop.c mountd/file.c \
	mountd/spec.c mountd/spec_value.c nfs/addr.c nfs/run.c
WATCH_ALL := $(WATCH_SRC) $(WATCH_SHARED)

$(B)/kora-sandbox-watch: $(call obj,$(WATCH_ALL))
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg,libs,$(WATCH_PKGS))

PROGRAMS += $(B)/kora-sandbox-watch

WATCH_UNIT := $(patsubst tests/watch/%.c,$(B)/tests/%,$(wildcard tests/watch/test_*.c))
WATCH_TESTED := $(filter-out $(WATCH_MAIN),$(WATCH_ALL))

# The daemon's half is there for the test of the socket between both.
$(WATCH_UNIT): $(B)/tests/%: $(B)/san/tests/watch/%.o $(WATCH_TESTED:%.c=$(B)/san/%.o) $(B)/san/libkora.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(SANITIZE) -o $@ $^ $(call pkg,libs,$(WATCH_PKGS) $(NFS_PKGS) criterion)
UNIT_EXTRA += $(WATCH_UNIT)

# Object rules of the fuzz targets are in tests/tests.mk.
$(B)/fuzz/fuzz_watch: $(B)/fuzz/obj/tests/fuzz/fuzz_watch.o $(WATCH_TESTED:%.c=$(B)/fuzz/obj/%.o)
	$(call say,LD,$@)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ \
		$(call pkg,libs,$(WATCH_PKGS))

$(B)/san/kora-sandbox-watch: $(call san,$(WATCH_ALL))
	$(call say,LD,$@)$(CC) $(SANITIZE) -o $@ $^ $(call pkg,libs,$(WATCH_PKGS))

# The real program against an API server and a daemon that are scripted.
kube-test: $(B)/kora-sandbox-watch $(B)/san/kora-sandbox-watch
	$(Q)tests/watch/run $(B)/kora-sandbox-watch $(B)/san/kora-sandbox-watch
TEST_TARGETS += kube-test

.PHONY: kube-test
