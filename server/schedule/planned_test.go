package schedule_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// toCome lists the planned changes of a schedule that may still have an effect, as the real store does.
func (s *store) toCome(id int64) []hive.PlannedChange {
	var out []hive.PlannedChange
	for _, c := range s.changes[id] {
		decision := s.result(id, c.Moment).Decision
		if c.Decided = decision != ""; c.Moment.After(s.rows[id].Mark) || decision == hive.DecisionWaiting {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b hive.PlannedChange) int { return a.Moment.Compare(b.Moment) })
	return out
}

// plan stores a planned change.
func (s *store) plan(id int64, c hive.PlannedChange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes == nil {
		s.changes = map[int64][]hive.PlannedChange{}
	}
	c.ScheduleID, c.By, c.Reason = id, "ada", "late source"
	s.changes[id] = append(s.changes[id], c)
	s.touch(id)
}

// undo removes a planned change unless its moment is decided, as the real store does.
func (s *store) undo(id int64, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.result(id, at).Decision != "" {
		return errors.New("it is decided")
	}
	s.changes[id] = slices.DeleteFunc(s.changes[id], func(c hive.PlannedChange) bool { return c.Moment.Equal(at) })
	s.touch(id)
	return nil
}

// release ends the wait of a tick.
func (s *store) release(id int64, at time.Time, r hive.Release) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.ticks[id] {
		if s.ticks[id][i].Moment.Equal(at) {
			s.ticks[id][i].Wait.Released = r
		}
	}
}

// onFirstDay returns a time of the first day of a bubble.
func onFirstDay(hours, minutes int) time.Time {
	return time.Date(2000, 1, 1, hours, minutes, 0, 0, time.UTC)
}

func skip(at time.Time) hive.PlannedChange {
	return hive.PlannedChange{Moment: at, Action: hive.ChangeSkip}
}

func move(at, to time.Time) hive.PlannedChange {
	return hive.PlannedChange{Moment: at, Action: hive.ChangeMove, To: to}
}

func hold(at time.Time) hive.PlannedChange {
	return hive.PlannedChange{Moment: at, Action: hive.ChangeHold}
}

func with(at time.Time, params map[string]any) hive.PlannedChange {
	return hive.PlannedChange{Moment: at, Action: hive.ChangeParams, Params: params}
}

// plannedCase is a decision about an hourly schedule with planned changes.
type plannedCase struct {
	name   string
	policy hive.Policy
	plan   []hive.PlannedChange
	row    []hive.Tick
	off    bool
	want   string
}

