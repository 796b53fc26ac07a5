package config

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/pflag"
)

// Variables of OpenTelemetry that serve reads beside its own.
const (
	otelEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	otelHeaders  = "OTEL_EXPORTER_OTLP_HEADERS"
	otelProtocol = "OTEL_EXPORTER_OTLP_PROTOCOL"
	otelService  = "OTEL_SERVICE_NAME"
)

const (
	otlpFlag     = "otlp-endpoint"
	tracesPath   = "/v1/traces" // of the specification of OTLP
	serviceName  = "hivego"
	onlyProtocol = "http/protobuf"
)

// standardEnv returns the variable of another standard that a setting comes from if nothing of HiveGo's sets it; "" if
// there is none.
func standardEnv(flag string) string {
	if flag == otlpFlag {
		return otelEndpoint
	}
	return ""
}

func bindTraces(f *pflag.FlagSet, c *Serve) {
	f.StringVar(&c.OTLPEndpoint, otlpFlag, "",
		"URL of an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; "+
			otelEndpoint+" may have it too (default: no traces)")
}

// telemetry are the variables of OpenTelemetry.
type telemetry struct{ endpoint, headers, protocol, service string }

func readTelemetry(getenv func(string) string) telemetry {
	return telemetry{
		endpoint: getenv(otelEndpoint), headers: getenv(otelHeaders), protocol: getenv(otelProtocol),
		service: getenv(otelService),
	}
}

// Traces says where and how spans are exported.
type Traces struct {
	URL     string            // of the collector's traces
	Headers map[string]string // of each request; they may be secrets
	Service string            // service.name
}

// checkTraces checks the settings of traces.
func (c *Serve) checkTraces() error {
	_, _, err := c.Traces()
	return err
}

// Traces returns where spans are exported; on is false if they are not.
func (c *Serve) Traces() (t Traces, on bool, err error) {
	if c.OTLPEndpoint == "" {
		return t, false, nil
	}
	u, err := url.Parse(c.OTLPEndpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" ||
		u.Fragment != "" {
		return t, false, fmt.Errorf("--%s (or %s) %q: write the URL of a collector's OTLP over HTTP, such as "+
			"http://127.0.0.1:4318; without it there are no traces", otlpFlag, otelEndpoint, maskUser(c.OTLPEndpoint))
	}
	if p := c.telemetry.protocol; p != "" && p != onlyProtocol && c.OTLPEndpoint == c.telemetry.endpoint {
		return t, false, fmt.Errorf("%s=%s: HiveGo speaks %s only; give the collector's address for that with "+
			"--%s, usually its port 4318, or an empty one for no traces", otelProtocol, p, onlyProtocol, otlpFlag)
	}
	if t.Headers, err = headers(c.telemetry.headers); err != nil {
		return t, false, err
	}
	if !strings.HasSuffix(u.Path, tracesPath) {
		u.Path = strings.TrimSuffix(u.Path, "/") + tracesPath
	}
	t.URL, t.Service = u.String(), c.telemetry.service
	if t.Service == "" {
		t.Service = serviceName
	}
	return t, true, nil
}

// headers reads a list of name=value, separated by commas. Values may be escaped as in a URL. The error has no value,
// because they may be secrets.
func headers(list string) (map[string]string, error) {
	out := map[string]string{}
	for i, entry := range strings.Split(list, ",") {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		name, value, ok := strings.Cut(entry, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !isHeader(name) || strings.ContainsAny(value, "\r\n\x00") {
			return nil, fmt.Errorf("%s: entry %d is no header; write name=value, with commas between them, and a "+
				"comma in a value as %%2C", otelHeaders, i+1)
		}
		out[name] = value
	}
	return out, nil
}

// isHeader reports whether a name may be that of a header.
func isHeader(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.", r)
	})
}
