// Package outbox turns what happens into messages: the watcher makes events and deliveries of facts and states, and the
// deliverer sends what is due. Each server has both. The database decides which server was first.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

const (
	look    = 15 * time.Second // between two looks at the states
	facts   = 200              // read at once
	keepFor = 90 * 24 * time.Hour
	pruned  = 500 // events deleted at once
)

// FactStore stores facts.
type FactStore interface {
	AlertFacts(ctx context.Context, limit int) ([]hive.AlertFact, error)
	DropAlertFact(ctx context.Context, id int64) error
	ReportTransitions(on bool)
	BatchProblems(ctx context.Context, batch int64) ([]hive.AlertFact, error)
}

// EventStore stores events.
type EventStore interface {
	StoreAlertEvent(ctx context.Context, in hive.NewAlertEvent) (stored bool, err error)
	EndAlertProblem(ctx context.Context, event int64, now time.Time) error
	OpenAlertEvents(ctx context.Context) ([]hive.AlertEvent, error)
	AlertEventKnown(ctx context.Context, key, problem string) (bool, error)
	PruneAlerts(ctx context.Context, before time.Time, limit int) (deleted int, err error)
}

// ReportStore tells what was reported before.
type ReportStore interface {
	ReportedTo(ctx context.Context, event int64) ([]hive.AlertPair, error)
	LastReported(ctx context.Context, subject string) (map[hive.AlertPair]time.Time, error)
	FailedChannels(ctx context.Context, since time.Time) ([]hive.AlertDelivery, error)
}

// BatchStore reads batches.
type BatchStore interface {
	Batch(ctx context.Context, id int64) (hive.Batch, error)
	BatchesByID(ctx context.Context, ids []int64) ([]hive.Batch, error)
	LastSuccesses(ctx context.Context, schedules []int64) (map[int64]int64, error)
	AllLive(ctx context.Context) ([]hive.Batch, error)
	UsualDurations(ctx context.Context, schedules []int64) (map[int64]time.Duration, error)
	NextSuccess(ctx context.Context, schedule, after int64) (int64, error)
	FailureOf(ctx context.Context, batch int64, round int) (hive.AlertFacets, error)
	RunIsHeld(ctx context.Context, batch int64, task string) (bool, error)
}

// TickStore reads the ledger.
type TickStore interface {
	Ticks(ctx context.Context, scheduleID int64, before time.Time, limit int) ([]hive.Tick, error)
	WaitingSchedules(ctx context.Context) ([]int64, error)
	WaitingTicks(ctx context.Context, ids []int64) (map[int64][]hive.Tick, error)
	StartOf(ctx context.Context, schedule int64, moment time.Time) (hive.MomentStart, error)
	SkippingSchedules(ctx context.Context, after int64) (schedules []int64, last int64, err error)
	AliveServers(ctx context.Context) ([]string, error)
}

// Local is what only this server knows.
type Local interface {
	// Summaries returns short views of batches in this server's memory; of all without ids.
	Summaries(ctx context.Context, ids ...int64) (map[int64]hive.BatchSummary, error)
	// StuckWords returns why a batch is stuck.
	StuckWords(ctx context.Context, batch int64) string
	Executors(ctx context.Context) ([]hive.ExecutorView, error)
	TickAlarms() []hive.TickAlarm
	// DiskShort returns why the disk is short of space; nil if it has enough.
	DiskShort() error
}

// WatcherConfig holds the dependencies of a Watcher.
type WatcherConfig struct {
	Facts    FactStore
	Events   EventStore
	Reported ReportStore
	Batches  BatchStore
	Ticks    TickStore
	Local    Local
	Rules    func(ctx context.Context) ([]*alert.Rule, error)
	// Describe returns the name, the title, the tags and the owners of a schedule.
	Describe func(ctx context.Context, schedule int64) (hive.AlertFacets, error)
	Server   string // id of this server
	Stored   func() // called after an event with deliveries was stored
	Now      func() time.Time
	Log      *slog.Logger
}

// Watcher makes events of facts and states. Start sets it going; Notify tells it that there are new facts.
type Watcher struct {
	*service.Sweeper
	config   WatcherConfig
	lastTick int64 // of the last look; what is older was seen
	// By executor that had no free slot at each look, the first of them. A restart of the server forgets it.
	fullSince map[string]time.Time

	follows atomic.Bool // a rule asks for transitions
}

