package schedule_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// chain runs several schedules that wait for each other with a ticker, which looks whenever anything may happen: the
// slow reference of a forecast with waits. Only the rules of the queue are written here a second time, because the
// owner applies them.
type chain struct {
	*schedule.Ticker
	store   *store
	now     time.Time
	defs    []hive.Definition
	usuals  []time.Duration
	tables  []*schedule.Timetable
	ends    map[int64]time.Time // of running batches
	starts  map[int64]time.Time
	expired map[int64]bool
	moves   []time.Time       // the new times of planned changes
	down    []hive.Span       // times in which no server runs, by From
	coming  []schedule.Moment // the next one of each schedule
	never   time.Time         // after the end
	longest time.Duration
	open    bool // a batch ended at the very time of a moment with jitter: which comes first is open
}

func newChain(t failer, defs []hive.Definition, usuals []time.Duration, now time.Time) *chain {
	t.Helper()
	return newChainOn(t, defs, usuals, now, nil)
}

// newChainOn makes a chain with a calendar, if it is given.
func newChainOn(t failer, defs []hive.Definition, usuals []time.Duration, now time.Time,
	calendar *hive.CalendarDefinition,
) *chain {
	t.Helper()
	c := &chain{
		store: newStore(), now: now, defs: defs, usuals: usuals, ends: map[int64]time.Time{},
		starts: map[int64]time.Time{}, expired: map[int64]bool{}, longest: 10 * time.Minute,
		never: now.AddDate(100, 0, 0),
	}
	var calendars schedule.Calendars
	config := schedule.Config{
		Store: c.store, Results: c.store, Links: c.store, Changes: c.store, Parse: parseJSON, NewRuns: runsOf,
		Made: func([]int64) {}, Log: slog.New(slog.DiscardHandler),
		Server: func() hive.Server { return hive.Server{ID: "me", Epoch: 1} },
		Clock: schedule.Clock{
			Wall:    func() time.Time { return c.now },
			Elapsed: func() time.Duration { return c.now.Sub(now) },
		},
	}
	if calendar != nil {
		c.store.putCalendar(now.AddDate(-1, 0, 0), *calendar)
		calendars = oneCalendar(calendar)
		config.Calendars, config.ParseCalendar = c.store, parseCalendar
	}
	c.store.ended, c.store.stored = map[int64]hive.BatchState{}, c.stored
	for i := range defs {
		c.store.publish(int64(i+1), now, defs[i])
		table, err := schedule.NewTimetable(&defs[i], now, calendars)
		if err != nil {
			t.Fatalf("%v", err)
		}
		c.tables, c.coming = append(c.tables, table), append(c.coming, schedule.Moment{At: now, Due: now})
	}
	c.Ticker = schedule.NewTicker(config)
	return c
}

// plan stores planned changes, and returns them as a decision sees them.
func (c *chain) plan(id int64, changes []hive.PlannedChange) []hive.PlannedChange {
	for _, p := range changes {
		c.store.plan(id, p)
		if p.Action == hive.ChangeMove {
			c.moves = append(c.moves, p.To)
		}
	}
	slices.SortFunc(c.moves, time.Time.Compare)
	return c.store.toCome(id)
}

// run lets time pass.
func (c *chain) run(until time.Time) {
	for ; !c.now.After(until); c.next() {
		c.look()
	}
}

// look lets batches end, and the ticker decide.
func (c *chain) look() {
	for i := range c.defs {
		id := int64(i + 1)
		for _, b := range slices.Clone(c.store.live[id]) {
			if b.State == hive.BatchRunning && !c.ends[b.ID].After(c.now) {
				c.end(&b, hive.BatchSucceeded)
			}
		}
		c.startQueuedOf(id)
	}
	c.RunOnce(context.Background())
	for i := range c.defs {
		c.startQueuedOf(int64(i + 1))
	}
}

// stored takes a new batch of the store, and ends those that it replaces.
func (c *chain) stored(b hive.Batch, replaced []int64) {
	for _, old := range slices.Clone(c.store.live[b.ScheduleID]) {
		if slices.Contains(replaced, old.ID) {
			c.end(&old, hive.BatchCanceled)
		}
	}
	if b.Reason != hive.ReasonQueued {
		c.begin(&b)
	}
	c.store.live[b.ScheduleID] = append(c.store.live[b.ScheduleID], b)
}

func (c *chain) begin(b *hive.Batch) {
	b.State, c.ends[b.ID], c.starts[b.ID] = hive.BatchRunning, c.now.Add(c.usuals[b.ScheduleID-1]), c.now
}

// end ends a live batch.
func (c *chain) end(b *hive.Batch, state hive.BatchState) {
	id := b.ScheduleID
	c.store.live[id] = slices.DeleteFunc(c.store.live[id], func(o hive.Batch) bool { return o.ID == b.ID })
	c.store.ended[b.ID], c.store.endedAt[id] = state, c.now
	delete(c.ends, b.ID)
	c.Ended(id)
}

