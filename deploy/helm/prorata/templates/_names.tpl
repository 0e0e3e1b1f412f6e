{{- /* The release's name, with prorata in it. */ -}}
{{- define "prorata.name" -}}
{{- if contains "prorata" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-prorata" (.Release.Name | trunc 42 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- /* What is of no namespace is named after the namespace too, so that two installations get along. */ -}}
{{- define "prorata.clusterName" -}}
{{- $name := include "prorata.name" . -}}
{{- if eq $name .Release.Namespace -}}
{{- $name -}}
{{- else -}}
{{- printf "%s-%s" .Release.Namespace $name | trunc 120 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* A name as a text of YAML, which 123 and true would not be. */ -}}
{{- define "prorata.plain" -}}
{{- if or (regexMatch "^[^a-z]" .) (has . (list "true" "false" "null" "yes" "no" "on" "off" "y" "n")) -}}
{{- quote . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{- define "prorata.labels" -}}
{ app.kubernetes.io/name: prorata, app.kubernetes.io/instance: {{ include "prorata.plain" .Release.Name }} }
{{- end -}}

{{- /* What selects the pods of a role, or those of the one server. Given the context and the role, or ''. */ -}}
{{- define "prorata.selector" -}}
{{- if last . -}}
{ app.kubernetes.io/name: prorata, app.kubernetes.io/instance: {{ include "prorata.plain" (first .).Release.Name }}, app.kubernetes.io/component: {{ last . }} }
{{- else -}}
{{- include "prorata.labels" (first .) -}}
{{- end -}}
{{- end -}}

{{- /* Who answers. */ -}}
{{- define "prorata.answering" -}}
{{- if .Values.replicas.enabled -}}serve{{- end -}}
{{- end -}}

{{- /* Of the pods that write files: the server's labels select what answers. */ -}}
{{- define "prorata.sinkLabels" -}}
{ app.kubernetes.io/name: prorata-sink, app.kubernetes.io/instance: {{ include "prorata.plain" .Release.Name }} }
{{- end -}}

{{- define "prorata.sinkPodLabels" -}}
{{- $labels := include "prorata.sinkLabels" . -}}
{{- with .Values.podLabels -}}
{{- toJson (merge (fromYaml $labels) .) -}}
{{- else -}}
{{- $labels -}}
{{- end -}}
{{- end -}}

{{- define "prorata.clickHousePort" -}}
{{- default (ternary "8443" "8123" (contains "secure=true" .Values.store.url)) (regexFind ":[0-9]+(/|$)" .Values.store.url | trimAll ":/") -}}
{{- end -}}

{{- /* Given the context and the role. */ -}}
{{- define "prorata.podLabels" -}}
{{- $labels := include "prorata.selector" . -}}
{{- with (first .).Values.podLabels -}}
{{- toJson (merge (fromYaml $labels) .) -}}
{{- else -}}
{{- $labels -}}
{{- end -}}
{{- end -}}

{{- /* A changed ConfigMap starts the pod anew; changed tokens and certificates are read without. */ -}}
{{- define "prorata.podAnnotations" -}}
{{- $own := dict -}}
{{- if not .Values.existingConfigMap -}}
{{- $_ := set $own "prorata/settings" (include (print $.Template.BasePath "/configmap.yaml") . | sha256sum) -}}
{{- end -}}
{{- if .Values.monitoring.annotations -}}
{{- $scheme := include "prorata.scheme" . | lower -}}
{{- $own = merge $own (dict "prometheus.io/scrape" "true" "prometheus.io/port" "9003" "prometheus.io/path" "/metrics" "prometheus.io/scheme" $scheme) -}}
{{- end -}}
{{- with merge $own .Values.podAnnotations -}}{{- toJson . -}}{{- end -}}
{{- end -}}

{{- define "prorata.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "prorata.hasRights" -}}
{{- if or .Values.rights.read .Values.rights.write.enabled -}}true{{- end -}}
{{- end -}}

{{- define "prorata.scheme" -}}
{{- if .Values.tls.existingSecret -}}HTTPS{{- else -}}HTTP{{- end -}}
{{- end -}}

{{- /* 60 % of the memory, in whole Mi: the server's own default, told so that both change together. */ -}}
{{- define "prorata.memoryLimit" -}}
{{- $size := regexFind "^[0-9]+" .Values.memory | int64 -}}
{{- $mi := ternary (mul $size 1024) $size (hasSuffix "Gi" .Values.memory) -}}
{{- if lt $mi 512 -}}
{{- fail (printf "memory: '%s' is less than 512Mi, which prorata needs" .Values.memory) -}}
{{- end -}}
{{- printf "%dMi" (div (mul $mi 60) 100) -}}
{{- end -}}

{{- /* Whole numbers without an exponent, as the server reads them. */ -}}
{{- define "prorata.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}{{- int64 . -}}{{- else -}}{{- toString . -}}{{- end -}}
{{- end -}}

{{- define "prorata.hosts" -}}
{{- $hosts := list -}}
{{- if .Values.ingress.enabled -}}{{- $hosts = concat $hosts .Values.ingress.hosts -}}{{- end -}}
{{- if .Values.httpRoute.enabled -}}{{- $hosts = concat $hosts .Values.httpRoute.hosts -}}{{- end -}}
{{- $hosts | uniq | join "," -}}
{{- end -}}

{{- /* What a schema cannot say, or not clearly. */ -}}
{{- define "prorata.check" -}}
{{- $v := .Values -}}
{{- if not $v.existingConfigMap -}}
{{- if and $v.metricsUrl $v.receive.enabled -}}
{{- fail "receive.enabled: samples come from one place; leave out metricsUrl, or this" -}}
{{- end -}}
{{- if not (or $v.metricsUrl $v.receive.enabled (hasKey $v.settings "METRICS_STORES") (and $v.replicas.enabled (not $v.replicas.builders))) -}}
{{- fail "metricsUrl: '' is no metrics store; for example --set metricsUrl=http://prometheus-server.monitoring.svc:9090, or --set receive.enabled=true without one" -}}
{{- end -}}
{{- if and $v.agent.enabled (not $v.agent.remoteWriteUrl) (not $v.receive.enabled) -}}
{{- fail "agent.enabled: this server would not take what it sends; set receive.enabled=true in place of metricsUrl, or agent.remoteWriteUrl" -}}
{{- end -}}
{{- if not $v.clusterId -}}
{{- fail "clusterId: '' is no name of a cluster; for example --set clusterId=production" -}}
{{- end -}}
{{- else if or $v.metricsUrl $v.clusterId $v.settings -}}
{{- fail (printf "existingConfigMap: '%s' has all settings; leave out metricsUrl, clusterId and settings, or this" $v.existingConfigMap) -}}
{{- end -}}
{{- if and $v.agent.enabled (not (or $v.agent.remoteWriteUrl $v.agent.existingSecret $v.agent.files)) -}}
{{- fail "agent.existingSecret: '' is no Secret, and this server takes no samples without a token; name one with REMOTE_WRITE_TOKEN" -}}
{{- end -}}
{{- if $v.replicas.enabled -}}
{{- if not (regexMatch "^(s3|gs|azblob):" $v.store.url) -}}
{{- fail (printf "replicas.enabled: store.url: '%s' is no bucket, which servers would share; for example --set store.url=s3://costs/prorata" $v.store.url) -}}
{{- end -}}
{{- if $v.receive.enabled -}}
{{- fail "replicas.enabled: samples that are sent lie on the claim of one server; leave out receive.enabled, or this" -}}
{{- end -}}
{{- if and $v.rights.write.enabled (not $v.metricsUrl) (not $v.existingConfigMap) -}}
{{- fail "replicas.enabled: rights.write is of the cluster of a metrics store; set metricsUrl, or leave it out" -}}
{{- end -}}
{{- if and $v.replicas.readersMax (lt (int $v.replicas.readersMax) (int $v.replicas.readers)) -}}
{{- fail (printf "replicas.readersMax: %d is less than replicas.readers" (int $v.replicas.readersMax)) -}}
{{- end -}}
{{- end -}}
{{- if and $v.store.passwordSecret (not (hasPrefix "clickhouse:" $v.store.url)) -}}
{{- fail "store.passwordSecret: ClickHouse alone has a password; identities of buckets are those of the pod" -}}
{{- end -}}
{{- if and $v.rights.write.namespaces (not $v.rights.write.enabled) -}}
{{- fail "rights.write.namespaces: nothing is changed there; set rights.write.enabled=true, or leave the list out" -}}
{{- end -}}
{{- if and $v.ingress.enabled (not $v.ingress.hosts) -}}
{{- fail "ingress.hosts: [] leads nowhere; for example --set ingress.hosts={costs.example.com}" -}}
{{- end -}}
{{- if and $v.httpRoute.enabled (not (and $v.httpRoute.hosts $v.httpRoute.parents)) -}}
{{- fail "httpRoute: needs parents and hosts; for example --set httpRoute.parents[0].name=gateway,httpRoute.hosts={costs.example.com}" -}}
{{- end -}}
{{- if and $v.monitoring.serviceMonitor.enabled (eq $v.auth "tokens") (not $v.monitoring.serviceMonitor.tokenSecret) -}}
{{- fail "monitoring.serviceMonitor.tokenSecret: '' is no Secret; /metrics wants a token of the role viewer" -}}
{{- end -}}
{{- end -}}
