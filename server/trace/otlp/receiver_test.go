package otlp

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	pb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is a collector: it decodes requests and keeps their spans.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []*pb.Span
	resource map[string]string
	headers  http.Header
	requests int
	answer   func(request int, w http.ResponseWriter) bool // true: it has answered, and the spans are not kept
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP answers one request.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	r.headers = req.Header.Clone()
	body, err := io.ReadAll(req.Body)
	got := &pb.TracesData{}
	if err != nil || req.Method != http.MethodPost || req.URL.Path != "/v1/traces" ||
		req.Header.Get("Content-Type") != "application/x-protobuf" || proto.Unmarshal(body, got) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if r.answer != nil && r.answer(r.requests, w) {
		return
	}
	for _, of := range got.GetResourceSpans() {
		r.resource = values(of.GetResource().GetAttributes())
		for _, scope := range of.GetScopeSpans() {
			r.spans = append(r.spans, scope.GetSpans()...)
		}
	}
}

func (r *receiver) collector() Collector {
	return Collector{URL: r.URL + "/v1/traces", Service: "hivego"}
}

// all returns the spans so far.
func (r *receiver) all() []*pb.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*pb.Span(nil), r.spans...)
}

func values(attributes []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range attributes {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			out[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			out[a.GetKey()] = "#" + time.Duration(v.IntValue).String() // numbers are not texts
		}
	}
	return out
}

func hexOf(id []byte) string { return hex.EncodeToString(id) }

func start(t *testing.T, x *Exporter) *Exporter {
	t.Helper()
	require.NoError(t, x.Start(t.Context()))
	t.Cleanup(x.Stop)
	return x
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 20*time.Second, 2*time.Millisecond, what)
}

func TestProbe(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	assert.NoError(t, r.collector().Probe(t.Context()))
	assert.ErrorContains(t, Collector{URL: r.URL + "/other"}.Probe(t.Context()), "400")
	away := newReceiver(t)
	to := away.collector()
	away.Close()
	assert.ErrorContains(t, to.Probe(t.Context()), "refused")
}
