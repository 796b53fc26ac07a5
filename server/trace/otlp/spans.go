package otlp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	pb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/trace"
)

// maxError limits the error in the status of a span, in bytes.
const maxError = 1 << 10

// known is what the spans of a batch need of its stored rows.
type known struct {
	batch hive.Batch
	tasks map[string]*hive.Task // by key, of the batch's revision
	trace trace.ID
	runs  map[int64]*hive.Run // by id; nil until it is needed
	// offers has, by run and round, what is known of the attempts that have ended, until the run ends.
	offers map[runRound]offers
}

// runRound is a run in one of its rounds.
type runRound struct {
	run   int64
	round int
}

// offers are the attempts of a run in a round.
type offers struct {
	first time.Time // the first offer
	count int
}

// see notes an attempt that has ended.
func (k *known) see(a *hive.Attempt) {
	at := runRound{a.RunID, a.Round}
	o := k.offers[at]
	if o.count == 0 || a.OfferedAt.Before(o.first) {
		o.first = a.OfferedAt
	}
	o.count++
	k.offers[at] = o
}

// misses reports whether a run had more attempts in its round than this server has seen end.
func (k *known) misses(r *hive.Run) bool {
	most := r.Failures + r.Losses
	if r.State == hive.RunSucceeded && !r.StartedAt.IsZero() {
		most++
	}
	return k.offers[runRound{r.ID, r.Round}].count < most
}

// attempt makes the span of an attempt: from its offer to its end.
func (k *known) attempt(a *hive.Attempt, r *hive.Run) *pb.Span {
	end := cmp.Or(a.FinishedAt, a.StartedAt, a.OfferedAt)
	id := k.trace.Attempt(a.Ref())
	s := k.span(id, k.trace.Run(r.Number, a.Round), "attempt", a.OfferedAt, end)
	if !a.StartedAt.IsZero() {
		s.Events = []*pb.Span_Event{{Name: "started", TimeUnixNano: nanos(a.StartedAt)}}
	}
	s.Attributes = slices.Concat(k.common(), k.ofRun(r, a.Round), []*common.KeyValue{
		number("attempt", int64(a.Number)), number("attempt_id", a.ID), text("executor", a.ExecutorName),
		text("outcome", string(a.Outcome)),
	})
	if a.ExitCode != nil {
		s.Attributes = append(s.Attributes, number("exit_code", int64(*a.ExitCode)))
	}
	switch a.Outcome {
	case hive.OutcomeSuccess:
		s.Status = &pb.Status{Code: pb.Status_STATUS_CODE_OK}
	case hive.OutcomeFailure, hive.OutcomeTimeout, hive.OutcomeRefused, hive.OutcomeLost:
		s.Status = failed(cmp.Or(a.Error, string(a.Outcome)))
	case hive.OutcomeKilled, hive.OutcomeReturned:
	}
	return s
}

// run makes the span of a task run in a round: from the first offer to the end. A run that was never offered has no
// duration.
func (k *known) run(r *hive.Run, failure string) *pb.Span {
	end := r.FinishedAt
	if end.IsZero() {
		end = r.ChangedAt
	}
	first := k.offers[runRound{r.ID, r.Round}].first
	delete(k.offers, runRound{r.ID, r.Round})
	s := k.span(k.trace.Run(r.Number, r.Round), k.trace.Round(r.Round), r.Task, cmp.Or(first, end), end)
	s.Attributes = slices.Concat(k.common(), k.ofRun(r, r.Round),
		[]*common.KeyValue{text("state", string(r.State)), number("attempts", int64(r.Attempts))})
	if r.Reason != "" {
		s.Attributes = append(s.Attributes, text("reason", string(r.Reason)))
	}
	switch {
	case r.State == hive.RunSucceeded:
		s.Status = &pb.Status{Code: pb.Status_STATUS_CODE_OK}
	case r.State == hive.RunFailed:
		s.Status = failed(cmp.Or(failure, r.Detail, string(r.Reason), "failed"))
	}
	return s
}

