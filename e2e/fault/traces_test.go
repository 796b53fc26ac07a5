package fault_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	pb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

// collector takes spans by OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*pb.Span
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		got := &pb.TracesData{}
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, got) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, of := range got.GetResourceSpans() {
			for _, scope := range of.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// named returns the spans with a name, in the order in which they came.
func (c *collector) named(name string) []*pb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*pb.Span
	for _, s := range c.spans {
		if s.GetName() == name {
			out = append(out, s)
		}
	}
	return out
}

const traced = `
apiVersion: hivego/v1
kind: Schedule
name: traced
jobs:
  - key: one
    tasks:
      - key: a
        handler: shell
        group: etl
        retry: {max: 1}
        params:
          command: |
            echo $TRACEPARENT >> %[1]s/a
            [ $(wc -l < %[1]s/a) = 2 ] || exit 1
            while [ ! -e %[1]s/go ]; do sleep 0.05; done
  - key: two
    tasks:
      - key: b
        handler: shell
        group: etl
        params: {command: 'echo $TRACEPARENT >> %[1]s/b'}
`

// A server dies in the middle of a batch, and another one takes it over: both send spans of one trace, with the ids
// that the tasks have seen.
func TestTraceOverTakeover(t *testing.T) {
	t.Parallel()
	c, dir := newCollector(t), t.TempDir()
	opts := harness.Options{
		DatabaseURL: dbtest.Postgres(t), NoExecutor: true, Args: []string{"--otlp-endpoint", c.URL},
	}
	first := harness.NewServer(t, opts)
	opts.Token = first.Token
	second := harness.NewServer(t, opts)
	harness.NewExecutor(t, first, "only", "etl")
	first.Apply(fmt.Sprintf(traced, dir))
	id := first.Run("traced")
	lines := func(name string) []string {
		raw, _ := os.ReadFile(filepath.Join(dir, name))
		return strings.Fields(string(raw))
	}
	harness.EventuallyOr(t, "the second attempt runs, and the first is sent", func() bool {
		return len(lines("a")) == 2 && len(c.named("attempt")) == 1
	}, first.Output)
	first.Kill()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	require.Equal(t, "succeeded", second.WaitEnd(id).State)
	harness.EventuallyOr(t, "the batch is sent", func() bool {
		return len(c.named("batch traced")) == 1
	}, second.Output)

	attempts, a, b := c.named("attempt"), c.named("a"), c.named("b")
	round, batch := c.named("round 1"), c.named("batch traced")
	require.Equal(t, []int{3, 1, 1, 1}, []int{len(attempts), len(a), len(b), len(round)})
	assert.Empty(t, batch[0].GetParentSpanId())
	assert.Equal(t, batch[0].GetSpanId(), round[0].GetParentSpanId())
	assert.Equal(t, round[0].GetSpanId(), a[0].GetParentSpanId())
	assert.Equal(t, round[0].GetSpanId(), b[0].GetParentSpanId())
	seen := append(lines("a"), lines("b")...)
	require.Len(t, seen, 3)
	for i, s := range attempts {
		assert.Equal(t, "00-"+hex.EncodeToString(batch[0].GetTraceId())+"-"+hex.EncodeToString(s.GetSpanId())+"-01",
			seen[i])
		parent := a[0]
		if i == 2 {
			parent = b[0]
		}
		assert.Equal(t, parent.GetSpanId(), s.GetParentSpanId())
		assert.Equal(t, i == 0, s.GetStatus().GetCode() == pb.Status_STATUS_CODE_ERROR, s.String())
	}
	assert.Equal(t, attempts[0].GetStartTimeUnixNano(), a[0].GetStartTimeUnixNano(),
		"the run begins with the attempt that the dead server has seen")
	assert.NotContains(t, second.Output(), "traces cannot be sent")
}

// Without a collector tasks have a context that says that nothing is sent. With one that is away all goes on.
func TestTraceWithoutCollector(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		flag string
	}{
		"off":  {nil, "-00"},
		"away": {[]string{"--otlp-endpoint", "http://" + harness.FreeAddress(t)}, "-01"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := harness.NewServer(t, harness.Options{Args: c.args})
			require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
			s.Apply(strings.ReplaceAll(fmt.Sprintf(traced, dir), "group: etl", "group: default"))
			require.Equal(t, "succeeded", s.WaitEnd(s.Run("traced")).State)
			raw, err := os.ReadFile(filepath.Join(dir, "b"))
			require.NoError(t, err)
			assert.True(t, strings.HasSuffix(strings.TrimSpace(string(raw)), c.flag), string(raw))
		})
	}
}
