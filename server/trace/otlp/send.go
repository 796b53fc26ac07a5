package otlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	pb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Collector is where spans are sent.
type Collector struct {
	URL     string            // of its traces, such as http://127.0.0.1:4318/v1/traces
	Headers map[string]string // of each request; they may be secrets
	Service string            // service.name of the spans
}

// Name returns the URL without a password.
func (c Collector) Name() string {
	u, err := url.Parse(c.URL)
	if err != nil {
		return "" // the settings were checked
	}
	return u.Redacted()
}

// Probe asks the collector to take no spans, and returns why it does not answer well.
func (c Collector) Probe(ctx context.Context) error {
	s := newSender(c, "", "")
	defer s.close()
	_, _, err := s.send(ctx, nil)
	return err
}

const (
	sendWithin = 10 * time.Second
	maxAnswer  = 64 << 10
)

// sender makes the requests.
type sender struct {
	collector Collector
	resource  *resource.Resource
	scope     *common.InstrumentationScope
	http      *http.Client
}

func newSender(c Collector, server, version string) *sender {
	plain := func(name, value string) *common.KeyValue { return &common.KeyValue{Key: name, Value: textValue(value)} }
	return &sender{
		collector: c,
		resource: &resource.Resource{Attributes: []*common.KeyValue{
			plain("service.name", c.Service), plain("service.version", version), plain("service.instance.id", server),
		}},
		scope: &common.InstrumentationScope{Name: "hivego", Version: version},
		http: &http.Client{
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConns: 1,
				IdleConnTimeout: time.Minute, ResponseHeaderTimeout: sendWithin,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Timeout:       sendWithin,
		},
	}
}

func (s *sender) close() { s.http.CloseIdleConnections() }

// send sends spans once. It returns how many the collector has rejected; or an error, and whether the same request may
// succeed later.
func (s *sender) send(ctx context.Context, spans []*pb.Span) (rejected int64, again bool, err error) {
	// The request of the collector's service has the same fields. Its package would bring gRPC.
	request := &pb.TracesData{}
	if len(spans) > 0 {
		request.ResourceSpans = []*pb.ResourceSpans{{
			Resource: s.resource, ScopeSpans: []*pb.ScopeSpans{{Scope: s.scope, Spans: spans}},
		}}
	}
	body, err := proto.Marshal(request)
	if err != nil {
		return 0, false, fmt.Errorf("write spans: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.collector.URL, bytes.NewReader(body))
	if err != nil {
		return 0, false, err
	}
	for name, value := range s.collector.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("User-Agent", "hivego")
	resp, err := s.http.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // who reports it names the collector
	}
	if err != nil {
		return 0, true, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case resp.StatusCode == http.StatusOK:
		return rejectedSpans(answer), false, nil
	case err != nil:
		return 0, true, fmt.Errorf("read the answer: %w", err)
	default:
		return 0, retryable(resp.StatusCode), errors.New("it answered " + resp.Status + note(resp, answer))
	}
}

// retryable reports whether a request may succeed later, by the specification of OTLP.
func retryable(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// note returns the begin of an answer if it is a text.
func note(resp *http.Response, answer []byte) string {
	const most = 200
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") || len(answer) == 0 {
		return ""
	}
	return ": " + strings.ToValidUTF8(strings.TrimSpace(string(answer[:min(len(answer), most)])), "")
}

// rejectedSpans reads the number of rejected spans from an answer: the field 1 of its field 1.
func rejectedSpans(answer []byte) int64 {
	partial, ok := field(answer, 1, protowire.BytesType)
	if !ok {
		return 0
	}
	body, n := protowire.ConsumeBytes(partial)
	if n < 0 {
		return 0
	}
	value, ok := field(body, 1, protowire.VarintType)
	if !ok {
		return 0
	}
	count, n := protowire.ConsumeVarint(value)
	if n < 0 {
		return 0
	}
	return max(int64(count), 0)
}

// field returns what follows the tag of a field in a message.
func field(message []byte, number protowire.Number, kind protowire.Type) ([]byte, bool) {
	for len(message) > 0 {
		at, of, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, false
		}
		if message = message[n:]; at == number && of == kind {
			return message, true
		}
		if n = protowire.ConsumeFieldValue(at, of, message); n < 0 {
			return nil, false
		}
		message = message[n:]
	}
	return nil, false
}
