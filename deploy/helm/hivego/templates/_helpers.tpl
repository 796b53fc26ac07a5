{{- define "hivego.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains (default .Chart.Name .Values.nameOverride) .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (default .Chart.Name .Values.nameOverride) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "hivego.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "hivego.labels" -}}
{{ include "hivego.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "hivego.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "hivego.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "hivego.image" -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}

{{- define "hivego.executorImage" -}}
{{- if .Values.executor.image.repository -}}
{{- printf "%s:%s" .Values.executor.image.repository (required "executor.image.tag: name the tag of executor.image.repository" .Values.executor.image.tag) -}}
{{- else -}}
{{- include "hivego.image" . -}}
{{- end -}}
{{- end -}}

{{- define "hivego.tlsSecret" -}}
{{- default (printf "%s-tls" (include "hivego.fullname" .)) .Values.tls.existingSecret -}}
{{- end -}}

{{- define "hivego.executorTlsSecret" -}}
{{- default (printf "%s-executor-tls" (include "hivego.fullname" .)) .Values.executor.tls.existingSecret -}}
{{- end -}}

{{- define "hivego.tokenSecret" -}}
{{- default (printf "%s-executor-token" (include "hivego.fullname" .)) .Values.executor.token.existingSecret -}}
{{- end -}}

{{- define "hivego.metricsSecret" -}}
{{- default (printf "%s-metrics-token" (include "hivego.fullname" .)) .Values.metrics.token.existingSecret -}}
{{- end -}}

{{- /* The restricted Pod Security Standard. */ -}}
{{- define "hivego.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "hivego.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* Refuses settings that cannot work together. */ -}}
{{- define "hivego.check" -}}
{{- if gt (int .Values.server.replicas) 1 -}}
{{- if not .Values.database.existingSecret -}}
{{- fail "server.replicas: several servers share one PostgreSQL; name its secret with database.existingSecret" -}}
{{- end -}}
{{- if not .Values.secretKey.existingSecret -}}
{{- fail "server.replicas: several servers share one key; name its secret with secretKey.existingSecret" -}}
{{- end -}}
{{- if not .Values.server.logs.existingClaim -}}
{{- fail "server.replicas: several servers share the folder of logs; name a claim with server.logs.existingClaim" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.executor.enabled (ne (empty .Values.tls.existingSecret) (empty .Values.executor.tls.existingSecret)) -}}
{{- fail "tls.existingSecret and executor.tls.existingSecret go together: one authority signs both" -}}
{{- end -}}
{{- end -}}
