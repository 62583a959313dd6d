# SPDX-License-Identifier: Apache-2.0
# The test machines' own programs: the agent (static, PID 1 in the guest) and the host's end of it.
B ?= build
INTEGRATION_CC = $(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g $(WARNINGS)

$(B)/integration/bin/agent: integration/agent/agent.c integration/agent/ports.c integration/agent/ports.h integration/agent/proto.h
	@mkdir -p $(@D)
	$(Q)$(INTEGRATION_CC) -static -o $@ $(filter %.c,$^)

$(B)/integration/bin/node-exec: integration/agent/exec.c integration/agent/proto.h
	@mkdir -p $(@D)
	$(Q)$(INTEGRATION_CC) -o $@ $<

integration-programs: $(B)/integration/bin/agent $(B)/integration/bin/node-exec

.PHONY: integration-programs
