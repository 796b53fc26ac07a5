package dbtest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

// hostile is text that has hurt databases, shells and log files before.
var hostile = []string{
	"", " ", "'", "''", `"`, "`", `\`, `\'`, `\\`, "%s", "?", "??", "?0", "$1", ":name", "@p", ";--", "/*",
	"'; DROP TABLE runs; --",
	"{}", "{1,2}", "NULL", "null", "true", "0x00", "\n", "\r\n", "\t", "\u0000", "a\x00b", "\xff\xfe", "\xed\xa0\x80",
	"数据仓库调度", "🐝", "e\u0301", "\u202eltr", "\ufeff", "\u2028", "<script>&amp;</script>", "E'\\x41'", "$$", "\x1b[31m",
}

func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.Just("")).Draw(t, "text")
	})
}

func anyTime() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		n := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 4_102_444_800_000)).Draw(t, "ms")
		if n == 0 {
			return time.Time{}
		}
		return time.UnixMilli(n).UTC()
	})
}

func anyCode() *rapid.Generator[*int] {
	return rapid.Ptr(rapid.SampledFrom([]int{0, 1, 2, 127, 137, 255, -1, -1 << 31, 1<<31 - 1}), true)
}

func anyOutputs() *rapid.Generator[map[string]string] {
	return rapid.OneOf(
		rapid.Just(map[string]string(nil)), rapid.Just(map[string]string{}), rapid.MapOfN(anyText(), anyText(), 0, 3))
}

// cleaned is what the store makes of text: see hive.Clean.
func cleaned(s string) string { return hive.Clean(s, 1<<20) }

func cleanedOutputs(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[cleaned(k)] = cleaned(v)
	}
	return out
}

func anyReason() *rapid.Generator[*hive.TextReason] {
	return rapid.Ptr(rapid.Custom(func(t *rapid.T) hive.TextReason {
		r := hive.TextReason{Code: rapid.SampledFrom([]hive.SentenceReason{"a", "b"}).Draw(t, "reason")}
		for range rapid.IntRange(0, 2).Draw(t, "params") {
			if r.Params == nil {
				r.Params = map[string]string{}
			}
			name, value := anyText().Draw(t, "name"), anyText().Draw(t, "value")
			r.Params[strings.ToValidUTF8(name, "x")] = strings.ToValidUTF8(value, "x")
		}
		return r
	}), true)
}

func anyReasons() *rapid.Generator[*hive.AttemptReasons] {
	return rapid.Ptr(rapid.Custom(func(t *rapid.T) hive.AttemptReasons {
		r := hive.AttemptReasons{Error: anyReason().Draw(t, "of the error")}
		for range rapid.IntRange(0, 3).Draw(t, "notes with a reason") {
			r.Notes = append(r.Notes, anyReason().Draw(t, "of a note"))
		}
		return r
	}), true)
}

func drawRun(t *rapid.T, r hive.Run) hive.Run {
	r.State = rapid.SampledFrom(hive.RunStates()).Draw(t, "state")
	r.Reason = rapid.SampledFrom([]hive.Reason{hive.ReasonNone, hive.ReasonExit, hive.ReasonLost}).Draw(t, "reason")
	r.Detail, r.DetailReason = anyText().Draw(t, "detail"), anyReason().Draw(t, "detail reason")
	r.Cause = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "cause")
	r.NotBefore, r.StartedAt = anyTime().Draw(t, "not before"), anyTime().Draw(t, "started")
	r.FinishedAt, r.ChangedAt = anyTime().Draw(t, "finished"), anyTime().Draw(t, "changed")
	r.Round = rapid.IntRange(1, 3).Draw(t, "round")
	r.Attempt = rapid.Int64Range(0, 1<<62).Draw(t, "attempt")
	r.Attempts = rapid.IntRange(0, 3).Draw(t, "attempts")
	r.Failures, r.Losses = rapid.IntRange(0, 3).Draw(t, "failures"), rapid.IntRange(0, 3).Draw(t, "losses")
	r.Rejects = rapid.IntRange(0, 3).Draw(t, "rejects")
	r.ExitCode, r.Outputs = anyCode().Draw(t, "exit code"), anyOutputs().Draw(t, "outputs")
	return r
}

func storedRun(r hive.Run) hive.Run {
	r.Detail, r.Outputs = cleaned(r.Detail), cleanedOutputs(r.Outputs)
	return r
}

func drawAttempt(t *rapid.T, a hive.Attempt) hive.Attempt {
	a.State = rapid.SampledFrom([]hive.AttemptState{
		hive.AttemptOffered, hive.AttemptRunning, hive.AttemptEnded,
	}).Draw(t, "state")
	a.Outcome = ""
	if a.State == hive.AttemptEnded {
		a.Outcome = rapid.SampledFrom([]hive.Outcome{
			hive.OutcomeSuccess, hive.OutcomeFailure, hive.OutcomeTimeout, hive.OutcomeKilled, hive.OutcomeRefused,
			hive.OutcomeLost, hive.OutcomeReturned,
		}).Draw(t, "outcome")
	}
	a.ExitCode, a.Error = anyCode().Draw(t, "code"), anyText().Draw(t, "error")
	a.Outputs = anyOutputs().Draw(t, "outputs")
	a.KillingAt, a.KillReason = anyTime().Draw(t, "killing"), hive.ReasonTimeout
	a.StartedAt, a.FinishedAt = anyTime().Draw(t, "started"), anyTime().Draw(t, "finished")
	a.LogBytes = rapid.Int64Range(0, 1<<50).Draw(t, "log bytes")
	a.Reasons = anyReasons().Draw(t, "reasons")
	a.Notes = rapid.OneOf(rapid.Just([]string(nil)), rapid.SliceOfN(anyText(), 0, 3)).Draw(t, "notes")
	return a
}

