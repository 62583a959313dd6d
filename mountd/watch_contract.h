/* SPDX-License-Identifier: Apache-2.0 */
/* The names that pods and we agree on: labels, annotations, volumes, the condition. */
#pragma once

#define LABEL_COMPONENT	       "kora.dev/component"
#define LABEL_RUN	       "kora.dev/run"
#define LABEL_AGENT_NODE       "kora.dev/agent-node"
#define ANNOTATION_RUNTIME_POD "kora.dev/runtime-pod" /* <namespace>/<name> */

#define COMPONENT_SANDBOX "sandbox"
#define COMPONENT_RUNTIME "runtime"

#define VOLUME_SANDBOX	  "sandbox"    /* of a sandbox pod: its working folder */
#define VOLUME_WORKSPACES "workspaces" /* of a runtime pod */
#define PATH_WORKSPACES	  "/workspaces"

#define CONDITION_TYPE "kora.dev/SandboxMountReady"
/* The agent's node has let go of the sandbox: its own node may unexport. */
#define CONDITION_UNMOUNTED "Unmounted"

#define SNAPSHOT_SOURCE "kubernetes"
