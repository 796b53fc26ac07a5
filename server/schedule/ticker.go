package schedule

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/internal/mailbox"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// Limits of Ticker.
const (
	defaultRefresh = 10 * time.Second       // between looks for changes made by other servers
	ahead          = 6                      // a schedule is read so many refreshes before its time
	keepIdle       = time.Minute            // a schedule stays in memory that long after its last use
	longestSleep   = 5 * time.Second        // the clocks are compared at least this often
	chunk          = 500                    // schedules decided in one transaction
	firstRetry     = time.Second            // after a failed decision; doubles up to lastRetry
	lastRetry      = time.Minute            //
	aheadTolerance = clockTolerance         // how far a ledger may be ahead of the clock without an alarm
	precision      = time.Millisecond       // of times in the database
	doubtSleep     = time.Second            // while the clocks disagree
	maxPeriods     = 64                     // revisions that are read to find missed ticks
	soonest        = 100 * time.Microsecond // the shortest sleep, so that the loop never spins
)

// Clock is the two clocks of a machine.
type Clock struct {
	Wall    func() time.Time
	Elapsed func() time.Duration // monotonic, from anywhere
}

// SystemClock reads the clocks of this machine.
func SystemClock() Clock {
	start := time.Now()
	return Clock{
		Wall:    func() time.Time { return time.Now().Round(0) },
		Elapsed: func() time.Duration { return time.Since(start) },
	}
}

// Config holds the dependencies of a Ticker.
type Config struct {
	Store   Store
	Results Results
	Links   Links
	Changes Changes
	Calls   Calls                                                 // nil: schedules have no webhooks
	Server  func() hive.Server                                    // the session in which batches are made
	Parse   func(document string) (*hive.Definition, error)       // reads a stored document
	NewRuns func(definition *hive.Definition) ([]hive.Run, error) // the runs of a new batch
	// Calendars has the calendars of triggers, and ParseCalendar reads their stored documents. Both may be nil: then
	// a trigger that names a calendar is never due.
	Calendars     CalendarStore
	ParseCalendar func(document string) (*hive.CalendarDefinition, error)
	// Made is called with the ids of new batches once they are stored. It may be called twice for a batch. It must not
	// block.
	Made    func(batches []int64)
	Log     *slog.Logger
	Clock   Clock         // SystemClock when zero
	Refresh time.Duration // 10 s when 0
}

// Ticker decides every due moment of every schedule: one timer to the earliest of them, and a wake-up on changes.
type Ticker struct {
	service.Base
	config      Config
	guard       ClockGuard
	agenda      agenda
	zones       map[string]*time.Location
	book        calendarBook
	unlinked    []*entry      // whose stored links are of an older revision
	lastRefresh time.Duration // monotonic time of the last full refresh
	loaded      bool
	stale       bool  // a refresh failed: the next one reads all schedules
	epoch       int64 // of the session in which the schedules were loaded
	waits       waitlist

	changed *mailbox.Box[change]

	mu     sync.Mutex
	alarms map[alarmKey]hive.TickAlarm
}

// change is what Notify or Ended was called with.
type change struct {
	schedule int64
	all      bool // any schedule may have changed
	ended    bool // only a batch of the schedule has ended
}

// NewTicker makes a Ticker; Start sets it going.
func NewTicker(c Config) *Ticker {
	if c.Clock.Wall == nil {
		c.Clock = SystemClock()
	}
	if c.Refresh == 0 {
		c.Refresh = defaultRefresh
	}
	return &Ticker{
		config: c, agenda: newAgenda(), zones: map[string]*time.Location{},
		book:    calendarBook{store: c.Calendars, parse: c.ParseCalendar},
		changed: mailbox.New[change](), alarms: map[alarmKey]hive.TickAlarm{}, waits: newWaitlist(),
	}
}

// Start begins to decide ticks. Started is closed once all schedules were loaded.
func (t *Ticker) Start(ctx context.Context) error {
	work, err := t.Begin(ctx)
	if err != nil {
		return err
	}
	t.Go(func() { t.loop(work) })
	return nil
}

