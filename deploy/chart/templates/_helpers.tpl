{{- define "landbridge.labels" -}}
app.kubernetes.io/name: landbridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Security of a pod. */}}
{{- define "landbridge.pod" -}}
automountServiceAccountToken: false
terminationGracePeriodSeconds: 45
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
volumes:
  - name: tmp
    emptyDir: {}
  - name: data
    emptyDir: {}
  - name: secrets
    secret:
      secretName: {{ required "Set `secret`: a Secret with database-url and master-key." .Values.secret }}
{{- end }}

{{/* Image, settings and security of a container. */}}
{{- define "landbridge.container" -}}
image: {{ required "Set `image`." .Values.image | quote }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: data, mountPath: /data}
  - {name: secrets, mountPath: /run/secrets, readOnly: true}
env:
  - {name: LANDBRIDGE_MODE, value: {{ required "Set `mode`: sandbox or production." .Values.mode | quote }}}
  - {name: LANDBRIDGE_PUBLIC_URL, value: {{ required "Set `publicUrl`." .Values.publicUrl | quote }}}
  - {name: LANDBRIDGE_FILES, value: {{ required "Set `files`: s3://bucket/prefix." .Values.files | quote }}}
  - {name: LANDBRIDGE_DATABASE_URL_FILE, value: /run/secrets/database-url}
  - {name: LANDBRIDGE_MASTER_KEY_FILE, value: /run/secrets/master-key}
  {{- range $name, $value := .Values.settings }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
{{- with .Values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
