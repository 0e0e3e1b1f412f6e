{{- /* Labels of its own: the server's select what answers. Given the context, or a list of it and "node". */ -}}
{{- define "prorata.agentLabels" -}}
{{- if kindIs "slice" . -}}
{ app.kubernetes.io/name: prorata-agent-node, app.kubernetes.io/instance: {{ include "prorata.plain" (first .).Release.Name }} }
{{- else -}}
{ app.kubernetes.io/name: prorata-agent, app.kubernetes.io/instance: {{ include "prorata.plain" .Release.Name }} }
{{- end -}}
{{- end -}}

{{- define "prorata.agentUrl" -}}
{{- if .Values.agent.remoteWriteUrl -}}
{{- .Values.agent.remoteWriteUrl -}}
{{- else -}}
{{- printf "%s://%s.%s.svc:%s/api/v1/write" (include "prorata.scheme" . | lower) (include "prorata.name" .) .Release.Namespace (include "prorata.text" .Values.service.port) -}}
{{- end -}}
{{- end -}}

{{- /* That of the pods behind the server's service, or that of the URL. */ -}}
{{- define "prorata.agentPort" -}}
{{- if .Values.agent.remoteWriteUrl -}}
{{- default (ternary "443" "80" (hasPrefix "https:" .Values.agent.remoteWriteUrl)) (regexFind ":[0-9]+(/|$)" .Values.agent.remoteWriteUrl | trimAll ":/") -}}
{{- else -}}
9003
{{- end -}}
{{- end -}}

{{- /* Given the context, or a list of it and "node". */ -}}
{{- define "prorata.agentPolicy" }}
{{- $labels := include "prorata.agentLabels" . }}
{{- $end := ternary "-node" "" (kindIs "slice" .) }}
{{- $context := . }}
{{- if kindIs "slice" . }}{{ $context = first . }}{{ end }}
{{- with $context }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "prorata.name" . }}-agent{{ $end }}
  namespace: {{ include "prorata.plain" .Release.Namespace }}
  labels: {{ $labels }}
spec:
  podSelector:
    matchLabels: {{ $labels }}
  policyTypes: [Ingress, Egress]
  ingress:
    # Its own metrics.
    - from:
        - namespaceSelector:
            matchLabels: { {{- range $i, $name := keys .Values.network.clients | sortAlpha }}{{ if $i }},{{ end }} {{ $name }}: {{ get $context.Values.network.clients $name | squote }}{{ end }} }
      ports:
        - { protocol: TCP, port: http }
  egress:
    - to:
        - namespaceSelector: {}
      ports:
        - { protocol: UDP, port: 53 }
        - { protocol: TCP, port: 53 }
    # The API server, kubelets, exporters of GPUs, and where it sends.
    - ports:
        - { protocol: TCP, port: 443 }
        - { protocol: TCP, port: 6443 }
        {{- range uniq (list "10250" (include "prorata.agentPort" .) (include "prorata.text" (default 10250 .Values.agent.settings.DCGM_PORT))) }}
        {{- if not (has . (list "443" "6443")) }}
        - { protocol: TCP, port: {{ . }} }
        {{- end }}
        {{- end }}
{{- end }}
{{- end }}

{{- /* Given the context, and what the pod reads: all, objects or kubelets. */ -}}
{{- define "prorata.agentPod" }}
{{- $reads := last . }}
{{- $isNode := eq $reads "kubelets" }}
{{- $labels := ternary . (first .) $isNode }}
{{- with first . }}
metadata:
  labels: {{ include "prorata.agentLabels" $labels }}
spec:
  serviceAccountName: {{ include "prorata.name" . }}-agent
  automountServiceAccountToken: true
  enableServiceLinks: false
  terminationGracePeriodSeconds: 30
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - { name: {{ include "prorata.plain" . }} }
    {{- end }}
  {{- end }}
  {{- if not $isNode }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{ toJson . }}
  {{- end }}
  {{- end }}
  {{- with ternary (default (list (dict "operator" "Exists")) .Values.agent.tolerations) .Values.agent.tolerations $isNode }}
  tolerations: {{ toJson . }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ include "prorata.plain" . }}
  {{- end }}
  containers:
    - name: agent
      image: {{ include "prorata.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [agent]
      {{- with .Values.agent.existingSecret }}
      envFrom:
        - secretRef: { name: {{ include "prorata.plain" . }} }
      {{- end }}
      env:
        - { name: HOST, value: 0.0.0.0 }
        - { name: PORT, value: '9003' }
        - { name: REMOTE_WRITE_URL, value: {{ include "prorata.agentUrl" . | squote }} }
        - { name: AGENT_READS, value: {{ $reads }} }
        {{- if $isNode }}
        - { name: NODE_NAME, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }
        {{- end }}
        - { name: AGENT_BUFFER, value: /buffer }
        - { name: AGENT_BUFFER_LIMIT, value: {{ .Values.agent.buffer }} }
        # Threads that only unpack and encrypt need no memory of their own.
        - { name: MALLOC_ARENA_MAX, value: '2' }
        # Nothing but the buffer can be written.
        - { name: TMPDIR, value: /buffer }
        {{- range $name, $value := .Values.agent.settings }}
        - { name: {{ $name }}, value: {{ include "prorata.text" $value | squote }} }
        {{- end }}
      ports:
        - { name: http, containerPort: 9003 }
      # It waits up to 30 s for the buffer of a pod that was killed.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 30
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
      resources:
        requests: { cpu: {{ .Values.agent.cpu | toString | squote }}, memory: {{ .Values.agent.memory }} }
        limits: { memory: {{ .Values.agent.memory }} }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: buffer, mountPath: /buffer }
        {{- range $index, $file := .Values.agent.files }}
        - { name: files-{{ $index }}, mountPath: {{ quote $file.path }}, readOnly: true }
        {{- end }}
  volumes:
    # It lasts as long as the pod, through restarts of its container.
    - name: buffer
      emptyDir: {}
    {{- range $index, $file := .Values.agent.files }}
    - name: files-{{ $index }}
      {{- if $file.secret }}
      secret: { secretName: {{ include "prorata.plain" $file.secret }}, defaultMode: 288 }
      {{- else }}
      configMap: { name: {{ include "prorata.plain" $file.configMap }} }
      {{- end }}
    {{- end }}
{{- end }}
{{- end }}
