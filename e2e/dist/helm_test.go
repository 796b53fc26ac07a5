package dist

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const chart = "deploy/helm/hivego"

// helm returns the Helm that the Makefile builds.
func helm(t *testing.T) string {
	t.Helper()
	if name := os.Getenv("HIVEGO_TEST_HELM"); name != "" {
		return name
	}
	found, err := filepath.Glob(filepath.Join(root, "bin", "tools", "helm-*", "helm"))
	require.NoError(t, err)
	require.NotEmpty(t, found, "there is no Helm; `make race` builds it, or HIVEGO_TEST_HELM names one")
	name, err := filepath.Abs(found[len(found)-1])
	require.NoError(t, err)
	return name
}

// object is one rendered object of Kubernetes.
type object map[string]any

// at returns a value inside an object, by keys; "0" is the first entry of a list. It is nil if there is none.
func (o object) at(keys ...string) any {
	var v any = map[string]any(o)
	for _, key := range keys {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[key]
		case object:
			v = inner[key]
		case []any:
			if key != "0" || len(inner) == 0 {
				return nil
			}
			v = inner[0]
		default:
			return nil
		}
	}
	return v
}

// render renders the chart with settings, and returns its objects by kind and name.
func render(t *testing.T, settings ...string) map[string]object {
	t.Helper()
	args := []string{"template", "night", chart, "--namespace", "jobs", "--kube-version", "1.30.0"}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	decoder := yaml.NewDecoder(strings.NewReader(command(t, nil, helm(t), args...)))
	objects := map[string]object{}
	for {
		var o object
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		if o == nil {
			continue
		}
		name := o.at("kind").(string) + " " + o.at("metadata", "name").(string)
		require.NotContains(t, objects, name)
		objects[name] = o
	}
}

// environment returns the variables of the only container of a StatefulSet.
func environment(o object) map[string]any {
	variables := map[string]any{}
	list, _ := o.at("spec", "template", "spec", "containers", "0", "env").([]any)
	for _, e := range list {
		entry, _ := e.(object)
		if entry == nil {
			entry = e.(map[string]any)
		}
		variables[entry["name"].(string)] = entry["value"]
	}
	return variables
}

func TestChartLints(t *testing.T) {
	t.Parallel()
	command(t, nil, helm(t), "lint", "--strict", chart)
}

// TestChart holds what a pod may do, and how its parts find each other.
func TestChart(t *testing.T) {
	t.Parallel()
	objects := render(t)
	for name, probes := range map[string]bool{"night-hivego": true, "night-hivego-executor": false} {
		set := objects["StatefulSet "+name]
		require.NotNil(t, set, name)
		pod := func(keys ...string) any { return set.at(append([]string{"spec", "template", "spec"}, keys...)...) }
		require.Equal(t, true, pod("securityContext", "runAsNonRoot"))
		require.Equal(t, 10001, pod("securityContext", "runAsUser"))
		require.Equal(t, "RuntimeDefault", pod("securityContext", "seccompProfile", "type"))
		require.Equal(t, false, pod("automountServiceAccountToken"))
		require.Equal(t, false, pod("enableServiceLinks"))
		require.Equal(t, true, pod("containers", "0", "securityContext", "readOnlyRootFilesystem"))
		require.Equal(t, false, pod("containers", "0", "securityContext", "allowPrivilegeEscalation"))
		require.Equal(t, []any{"ALL"}, pod("containers", "0", "securityContext", "capabilities", "drop"))
		if probes {
			require.Equal(t, "/healthz", pod("containers", "0", "livenessProbe", "httpGet", "path"))
			require.Equal(t, "/readyz", pod("containers", "0", "readinessProbe", "httpGet", "path"))
			require.Equal(t, "HTTPS", pod("containers", "0", "readinessProbe", "httpGet", "scheme"))
		}
		require.Contains(t, objects, "Service "+set.at("spec", "serviceName").(string))
		e := environment(set)
		require.NotEmpty(t, e["HIVEGO_TLS_CERT"])
		require.NotContains(t, e, "HIVEGO_BEHIND_PROXY")
	}
	executor := environment(objects["StatefulSet night-hivego-executor"])
	require.Equal(t, "https://night-hivego.jobs.svc:3000", executor["HIVEGO_SERVER"])
	require.Equal(t, "$(POD_NAME).night-hivego-executor.jobs.svc:9999", executor["HIVEGO_ADVERTISE"])
	require.NotNil(t, objects["Secret night-hivego-executor-token"].at("data", "executor.token"))
	other := render(t)
	require.NotEqual(t, objects["Secret night-hivego-executor-token"].at("data", "executor.token"),
		other["Secret night-hivego-executor-token"].at("data", "executor.token"), "no default token")
	require.NotContains(t, environment(objects["StatefulSet night-hivego"]), "HIVEGO_DATABASE_URL")
	require.NotContains(t, environment(objects["StatefulSet night-hivego"]), "HIVEGO_METRICS_LISTEN")
	require.NotContains(t, objects, "Service night-hivego-metrics")
}