// Notify tells the ticker that schedules were created, published, enabled, disabled or called. Without ids any schedule
// may have changed, and any calendar. It never blocks.
func (t *Ticker) Notify(ids ...int64) {
	if len(ids) == 0 {
		t.changed.Put(change{all: true})
	}
	for _, id := range ids {
		t.changed.Put(change{schedule: id})
	}
}

// Ended tells the ticker that a batch of a schedule has ended, so that others which wait for it are judged. It never
// blocks.
func (t *Ticker) Ended(schedule int64) { t.changed.Put(change{schedule: schedule, ended: true}) }

func (t *Ticker) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.changed.Wake():
		case <-timer.C:
		}
		timer.Reset(t.RunOnce(ctx))
		if t.loaded {
			t.Ready()
		}
	}
}

// RunOnce loads what has changed, decides what is due, and returns how long to sleep. Start calls it in a loop. A
// caller with a loop of its own, such as a simulator, calls it instead of Start; calls must not overlap.
func (t *Ticker) RunOnce(ctx context.Context) time.Duration {
	t.checkClocks() // also while the schedules cannot be read
	if epoch := t.config.Server().Epoch; epoch != t.epoch {
		t.epoch = epoch
		t.waits = newWaitlist()
		t.agenda, t.loaded = newAgenda(), false // the new session may have found the database in an earlier state
	}
	if err := t.refresh(ctx); err != nil {
		if ctx.Err() == nil {
			t.config.Log.Warn("schedules cannot be read; trying again", "error", err)
		}
		return firstRetry
	}
	for {
		if err := t.prepare(ctx, t.now()); err != nil {
			if ctx.Err() == nil {
				t.config.Log.Warn("waiting schedules cannot be read; trying again", "error", err)
			}
			return firstRetry
		}
		if !t.checkClocks() { // each time, since reads and decisions take time
			return doubtSleep
		}
		now := t.now()
		due := t.takeWaiting(now, t.agenda.take(now, chunk))
		if len(due) == 0 || ctx.Err() != nil {
			break
		}
		t.decideAll(ctx, now, due)
	}
	next, ok := t.agenda.next()
	if at, waiting := t.waits.next(); waiting && (!ok || at.Before(next)) {
		next, ok = at, true
	}
	if !ok {
		return longestSleep
	}
	return min(max(next.Sub(t.config.Clock.Wall()), soonest), longestSleep)
}

// now returns the time of the wall clock, in the precision of times in the database.
func (t *Ticker) now() time.Time { return t.config.Clock.Wall().UTC().Truncate(precision) }

// checkClocks reports whether the wall clock can be trusted.
func (t *Ticker) checkClocks() bool {
	s := t.guard.Observe(t.config.Clock.Wall(), t.config.Clock.Elapsed())
	if s.Changed && !s.Trusted {
		t.raise(0, clockAlarm(s.Off))
	}
	if s.Changed && s.Trusted {
		t.clear(0, hive.AlarmClockJumped)
		t.agenda.reset() // the sleeps were measured by the clock that jumped
	}
	return s.Trusted
}

// decideAll decides the due ticks of several schedules in one transaction. If that fails, it tries each schedule by
// itself, so that a bad one does not hold up the others.
func (t *Ticker) decideAll(ctx context.Context, now time.Time, due []*entry) {
	byID := make(map[int64]*entry, len(due))
	ids := make([]int64, len(due))
	used := t.config.Clock.Elapsed()
	for i, e := range due {
		ids[i], byID[e.row.ID], e.used = e.row.ID, e, used
	}
	server := t.config.Server()
	var lost []int64 // batches of decisions whose answers were lost
	made, err := t.config.Store.DecideManyTicks(ctx, server, ids, now, func(v hive.TickView) ([]hive.TickWrite, error) {
		e := byID[v.Schedule.ID]
		if e != nil && e.retryIn > 0 {
			lost = append(lost, unannounced(&v, server.ID)...)
		}
		return t.decide(ctx, now, e, v)
	})
	switch {
	case err == nil:
		for _, e := range due {
			e.decided(now)
			t.agenda.put(e)
			t.noteDecided(e, now)
			t.clear(e.row.ID, hive.AlarmNotStored)
		}
		if made = slices.Concat(lost, made); len(made) > 0 {
			t.config.Made(made)
		}
	case len(due) > 1 && ctx.Err() == nil && !errors.Is(err, hive.ErrSessionLost) &&
		!errors.Is(err, hive.ErrConnection):
		for _, e := range due {
			t.decideAll(ctx, now, []*entry{e})
		}
	default:
		t.postpone(ctx, now, due, err)
	}
}