// plannedCases are decided at 12:00:01, with the mark at 09:00.
func plannedCases(t *testing.T) []plannedCase {
	t.Helper()
	at := func(text string) time.Time { return moment(t, "2026-05-04T"+text+":00Z") }
	row := func(text, rule string) hive.Tick {
		return hive.Tick{ID: 1, Moment: at(text), Trigger: "0 * * * *", Decision: hive.DecisionWaiting, Rule: rule}
	}
	released := row("08:00", "planned_hold")
	released.Wait.Released = hive.Release{By: "bob", Reason: "go"}
	notToday := row("08:00", "planned_hold")
	notToday.Wait.Released = hive.Release{By: "bob", Reason: "no", Skip: true}
	none := hive.CatchUp{Mode: hive.CatchUpNone}
	all := hive.CatchUp{Mode: hive.CatchUpAll}
	return []plannedCase{
		{
			name: "a skipped one is not the latest", plan: []hive.PlannedChange{skip(at("11:00"))},
			want: "10:00 fired catch_up r, 11:00 skipped planned_skip, 12:00 skipped overlap",
		},
		{
			name: "skip of a disabled schedule", off: true, plan: []hive.PlannedChange{skip(at("12:00"))},
			want: "10:00 skipped paused, 11:00 skipped paused, 12:00 skipped planned_skip",
		},
		{
			name: "hold", policy: hive.Policy{CatchUp: none}, plan: []hive.PlannedChange{hold(at("11:00"))},
			want: "10:00 missed catch_up, 11:00 waiting planned_hold, 12:00 fired on_time r",
		},
		{
			name: "a held one of a disabled schedule", off: true, plan: []hive.PlannedChange{hold(at("12:00"))},
			want: "10:00 skipped paused, 11:00 skipped paused, 12:00 skipped paused",
		},
		{
			name: "a held one expires", policy: hive.Policy{CatchUp: none, Expire: hours(1.5)},
			plan: []hive.PlannedChange{hold(at("10:00"))},
			want: "10:00 missed expire, 11:00 missed catch_up, 12:00 fired on_time r",
		},
		{
			name: "later", policy: hive.Policy{CatchUp: none},
			plan: []hive.PlannedChange{move(at("10:00"), at("13:00"))},
			want: "10:00 waiting planned_move, 11:00 missed catch_up, 12:00 fired on_time r",
		},
		{
			name:   "its new time has come while no server ran: it is late against that time",
			policy: hive.Policy{CatchUp: none, Overlap: hive.OverlapAllow},
			plan:   []hive.PlannedChange{move(at("10:00"), at("12:00")), move(at("11:00"), at("11:30"))},
			want:   "10:00 fired planned_move r, 11:00 missed catch_up, 12:00 fired on_time r",
		},
		{
			name: "late ones in order", policy: hive.Policy{CatchUp: all},
			plan: []hive.PlannedChange{move(at("10:00"), at("11:50"))},
			want: "10:00 fired catch_up r, 11:00 queued catch_up q, 12:00 queued catch_up q",
		},
		{
			name: "earlier", policy: hive.Policy{CatchUp: none, Overlap: hive.OverlapAllow},
			plan: []hive.PlannedChange{move(at("15:00"), at("12:00"))},
			want: "10:00 missed catch_up, 11:00 missed catch_up, 12:00 fired on_time r, 15:00 fired planned_move r",
		},
		{
			name: "no trigger has it", policy: hive.Policy{CatchUp: none},
			plan: []hive.PlannedChange{skip(at("11:30")), move(at("14:30"), at("12:00"))},
			want: "10:00 missed catch_up, 11:00 missed catch_up, 12:00 fired on_time r",
		},
		{
			name: "a moved one that waits for its time", policy: hive.Policy{CatchUp: none},
			plan: []hive.PlannedChange{move(at("08:00"), at("12:30"))}, row: []hive.Tick{row("08:00", "planned_move")},
			want: "10:00 missed catch_up, 11:00 missed catch_up, 12:00 fired on_time r",
		},
		{
			name: "its time has come", policy: hive.Policy{CatchUp: none},
			plan: []hive.PlannedChange{move(at("08:00"), at("12:00"))}, row: []hive.Tick{row("08:00", "planned_move")},
			want: "08:00 fired planned_move r, 10:00 missed catch_up, 11:00 missed catch_up, 12:00 skipped overlap",
		},
		{
			name: "its time came long ago", policy: hive.Policy{CatchUp: none},
			plan: []hive.PlannedChange{move(at("08:00"), at("11:00"))}, row: []hive.Tick{row("08:00", "planned_move")},
			want: "08:00 missed catch_up, 10:00 missed catch_up, 11:00 missed catch_up, 12:00 fired on_time r",
		},
		{
			name: "the newest late one runs", plan: []hive.PlannedChange{move(at("08:00"), at("09:30"))},
			row:  []hive.Tick{row("08:00", "planned_move")},
			want: "08:00 missed catch_up, 10:00 missed catch_up, 11:00 fired catch_up r, 12:00 skipped overlap",
		},
		{
			name: "a released one", plan: []hive.PlannedChange{hold(at("08:00"))}, row: []hive.Tick{released},
			policy: hive.Policy{CatchUp: none},
			want:   "08:00 fired released r, 10:00 missed catch_up, 11:00 missed catch_up, 12:00 skipped overlap",
		},
		{
			name: "one that is skipped instead", plan: []hive.PlannedChange{hold(at("08:00"))},
			row: []hive.Tick{notToday}, policy: hive.Policy{CatchUp: none},
			want: "08:00 skipped skipped_by_person, 10:00 missed catch_up, 11:00 missed catch_up, " +
				"12:00 fired on_time r",
		},
		{
			name: "maxBatches counts", policy: hive.Policy{MaxBatches: 1, CatchUp: none},
			plan: []hive.PlannedChange{move(at("15:00"), at("12:00"))},
			want: "10:00 missed catch_up, 11:00 missed catch_up, 12:00 fired on_time r, 15:00 skipped max_batches",
		},
	}
}

