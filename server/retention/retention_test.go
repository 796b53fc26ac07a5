package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const day = 24 * time.Hour

// now is the time of the tests.
func now() time.Time { return time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC) }

// store has batches of schedules, one attempt each.
type store struct {
	list     []hive.PruneSchedule
	docs     map[int64]*hive.Definition
	before   map[int64]time.Time // last expected moment
	batches  map[int64][]hive.EndedBatch
	attempts []hive.AttemptRef // of deleted batches
	logs     []int64           // attempts whose logs are deleted
	marks    map[int64]time.Time
	floors   map[int64]time.Time // of the rules that were asked for
	rules    []hive.PruneRule
	held     bool
	doubt    bool
	fail     error
	parses   int
	uses     []hive.DiskUse
	drafts   map[string][]time.Time // times of the last changes, by schedule
}

func (s *store) PruneSchedules(context.Context) ([]hive.PruneSchedule, error) { return s.list, nil }

func (s *store) RevisionAt(_ context.Context, id, _ int64) (hive.Revision, error) {
	return hive.Revision{Document: fmt.Sprint(id)}, nil
}

func (s *store) parse(document string) (*hive.Definition, error) {
	s.parses++
	var id int64
	_, _ = fmt.Sscan(document, &id)
	if s.docs[id] == nil {
		return nil, errors.New("unreadable")
	}
	return s.docs[id], nil
}

func (s *store) MomentBefore(_ context.Context, id int64, _ time.Time) (m hive.MomentResult, found bool, err error) {
	at, found := s.before[id]
	return hive.MomentResult{Moment: at}, found, nil
}

func (s *store) NthBatch(_ context.Context, id int64, n int) (int64, time.Time, error) {
	if all := s.batches[id]; len(all) >= n {
		b := all[len(all)-n]
		return b.ID, b.EndedAt, nil
	}
	return 0, time.Time{}, nil
}

func (s *store) prunable(r hive.PruneRule) (out []hive.EndedBatch) {
	for _, b := range s.batches[r.ScheduleID] {
		if b.EndedAt.Before(r.Floor) && (b.EndedAt.Before(r.EndedBefore) || b.ID < r.Below) {
			out = append(out, b)
		}
	}
	return out
}

func (s *store) Prunable(_ context.Context, r hive.PruneRule, from hive.PruneCursor, limit int) ([]hive.EndedBatch,
	error,
) {
	s.rules = append(s.rules, r)
	s.floors[r.ScheduleID] = r.Floor
	out := slices.DeleteFunc(s.prunable(r), func(b hive.EndedBatch) bool { return b.ID <= from.ID })
	return out[:min(limit, len(out))], nil
}

func (s *store) PruneTotals(_ context.Context, r hive.PruneRule) (hive.PruneCounts, error) {
	n := len(s.prunable(r))
	return hive.PruneCounts{Batches: n, Runs: n, Attempts: n}, nil
}

func (s *store) PruneBatches(_ context.Context, _ hive.Server, r hive.PruneRule, ids []int64) (int, bool, error) {
	s.batches[r.ScheduleID] = slices.DeleteFunc(s.batches[r.ScheduleID], func(b hive.EndedBatch) bool {
		return slices.Contains(ids, b.ID)
	})
	for _, id := range ids {
		s.attempts = append(s.attempts, hive.AttemptRef{ID: id})
	}
	return len(ids), false, nil
}

func (s *store) PruningAttempts(_ context.Context, limit int) ([]hive.AttemptRef, error) {
	return s.attempts[:min(limit, len(s.attempts))], s.fail
}

func (s *store) PruneRows(_ context.Context, _ hive.Server, ids []int64, _ int) (hive.PruneCounts, bool, error) {
	s.attempts = slices.DeleteFunc(s.attempts, func(a hive.AttemptRef) bool { return slices.Contains(ids, a.ID) })
	return hive.PruneCounts{Runs: len(ids), Attempts: len(ids)}, len(s.attempts) > 0, nil
}

func (s *store) PrunableTicks(context.Context, int64, time.Time) (int, error) { return 3, nil }

