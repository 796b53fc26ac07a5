package config

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// tracesRefusals returns wrong settings of traces.
func tracesRefusals() map[string]refusal {
	return map[string]refusal{
		"traces, no URL": {
			given{flags: []string{"--otlp-endpoint=localhost:4318"}},
			[]string{`--otlp-endpoint (or OTEL_EXPORTER_OTLP_ENDPOINT) "localhost:4318"`, "http://127.0.0.1:4318"},
		},
		"traces, another scheme": {
			given{flags: []string{"--otlp-endpoint=grpc://collector:4317"}}, []string{"--otlp-endpoint"},
		},
		"traces, no host":      {given{flags: []string{"--otlp-endpoint=http://:4318"}}, []string{"--otlp-endpoint"}},
		"traces, with a query": {given{flags: []string{"--otlp-endpoint=http://c/?a=b"}}, []string{"--otlp-endpoint"}},
		"traces, rubbish":      {given{flags: []string{"--otlp-endpoint=http://c:\x01"}}, []string{"--otlp-endpoint"}},
		"traces, of the variable": {
			given{env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "nonsense"}}, []string{`"nonsense"`},
		},
	}
}

// resolveTraces resolves settings with the variables of OpenTelemetry.
func resolveTraces(t *testing.T, g given) (Traces, bool, error) {
	t.Helper()
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s := BindServe(f)
	if _, err := g.resolve(t, f); err != nil {
		t.Fatal(err)
	}
	s.telemetry = readTelemetry(func(name string) string { return g.env[name] })
	return s.Traces()
}

func TestTraces(t *testing.T) {
	t.Parallel()
	const variable = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for name, c := range map[string]struct {
		given given
		want  string // empty: off
	}{
		"default":      {given{}, ""},
		"flag":         {given{flags: []string{"--otlp-endpoint=http://c:4318"}}, "http://c:4318/v1/traces"},
		"with a slash": {given{flags: []string{"--otlp-endpoint=https://c/"}}, "https://c/v1/traces"},
		"with a path":  {given{flags: []string{"--otlp-endpoint=https://c/otlp"}}, "https://c/otlp/v1/traces"},
		"complete":     {given{flags: []string{"--otlp-endpoint=https://c/v1/traces"}}, "https://c/v1/traces"},
		"file": {
			given{file: "otlp-endpoint: http://f", env: map[string]string{variable: "http://v"}}, "http://f/v1/traces",
		},
		"variable":       {given{env: map[string]string{variable: "http://v"}}, "http://v/v1/traces"},
		"empty variable": {given{env: map[string]string{variable: ""}}, ""},
		"our own variable": {
			given{env: map[string]string{variable: "http://v", "HIVEGO_OTLP_ENDPOINT": "http://o"}},
			"http://o/v1/traces",
		},
		"off by our own": {given{env: map[string]string{variable: "http://v", "HIVEGO_OTLP_ENDPOINT": ""}}, ""},
		"off by the flag": {
			given{flags: []string{"--otlp-endpoint="}, env: map[string]string{variable: "http://v"}}, "",
		},
		"gRPC for others": {given{
			flags: []string{"--otlp-endpoint=http://c:4318"},
			env:   map[string]string{variable: "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		}, "http://c:4318/v1/traces"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, on, err := resolveTraces(t, c.given)
			if err != nil || got.URL != c.want || on != (c.want != "") || on && got.Service != "hivego" {
				t.Errorf("%+v, %v, %v", got, on, err)
			}
		})
	}
}

func TestTracesVariables(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://v", "OTEL_SERVICE_NAME": "hive-eu",
		"OTEL_EXPORTER_OTLP_HEADERS":  "x-key=a%2Cb=, Authorization=Basic%20Zg==,",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
	}
	got, _, err := resolveTraces(t, given{env: env})
	want := map[string]string{"x-key": "a,b=", "Authorization": "Basic Zg=="}
	if err != nil || got.Service != "hive-eu" || !maps.Equal(got.Headers, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range []struct{ name, value, words string }{
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=b,geheim", "entry 2"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=geheim%zz", "entry 1"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=geheim%0Ab", "entry 1"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a b=geheim", "entry 1"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "--otlp-endpoint"},
	} {
		other := maps.Clone(env)
		other[c.name] = c.value
		_, on, err := resolveTraces(t, given{env: other})
		if on || err == nil || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), c.words) ||
			strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s=%s: %v, %v", c.name, c.value, on, err)
		}
	}
}

// The origin is the variable, and a password in the URL is masked.
func TestTracesExplained(t *testing.T) {
	t.Parallel()
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	BindServe(f)
	all, err := explain(f, func(name string) (string, bool) {
		if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			return "http://ada:geheim@c:4318", true
		}
		return "", false
	})
	want := Setting{"otlp-endpoint", "http://ada:***@c:4318", "OTEL_EXPORTER_OTLP_ENDPOINT"}
	if err != nil || !slices.Contains(all, want) {
		t.Errorf("%v is not in %v, %v", want, all, err)
	}
}
