package schedule_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// chain runs several schedules that wait for each other with a ticker, which looks whenever anything may happen and
// every ten minutes: the slow reference of a forecast with waits.
type chain struct {
	*world
	usuals map[int64]time.Duration
	tables []*schedule.Timetable
	moves  []time.Time // the new times of planned changes
	open   bool        // a batch ended at the very time of a moment with jitter: which comes first is open
}

func newChain(t failer, defs []hive.Definition, usuals []time.Duration, now time.Time) *chain {
	t.Helper()
	c := &chain{
		world:  &world{store: newStore(), now: now, ends: map[int64]time.Time{}, starts: map[int64]time.Time{}},
		usuals: map[int64]time.Duration{},
	}
	c.store.ended = map[int64]hive.BatchState{}
	for i := range defs {
		id := int64(i + 1)
		c.store.publish(id, now, defs[i])
		c.usuals[id] = usuals[i]
		table, err := schedule.NewTimetable(&defs[i], now, nil)
		if err != nil {
			t.Fatalf("%v", err)
		}
		c.tables = append(c.tables, table)
	}
	c.Ticker = schedule.NewTicker(schedule.Config{
		Store: c.store, Results: c.store, Parse: parseJSON, NewRuns: runsOf,
		Made: func([]int64) {}, Log: slog.New(slog.DiscardHandler),
		Server: func() hive.Server { return hive.Server{ID: "me", Epoch: 1} },
		Clock: schedule.Clock{
			Wall:    func() time.Time { return c.now },
			Elapsed: func() time.Duration { return c.now.Sub(now) },
		},
	})
	return c
}

// look lets batches end, and the ticker decide.
func (c *chain) look() {
	for id := range c.usuals {
		c.store.live[id] = slices.DeleteFunc(c.store.live[id], func(b hive.Batch) bool {
			ended := b.State == hive.BatchRunning && !c.ends[b.ID].After(c.now)
			if ended {
				c.store.ended[b.ID] = hive.BatchSucceeded
				c.Ended(id)
			}
			return ended
		})
		c.startQueuedOf(id)
	}
	for range 4 { // the schedules of a chain follow each other
		known := len(c.store.batches)
		c.RunOnce(context.Background())
		for i := known; i < len(c.store.batches); i++ {
			b := c.store.batches[i].Batch
			b.ID = int64(i + 1)
			if b.Reason != hive.ReasonQueued {
				c.begin(&b)
			}
			c.store.live[b.ScheduleID] = append(c.store.live[b.ScheduleID], b)
		}
	}
	for id := range c.usuals {
		c.startQueuedOf(id)
	}
}

// mostJitter is the longest jitter of a schedule of a chain.
const mostJitter = 20 * time.Minute

// next goes to the next time at which a moment is due or a batch ends, but not further than to the next ten minutes.
// Batches end beside the minutes of crons, because the order of a moment and an end at the same time is open.
func (c *chain) next() {
	const look = 10 * time.Minute
	at := c.now.Truncate(look).Add(look)
	for _, move := range c.moves {
		if move.After(c.now) && move.Before(at) {
			at = move
		}
	}
	ends := map[time.Time]bool{}
	for _, end := range c.ends {
		if end.After(c.now) && end.Before(at) {
			at = end
		}
		ends[end] = true
	}
	for _, table := range c.tables {
		m, ok := table.Next(c.now.Add(-mostJitter))
		for ; ok && m.At.Before(at); m, ok = table.Next(m.At) {
			c.open = c.open || ends[m.Due]
			if m.Due.After(c.now) && m.Due.Before(at) {
				at = m.Due
			}
		}
	}
	c.now = at
}

func (c *chain) begin(b *hive.Batch) {
	b.State, c.ends[b.ID], c.starts[b.ID] = hive.BatchRunning, c.now.Add(c.usuals[b.ScheduleID]), c.now
}

func (c *chain) startQueuedOf(id int64) {
	live := c.store.live[id]
	if len(live) > 0 && !slices.ContainsFunc(live, func(b hive.Batch) bool { return b.State == hive.BatchRunning }) {
		c.begin(&live[0])
	}
}

// lines returns the ledger, by schedule and moment.
func (c *chain) lines() map[string]string {
	lines := map[string]string{}
	for id := range c.usuals {
		byMoment := map[int64]int64{}
		for i := range c.store.batches {
			if b := &c.store.batches[i].Batch; b.ScheduleID == id {
				byMoment[b.Moment.Unix()] = int64(i + 1)
			}
		}
		for _, tick := range c.store.ticks[id] {
			starts := c.starts[byMoment[tick.Moment.Unix()]]
			lines[fmt.Sprintf("s%d %d", id, tick.Moment.Unix())] = line(&tick, starts, false)
		}
	}
	return lines
}