func (s *store) PruneTicks(_ context.Context, _ hive.Server, _ int64, _ time.Time, _ int) (ticks, n int, err error) {
	return 3, 4, nil
}

func (s *store) OldDrafts(_ context.Context, schedule string, before time.Time) (n int, err error) {
	for _, at := range s.drafts[schedule] {
		if at.Before(before) {
			n++
		}
	}
	return n, nil
}

func (s *store) PruneDrafts(_ context.Context, _ hive.Server, schedule string, before time.Time, _ int) (int, error) {
	left := len(s.drafts[schedule])
	s.drafts[schedule] = slices.DeleteFunc(s.drafts[schedule], func(at time.Time) bool { return at.Before(before) })
	return left - len(s.drafts[schedule]), nil
}

func (s *store) OldLogs(_ context.Context, r hive.PruneRule, from hive.PruneCursor, _ int) ([]hive.EndedBatch,
	[]hive.AttemptRef, int64, error,
) {
	for _, b := range s.batches[r.ScheduleID] {
		if b.ID > from.ID && !b.EndedAt.Before(from.EndedAt) && b.EndedAt.Before(r.EndedBefore) {
			return []hive.EndedBatch{b}, []hive.AttemptRef{{ID: b.ID}}, 10, nil
		}
	}
	return nil, nil, 0, nil
}

func (s *store) LogMark(_ context.Context, id int64) (time.Time, error) { return s.marks[id], nil }

func (s *store) SetLogMark(_ context.Context, id int64, until time.Time) error {
	s.marks[id] = until
	return nil
}

func (s *store) HoldPruning(context.Context, string, time.Duration) (bool, error) { return s.held, nil }

// schedule adds a schedule with a batch for each of its last days.
func (s *store) schedule(name string, batches int, def hive.Definition) int64 {
	id := int64(len(s.list) + 1)
	def.Name = name
	s.list = append(s.list, hive.PruneSchedule{
		ID: id, Name: name, Revision: 1, Active: true, Mark: now().Add(-time.Minute), MayLimit: true,
	})
	s.docs[id] = &def
	for i := range batches {
		s.batches[id] = append(s.batches[id], hive.EndedBatch{
			ID: id*1000 + int64(i), EndedAt: now().Add(-time.Duration(batches-i) * day),
		})
	}
	return id
}

func newStore() *store {
	return &store{
		docs: map[int64]*hive.Definition{}, before: map[int64]time.Time{}, batches: map[int64][]hive.EndedBatch{},
		marks: map[int64]time.Time{}, floors: map[int64]time.Time{}, held: true,
		drafts: map[string][]time.Time{},
	}
}

func (s *store) service(l Limits) *Service {
	return New(Config{
		Schedules: s, Batches: s, Logs: s, Lease: s, Drafts: s, Parse: s.parse, Limits: l,
		Server: func() hive.Server { return hive.Server{ID: "a"} }, Now: now,
		RemoveLogs: func(_ context.Context, list []hive.AttemptRef) error {
			for _, a := range list {
				s.logs = append(s.logs, a.ID)
			}
			return nil
		},
		Log: slog.New(slog.DiscardHandler), Doubt: func() bool { return s.doubt },
	})
}

func keep(k hive.Keep) hive.Definition { return hive.Definition{Policy: hive.Policy{Keep: k}} }

func always(context.Context) bool { return true }

