package engine

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
	"github.com/rprp/hivego/server/service"
)

// Driver makes the calls that the fleet wants made. Its methods are called from the loop and never block.
type Driver interface {
	owner.Fleet
	// Events answers what has happened to attempts since the last call, what time alone brings included.
	Events(now time.Time) []hive.AttemptEvent
	// Launch starts the calls that are due; their answers come back through the loop's inbox.
	Launch(now time.Time)
	// Wake is when the fleet next has something to do by itself; zero: never.
	Wake() time.Time
	// Learn takes the executors as they were stored when they were read: a batch may come from a server with which
	// its executor alone registered.
	Learn(now time.Time, stored []hive.Executor, read time.Time)
	// SetEpoch names the session in all further calls, by its epoch and a random text.
	SetEpoch(epoch int64, session string)
	// Later answers a later session of this server that an executor has heard of; each once.
	Later() (hive.Later, bool)
	// Reset forgets every attempt: the session is over.
	Reset()
}

// Config of the engine. All fields but Observer are required.
type Config struct {
	Store    SessionStore
	Driver   Driver
	Server   hive.Server // id, address, version of this server
	Inbox    chan func(now time.Time)
	Observer Observer
	Log      *slog.Logger
	Now      func() time.Time // wall clock with a monotonic reading
	// Shared says that other servers may work on the same database: they wait for this one when it dies, and it for
	// them.
	Shared bool
	// Sweep is how often commands are looked for that nobody here was notified of, because another server took them or
	// this one was away; 5 s when 0.
	Sweep time.Duration
	// NewKey makes the key of an attempt: random, so that it never repeats; crypto/rand when nil.
	NewKey func() string
	// NewSession makes the text that goes with an epoch in all calls, by the same rules.
	NewSession func() string
	Graphs     *document.Graphs // shared with others who read revisions; its own when nil
	// Ended is told of batches that ended, after the commit. It must not block.
	Ended func(hive.Batch)
}

// Limits of one turn of the loop, and patience with the database.
const (
	maxTurn      = 512
	commitWithin = 30 * time.Second
	readWithin   = 30 * time.Second
	retryCommit  = 200 * time.Millisecond
	sweepEvery   = 5 * time.Second
	idsAhead     = 25_000 // more than one plan can add tasks
	idsLow       = 21_000
)

// Engine is the loop around the owner: one goroutine decides, one writes, one reads what the owner asks for. What
// stands below the blank line is the loop's own.
type Engine struct {
	service.Base
	cfg           Config
	pace          pace
	groups        chan *hive.Group
	loader        *loader
	session       *sessionState
	waiters       *commandWaiters
	laterSessions chan hive.Later // for whoever keeps the session
	// observed tells the observer, if there is one.
	notifier notifier
	// outage is failing, for other goroutines.
	outage atomic.Bool
	// stored is how many commits of the session are known to be stored, for other goroutines.
	storedCommits atomic.Int64

	owner          *owner.Owner
	stuck          stuck
	lapsed         bool // the session is over, the next has not begun: nothing is decided
	drawingIDs     bool // ids are being drawn
	writing        bool
	commitsBlocked bool          // no commit may leave
	raisedAt       time.Time     // when the epoch was last to be raised
	outageError    error         // of the last commit, if it failed for want of the database
	commitIdle     chan struct{} // closed when no commit is under way any more
	retryAt        time.Time
	publishWaiters []chan struct{} // of those who wait until what is stored was told
}

// randomKey is 65 random bits as text.
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
	e := &Engine{
		cfg: cfg, pace: paceOf(cfg.Shared), groups: make(chan *hive.Group, 1), stuck: newStuck(),
		session: new(sessionState), waiters: newCommandWaiters(), laterSessions: make(chan hive.Later, 1),
	}
	e.notifier.to = cfg.Observer
	e.loader = newLoader(e)
	return e
}

// Start draws the session's epoch and begins; what this server owns is loaded by and by. It fails if the database
// cannot be reached; later outages are waited out.
func (e *Engine) Start(ctx context.Context) error {
	work, err := e.Begin(ctx)
	if err != nil {
		return err
	}
	fresh, err := e.openSession(work)
	if err != nil {
		e.Stop()
		return err
	}
	e.beginSession(fresh)
	e.Go(func() { e.write(work) })
	e.Go(func() { e.loader.run(work) })
	e.Go(func() { e.keepSession(work) })
	e.Go(func() { e.loop(work) })
	return nil
}

// loop is the only goroutine that touches the owner and the fleet.
func (e *Engine) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	e.Ready()
	for {
		select {
		case <-ctx.Done():
			close(e.groups)
			e.waiters.stop()
			return
		case f := <-e.cfg.Inbox:
			f(e.cfg.Now())
			e.drain()
		case <-timer.C:
		}
		e.turn()
		timer.Reset(e.untilWakeup())
	}
}