// mergeOf forecasts schedules that do not exist yet.
func mergeOf(t failer, defs []hive.Definition, usuals []time.Duration, now, until time.Time,
	planned map[int64][]hive.PlannedChange,
) []hive.ForecastTick {
	t.Helper()
	m := schedule.Merged{Stored: newStore(), From: now, Until: until, Most: 100_000}
	for i := range defs {
		table, err := schedule.NewTimetable(&defs[i], now, nil)
		if err != nil {
			t.Fatalf("%v", err)
		}
		m.Simulations = append(m.Simulations, schedule.NewSimulation(schedule.Outlook{
			View: hive.TickView{Schedule: hive.Schedule{
				ID: int64(i + 1), Name: fmt.Sprintf("s%d", i+1), Enabled: true, CreatedAt: now,
			}, Changes: planned[int64(i+1)]},
			Period: schedule.Period{From: now, Definition: &defs[i], Timetable: table}, Usual: usuals[i],
			Following: schedule.Following{Since: now},
		}, now))
	}
	ticks, _, err := schedule.Merge(context.Background(), m)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return ticks
}

// TestForecastOfWaitsIsTheLedger compares forecasts of random chains with what a ticker then decides.
func TestForecastOfWaitsIsTheLedger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(rt, "schedules")
		var defs []hive.Definition
		var usuals []time.Duration
		for i := range n {
			defs = append(defs, drawWaiting(rt, i))
			usuals = append(usuals, rapid.SampledFrom([]time.Duration{
				61 * time.Second, 20*time.Minute + time.Second, 50*time.Minute + time.Second, 3*time.Hour + time.Second,
			}).Draw(rt, "usual"))
		}
		now := time.Date(2026, 3, 25, 20, 30, 0, 0, time.UTC)
		until := now.Add(30 * time.Hour)
		c := newChain(rt, defs, usuals, now)
		planned := map[int64][]hive.PlannedChange{}
		for i := range defs {
			id := int64(i + 1)
			for _, p := range drawPlanned(rt, &defs[i], now, until) {
				c.store.plan(id, p)
			}
			planned[id] = c.store.toCome(id)
			for _, p := range planned[id] {
				c.moves = append(c.moves, p.To)
			}
		}
		ticks := mergeOf(rt, defs, usuals, now, until, planned)
		for ; !c.now.After(until); c.next() {
			c.look()
		}
		if c.open {
			rt.Skip("a batch ends at the very time of a moment")
		}
		got := c.lines()
		for i := range ticks {
			tick := &ticks[i]
			key := fmt.Sprintf("%s %d", tick.Schedule, tick.Moment.Unix())
			came, there := got[key]
			delete(got, key)
			if tick.DecidedAt.After(until) { // it waits at the end, or what it follows has not ended
				if there && !strings.Contains(came, "waiting ") {
					rt.Fatalf("%s came as %q, forecast for %s\n%s", key, came, tick.DecidedAt, tell(defs, usuals))
				}
				continue
			}
			starts := tick.StartsAt
			if starts.After(until) {
				starts = time.Time{}
			}
			if want := line(&tick.Tick, starts, false); want != came {
				rt.Fatalf("%s came as %q, forecast %q\n%s", key, came, want, tell(defs, usuals))
			}
		}
		for key, came := range got {
			rt.Fatalf("%s came as %q, and is not forecast\n%s", key, came, tell(defs, usuals))
		}
	})
}

func tell(defs []hive.Definition, usuals []time.Duration) string {
	var b strings.Builder
	for i := range defs {
		fmt.Fprintf(&b, "s%d %+v %s takes %s\n", i+1, defs[i].Triggers, defs[i].Policy.Overlap, usuals[i])
	}
	return b.String()
}