func run(t *testing.T, s *Service, only string, force *Limits) hive.PruneReport {
	t.Helper()
	out, err := s.pass(t.Context(), only, force, always)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLimits: a schedule has its own limits or those of the server, and without limits nothing goes.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := newStore()
	three, none, zero := 3, 0, 0
	a := s.schedule("a", 10, keep(hive.Keep{Batches: &three}))
	b := s.schedule("b", 10, hive.Definition{})
	c := s.schedule("c", 10, keep(hive.Keep{Days: &none, Batches: &zero}))
	got := run(t, s.service(Limits{}), "", nil)
	if got.Batches != 7 || len(s.batches[a]) != 3 || len(s.batches[b]) != 10 {
		t.Errorf("%+v, %d and %d are left", got, len(s.batches[a]), len(s.batches[b]))
	}
	if got := run(t, s.service(Limits{Days: 5}), "", nil); len(s.batches[b]) != 5 || len(s.batches[c]) != 10 {
		t.Errorf("%+v, %d and %d are left", got, len(s.batches[b]), len(s.batches[c]))
	}
	if got := run(t, s.service(Limits{}), "c", &Limits{Days: 8}); got.Batches != 2 || len(s.batches[b]) != 5 {
		t.Errorf("by hand: %+v", got)
	}
	if len(s.attempts) != 0 || len(s.logs) != 7+5+2 {
		t.Errorf("%d attempts, %d logs deleted", len(s.attempts), len(s.logs))
	}
	_, err := s.service(Limits{}).Prune(t.Context(), hive.PruneRequest{Schedule: "d"})
	if hive.CodeOf(err) != hive.CodeNotFound {
		t.Errorf("an unknown schedule: %v", err)
	}
}

// TestNothingToDo: without limits no definition is read.
func TestNothingToDo(t *testing.T) {
	t.Parallel()
	s := newStore()
	s.schedule("a", 10, hive.Definition{})
	s.list[0].MayLimit = false
	svc := s.service(Limits{})
	if got := run(t, svc, "", nil); got != (hive.PruneReport{}) || s.parses != 0 {
		t.Errorf("%+v, %d definitions read", got, s.parses)
	}
	for range 3 {
		run(t, s.service(Limits{Days: 1}), "", nil)
	}
	before := s.parses
	svc = s.service(Limits{Days: 1})
	run(t, svc, "", nil)
	run(t, svc, "", nil)
	if s.parses != before+1 {
		t.Errorf("%d definitions read twice", s.parses-before)
	}
}

// TestFloors: what dependants may still read stays, through others as well, by former names as well.
func TestFloors(t *testing.T) {
	t.Parallel()
	s := newStore()
	orders := s.schedule("orders", 200, hive.Definition{})
	mart := s.schedule("mart", 200, hive.Definition{Triggers: []hive.Trigger{{
		After: []hive.Upstream{{Schedule: "orders-old"}},
	}}})
	s.schedule("report", 200, hive.Definition{Triggers: []hive.Trigger{{
		Cron: "0 3 * * *", After: []hive.Upstream{{Schedule: "mart", Window: "(-60d, 0h]"}},
	}}})
	daily := s.schedule("daily", 200, hive.Definition{Triggers: []hive.Trigger{{Cron: "0 3 * * *", Serial: true}}})
	free := s.schedule("free", 200, hive.Definition{})
	s.list[0].Former = []string{"orders-old"}
	s.before[daily] = now().Add(-90 * day)
	run(t, s.service(Limits{Days: 1}), "", nil)
	for id, want := range map[int64]time.Duration{
		orders: 66 * day, mart: 64 * day, daily: 90 * day, free: -never, 0: -never,
	} {
		if far := now().Sub(s.floors[id]); id != 0 && (far < want-2*day || far > want+3*day) {
			t.Errorf("schedule %d: the floor is %s back, want %s", id, far, want)
		}
	}
	if n := len(s.batches[free]); n != 1 {
		t.Errorf("%d batches are left of a schedule that nobody reads", n)
	}
	if n := len(s.batches[daily]); n < 90 {
		t.Errorf("%d batches are left of a serial schedule", n)
	}
	s.docs[mart] = nil
	s.rules = nil
	run(t, s.service(Limits{Days: 1}), "", nil)
	for _, r := range s.rules {
		if r.ScheduleID != 0 && !r.Floor.IsZero() {
			t.Errorf("nobody knows what mart reads, and the floor of %d is %s", r.ScheduleID, r.Floor)
		}
	}
}