func storedAttempt(a hive.Attempt) hive.Attempt {
	a.Error, a.Outputs = cleaned(a.Error), cleanedOutputs(a.Outputs)
	if a.Notes != nil {
		notes := make([]string, len(a.Notes))
		for i, n := range a.Notes {
			notes[i] = cleaned(n)
		}
		a.Notes = notes
	}
	return a
}

// model is what the database should hold of one batch.
type model struct {
	batch    int64
	runs     []hive.Run
	attempts []hive.Attempt
	history  []hive.Run
}

// step draws a group of changes of the batch and applies it to the model if all changes fit.
func (m *model) step(t *rapid.T, ids func() int64) (w hive.BatchWrite, fits bool) {
	w.BatchID, fits = m.batch, true
	next := model{
		batch: m.batch, runs: slices.Clone(m.runs), attempts: slices.Clone(m.attempts),
		history: slices.Clone(m.history),
	}
	for i, r := range m.runs {
		if !rapid.Bool().Draw(t, "change run") {
			continue
		}
		to := drawRun(t, r)
		from := r.State
		if rapid.IntRange(0, 40).Draw(t, "wrong guard") == 0 {
			from = hive.RunStates()[(slices.Index(hive.RunStates(), r.State)+1)%len(hive.RunStates())]
			fits = false
		}
		if rapid.IntRange(0, 5).Draw(t, "history") == 0 {
			w.History = append(w.History, r)
			next.history = append(next.history, storedRun(r))
		}
		w.Runs = append(w.Runs, hive.RunChange{From: from, To: to})
		next.runs[i] = storedRun(to)
	}
	for i, a := range m.attempts {
		if !rapid.Bool().Draw(t, "change attempt") {
			continue
		}
		to := drawAttempt(t, a)
		w.Attempts = append(w.Attempts, hive.AttemptChange{To: to})
		next.attempts[i] = storedAttempt(to)
		fits = fits && a.State != hive.AttemptEnded
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "offers") {
		a := drawAttempt(t, hive.Attempt{
			ID: ids(), BatchID: m.batch, RunID: m.runs[0].ID, Number: i + 1, Round: 1, OfferedAt: t0,
			Executor: "e1", ExecutorName: "alpha",
			Scheduling: rapid.SampledFrom([]*hive.Scheduling{nil, {
				Route: hive.RouteLRU, Origin: hive.RouteOfGroup, Key: "组", Group: 2,
				Considered: []hive.Considered{{Name: "alpha", Used: 1, Slots: 2, Wait: hive.WaitBusy}},
			}}).Draw(t, "scheduling"),
		})
		w.Offers = append(w.Offers, a)
		next.attempts = append(next.attempts, storedAttempt(a))
	}
	if fits {
		*m = next
	}
	return w, fits
}

// Whatever is committed is read back, whatever does not fit changes nothing.
func TestCommitAgainstAModel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		x := newFixture(t, open())
		rapid.Check(t, func(t *rapid.T) {
			nb := x.newBatch(rapid.IntRange(1, 6).Draw(t, "runs"))
			made := must(x.CreateBatch(x.Context(), x.me, nb))(x)
			m := model{batch: made.ID, runs: x.snapshot(made.ID).Runs}
			ids := func() int64 { return must(x.NextIDs(x.Context(), db.CounterAttempt, 1))(x) }
			for range rapid.IntRange(1, 4).Draw(t, "steps") {
				w, fits := m.step(t, ids)
				err := x.commit(w)
				if fits != (err == nil) {
					t.Fatalf("fits %t, error %v", fits, err)
				}
				if !fits {
					x.guards(err, m.batch)
				}
			}
			diff(t, "runs", x.snapshot(made.ID).Runs, m.runs)
			diff(t, "attempts", must(x.Attempts(x.Context(), made.ID))(x), m.attempts)
			diff(t, "history", must(x.History(x.Context(), made.ID))(x), m.history)
		})
	})
}

func diff[V any](t *rapid.T, what string, got, want []V) {
	if len(got) != len(want) {
		t.Fatalf("%d %s, want %d", len(got), what, len(want))
	}
	for i := range got {
		if g, w := fmt.Sprintf("%#v", deref(got[i])), fmt.Sprintf("%#v", deref(want[i])); g != w {
			t.Fatalf("%s %d:\n got %s\nwant %s", what, i, g, w)
		}
	}
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// deref replaces pointers by values, to be compared as text.
func deref(v any) any {
	show := func(p *int) any {
		if p == nil {
			return nil
		}
		return *p
	}
	switch v := v.(type) {
	case hive.Run:
		code, reason := show(v.ExitCode), asJSON(v.DetailReason)
		v.ExitCode, v.DetailReason = nil, nil
		return []any{v, code, reason}
	case hive.Attempt:
		code, reasons := show(v.ExitCode), asJSON(v.Reasons)+asJSON(v.Scheduling)
		v.ExitCode, v.Reasons, v.Scheduling = nil, nil, nil
		return []any{v, code, reasons}
	}
	return v
}