// drawWaiting makes schedule i of a chain; only earlier ones are its upstreams.
func drawWaiting(rt *rapid.T, i int) hive.Definition {
	d := def()
	d.Name = fmt.Sprintf("s%d", i+1)
	d.Policy.Overlap = rapid.SampledFrom([]hive.Overlap{
		hive.OverlapAllow, hive.OverlapSkip, hive.OverlapQueue,
	}).Draw(rt, "overlap")
	t := hive.Trigger{Cron: rapid.SampledFrom([]string{
		"0 * * * *", "17 */2 * * *", "30 2 * * *", "0,30 1-3 * * *",
	}).Draw(rt, "cron")}
	if t.Cron != "" && rapid.IntRange(0, 2).Draw(rt, "jitters") == 0 {
		t.Jitter = hive.Duration(rapid.SampledFrom([]time.Duration{time.Minute, mostJitter}).Draw(rt, "jitter"))
	}
	t.Serial = rapid.IntRange(0, 3).Draw(rt, "serial") == 0
	names := rapid.IntRange(0, min(i, 2)).Draw(rt, "upstreams")
	if names > 0 && rapid.Bool().Draw(rt, "follows") {
		t.Cron, t.Jitter = "", 0
	}
	windows := []string{"", "same_day", "same_hour"}
	if t.Cron != "" {
		windows = append(windows, "last 6h")
	}
	window := rapid.SampledFrom(windows).Draw(rt, "window")
	for _, u := range rapid.SliceOfNDistinct(rapid.IntRange(1, max(i, 1)), names, names, rapid.ID[int]).
		Draw(rt, "of") {
		policies := []string{"", "any"}
		if window != "" {
			policies = append(policies, "last(1)", "first(2)")
		}
		t.After = append(t.After, hive.Upstream{
			Schedule: fmt.Sprintf("s%d", u), Window: window, Policy: rapid.SampledFrom(policies).Draw(rt, "policy"),
		})
	}
	d.Triggers = []hive.Trigger{t}
	return d
}

// TestForecastOfWaitsBeginsWithTheLedger has a waiting tick of the ledger, whose upstream runs or has failed.
func TestForecastOfWaitsBeginsWithTheLedger(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 25, 20, 30, 0, 0, time.UTC)
	moment := now.Add(-30 * time.Minute)
	up, down := def("0 * * * *"), def()
	down.Triggers = []hive.Trigger{{After: []hive.Upstream{{Schedule: "s1"}}}}
	for _, c := range []struct {
		state hive.BatchState
		want  string
	}{
		{hive.BatchRunning, "25 20:00 fired after starts 25 20:40, 25 21:00 fired after starts 25 21:50"},
		{hive.BatchFailed, "25 20:00 waiting after, 25 21:00 fired after starts 25 21:50"},
	} {
		s := newStore()
		b := hive.Batch{
			ID: 1, ScheduleID: 1, Moment: moment, State: c.state, Round: 1, RoundAt: now.Add(-40 * time.Minute),
		}
		s.batches = []hive.NewBatch{{Batch: b}}
		s.ticks[1] = []hive.Tick{{ID: 4, ScheduleID: 1, Moment: moment, Decision: hive.DecisionFired, Count: 1}}
		row := hive.Tick{
			ID: 5, ScheduleID: 2, Moment: moment, Decision: hive.DecisionWaiting, Rule: "after", Count: 1,
			Trigger: down.Triggers[0].String(),
		}
		s.ticks[2] = []hive.Tick{row}
		var live []hive.Batch
		if c.state == hive.BatchRunning {
			live = []hive.Batch{b}
		}
		outlook := func(id int64, d *hive.Definition) schedule.Outlook {
			table, err := schedule.NewTimetable(d, now, nil)
			if err != nil {
				t.Fatal(err)
			}
			return schedule.Outlook{
				View: hive.TickView{Schedule: hive.Schedule{
					ID: id, Name: fmt.Sprintf("s%d", id), Enabled: true, CreatedAt: now.Add(-time.Hour), Mark: now,
				}},
				Period: schedule.Period{From: now.Add(-time.Hour), Definition: d, Timetable: table},
				Usual:  50 * time.Minute, Following: schedule.Following{Since: now.Add(-time.Hour)},
			}
		}
		first, second := outlook(1, &up), outlook(2, &down)
		first.View.Live, first.Hidden, second.View.Waiting = live, true, []hive.Tick{row}
		ticks, end, err := schedule.Merge(t.Context(), schedule.Merged{
			Simulations: []*schedule.Simulation{
				schedule.NewSimulation(first, now), schedule.NewSimulation(second, now),
			},
			Stored: s, From: now, Until: now.Add(time.Hour), Most: 10,
		})
		if err != nil || !end.Equal(now.Add(time.Hour)) {
			t.Fatal(end, err)
		}
		var lines []string
		for i := range ticks {
			lines = append(lines, line(&ticks[i].Tick, ticks[i].StartsAt, false))
		}
		if got := strings.Join(lines, ", "); got != c.want {
			t.Errorf("%s: %s", c.state, got)
		}
	}
}