// drain takes what else has come, so that one commit holds it all.
func (e *Engine) drain() {
	for range maxTurn {
		select {
		case f := <-e.cfg.Inbox:
			f(e.cfg.Now())
		default:
			return
		}
	}
}

// turn: hear what happened, decide, hand the next group to the writer, make the calls that are due.
func (e *Engine) turn() {
	if e.lapsed {
		return
	}
	now := e.cfg.Now()
	e.owner.Deliver(now, e.cfg.Driver.Events(now))
	e.noticeLaterSession(now)
	e.owner.FireTimers(now)
	e.owner.DispatchReady(now)
	e.report(now)
	for _, id := range e.stuck.due(now) {
		e.loader.load(id)
	}
	e.drawIDs()
	e.flush(now)
	if e.session.leased(now) {
		// Each answer of an executor prolongs what it runs for this server. Once somebody else may own that, and counts
		// its leases from his takeover, nothing may be prolonged any more.
		e.cfg.Driver.Launch(now)
	}
}

// sleep is how long nothing happens by itself.
func (e *Engine) untilWakeup() time.Duration {
	if !e.session.leased(e.cfg.Now()) {
		return e.pace.renewEvery // little can be done before the lease is renewed
	}
	at := e.owner.NextWakeup()
	for _, t := range []time.Time{e.cfg.Driver.Wake(), e.retryAt, e.stuck.next()} {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if at.IsZero() {
		return time.Hour
	}
	return max(at.Sub(e.cfg.Now()), time.Millisecond)
}

// drawIDs asks for more ids before they run out.
func (e *Engine) drawIDs() {
	kind := e.owner.LowIDs(idsLow)
	if kind == "" || e.drawingIDs {
		return
	}
	e.drawingIDs = true
	asker := e.owner
	e.loader.enqueue(func(ctx context.Context) {
		first, err := e.nextIDs(ctx, kind)
		if err != nil {
			e.cfg.Log.Error("no new ids", "kind", kind, "error", err)
			wait(ctx, time.Second)
		}
		e.post(ctx, func(time.Time) {
			e.drawingIDs = false
			if err == nil && e.owner == asker {
				asker.AddIDs(kind, first, idsAhead)
			}
		})
	})
}

// post runs f in the loop, unless the engine ends first.
func (e *Engine) post(ctx context.Context, f func(now time.Time)) {
	select {
	case e.cfg.Inbox <- f:
	case <-ctx.Done():
	}
}

// ask runs f in the loop and waits for it.
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

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// Live answers a batch as the owner sees it now; ok is false if it is not in memory.
func (e *Engine) Live(ctx context.Context, batch int64) (hive.LiveView, bool, error) {
	var v hive.LiveView
	var ok bool
	err := e.ask(ctx, func(time.Time) {
		v, ok = e.owner.View(batch)
		if why := e.stuck.why(batch); why != "" {
			v.Stuck, ok = why, true
		}
	})
	if err != nil { // the loop may still write to v
		return hive.LiveView{}, false, err
	}
	return v, ok, nil
}

// Summaries answers in short how the owner sees some batches now, or, without ids, all that it has; those that are not in
// memory are left out. Batches that are stuck are in it with nothing but why.
func (e *Engine) Summaries(ctx context.Context, ids ...int64) (map[int64]hive.BatchSummary, error) {
	all := func() []int64 {
		if ids == nil {
			return append(e.owner.LiveBatches(), e.stuck.ids()...)
		}
		return ids
	}
	return inspect(ctx, e, all, func(id int64) (s hive.BatchSummary, ok bool) {
		s, ok = e.owner.Summary(id)
		s.Stuck = e.stuck.why(id)
		return s, ok || s.Stuck != ""
	})
}

// look answers what one sees of some batches in the loop; those of which that is nothing are left out.
func inspect[T any](ctx context.Context, e *Engine, ids func() []int64,
	one func(id int64) (T, bool),
) (map[int64]T, error) {
	var out map[int64]T
	err := e.ask(ctx, func(time.Time) {
		seen := map[int64]T{}
		for _, id := range ids() {
			if t, ok := one(id); ok {
				seen[id] = t
			}
		}
		out = seen
	})
	if err != nil { // the loop may still work for it
		return nil, err
	}
	return out, nil
}

// Adopt tells the engine of a new batch of this server.
func (e *Engine) Adopt(batch int64) { e.loader.load(batch) }

// Notify tells the engine that a command for a batch was stored.
func (e *Engine) Notify(batch int64) { e.loader.loadCommands(batch) }

// AdoptAll tells the engine of new batches of this server, and of what their ticks asked of older ones.
func (e *Engine) AdoptAll(batches []int64) {
	e.loader.sweep()
	e.loader.loadAll(batches)
}
