{{- /* Given the context and the role of the server: '' is the one that does all, on a claim. */ -}}
{{- define "prorata.pod" }}
{{- $role := last . }}
{{- with first . }}
{{- $tls := ternary ", scheme: HTTPS" "" (ne .Values.tls.existingSecret "") }}
metadata:
  labels: {{ include "prorata.podLabels" (list . $role) }}
  {{- with include "prorata.podAnnotations" . }}
  annotations: {{ . }}
  {{- end }}
spec:
  serviceAccountName: {{ include "prorata.name" . }}
  {{- if include "prorata.hasRights" . }}
  automountServiceAccountToken: true
  {{- end }}
  enableServiceLinks: false
  # More than DRAIN_DELAY and DRAIN_TIMEOUT together.
  terminationGracePeriodSeconds: 40
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - { name: {{ include "prorata.plain" . }} }
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{ toJson . }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{ toJson . }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{ toJson . }}
  {{- end }}
  {{- if $role }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{ include "prorata.selector" (list . $role) }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ include "prorata.plain" . }}
  {{- end }}
  containers:
    - name: prorata
      image: {{ include "prorata.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      {{- with .Values.configFile }}
      args: [serve, {{ printf "--config=%s" . | quote }}]
      {{- end }}
      # PROMETHEUS_SERVER_ENDPOINT, CLUSTER_ID, TIMEZONE and any other setting.
      envFrom:
        - configMapRef: { name: {{ include "prorata.plain" (default (include "prorata.name" .) .Values.existingConfigMap) }} }
        {{- with .Values.existingSecret }}
        - secretRef: { name: {{ include "prorata.plain" . }} }
        {{- end }}
      env:
        - { name: HOST, value: 0.0.0.0 }
        - { name: PORT, value: '9003' }
        {{- if $role }}
        - { name: ROLE, value: {{ $role }} }
        {{- else }}
        - { name: DATA_DIR, value: /data }
        {{- end }}
        {{- if .Values.store.url }}
        - { name: STORE, value: {{ quote .Values.store.url }} }
        - { name: STORE_CACHE, value: {{ .Values.store.cache }} }
        {{- if .Values.store.passwordSecret }}
        - { name: STORE_PASSWORD_FILE, value: {{ printf "/etc/prorata-store/%s" .Values.store.passwordKey | quote }} }
        {{- end }}
        {{- end }}
        # Nothing but the volume can be written.
        - { name: TMPDIR, value: /data }
        # The strict parser, as whoever is in the cluster may connect.
        - { name: FRONT_END, value: node }
        - { name: AUTH, value: {{ .Values.auth }} }
        {{- if eq .Values.auth "tokens" }}
        - { name: TOKENS_FILE, value: /etc/prorata/tokens.yaml }
        {{- end }}
        {{- if .Values.tls.existingSecret }}
        - { name: TLS_CERT, value: /etc/prorata-tls/tls.crt }
        - { name: TLS_KEY, value: /etc/prorata-tls/tls.key }
        {{- end }}
        {{- with include "prorata.hosts" . }}
        - { name: ALLOWED_HOSTS, value: {{ quote . }} }
        {{- end }}
        # 60 % of the memory below.
        - { name: MEMORY_LIMIT, value: {{ include "prorata.memoryLimit" . }} }
        # Longer than endpoints take to change.
        - { name: DRAIN_DELAY, value: 5s }
        - { name: DRAIN_TIMEOUT, value: 25s }
        {{- if .Values.receive.enabled }}
        - { name: RECEIVE, value: 'true' }
        - { name: RAW_RETENTION, value: {{ .Values.receive.retention }} }
        {{- if .Values.receive.tokenSecret }}
        - { name: RECEIVE_TOKEN_FILE, value: {{ printf "/etc/prorata-receive/%s" .Values.receive.tokenKey | quote }} }
        {{- end }}
        {{- end }}
        {{- if .Values.rights.read }}
        - { name: COST_EVENTS_AUDIT_ENABLED, value: 'true' }
        - { name: COST_EVENTS_AUDIT_PERSIST, value: 'true' }
        {{- end }}
        {{- if .Values.rights.write.enabled }}
        - { name: CLUSTER_CONTROLLER_ENABLED, value: 'true' }
        {{- end }}
      ports:
        - { name: http, containerPort: 9003 }
      # The server listens before the first days are built, and tells then that it is alive.
      startupProbe:
        httpGet: { path: /healthz, port: http{{ $tls }} }
        periodSeconds: 2
        {{- if .Values.receive.enabled }}
        # Samples that no block holds yet are read first.
        failureThreshold: 300
        {{- else }}
        failureThreshold: 60
        {{- end }}
      livenessProbe:
        httpGet: { path: /healthz, port: http{{ $tls }} }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http{{ $tls }} }
        periodSeconds: 5
        timeoutSeconds: 5
      resources:
        requests: { cpu: {{ .Values.cpu | toString | squote }}, memory: {{ .Values.memory }}{{ if $role }}, ephemeral-storage: {{ .Values.store.cache }}{{ end }} }
        limits: { memory: {{ .Values.memory }} }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: data, mountPath: /data }
        {{- if eq .Values.auth "tokens" }}
        # As a folder, not by subPath: so a changed token file is seen.
        - { name: tokens, mountPath: /etc/prorata, readOnly: true }
        {{- end }}
        {{- if .Values.tls.existingSecret }}
        - { name: tls, mountPath: /etc/prorata-tls, readOnly: true }
        {{- end }}
        {{- if and .Values.receive.enabled .Values.receive.tokenSecret }}
        - { name: receive, mountPath: /etc/prorata-receive, readOnly: true }
        {{- end }}
        {{- if .Values.store.passwordSecret }}
        - { name: store, mountPath: /etc/prorata-store, readOnly: true }
        {{- end }}
        {{- range $index, $file := .Values.files }}
        - { name: files-{{ $index }}, mountPath: {{ quote $file.path }}, readOnly: true }
        {{- end }}
  {{- if or $role (eq .Values.auth "tokens") .Values.tls.existingSecret .Values.files .Values.store.passwordSecret (and .Values.receive.enabled .Values.receive.tokenSecret) }}
  volumes:
    {{- if $role }}
    # Copies of what is in the bucket: they last as long as the pod.
    - name: data
      emptyDir: {}
    {{- end }}
    {{- if eq .Values.auth "tokens" }}
    - name: tokens
      secret:
        secretName: {{ include "prorata.plain" .Values.tokens.existingSecret }}
        # 0440: of the group above.
        defaultMode: 288
    {{- end }}
    {{- with .Values.tls.existingSecret }}
    - name: tls
      secret: { secretName: {{ include "prorata.plain" . }}, defaultMode: 288 }
    {{- end }}
    {{- if and .Values.receive.enabled .Values.receive.tokenSecret }}
    - name: receive
      secret: { secretName: {{ include "prorata.plain" .Values.receive.tokenSecret }}, defaultMode: 288 }
    {{- end }}
    {{- with .Values.store.passwordSecret }}
    - name: store
      secret: { secretName: {{ include "prorata.plain" . }}, defaultMode: 288 }
    {{- end }}
    {{- range $index, $file := .Values.files }}
    - name: files-{{ $index }}
      {{- if $file.secret }}
      secret: { secretName: {{ include "prorata.plain" $file.secret }}, defaultMode: 288 }
      {{- else }}
      configMap: { name: {{ include "prorata.plain" $file.configMap }} }
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
