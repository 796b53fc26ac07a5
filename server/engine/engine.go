package engine

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/rprp/hivego/internal/mailbox"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
	"github.com/rprp/hivego/server/service"
	"github.com/rprp/hivego/server/session"
)

// Config of the engine. Fields are required unless their comment names a default; Observer, Ended and Hooked may be
// nil.
type Config struct {
	Store    Store
	Sessions SessionStore
	Fleet    owner.Fleet
	Chooser  owner.Chooser  // of the same fleet
	Driver   session.Driver // of the same fleet
	Server   hive.Server    // id, address, version of this server
	Inbox    chan func(now time.Time)
	Observer Observer
	Log      *slog.Logger
	Now      func() time.Time // wall clock with a monotonic reading
	// Shared means that other servers may use the same database. Each of them waits for the lease of another one to end
	// before it takes over.
	Shared bool
	// Sweep is how often the engine looks for commands without a notification, which another server accepted or which
	// came during an outage; 5 s when 0.
	Sweep time.Duration
	// NewKey makes the key of an attempt: random, so that it never repeats; crypto/rand when nil.
	NewKey func() string
	// NewSession makes the text that goes with an epoch in all calls, by the same rules.
	NewSession func() string
	// Limits returns the limits on what runs, and what counts for them; none when nil.
	Limits func(ctx context.Context) (hive.LimitState, error)
	Graphs *document.Graphs // shared with others who read revisions; its own when nil
	// Calendars returns the calendars, by name, as they were at each of some times; none when nil.
	Calendars func(ctx context.Context, times []time.Time) ([]map[string]hive.Workdays, error)
	// TraceParent returns the trace context of an attempt, see owner.Config. Nil: tasks get none.
	TraceParent func(b *hive.Batch, a hive.AttemptRef) string
	// Ended is called with the batches that ended, after the commit. It must not block.
	Ended func(hive.Batch)
	// Hooked is called after a commit that stored calls of hooks. It must not block. Nil: nobody is told.
	Hooked func()
}

const (
	maxTurn    = 512 // events that one turn of the loop takes
	sweepEvery = 5 * time.Second
)

// Engine runs the keeper of this server's sessions: one goroutine decides, and each request has one of its own.
type Engine struct {
	service.Base
	cfg      Config
	inside   *mailbox.Box[func(now time.Time)] // answers of requests, and calls that must not block on a full Inbox
	waiters  *commandWaiters
	notifier notifier
	epoch    atomic.Int64 // of the session; other goroutines read it
	failing  atomic.Bool  // changes cannot be stored; other goroutines read it

	// Only the loop uses the fields below.
	keeper         *session.Keeper
	publishWaiters []chan struct{} // one for each call of WaitPublished
}

// randomKey returns 65 random bits as text.
func randomKey() string { return rand.Text()[:13] }

// NewInbox makes the channel by which others reach the loop.
func NewInbox() chan func(now time.Time) { return make(chan func(now time.Time), 4096) }

// New makes an engine.
func New(cfg Config) *Engine {
	if cfg.Sweep == 0 {
		cfg.Sweep = sweepEvery
	}
	if cfg.NewKey == nil {
		cfg.NewKey = randomKey
	}
	if cfg.NewSession == nil {
		cfg.NewSession = rand.Text
	}
	if cfg.Graphs == nil {
		cfg.Graphs = new(document.Graphs)
	}
	return &Engine{
		cfg: cfg, inside: mailbox.New[func(time.Time)](), waiters: newCommandWaiters(),
		notifier: notifier{cfg.Observer},
		keeper: session.New(session.Config{
			Server: cfg.Server.ID, Fleet: cfg.Fleet, Chooser: cfg.Chooser, Driver: cfg.Driver,
			Graphs: cfg.Graphs, Shared: cfg.Shared,
			Sweep:  cfg.Sweep,
			NewKey: cfg.NewKey, NewSession: cfg.NewSession, Limits: session.DefaultLimits(),
			TraceDecisions: cfg.Log.Enabled(context.Background(), slog.LevelDebug), TraceParent: cfg.TraceParent,
		}),
	}
}

// Start begins the first session and then the loop, which loads this server's batches one group after another. Start
// fails if the database cannot be reached; during later outages the engine waits.
func (e *Engine) Start(ctx context.Context) error {
	work, err := e.Begin(ctx)
	if err != nil {
		return err
	}
	if err := e.startSession(work); err != nil {
		e.Stop()
		return err
	}
	e.Go(func() { e.loop(work) })
	return nil
}

// loop is the only goroutine that touches the keeper and the fleet.
func (e *Engine) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	e.Ready()
	for {
		select {
		case <-ctx.Done():
			e.waiters.stop()
			return
		case f := <-e.cfg.Inbox:
			f(e.cfg.Now())
		case <-e.inside.Wake():
		case <-timer.C:
		}
		e.drain()
		e.publish() // before the next commit is under way
		e.keeper.Turn(e.cfg.Now())
		e.publish()
		for _, r := range e.keeper.TakeRequests() {
			e.do(ctx, r)
		}
		timer.Reset(e.untilWakeup())
	}
}

// drain handles everything that has arrived in the meantime, so that one commit stores all changes.
func (e *Engine) drain() {
	for _, f := range e.inside.TakeAll() {
		f(e.cfg.Now())
	}
	for range maxTurn {
		select {
		case f := <-e.cfg.Inbox:
			f(e.cfg.Now())
		default:
			return
		}
	}
}

// untilWakeup returns the time until the keeper or the fleet has something to do.
func (e *Engine) untilWakeup() time.Duration {
	now := e.cfg.Now()
	at := e.keeper.NextWakeup(now)
	if at.IsZero() {
		return time.Hour
	}
	return max(at.Sub(now), time.Millisecond)
}

// ask runs f in the loop and waits until it has run, or ctx ends. In the latter case f may still run later.
func (e *Engine) ask(ctx context.Context, f func(now time.Time)) error {
	done := make(chan struct{})
	select {
	case e.cfg.Inbox <- func(now time.Time) { f(now); close(done) }:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Adopt passes a new batch of this server to the engine. It does not wait.
func (e *Engine) Adopt(batch int64) { e.inside.Put(func(time.Time) { e.keeper.Adopt(batch) }) }

// AdoptAll passes new batches of this server to the engine. Their ticks may have stored commands for older batches, so
// the engine looks for commands, too. It does not wait.
func (e *Engine) AdoptAll(batches []int64) {
	e.inside.Put(func(time.Time) {
		e.keeper.Sweep()
		e.keeper.Adopt(batches...)
	})
}

// Notify announces that a command for a batch was stored. It does not wait.
func (e *Engine) Notify(batch int64) { e.inside.Put(func(time.Time) { e.keeper.CommandStored(batch) }) }

// SetGroupRoutes sets the routes of groups of executors, by their names. It does not wait.
func (e *Engine) SetGroupRoutes(routes map[string]hive.Route) {
	e.inside.Put(func(time.Time) { e.keeper.SetGroupRoutes(routes) })
}

// LimitsChanged announces that the limits on what runs have changed. It does not wait.
func (e *Engine) LimitsChanged() { e.inside.Put(func(time.Time) { e.keeper.LimitsChanged() }) }

// Session returns the id of this server and the epoch of its session.
func (e *Engine) Session() owner.Session {
	return owner.Session{Server: e.cfg.Server.ID, Epoch: e.epoch.Load()}
}

// Failing reports whether changes cannot be stored now. It reads a flag and does not wait.
func (e *Engine) Failing() bool { return e.failing.Load() }
