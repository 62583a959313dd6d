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

# The case with pods, in both shapes on all kernels.
kubernetes-scenarios: known-scenarios all
	$(Q)KORA_BUILD=$(abspath $(B)) KORA_PODS=all $(RUN_CASES) 34-kubernetes

# Image, chart and examples on a real Kubernetes, which is built the first time: integration/README.md.
e2e-kubernetes: ON_KERNEL = $(GIVEN_KERNEL)
e2e-kubernetes: known-kernel all image
	$(Q)daemonset/tools.sh $(HELM_TOOLS)
	$(Q)KORA_BUILD=$(abspath $(B)) integration/e2e/programs.sh
	$(Q)KORA_BUILD=$(abspath $(B)) integration/e2e/disk.sh $(abspath $(B))/kubernetes/disk.img
	$(Q)KORA_BUILD=$(abspath $(B)) integration/e2e/run $(ON_KERNEL)

.PHONY: kubernetes-scenarios e2e-kubernetes
