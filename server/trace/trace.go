// Package trace derives the ids of traces and spans from stored rows. Nothing of a trace is stored: every server of a
// cluster, before and after a restart, derives the same ids, and so does a call that is sent twice.
package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/rprp/hivego/server/hive"
)

// ID is the id of a trace.
type ID [16]byte

// SpanID is the id of a span, unique within its trace.
type SpanID [8]byte

// Cluster derives the traces of the batches of one database.
type Cluster struct {
	ID      string
	Sampled bool // the spans are exported
}

// Of returns the trace of a batch. The creation time is part of it, because a database that was restored gives the ids
// of batches out again.
func (c Cluster) Of(b *hive.Batch) ID {
	sum := digest("trace", c.ID, b.ID, b.CreatedAt.UnixMilli())
	return ID(sum[:16])
}

// Parent returns the context of an attempt for its task: the trace, the attempt's span as the parent, and whether they
// are exported.
func (c Cluster) Parent(b *hive.Batch, a hive.AttemptRef) string {
	id, flags := c.Of(b), "00"
	if c.Sampled {
		flags = "01"
	}
	span := id.Attempt(a)
	return "00-" + hex.EncodeToString(id[:]) + "-" + hex.EncodeToString(span[:]) + "-" + flags
}

// Batch returns the id of the batch's span, the root.
func (t ID) Batch() SpanID { return t.span("batch") }

// Round returns the id of the span of a round.
func (t ID) Round(round int) SpanID { return t.span("round", round) }

// Run returns the id of the span of a task run, by its number in the batch, in one round.
func (t ID) Run(number, round int) SpanID { return t.span("run", number, round) }

// Attempt returns the id of an attempt's span. Attempts of a run may share a number, if one was returned; ids differ.
func (t ID) Attempt(a hive.AttemptRef) SpanID { return t.span("attempt", a.ID, a.Key) }

func (t ID) span(parts ...any) SpanID {
	sum := digest(append([]any{"span", hex.EncodeToString(t[:])}, parts...)...)
	return SpanID(sum[:8])
}

// digest is a hash over parts, with separators that no part has.
func digest(parts ...any) [sha256.Size]byte {
	var text []byte
	for _, p := range parts {
		text = append(fmt.Append(text, p), 0)
	}
	return sha256.Sum256(text)
}