// NewWatcher makes a Watcher.
func NewWatcher(c WatcherConfig) *Watcher {
	w := &Watcher{config: c, fullSince: map[string]time.Time{}}
	var looked time.Time
	w.Sweeper = service.NewSweeper(func(ctx context.Context) time.Duration {
		now := time.Now()
		if left := look - now.Sub(looked); left > 0 { // it was woken: there are new facts
			w.onlyFacts(ctx)
			return left
		}
		looked = now
		w.RunOnce(ctx)
		return look
	})
	return w
}

// Subscribe lets commits store what the rules ask for. Call it before batches go on; each look does the same.
func (w *Watcher) Subscribe(ctx context.Context) error {
	_, err := w.begin(ctx)
	return err
}

// Follows reports whether a rule asks for all transitions of batches.
func (w *Watcher) Follows() bool { return w.follows.Load() }

// begin reads the rules for a look.
func (w *Watcher) begin(ctx context.Context) (*watch, error) {
	rules, err := w.config.Rules(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the rules of alerts: %w", err)
	}
	p := &watch{Watcher: w, rules: rules, now: w.config.Now().UTC().Truncate(time.Millisecond)}
	w.follows.Store(slices.ContainsFunc(hive.AlertKinds(), func(k hive.AlertKind) bool {
		return k.OfTransition() && p.asks(k)
	}))
	w.config.Facts.ReportTransitions(w.Follows())
	return p, nil
}

func (w *Watcher) onlyFacts(ctx context.Context) {
	p, err := w.begin(ctx)
	if err == nil {
		err = p.facts(ctx)
	}
	if err != nil {
		w.note(ctx, "alerts cannot be made of facts; trying again", err)
	}
}

// watch is one look at everything.
type watch struct {
	*Watcher
	rules    []*alert.Rule
	now      time.Time
	open     []hive.AlertEvent
	problems map[string]bool // of open
}

// RunOnce makes events of all facts and of the present states, and finds problems that are over. Start calls it in a
// loop. What fails is tried again at the next call: facts stay, and states last.
func (w *Watcher) RunOnce(ctx context.Context) {
	p, err := w.begin(ctx)
	if err != nil {
		w.note(ctx, "alerts cannot be made; trying again", err)
		return
	}
	for _, part := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"facts", p.facts},
		{"open problems", p.readOpen},
		{"late batches", p.late},
		{"moments", p.notStarted},
		{"skipped moments", p.skipped},
		{"stuck batches", p.stuck},
		{"executors", p.executors},
		{"slots", p.full},
		{"the clock", p.clock},
		{"the disk", p.disk},
		{"channels", p.channels},
		{"ends of problems", p.ends},
		{"old events", p.prune},
	} {
		if err := part.do(ctx); err != nil {
			w.note(ctx, "alerts cannot be made of "+part.what+"; trying again", err)
		}
	}
}

func (w *Watcher) note(ctx context.Context, words string, err error) {
	level := slog.LevelError
	if errors.Is(err, hive.ErrConnection) {
		level = slog.LevelWarn
	}
	if ctx.Err() == nil {
		w.config.Log.Log(ctx, level, words, "error", err)
	}
}

// asks reports whether a rule has a kind of event.
func (p *watch) asks(kind hive.AlertKind) bool {
	return slices.ContainsFunc(p.rules, func(r *alert.Rule) bool { return slices.Contains(r.On, kind) })
}

func (p *watch) readOpen(ctx context.Context) (err error) {
	p.open, err = p.config.Events.OpenAlertEvents(ctx)
	p.problems = make(map[string]bool, len(p.open))
	for i := range p.open {
		p.problems[p.open[i].Problem] = true
	}
	return err
}

// isOpen reports whether a problem is known at the beginning of the look.
func (p *watch) isOpen(problem string) bool { return p.problems[problem] }

// facts makes events of all facts.
func (p *watch) facts(ctx context.Context) error {
	for {
		all, err := p.config.Facts.AlertFacts(ctx, facts)
		if err != nil {
			return err
		}
		for i := range all {
			if err := p.fact(ctx, &all[i]); err != nil {
				return err
			}
		}
		if len(all) < facts {
			return nil
		}
	}
}

func (p *watch) fact(ctx context.Context, f *hive.AlertFact) error {
	if !p.asks(f.Kind) {
		return p.config.Facts.DropAlertFact(ctx, f.ID)
	}
	e, err := p.eventOf(ctx, f)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return p.config.Facts.DropAlertFact(ctx, f.ID) // the schedule was deleted meanwhile
	}
	if err != nil {
		return err
	}
	return p.tell(ctx, hive.NewAlertEvent{Event: e, Fact: f.ID}, alert.Reported{})
}

