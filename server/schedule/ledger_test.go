package schedule_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

func TestDecideMakesABatch(t *testing.T) {
	t.Parallel()
	created := moment(t, "2026-05-04T11:30:00Z")
	v := hive.TickView{
		Schedule:   hive.Schedule{ID: 3, Name: "hourly", Enabled: true, CreatedAt: created},
		RevisionID: 11, Revision: 2,
	}
	def := &hive.Definition{Triggers: []hive.Trigger{{Cron: "0 * * * *"}}}
	now := moment(t, "2026-05-04T12:00:00.250Z")
	writes := schedule.Decide(v, only(v, def), now)
	if len(writes) != 1 || writes[0].Batch == nil {
		t.Fatalf("decided %v, want one batch: before the schedule was created nothing is due", decided(writes))
	}
	b, tick := writes[0].Batch.Batch, writes[0].Tick
	at := moment(t, "2026-05-04T12:00:00Z")
	if b.ScheduleID != 3 || b.Schedule != "hourly" || b.RevisionID != 11 || b.Revision != 2 ||
		b.Kind != hive.KindScheduled ||
		b.State != hive.BatchQueued || b.Wish != hive.WishRun || b.Round != 1 || !b.Moment.Equal(at) ||
		!b.CreatedAt.Equal(now) || !b.Live {
		t.Errorf("batch = %+v", b)
	}
	if tick.ScheduleID != 3 || !tick.Moment.Equal(at) || tick.Count != 1 || tick.Trigger != "0 * * * *" ||
		tick.RevisionID != 11 ||
		!tick.DecidedAt.Equal(now) || !tick.Until.IsZero() {
		t.Errorf("tick = %+v", tick)
	}
}

func TestDecideWritesABacklogAsOneRow(t *testing.T) {
	t.Parallel()
	v := hive.TickView{
		Schedule: hive.Schedule{Enabled: true, Mark: moment(t, "2025-05-04T12:00:00Z")},
	}
	def := &hive.Definition{Triggers: []hive.Trigger{
		{Cron: "* * * * * *"},
		{Cron: "*/5 * * * * *"},
		{Cron: "0 0 * * *"},
	}}
	now := moment(t, "2026-05-04T12:00:00Z")
	writes := schedule.Decide(v, only(v, def), now)
	const year = 365 * 86_400
	var rows []hive.Tick
	single := map[int64]bool{}
	for _, w := range writes {
		if w.Tick.Count > 1 {
			rows = append(rows, w.Tick)
		} else if single[w.Tick.Moment.Unix()] {
			t.Errorf("%s is decided twice", w.Tick.Moment)
		}
		single[w.Tick.Moment.Unix()] = true
	}
	if len(rows) != 3 {
		t.Fatalf("%d range rows, want one for each trigger", len(rows))
	}
	// Each row has its own first moment; what is decided one by one does not count in it.
	for i, want := range []struct {
		first string
		count int
	}{
		// the other triggers' newest 100 are among its moments, 20 of them twice
		{"2025-05-04T12:00:01Z", year - 100 - 80 - 100},
		{"2025-05-04T12:00:05Z", year/5 - 100 - 100},
		{"2025-05-05T00:00:00Z", 365 - 100},
	} {
		at := slices.IndexFunc(rows, func(r hive.Tick) bool { return r.Moment.Equal(moment(t, want.first)) })
		if at < 0 {
			t.Fatalf("no range row begins at %s: %+v", want.first, rows)
		}
		if r := rows[at]; r.Count != want.count || r.Decision != hive.DecisionMissed || r.Rule != "backlog" ||
			!r.Until.Before(now) {
			t.Errorf("row %d = %+v, want %d moments", i, r, want.count)
		}
	}
	// These are on time; a late one was caught up before them and is live.
	if last := decided(writes[len(writes)-6:]); last[0] != "11:59 skipped overlap" {
		t.Errorf("the newest are decided as %v", last)
	}
}

func TestDecideByTheRevisionInForce(t *testing.T) {
	t.Parallel()
	period := func(from string, number int64, cron string, policy hive.Policy) schedule.Period {
		def := &hive.Definition{Triggers: []hive.Trigger{{Cron: cron}}, Policy: policy}
		table, err := schedule.NewTimetable(def, time.Unix(0, 0), nil)
		if err != nil {
			t.Fatal(err)
		}
		return schedule.Period{
			From: moment(t, from), RevisionID: 10 + number, Revision: number, Definition: def,
			Timetable: table,
		}
	}
	periods := []schedule.Period{
		period("2026-05-04T00:00:00Z", 1, "0 * * * *", hive.Policy{CatchUp: hive.CatchUp{Mode: hive.CatchUpNone}}),
		period("2026-05-04T10:00:00Z", 2, "30 * * * *", hive.Policy{}),
		period("2026-05-04T11:15:00Z", 3, "0,30 * * * *",
			hive.Policy{CatchUp: hive.CatchUp{Mode: hive.CatchUpAll}, Overlap: hive.OverlapAllow}),
	}
	v := hive.TickView{Schedule: hive.Schedule{Enabled: true, Mark: moment(t, "2026-05-04T08:00:00Z")}}
	writes := schedule.Decide(v, periods, moment(t, "2026-05-04T12:00:01Z"))
	want := []string{
		"09:00 fired catch_up r", "10:30 queued catch_up q", "11:30 queued catch_up q", "12:00 fired on_time r",
	}
	if got := decided(writes); !slices.Equal(got, want) {
		t.Fatalf("decided %v, want %v", got, want)
	}
	for i, number := range []int64{1, 2, 3, 3} {
		if b := writes[i].Batch.Batch; b.Revision != number || b.RevisionID != 10+number ||
			writes[i].Tick.RevisionID != 10+number {
			t.Errorf("%s runs revision %d, want %d", writes[i].Tick.Moment, b.Revision, number)
		}
	}
}

