{{/* Which pods are nodes of this release. */}}
{{- define "keydesk.selector" -}}
app.kubernetes.io/name: keydesk
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "keydesk.labels" -}}
{{ include "keydesk.selector" . }}
{{ include "keydesk.release" . }}
{{- end }}

{{- define "keydesk.release" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Which pods bring the schema up to date. */}}
{{- define "keydesk.migrationSelector" -}}
app.kubernetes.io/name: keydesk-upgrade
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Which pods apply the files of the organisation. */}}
{{- define "keydesk.configSelector" -}}
app.kubernetes.io/name: keydesk-config
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "keydesk.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The restricted pod security standard. */}}
{{- define "keydesk.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "keydesk.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: secrets, mountPath: /etc/keydesk, readOnly: true }
  - { name: data, mountPath: /var/lib/keydesk }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{/* Ways out to the names of the cluster and to PostgreSQL. */}}
{{- define "keydesk.egress" -}}
- to:
    - namespaceSelector: {}
      podSelector:
        matchLabels: { k8s-app: kube-dns }
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- if eq .Values.engine "postgresql" }}
- to:
    - podSelector:
        matchLabels: {{- toYaml .Values.database.podLabels | nindent 10 }}
  ports:
    - { port: 5432 }
{{- end }}
{{- end }}