// round makes the span of a round, and with the first one that of the batch. A batch that is resumed later has further
// rounds, which begin after its own span has ended.
func (k *known) round(b *hive.Batch, causes []trace.ID) []*pb.Span {
	var out []*pb.Span
	end := cmp.Or(b.FinishedAt, b.RoundAt, k.batch.CreatedAt)
	attributes := append(k.common(), number("round", int64(b.Round)), text("state", string(b.State)))
	if b.Reason != "" {
		attributes = append(attributes, text("reason", string(b.Reason)))
	}
	s := k.span(k.trace.Round(b.Round), k.trace.Batch(), fmt.Sprintf("round %d", b.Round), cmp.Or(b.RoundAt, end), end)
	s.Attributes, s.Status = attributes, statusOf(b)
	out = append(out, s)
	if b.Round == 1 {
		root := k.span(k.trace.Batch(), trace.SpanID{}, "batch "+cmp.Or(k.batch.Schedule, string(k.batch.Kind)),
			k.batch.CreatedAt, end)
		root.ParentSpanId = nil
		root.Attributes, root.Status = attributes, statusOf(b)
		for _, cause := range causes {
			id := cause.Batch()
			root.Links = append(root.Links, &pb.Span_Link{TraceId: cause[:], SpanId: id[:]})
		}
		out = append(out, root)
	}
	return out
}

func statusOf(b *hive.Batch) *pb.Status {
	switch b.State {
	case hive.BatchSucceeded:
		return &pb.Status{Code: pb.Status_STATUS_CODE_OK}
	case hive.BatchFailed:
		return failed(cmp.Or(string(b.Reason), "failed"))
	default:
		return nil
	}
}

// span makes a span that does not end before it begins: the times come from several clocks.
func (k *known) span(id, parent trace.SpanID, name string, start, end time.Time) *pb.Span {
	if end.Before(start) {
		end = start
	}
	return &pb.Span{
		TraceId: k.trace[:], SpanId: id[:], ParentSpanId: parent[:], Name: name, Kind: pb.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: nanos(start), EndTimeUnixNano: nanos(end),
		Flags: uint32(pb.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK) | 1,
	}
}

// common returns the attributes of all spans of the batch.
func (k *known) common() []*common.KeyValue {
	b := &k.batch
	out := []*common.KeyValue{number("batch", b.ID), text("kind", string(b.Kind))}
	if b.Schedule != "" {
		out = append(out, text("schedule", b.Schedule), number("revision", b.Revision))
	}
	if !b.Moment.IsZero() {
		out = append(out, text("moment", b.Moment.UTC().Format(time.RFC3339)))
	}
	if b.Backfill != 0 {
		out = append(out, number("backfill", b.Backfill))
	}
	return out
}

// ofRun returns the attributes of a run and its attempts.
func (k *known) ofRun(r *hive.Run, round int) []*common.KeyValue {
	out := []*common.KeyValue{text("job", r.Job), text("task", r.Task), number("round", int64(round))}
	if t := k.tasks[r.Task]; t != nil {
		out = append(out, text("handler", t.Handler), text("group", cmp.Or(t.Group, hive.DefaultGroup)))
	}
	return out
}

func text(name, value string) *common.KeyValue {
	return &common.KeyValue{Key: "hivego." + name, Value: textValue(value)}
}

func textValue(value string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: strings.ToValidUTF8(value, "\ufffd")}}
}

func number(name string, value int64) *common.KeyValue {
	return &common.KeyValue{
		Key: "hivego." + name, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}},
	}
}

func failed(words string) *pb.Status {
	if len(words) > maxError {
		words = words[:maxError]
	}
	return &pb.Status{Code: pb.Status_STATUS_CODE_ERROR, Message: strings.ToValidUTF8(words, "")}
}

func nanos(t time.Time) uint64 { return uint64(max(t.UnixNano(), 0)) }