// TestEveryMomentIsDecidedOnce splits a stretch of time into steps, as a server that wakes up, sleeps and dies does,
// and looks for each moment of all triggers in the ledger.
func TestEveryMomentIsDecidedOnce(t *testing.T) {
	t.Parallel()
	crons := []string{
		"0 * * * *", "*/7 * * * *", "@every 90s", "30 2 * * *", "0,30 1-3 * * *", "*/20 * * * * *",
		"15 2 29 3 *",
	}
	rapid.Check(t, func(rt *rapid.T) {
		def := &hive.Definition{
			Timezone: rapid.SampledFrom([]string{"Europe/Berlin", "Asia/Shanghai", "Australia/Lord_Howe"}).Draw(rt,
				"zone"),
			Policy: hive.Policy{
				Overlap: rapid.SampledFrom([]hive.Overlap{
					"", hive.OverlapAllow, hive.OverlapQueue,
					hive.OverlapReplace,
				}).Draw(rt, "overlap"),
				CatchUp: hive.CatchUp{Mode: rapid.SampledFrom([]hive.CatchUpMode{
					"", hive.CatchUpAll,
					hive.CatchUpNone,
				}).Draw(rt, "catchUp")},
			},
		}
		for _, c := range rapid.SliceOfNDistinct(rapid.SampledFrom(crons), 1, 3, rapid.ID[string]).Draw(rt, "crons") {
			def.Triggers = append(def.Triggers, hive.Trigger{Cron: c, DST: hive.DST{Repeat: "both"}})
		}
		start := moment(t, "2026-03-28T20:00:00Z")
		v := hive.TickView{Schedule: hive.Schedule{Enabled: true, CreatedAt: start}}
		var rows []hive.Tick
		now := start
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 20, 61, 600, 7200, 20_000}).Draw(rt,
				"seconds"))*time.Second +
				time.Duration(rapid.IntRange(0, 1500).Draw(rt, "ms"))*time.Millisecond)
			for _, w := range schedule.Decide(v, only(v, def), now) {
				if !w.Tick.Moment.After(v.Schedule.Mark) || w.Tick.Moment.After(now) {
					rt.Fatalf("%s is decided at %s with mark %s", w.Tick.Moment, now, v.Schedule.Mark)
				}
				rows = append(rows, w.Tick)
			}
			for _, r := range rows {
				v.Schedule.Mark = latest(v.Schedule.Mark, latest(r.Moment, r.Until))
			}
		}
		checkLedger(rt, def, rows, start, now)
	})
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// checkLedger looks for each due moment in a single row, or else in one range row of its trigger; every row begins
// with a due moment of its own.
func checkLedger(rt *rapid.T, def *hive.Definition, rows []hive.Tick, start, now time.Time) {
	begins := map[int64]bool{}
	var ranges []hive.Tick
	for _, r := range rows {
		if begins[r.Moment.Unix()] {
			rt.Fatalf("two rows begin at %s", r.Moment)
		}
		begins[r.Moment.Unix()] = true
		if !r.Until.IsZero() {
			ranges = append(ranges, r)
		}
	}
	due := map[int64]bool{}
	for i := range def.Triggers {
		one := *def
		one.Triggers = def.Triggers[i : i+1]
		table, _ := schedule.NewTimetable(&one, time.Unix(0, 0), nil)
		moments, _ := table.Due(start, now, 1_000_000)
		for _, m := range moments {
			due[m.At.Unix()] = true
			in := 0
			for _, r := range ranges {
				if r.Trigger == m.Trigger && !m.At.Before(r.Moment) && !m.At.After(r.Until) {
					in++
				}
			}
			if in > 1 || in == 0 && !begins[m.At.Unix()] {
				rt.Fatalf("%s of %q is in %d range rows, and begins a row: %t", m.At, m.Trigger, in,
					begins[m.At.Unix()])
			}
		}
	}
	for at := range begins {
		if !due[at] {
			rt.Fatalf("%s is decided and was never due", time.Unix(at, 0).UTC())
		}
	}
}
