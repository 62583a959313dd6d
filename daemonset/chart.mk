# SPDX-License-Identifier: Apache-2.0
# The Helm chart and its tests. Tools are fetched once into $(B)/helm.

HELM_TOOLS := $(B)/helm

chart:
	$(Q)daemonset/tests/run $(HELM_TOOLS) $(B)/chart $(VERSION)
TEST_TARGETS += chart

# The table of values in the chart's README.
chart-readme:
	$(Q)daemonset/tools.sh $(HELM_TOOLS)
	$(Q)node daemonset/values-table.mjs $(HELM_TOOLS)/npm

.PHONY: chart chart-readme