// eventOf makes the event of a fact.
func (p *watch) eventOf(ctx context.Context, f *hive.AlertFact) (hive.AlertEvent, error) {
	e, err := p.about(ctx, f.Kind, f.ScheduleID)
	if err != nil {
		return e, err
	}
	e.BatchID, e.At, e.Round, e.Moment, e.Hook = f.BatchID, f.At, f.Round, f.Moment, f.Hook
	switch f.Kind {
	case hive.AlertFailed, hive.AlertHookFailed:
		e.Key = fmt.Sprintf("%s:%d:%d", f.Kind, f.BatchID, f.Round)
		why, err := p.config.Batches.FailureOf(ctx, f.BatchID, f.Round)
		if err != nil {
			return e, err
		}
		e.Task, e.Attempt, e.Error = why.Task, why.Attempt, why.Error
	case hive.AlertStarted, hive.AlertSucceeded, hive.AlertCanceled:
		e.Key = fmt.Sprintf("%s:%d:%d", f.Kind, f.BatchID, f.Round)
		return e, nil // it does not last
	default:
		e.Key = fmt.Sprintf("held:%d:%s:%d", f.BatchID, f.Task, f.Attempt)
		e.Task, e.Attempt, e.Error = f.Task, f.Attempt, f.Detail
	}
	e.Problem = e.Key
	return e, nil
}

// Ensure makes sure that the problems that a batch has now are stored as events, also if no rule has them, so that a
// person can take them. What a rule has is made into an event first, so that it is still reported.
func (w *Watcher) Ensure(ctx context.Context, batch int64) error {
	p, err := w.begin(ctx)
	if err != nil {
		return err
	}
	problems, err := w.config.Facts.BatchProblems(ctx, batch)
	if err != nil {
		return err
	}
	if err := p.facts(ctx); err != nil { // after the problems were read, so that all of their facts are seen
		return err
	}
	for i := range problems {
		e, err := p.eventOf(ctx, &problems[i])
		if err != nil {
			return err
		}
		e.StoredAt = p.now
		if _, err := w.config.Events.StoreAlertEvent(ctx, hive.NewAlertEvent{Event: e}); err != nil {
			return err
		}
	}
	return nil
}

// about begins an event about a schedule; 0 stands for no schedule.
func (p *watch) about(ctx context.Context, kind hive.AlertKind, schedule int64) (hive.AlertEvent, error) {
	e := hive.AlertEvent{Kind: kind, ScheduleID: schedule, At: p.now}
	var err error
	if schedule != 0 {
		e.AlertFacets, err = p.config.Describe(ctx, schedule)
	}
	return e, err
}

// tell stores an event with its deliveries. An event that nobody is notified of is not stored.
func (p *watch) tell(ctx context.Context, in hive.NewAlertEvent, reported alert.Reported) error {
	in.Event.StoredAt = p.now
	last, err := p.config.Reported.LastReported(ctx, alert.Subject(&in.Event))
	if err != nil {
		return err
	}
	reported.Last = func(pair hive.AlertPair, _ string) time.Time { return last[pair] }
	in.Deliveries = alert.Plan(&in.Event, p.rules, reported, p.now)
	if len(in.Deliveries) == 0 {
		switch {
		case in.Fact != 0:
			return p.config.Facts.DropAlertFact(ctx, in.Fact)
		case in.Over != 0:
			return p.config.Events.EndAlertProblem(ctx, in.Over, p.now)
		}
		return nil
	}
	stored, err := p.config.Events.StoreAlertEvent(ctx, in)
	if err == nil && stored {
		p.config.Stored()
	}
	return err
}

// tellState stores an event of a state that lasts, unless it is known.
func (p *watch) tellState(ctx context.Context, e hive.AlertEvent) error {
	known, err := p.config.Events.AlertEventKnown(ctx, e.Key, e.Problem)
	if err != nil || known {
		return err
	}
	return p.tell(ctx, hive.NewAlertEvent{Event: e}, alert.Reported{})
}

// prune deletes events that were over long ago.
func (p *watch) prune(ctx context.Context) error {
	_, err := p.config.Events.PruneAlerts(ctx, p.now.Add(-keepFor), pruned)
	return err
}