func TestDecidePlannedChanges(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time { return moment(t, "2026-05-04T"+text+":00Z") }
	for _, c := range plannedCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStore()
			def := def("0 * * * *")
			def.Policy = c.policy
			s.publish(1, at("07:30"), def)
			s.rows[1].Mark, s.rows[1].Enabled = at("09:00"), !c.off
			for i := range c.row {
				c.row[i].ScheduleID, c.row[i].Count = 1, 1
			}
			s.ticks[1] = slices.Clone(c.row)
			for _, p := range c.plan {
				s.plan(1, p)
			}
			if got := strings.Join(decideAt(t, s, at("12:00").Add(time.Second)), ", "); got != c.want {
				t.Errorf("decided\n%s, want\n%s", got, c.want)
			}
		})
	}
}

// decideAt lets a ticker decide once, and returns what it wrote.
func decideAt(t *testing.T, s *store, now time.Time) []string {
	t.Helper()
	var writes []hive.TickWrite
	ticker := schedule.NewTicker(schedule.Config{
		Store: &watched{store: s, saw: &writes}, Results: s, Links: s, Changes: s, Parse: parseJSON, NewRuns: runsOf,
		Server: func() hive.Server { return hive.Server{ID: "me", Epoch: 1} }, Made: func([]int64) {},
		Clock: schedule.Clock{
			Wall: func() time.Time { return now }, Elapsed: func() time.Duration { return 0 },
		},
	})
	ticker.RunOnce(t.Context())
	return decided(writes)
}

// TestTickerCarriesOutPlannedChanges restarts the ticker between plan and due.
func TestTickerCarriesOutPlannedChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		d := def("0 * * * *")
		d.Policy.CatchUp.Mode = hive.CatchUpNone
		s.publish(1, time.Now(), d)
		b := newBench(s)
		b.begin(t)
		pass(10 * time.Minute)
		s.plan(1, skip(onFirstDay(1, 0)))
		s.plan(1, move(onFirstDay(2, 0), onFirstDay(4, 30)))
		s.plan(1, hold(onFirstDay(3, 0)))
		s.plan(1, move(onFirstDay(6, 0), onFirstDay(1, 30)))
		s.plan(1, with(onFirstDay(4, 0), map[string]any{"region": "west"}))
		b.Notify(1)
		pass(81 * time.Minute) // 01:31
		b.Stop()
		wantLedger(t, s, 1, "01:00:00 skipped planned_skip", "06:00:00 fired planned_move")
		pass(14 * time.Minute)
		b = newBench(s)
		b.begin(t)
		pass(2*time.Hour + 44*time.Minute) // 04:29
		wantLedger(t, s, 1, "01:00:00 skipped planned_skip", "06:00:00 fired planned_move",
			"02:00:00 waiting planned_move", "03:00:00 waiting planned_hold", "04:00:00 fired on_time")
		s.release(1, onFirstDay(3, 0), hive.Release{By: "bob", Reason: "checked"})
		b.Notify(1)
		pass(2 * time.Minute)
		b.Stop()
		pass(9 * time.Minute)
		b = newBench(s)
		b.run(t, 3*time.Hour)
		wantLedger(t, s, 1, "01:00:00 skipped planned_skip", "06:00:00 fired planned_move",
			"02:00:00 fired planned_move", "03:00:00 fired released", "04:00:00 fired on_time",
			"05:00:00 fired on_time", "07:00:00 fired on_time")
		if s.double != 0 {
			t.Errorf("%d moments were decided twice", s.double)
		}
		made := map[string]hive.Batch{}
		for _, n := range s.batches {
			made[n.Batch.Moment.Format("15:04")] = n.Batch
		}
		if p := made["04:00"].Params; p["region"] != "west" {
			t.Errorf("params %v", p)
		}
		if at := made["02:00"].CreatedAt; at.Sub(onFirstDay(4, 30)).Abs() > time.Second {
			t.Errorf("the moved batch was made at %s", at)
		}
		if at := made["06:00"].CreatedAt; at.Sub(onFirstDay(1, 30)).Abs() > time.Second {
			t.Errorf("the batch of 06:00 was made at %s", at)
		}
	})
}