// startQueuedOf starts the oldest queued batch of a schedule if none runs. Those that have expired end.
func (c *chain) startQueuedOf(id int64) {
	expire := c.defs[id-1].Policy.Expire.Std()
	for {
		live := c.store.live[id]
		if len(live) == 0 ||
			slices.ContainsFunc(live, func(b hive.Batch) bool { return b.State == hive.BatchRunning }) {
			return
		}
		if expire <= 0 || live[0].Kind != hive.KindScheduled || c.now.Sub(live[0].Moment) <= expire {
			c.begin(&live[0])
			return
		}
		c.expired[live[0].ID] = true
		c.end(&live[0], hive.BatchCanceled)
	}
}

// mostJitter is the longest jitter of a schedule of a chain.
const mostJitter = 20 * time.Minute

// next goes to the next time at which a moment is due, a wait expires or a batch ends, but not further than longest.
// Batches end beside the minutes of crons, because the order of a moment and an end at the same time is open.
func (c *chain) next() {
	at := c.now.Truncate(c.longest).Add(c.longest)
	sooner := func(t time.Time) {
		if t.After(c.now) && t.Before(at) {
			at = t
		}
	}
	i, _ := slices.BinarySearchFunc(c.moves, c.now.Add(1), time.Time.Compare)
	for ; i < len(c.moves) && c.moves[i].Before(at); i++ {
		sooner(c.moves[i])
	}
	ends := map[time.Time]bool{}
	for _, end := range c.ends {
		sooner(end)
		ends[end] = true
	}
	for i, table := range c.tables {
		id := int64(i + 1)
		m, ok := c.coming[i], true
		for ok && !m.At.After(c.now) && !m.Due.After(c.now) {
			m, ok = table.Next(m.At)
		}
		if c.coming[i] = m; !ok {
			c.coming[i].At, c.coming[i].Due = c.never, c.never
		}
		c.open = c.open || ends[m.Due] && !m.Due.Equal(m.At)
		sooner(c.coming[i].At)
		sooner(c.coming[i].Due)
		if expire := c.defs[i].Policy.Expire.Std(); expire > 0 {
			for _, tick := range c.store.waiting(id) {
				sooner(tick.Moment.Add(expire + time.Millisecond))
			}
		}
		v := hive.TickView{Schedule: *c.store.rows[id], Live: c.store.live[id], EndedAt: c.store.endedAt[id]}
		if m, ok := table.NextDelayed(&v, v.Schedule.CreatedAt); ok {
			sooner(m.Due)
		}
	}
	for _, d := range c.down {
		if !at.Before(d.From) && at.Before(d.To) {
			at = d.To
		}
	}
	c.now = at
}

// tickOf is a tick by its schedule and moment.
type tickOf struct{ schedule, moment int64 }

// lines returns the ledger.
func (c *chain) lines() map[tickOf]string {
	lines := map[tickOf]string{}
	for i := range c.defs {
		id := int64(i + 1)
		for _, tick := range c.store.ticks[id] {
			batch := c.store.result(id, tick.Moment).Batch
			lines[tickOf{id, tick.Moment.Unix()}] = line(&tick, c.starts[batch], c.expired[batch])
		}
	}
	return lines
}

// compare fails unless the ledger is what was forecast.
func (c *chain) compare(t failer, ticks []hive.ForecastTick, until time.Time) {
	t.Helper()
	got := c.lines()
	for i := range ticks {
		tick := &ticks[i]
		key := tickOf{tick.ScheduleID, tick.Moment.Unix()}
		came, there := got[key]
		delete(got, key)
		if tick.DecidedAt.After(until) { // it waits at the end, or what it follows has not ended
			if there && !strings.Contains(came, "waiting ") {
				t.Fatalf("%s came as %q, forecast for %s\n%s", tick.Schedule, came, tick.DecidedAt, c.tell())
			}
			continue
		}
		// A batch that is still queued at the end starts or expires later.
		want := line(&tick.Tick, tick.StartsAt, tick.Ends == hive.ForecastExpired)
		queued := line(&tick.Tick, time.Time{}, false)
		if want != came && (queued != came || tick.Decision != hive.DecisionQueued || !tick.StartsAt.IsZero() &&
			!tick.StartsAt.After(until)) {
			t.Fatalf("s%d of %s came as %q, forecast %q\n%s", key.schedule, tick.Moment, came, want, c.tell())
		}
	}
	for key, came := range got {
		t.Fatalf("s%d of %s came as %q, and is not forecast\n%s", key.schedule, time.Unix(key.moment, 0).UTC(), came,
			c.tell())
	}
}

func (c *chain) tell() string {
	var b strings.Builder
	for i := range c.defs {
		d := &c.defs[i]
		fmt.Fprintf(&b, "s%d in %q %+v\n  %+v takes %s\n", i+1, d.Timezone, d.Triggers, d.Policy, c.usuals[i])
		for _, p := range c.store.changes[int64(i+1)] {
			fmt.Fprintf(&b, "  %s of %s to %s\n", p.Action, p.Moment, p.To)
		}
	}
	fmt.Fprintf(&b, "down %v\n", c.down)
	return b.String()
}