// unannounced lists the queued batches of this server. After a decision that failed, its batches may be stored
// nevertheless, if only the answer was lost, and nobody has told the owner about them.
func unannounced(v *hive.TickView, server string) []int64 {
	var ids []int64
	for i := range v.Live {
		if b := &v.Live[i]; b.State == hive.BatchQueued && b.Owner == server {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// postpone tries schedules again later.
func (t *Ticker) postpone(ctx context.Context, now time.Time, due []*entry, err error) {
	for _, e := range due {
		e.retryIn = min(max(2*e.retryIn, firstRetry), lastRetry)
		e.wake = now.Add(e.retryIn)
		t.agenda.put(e)
		t.waits.retry(e)
	}
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, hive.ErrSessionLost), errors.Is(err, hive.ErrConnection):
		t.config.Log.Warn("ticks cannot be decided now; trying again", "schedules", len(due), "error", err)
	default:
		t.config.Log.Error("ticks cannot be decided; trying again", "schedule", due[0].row.Name, "error", err)
		t.raise(due[0].row.ID, hive.TickAlarm{
			Reason: hive.AlarmNotStored, Schedule: due[0].row.Name,
			Words: "ticks of schedule " + due[0].row.Name + " cannot be stored; see the log",
		})
	}
}

// decide runs inside the transaction that holds the lock of the schedule.
func (t *Ticker) decide(ctx context.Context, now time.Time, e *entry, v hive.TickView) ([]hive.TickWrite, error) {
	if e == nil {
		return nil, nil
	}
	if e.isAhead(&v) || e.replaced(&v.Schedule) {
		e.periods = nil
	}
	e.row, e.mark = v.Schedule, v.Schedule.Mark
	if t.config.Calendars != nil && t.book.renew(v.Calendars) {
		t.Notify() // other schedules may follow the same calendar
	}
	if err := t.readPeriods(ctx, e, v.Revision); err != nil {
		return nil, err
	}
	if err := t.divideAgain(ctx, e); err != nil {
		return nil, err
	}
	if n := len(e.periods); n > 0 && e.periods[n-1].Timetable.Delayed() && len(v.Live) == 0 {
		ends, err := t.config.Results.LastEnds(ctx, []int64{e.row.ID})
		if err != nil {
			return nil, err
		}
		v.EndedAt = ends[e.row.ID]
	}
	before := e.changes
	e.changes = v.Changes
	writes, err := t.decideWaits(ctx, now, e, v)
	if err != nil {
		return nil, err
	}
	e.wait.wrote = e.wait.wrote || !before.same(e.changes)
	for i := range writes {
		if w := &writes[i]; w.Tick.ID == 0 && !w.Follows {
			e.mark = later(e.mark, later(w.Tick.Moment, w.Tick.Until))
		}
	}
	for i := range writes {
		if writes[i].Batch != nil {
			t.addRuns(e, &writes[i])
		}
	}
	return writes, nil
}

// addRuns completes a batch. If no runs can be made of the definition, the tick is missed: it must not stop the ledger,
// and a second try would fail too.
func (t *Ticker) addRuns(e *entry, w *hive.TickWrite) {
	for i := range e.periods {
		if e.periods[i].RevisionID != w.Batch.Batch.RevisionID {
			continue
		}
		runs, err := t.config.NewRuns(e.periods[i].Definition)
		if err == nil {
			w.Batch.Runs = runs
			w.Batch.Batch.Owner = t.config.Server().ID
			return
		}
		t.config.Log.Error("a due schedule cannot be run", "schedule", e.row.Name, "revision", e.periods[i].Revision,
			"error", err)
		w.Tick.Decision, w.Tick.Rule, w.Tick.Detail = hive.DecisionMissed, ruleDefinition, hive.Clean(err.Error(), 1024)
		w.Batch, w.Replace = nil, nil
		return
	}
}