// TestUndoRaces undoes a change just before and just after it is due: one decision comes of it in each case.
func TestUndoRaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("0 * * * *"))
		s.plan(1, skip(onFirstDay(1, 0)))
		s.plan(1, skip(onFirstDay(2, 0)))
		s.plan(1, move(onFirstDay(3, 0), onFirstDay(2, 30)))
		first := true
		s.fail = func([]int64) error { // as a decision begins
			if time.Now().Equal(onFirstDay(1, 0)) && first {
				first = false
				s.changes[1] = s.changes[1][1:]
			}
			return nil
		}
		b, other := newBench(s), newBench(s)
		b.begin(t)
		other.begin(t)
		pass(time.Hour + time.Minute)
		wantLedger(t, s, 1, "01:00:00 fired on_time")
		pass(time.Hour)
		if s.undo(1, onFirstDay(2, 0)) == nil {
			t.Error("a decided change is undone")
		}
		if err := s.undo(1, onFirstDay(3, 0)); err != nil {
			t.Error(err)
		}
		b.Notify(1)
		pass(2 * time.Hour)
		b.Stop()
		other.Stop()
		wantLedger(t, s, 1, "01:00:00 fired on_time", "02:00:00 skipped planned_skip", "03:00:00 fired on_time",
			"04:00:00 fired on_time")
	})
}

// TestEditVoidsPlannedChanges publishes triggers that have the planned moments no more.
func TestEditVoidsPlannedChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("0 * * * *"))
		s.plan(1, move(onFirstDay(1, 0), onFirstDay(3, 0)))
		s.plan(1, skip(onFirstDay(2, 0)))
		s.plan(1, move(onFirstDay(5, 0), onFirstDay(2, 10)))
		b := newBench(s)
		b.begin(t)
		pass(90 * time.Minute)
		wantLedger(t, s, 1, "01:00:00 waiting planned_move")
		s.publish(1, time.Now(), def("40 * * * *"))
		b.Notify(1)
		pass(time.Hour)
		b.Stop()
		wantLedger(t, s, 1, "01:00:00 skipped edited", "01:40:00 fired on_time")
	})
}

// TestAPlannedSkipIsNotExpected lets a dependant follow a whole day. The last moment of the day is planned to be
// skipped, so it starts when the other moment has succeeded.
func TestAPlannedSkipIsNotExpected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.ended = map[int64]hive.BatchState{1: hive.BatchSucceeded}
		s.publish(1, time.Now(), def("0 1,20 * * *"))
		down := def()
		down.Triggers = []hive.Trigger{{After: []hive.Upstream{{Schedule: "s1", Window: "same_day"}}}}
		s.publish(2, time.Now(), down)
		b := newBench(s)
		b.begin(t)
		pass(2 * time.Hour)
		wantLedger(t, s, 2, "00:00:00 waiting after")
		s.plan(1, skip(onFirstDay(20, 0)))
		b.Notify(1)
		pass(time.Second)
		b.Stop()
		wantLedger(t, s, 2, "00:00:00 fired after")
	})
}

// watched is a store that keeps what was written.
type watched struct {
	*store

	saw *[]hive.TickWrite
}

// DecideManyTicks is of schedule.Store.
func (w *watched) DecideManyTicks(ctx context.Context, server hive.Server, ids []int64, now time.Time,
	decide func(hive.TickView) ([]hive.TickWrite, error),
) ([]int64, error) {
	return w.store.DecideManyTicks(ctx, server, ids, now, func(v hive.TickView) ([]hive.TickWrite, error) {
		writes, err := decide(v)
		*w.saw = append(*w.saw, writes...)
		return writes, err
	})
}