// TestChartWithMetrics: metrics beyond the pod need a token, as the server demands.
func TestChartWithMetrics(t *testing.T) {
	t.Parallel()
	objects := render(t, "metrics.enabled=true")
	e := environment(objects["StatefulSet night-hivego"])
	require.Equal(t, ":9464", e["HIVEGO_METRICS_LISTEN"])
	require.Equal(t, "/etc/hivego/metrics/metrics.token", e["HIVEGO_METRICS_TOKEN_FILE"])
	require.NotNil(t, objects["Secret night-hivego-metrics-token"].at("data", "metrics.token"))
	require.Equal(t, 9464, objects["Service night-hivego-metrics"].at("spec", "ports", "0", "port"))
	given := render(t, "metrics.enabled=true", "metrics.token.existingSecret=mine")
	require.NotContains(t, given, "Secret night-hivego-metrics-token")
}

// TestChartWithLogsInS3: the key of the bucket comes from a secret.
func TestChartWithLogsInS3(t *testing.T) {
	t.Parallel()
	objects := render(t, "server.logs.s3.place=s3://logs/night", "server.logs.s3.existingSecret=mine",
		"server.logs.s3.endpoint=https://minio.example", "server.logs.s3.moveAfter=7d")
	e := environment(objects["StatefulSet night-hivego"])
	require.Equal(t, "s3://logs/night", e["HIVEGO_LOGS_S3"])
	require.Equal(t, "https://minio.example", e["HIVEGO_LOGS_S3_ENDPOINT"])
	require.Equal(t, "7d", e["HIVEGO_LOGS_MOVE_AFTER"])
	require.Contains(t, e, "HIVEGO_LOGS_S3_ACCESS_KEY")
	require.Contains(t, e, "HIVEGO_LOGS_S3_SECRET_KEY")
	require.NotContains(t, environment(render(t)["StatefulSet night-hivego"]), "HIVEGO_LOGS_S3")
}

// TestChartWithGivenSecrets renders the way for Argo CD and for several servers.
func TestChartWithGivenSecrets(t *testing.T) {
	t.Parallel()
	objects := render(t, "server.replicas=2", "database.existingSecret=pg", "secretKey.existingSecret=key",
		"server.logs.existingClaim=logs", "tls.existingSecret=tls", "executor.tls.existingSecret=etls",
		"executor.token.existingSecret=token", "executor.labels={gpu=a100,zone=b}", "ingress.enabled=true",
		"ingress.tlsSecret=web", "ingress.host=hivego.example")
	for name := range objects {
		require.False(t, strings.HasPrefix(name, "Secret "), name)
	}
	e := environment(objects["StatefulSet night-hivego"])
	require.Contains(t, e, "HIVEGO_DATABASE_URL")
	require.Equal(t, "https://hivego.example", e["HIVEGO_PUBLIC_URL"])
	require.Equal(t, "true", e["HIVEGO_BEHIND_PROXY"])
	require.Equal(t, "/etc/hivego/key/secret.key", e["HIVEGO_SECRET_KEY"])
	require.Equal(t, "gpu=a100,zone=b", environment(objects["StatefulSet night-hivego-executor"])["HIVEGO_LABEL"])
	require.Contains(t, objects, "Ingress night-hivego")

	alone := render(t, "executor.enabled=false")
	require.NotContains(t, alone, "StatefulSet night-hivego-executor")
	require.NotContains(t, alone, "Secret night-hivego-executor-token")
	require.NotContains(t, environment(alone["StatefulSet night-hivego"]), "HIVEGO_EXECUTOR_TOKEN_FILE")
}

// TestChartRefuses gives settings that cannot work. The message names the setting.
func TestChartRefuses(t *testing.T) {
	t.Parallel()
	for settings, words := range map[string]string{
		"server.replicas=2":              "database.existingSecret",
		"server.logs.s3.place=s3://logs": "existingSecret",
		"server.replica=2":               "additional properties 'replica' not allowed",
		"server.replicas=0":              "minimum",
		"metrics.port=3000":              "metrics/port",
		"tls.existingSecret=x":           "executor.tls.existingSecret",
		"ingress.enabled=true":           "ingress.tlsSecret",
		"executor.slots=many":            "got string, want integer",
		"server.publicUrl=hivego":        "does not match pattern",
		"executor.image.repository=mine": "executor.image.tag: name the tag",
		"image.repository=":              "minLength",
	} {
		cmd := exec.CommandContext(t.Context(), helm(t), "template", "night", chart, "--kube-version", "1.30.0", "--set",
			settings)
		cmd.Dir = root
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		require.Error(t, cmd.Run(), settings)
		require.Contains(t, out.String(), words, settings)
	}
}
