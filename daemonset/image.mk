# SPDX-License-Identifier: Apache-2.0
# OCI image archives from Debian's packages and our programs, without a container engine.

OCI := $(B)/oci
OCI_IMAGE := $(OCI)/kora-sandbox-mount-$(VERSION).tar
OCI_LAUNCH_IMAGE := $(OCI)/kora-launch-$(VERSION).tar

$(OCI)/root/packages: $(PROGRAMS) daemonset/image-root.sh $(shell find daemonset/skeleton -type f 2>/dev/null)
	@mkdir -p $(OCI)
	$(call say,ROOT,$(@D))daemonset/image-root.sh $(@D) $(OCI)/debs $(PROGRAMS)

$(OCI_IMAGE): $(OCI)/root/packages daemonset/oci.sh
	$(call say,OCI,$@)daemonset/oci.sh $@ kora/kora-sandbox-mount:$(VERSION) 65534:65534 \
		/usr/sbin/kora-sandbox-mount $(OCI)/root/debian $(OCI)/root/programs

$(OCI_LAUNCH_IMAGE): $(B)/kora-launch daemonset/oci.sh
	@mkdir -p $(OCI)/launch && install -s -m 755 $< $(OCI)/launch/kora-launch
	$(call say,OCI,$@)daemonset/oci.sh $@ kora/kora-launch:$(VERSION) 65532:65532 /kora-launch $(OCI)/launch

image: $(OCI_IMAGE) $(OCI_LAUNCH_IMAGE)

image-check: image
	$(Q)daemonset/image-check.sh $(OCI_IMAGE) $(OCI_LAUNCH_IMAGE) $(VERSION) $(HELM_TOOLS) $(PROGRAMS)

# For the Containerfile.
image-programs:
	@echo $(PROGRAMS)

.PHONY: image image-check image-programs
