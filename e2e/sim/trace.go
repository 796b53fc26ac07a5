package sim

import (
	"context"
	"fmt"
	"hash"
	"log/slog"
	"strings"
)

// tracer records a history. A nil tracer records nothing.
type tracer struct {
	hash hash.Hash64
	ring []string
	keep int // number of lines to keep; all lines are hashed
	next int
}

func (t *tracer) add(line string) {
	_, _ = t.hash.Write([]byte(line)) // never fails
	_, _ = t.hash.Write([]byte{'\n'})
	if len(t.ring) < t.keep {
		t.ring = append(t.ring, line)
		return
	}
	t.ring[t.next] = line
	t.next = (t.next + 1) % t.keep
}

func (t *tracer) sum() uint64 {
	if t == nil {
		return 0
	}
	return t.hash.Sum64()
}

func (t *tracer) lines() []string {
	if t == nil {
		return nil
	}
	return append(append([]string(nil), t.ring[t.next:]...), t.ring[:t.next]...)
}

// unfit is the owner's message about an event that does not fit a batch. Only a defect of the owner causes it.
const unfit = "an event did not fit the batch"

// traceLog writes the log of the cores into the history.
type traceLog struct {
	w     *world
	attrs string
}

func (l *traceLog) Enabled(_ context.Context, level slog.Level) bool {
	return l.w.trace != nil || level >= slog.LevelError
}

func (l *traceLog) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		return true
	})
	if r.Message == unfit {
		l.w.failf("unfit", "%s", b.String())
	}
	l.w.tracef("log", "%s%s%s", r.Message, l.attrs, b.String())
	return nil
}

func (l *traceLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *l
	for _, a := range attrs {
		next.attrs += fmt.Sprintf(" %s=%v", a.Key, a.Value)
	}
	return &next
}

func (l *traceLog) WithGroup(string) slog.Handler { return l }