// TestLogsAlone deletes logs before their batches, and goes on where it stopped.
func TestLogsAlone(t *testing.T) {
	t.Parallel()
	s := newStore()
	a := s.schedule("a", 10, hive.Definition{})
	svc := s.service(Limits{Logs: 4})
	dry, err := svc.Prune(t.Context(), hive.PruneRequest{DryRun: true})
	if err != nil || dry.LogBytes != 60 || len(s.logs) != 0 {
		t.Errorf("dry run: %+v, %v, logs %v", dry, err, s.logs)
	}
	if got := run(t, svc, "", nil); got.LogBytes != 60 || len(s.logs) != 6 || len(s.batches[a]) != 10 {
		t.Errorf("%+v, logs %v", got, s.logs)
	}
	run(t, svc, "", nil)
	if len(s.logs) != 6 || !s.marks[a].Equal(now().Add(-4*day)) {
		t.Errorf("logs %v, mark %s", s.logs, s.marks[a])
	}
}

// TestDryRun deletes nothing and counts all.
func TestDryRun(t *testing.T) {
	t.Parallel()
	s := newStore()
	a := s.schedule("a", 10, hive.Definition{})
	got, err := s.service(Limits{}).Prune(t.Context(), hive.PruneRequest{DryRun: true, Days: 5})
	want := hive.PruneReport{PruneCounts: hive.PruneCounts{Batches: 5, Runs: 5, Attempts: 5, Ticks: 3}}
	if err != nil || got != want || len(s.batches[a]) != 10 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestInterrupted stops between two chunks, and the next pass first deletes what the last one has left.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := newStore()
	a := s.schedule("a", 120, hive.Definition{})
	svc := s.service(Limits{Days: 1})
	left := 2
	out, err := svc.pass(t.Context(), "", nil, func(context.Context) bool {
		left--
		return left >= 0
	})
	if err != nil || !out.More || out.Batches != mostBatches || len(s.attempts) != mostBatches {
		t.Errorf("%+v, %v, %d attempts", out, err, len(s.attempts))
	}
	s.fail = hive.ErrConnection
	if _, err := svc.pass(t.Context(), "", nil, always); err == nil {
		t.Error("the database is away, and nobody says so")
	}
	s.fail = nil
	if out := run(t, svc, "", nil); out.More || len(s.attempts) != 0 || len(s.batches[a]) != 1 {
		t.Errorf("%+v, %d attempts, %d batches", out, len(s.attempts), len(s.batches[a]))
	}
}

// TestDriver begins a while after the start, and only while the lease is held.
func TestDriver(t *testing.T) {
	t.Parallel()
	s := newStore()
	a := s.schedule("a", 10, hive.Definition{})
	svc := s.service(Limits{Days: 1})
	at := now()
	svc.config.Now = func() time.Time { return at }
	svc.config.Disk, svc.config.Folder = s, s
	d := NewDriver(svc)
	if wait := d.RunOnce(t.Context()); wait != startAfter || len(s.batches[a]) != 10 {
		t.Errorf("at once: %s, %d batches", wait, len(s.batches[a]))
	}
	at, s.held = now().Add(startAfter), false
	if wait := d.RunOnce(t.Context()); wait != elsewhere || len(s.batches[a]) != 10 {
		t.Errorf("without the lease: %s, %d batches", wait, len(s.batches[a]))
	}
	s.held, s.doubt = true, true
	if wait := d.RunOnce(t.Context()); wait != elsewhere || len(s.batches[a]) != 10 {
		t.Errorf("with a clock that has jumped: %s, %d batches", wait, len(s.batches[a]))
	}
	if _, err := svc.Prune(t.Context(), hive.PruneRequest{Days: 1}); hive.CodeOf(err) != hive.CodeUnavailable {
		t.Errorf("by hand with such a clock: %v", err)
	}
	s.doubt = false
	if wait := d.RunOnce(t.Context()); wait != every || len(s.batches[a]) != 0 {
		t.Errorf("with the lease: %s, %d batches", wait, len(s.batches[a]))
	}
	s.fail = errors.New("broken")
	if wait := d.RunOnce(t.Context()); wait != elsewhere {
		t.Errorf("after a failure: %s", wait)
	}
	if len(s.uses) != 1 || s.uses[0].Database != 900 || s.uses[0].Logs != 70 {
		t.Errorf("measured %+v", s.uses)
	}
}
