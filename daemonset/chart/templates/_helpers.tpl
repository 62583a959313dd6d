{{/* SPDX-License-Identifier: Apache-2.0 */}}

{{/* Not .Chart.Name: as a dependency with an alias, that is the alias, which may be no name for Kubernetes. */}}
{{- define "mount.name" -}}
{{- default "kora-sandbox-mount" .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "mount.fullname" -}}
{{- $name := include "mount.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* A cluster role is no namespace's: two releases of one name must not share it. */}}
{{- define "mount.clusterName" -}}
{{- printf "%s:%s" .Release.Namespace (include "mount.fullname" .) -}}
{{- end -}}

{{- define "mount.selector" -}}
app.kubernetes.io/name: {{ include "mount.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "mount.labels" -}}
{{- $own := merge (include "mount.selector" . | fromYaml) (dict
  "app.kubernetes.io/component" "node-agent"
  "app.kubernetes.io/part-of" "kora"
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/managed-by" .Release.Service
  "helm.sh/chart" (printf "%s-%s" (include "mount.name" .) .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")) -}}
{{- toYaml (merge $own .Values.commonLabels) -}}
{{- end -}}

{{- define "mount.image" -}}
{{- with .Values.image -}}
{{- with .registry }}{{ . }}/{{ end }}{{ .repository }}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "mount.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "mount.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/*
The platform's own switches. As a dependency with the alias sandboxMount, its sandboxMount.enabled, .port and
.drain arrive at the top and win.
*/}}
{{- define "mount.enabled" -}}
{{- if ternary .Values.enabled .Values.sandboxMount.enabled (hasKey .Values "enabled") -}}true{{- end -}}
{{- end -}}

{{- define "mount.port" -}}
{{- ternary .Values.port .Values.sandboxMount.port (hasKey .Values "port") | int -}}
{{- end -}}

{{- define "mount.drain" -}}
{{- if ternary .Values.drain .Values.sandboxMount.drain (hasKey .Values "drain") -}}true{{- end -}}
{{- end -}}

{{- define "mount.watches" -}}
{{- if and .Values.watch.enabled (not (include "mount.drain" .)) -}}true{{- end -}}
{{- end -}}

{{/* One term a role: a node is chosen if it fits one of them. A role without conditions fits every node. */}}
{{- define "mount.affinity" -}}
{{- $terms := list -}}
{{- $all := false -}}
{{- range $role := list .Values.roles.sandbox .Values.roles.agent -}}
{{- $expressions := $role.matchExpressions -}}
{{- range $key, $value := $role.nodeSelector -}}
{{- $expressions = append $expressions (dict "key" $key "operator" "In" "values" (list $value)) -}}
{{- end -}}
{{- if and $role.enabled $expressions -}}
{{- $terms = append $terms (dict "matchExpressions" $expressions) -}}
{{- else if $role.enabled -}}
{{- $all = true -}}
{{- end -}}
{{- end -}}
{{- if not (or $terms $all) -}}
{{- fail "roles: neither sandbox nor agent is enabled: to install nothing, set sandboxMount.enabled=false" -}}
{{- end -}}
{{- $affinity := deepCopy .Values.affinity -}}
{{- if and $terms (not $all) -}}
{{- if hasKey $affinity "nodeAffinity" -}}
{{- fail "affinity.nodeAffinity and roles both choose nodes: give one of them" -}}
{{- end -}}
{{- $_ := set $affinity "nodeAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $terms)) -}}
{{- end -}}
{{- if $affinity -}}{{- toYaml $affinity -}}{{- end -}}
{{- end -}}

{{/* status.hostIPs is there by default from Kubernetes 1.29. */}}
{{- define "mount.listenField" -}}
{{- if and (eq .Values.server.listen "hostIPs") (semverCompare ">=1.29.0-0" .Capabilities.KubeVersion.Version) -}}
status.hostIPs
{{- else -}}
status.hostIP
{{- end -}}
{{- end -}}

{{- define "mount.probe" -}}
{{- $probe := get .probes .kind -}}
periodSeconds: {{ $probe.periodSeconds }}
timeoutSeconds: {{ .probes.timeoutSeconds }}
failureThreshold: {{ $probe.failureThreshold }}
{{- end -}}

{{/* Without a host, kubelet asks the pod's address, which is the node's. */}}
{{- define "mount.watchGet" -}}
{{- if ne .watch.address "hostIP" -}}
host: {{ .watch.address | quote }}
{{ end -}}
path: {{ .path }}
port: {{ .watch.port | int }}
{{- end -}}

{{/* What the watch may do is what it does: read its token, talk to the API and the daemon, answer on its port. */}}
{{- define "mount.watchArgs" -}}
- --profile=none
- --landlock-min={{ .Values.watch.landlockMin | int }}
- --exec=/usr/bin/kora-sandbox-watch
- --exec=/usr/lib
- --exec=-/usr/lib64
- --read=/etc
- --read=/var/run/secrets/kubernetes.io/serviceaccount
- --unix=/run/kora-sandbox-mount
- --tcp-connect={{ with .Values.watch.apiPorts }}{{ join "," . }}{{ else }}$(KUBERNETES_SERVICE_PORT){{ end }}
- --tcp-bind={{ .Values.watch.port | int }}
- --env=KUBERNETES_*
- --chdir=/etc
- --
- /usr/bin/kora-sandbox-watch
- --node={{ "$(NODE_NAME)" }}
- --socket=/run/kora-sandbox-mount/control.sock
- --http={{ if eq .Values.watch.address "hostIP" }}$(HOST_IP){{ else }}{{ .Values.watch.address }}{{ end }}:{{ .Values.watch.port | int }}
- --port={{ include "mount.port" . }}
- --kubelet-dir={{ .Values.node.kubeletDir }}
{{- range .Values.node.workspaceRoots }}
- --workspace-root={{ . }}
{{- end }}
- --unexport-grace={{ .Values.watch.unexportGraceSeconds | int }}
{{- if .Values.watch.crossNamespace }}
- --cross-namespace
{{- end }}
- --log-format={{ .Values.log.format }}
- --log-level={{ .Values.log.level }}
{{- with .Values.watch.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What takes more than one value to see. */}}
{{- define "mount.check" -}}
{{- if and (include "mount.watches" .) (eq (include "mount.port" . | int) (.Values.watch.port | int)) -}}
{{- fail (printf "watch.port and sandboxMount.port are both %d" (.Values.watch.port | int)) -}}
{{- end -}}
{{- $taken := list (printf "%s/pods" .Values.node.kubeletDir) .Values.node.stateDir .Values.node.runtimeDir -}}
{{- range $root := .Values.node.workspaceRoots -}}
{{- range $other := $taken -}}
{{- if or (hasPrefix (printf "%s/" $root) (printf "%s/" $other)) (hasPrefix (printf "%s/" $other) (printf "%s/" $root)) -}}
{{- fail (printf "node.workspaceRoots: of %s and %s one lies in the other" $root $other) -}}
{{- end -}}
{{- end -}}
{{- $taken = append $taken $root -}}
{{- end -}}
{{- end -}}
