package trace_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/trace"
)

// The ids are a promise: running attempts have them, so another version must derive the same.
func TestIDsStay(t *testing.T) {
	t.Parallel()
	b := &hive.Batch{ID: 7, CreatedAt: time.UnixMilli(1_700_000_000_123).UTC()}
	ref := hive.AttemptRef{ID: 41, Key: "K"}
	got := trace.Cluster{ID: "c"}.Parent(b, ref)
	assert.Equal(t, "00-55cf0ff2ff003335d5f0999f207ee1ce-1f8b6d06ab13487f-00", got)
	on := trace.Cluster{ID: "c", Sampled: true}.Parent(b, ref)
	assert.Equal(t, strings.TrimSuffix(got, "00")+"01", on)
}

// Whatever differs has another id.
func TestIDsDiffer(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_123)
	of := func(cluster string, id int64, created time.Time) trace.ID {
		return trace.Cluster{ID: cluster}.Of(&hive.Batch{ID: id, CreatedAt: created})
	}
	base := of("c", 7, at)
	traces := map[trace.ID]string{}
	for name, id := range map[string]trace.ID{
		"base": base, "cluster": of("d", 7, at), "batch": of("c", 8, at),
		"restored": of("c", 7, at.Add(time.Millisecond)),
	} {
		assert.Empty(t, traces[id], name)
		traces[id] = name
	}
	assert.Equal(t, base, of("c", 7, at.UTC()), "a zone changes nothing")
	spans := map[trace.SpanID]string{}
	for name, id := range map[string]trace.SpanID{
		"batch": base.Batch(), "round 1": base.Round(1), "round 2": base.Round(2), "run": base.Run(1, 1),
		"round of the run": base.Run(1, 2), "another run": base.Run(11, 1),
		"attempt": base.Attempt(hive.AttemptRef{ID: 1}),
		"key":     base.Attempt(hive.AttemptRef{ID: 1, Key: "k"}), "number": base.Attempt(hive.AttemptRef{ID: 11}),
		"another trace": of("c", 8, at).Batch(),
	} {
		assert.Empty(t, spans[id], name)
		spans[id] = name
	}
}
