# SPDX-License-Identifier: Apache-2.0
# The test machines' own programs: the agent (static, PID 1 in the guest) and the host's end of it.
BUILD ?= build
INTEGRATION_CC = $(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wformat=2 -Wvla -Wundef $(WERROR)

.PHONY: integration-programs
integration-programs: $(BUILD)/integration/bin/agent $(BUILD)/integration/bin/node-exec

$(BUILD)/integration/bin/agent: integration/agent/agent.c integration/agent/proto.h
	@mkdir -p $(@D)
	$(INTEGRATION_CC) -static -o $@ $<

$(BUILD)/integration/bin/node-exec: integration/agent/exec.c integration/agent/proto.h
	@mkdir -p $(@D)
	$(INTEGRATION_CC) -o $@ $<
