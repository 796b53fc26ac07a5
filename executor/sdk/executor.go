package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rprp/hivego/executor/internal/journal"
	"github.com/rprp/hivego/executor/ledger"
)

// Executor is a running executor: the shell around a Ledger. It starts once.
type Executor struct {
	cfg      Config
	log      *slog.Logger
	handlers map[string]Handler
	durables map[string]Durable
	infos    []Info

	id      *identity
	journal *journal.Journal
	effects *queue
	server  *frameServer
	address string
	room    func(folder string) (free, total uint64, err error) // bytes, where the data folder is

	mu      sync.Mutex // guards all below
	ledger  *ledger.Ledger
	jobs    map[Ref]*job             // what runs in this process
	tasks   map[Ref]*Task            // accepted in this life, until they end
	wakes   map[string]chan struct{} // closed when a server has something to be told
	ends    map[Ref]chan struct{}    // closed when an attempt ends; for run
	polls   map[string]int           // counts the polls of each server: only the latest waits
	leased  map[string]Lease         // as last told to the durable handlers
	fresh   int64                    // bytes of the journal after its last compaction
	leases  chan struct{}            // kicks the loop that watches leases
	halted  bool                     // handlers in this process are to stop
	stopped bool
	release func() bool // of the hook on Start's context

	quit    chan struct{} // closed when Stop begins
	left    chan struct{} // closed once the server was told of the stop, as far as it could be
	closing chan struct{} // closed after that: no call waits any more
	started chan struct{}
	wg      sync.WaitGroup // loops
	local   sync.WaitGroup // handlers in this process
	once    sync.Once
}

// New checks the configuration and the handlers, each a Handler or a Durable. It touches nothing yet.
func New(cfg Config, handlers ...any) (*Executor, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	e := &Executor{
		cfg: cfg, log: cfg.Log, handlers: map[string]Handler{}, durables: map[string]Durable{},
		jobs: map[Ref]*job{}, tasks: map[Ref]*Task{}, wakes: map[string]chan struct{}{},
		ends: map[Ref]chan struct{}{}, polls: map[string]int{}, leased: map[string]Lease{},
		leases: make(chan struct{},
			1), quit: make(chan struct{}), left: make(chan struct{}), closing: make(chan struct{}),
		started: make(chan struct{}), room: roomOf,
	}
	for _, h := range handlers {
		var info Info
		switch h := h.(type) {
		case Handler:
			info = h.Info()
			e.handlers[info.Name] = h
		case Durable:
			info = h.Info()
			e.durables[info.Name] = h
		default:
			return nil, fmt.Errorf("executor: %T is neither a Handler nor a Durable", h)
		}
		for _, other := range e.infos {
			if other.Name == info.Name {
				return nil, fmt.Errorf("executor: two handlers are named %q", info.Name)
			}
		}
		e.infos = append(e.infos, info)
	}
	if len(e.infos) == 0 {
		return nil, errors.New("executor: no handlers")
	}
	return e, nil
}

// Start opens the data folder, finds out what survived, and listens. It returns once calls are answered. When ctx
// ends, so does the executor, as with Stop.
func (e *Executor) Start(ctx context.Context) error {
	select {
	case <-e.quit:
		return errors.New("executor: stopped before it was started")
	default:
	}
	id, err := openIdentity(e.cfg.Data)
	if err != nil {
		return err
	}
	e.id = id
	resume, err := e.open(ctx)
	if err != nil {
		e.shut()
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", e.cfg.Listen)
	if err != nil {
		e.shut()
		return fmt.Errorf("executor: listen on %s: %w", e.cfg.Listen, err)
	}
	e.address = listener.Addr().String()
	e.server = newFrameServer(listener, e.cfg.TLS, processor(e), e.log)
	resume() // before the first call
	e.wg.Go(e.server.serve)
	e.wg.Go(e.watchLeases)
	if e.cfg.ServerURL != "" {
		e.wg.Go(func() {
			defer close(e.left)
			e.keepRegistered()
		})
	} else {
		close(e.left)
	}
	e.log.Info("executor started", "executor", e.id.executorID, "name", e.cfg.Name, "group", e.cfg.Group,
		"listen", e.address, "slots", e.cfg.Slots)
	close(e.started)
	release := context.AfterFunc(ctx, e.Stop)
	e.mu.Lock()
	e.release = release
	e.mu.Unlock()
	return nil
}

// open reads the journal and settles what the former life left. resume takes up what this process is to go on with.
func (e *Executor) open(ctx context.Context) (resume func(), err error) {
	if err := os.MkdirAll(filepath.Join(e.cfg.Data, "attempts"), 0o700); err != nil {
		return nil, fmt.Errorf("executor data folder: %w", err)
	}
	e.ledger = ledger.New(ledger.Config{Slots: e.cfg.Slots, OrphanTimeout: e.cfg.OrphanTimeout})
	now := clock()
	j, err := journal.Open(filepath.Join(e.cfg.Data, "journal"), e.log, func(payload []byte) error {
		var r ledger.Record
		if err := json.Unmarshal(payload, &r); err != nil {
			return err
		}
		e.ledger.Replay(now, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.journal = j
	e.effects = newQueue()
	e.mu.Lock()
	st, survivors := e.ledger.Boot(now)
	done := e.commit(st, nil)
	e.compact()
	e.mu.Unlock()
	<-done
	kept, err := e.recover(ctx, survivors)
	if err != nil {
		return nil, err
	}
	if err := e.sweep(); err != nil {
		return nil, err
	}
	return e.revive(kept), nil
}

// recover asks each durable handler for what it had, and answers what is left: the attempts of handlers in this process
// that may be taken up again. A handler that this executor has no more has lost its attempts.
func (e *Executor) recover(ctx context.Context, survivors []Survivor) (kept []Survivor, err error) {
	by := map[string][]Survivor{}
	for _, s := range survivors {
		by[s.Handler] = append(by[s.Handler], s)
	}
	for name, h := range e.durables {
		leases, err := h.Recover(ctx, by[name], e)
		if err != nil {
			return nil, fmt.Errorf("executor: handler %s: %w", name, err)
		}
		e.mu.Lock()
		for _, l := range leases {
			e.ledger.AdoptLease(l)
		}
		e.mu.Unlock()
		for _, s := range by[name] {
			if s.Kill != nil {
				e.effects.add(func() { h.Kill(Kill{Attempt: s.Attempt, Grace: s.Kill.Grace, Reason: s.Kill.Reason}) })
			}
		}
		delete(by, name)
	}
	for name, left := range by {
		if _, ok := e.handlers[name].(Resumer); ok {
			kept = append(kept, left...)
			continue
		}
		for _, s := range left {
			e.Ended(s.Attempt, lostOutcome(fmt.Sprintf("the executor was restarted without its handler %q", name)),
				false)
		}
	}
	return kept, nil
}

// sweep removes the folders of attempts that were released when the former life ended.
func (e *Executor) sweep() error {
	dir := filepath.Join(e.cfg.Data, "attempts")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("executor data folder: %w", err)
	}
	for _, x := range entries {
		attempt, ok := ledger.ParseRef(x.Name())
		e.mu.Lock()
		known := ok && e.ledger.State(attempt).Known
		e.mu.Unlock()
		if !known {
			e.remove(filepath.Join(dir, x.Name()))
		}
	}
	return nil
}

func (e *Executor) remove(folder string) {
	if err := os.RemoveAll(folder); err != nil {
		e.log.Warn("executor: a folder cannot be removed", "folder", folder, "error", err)
	}
}

// Started is closed once calls are answered.
func (e *Executor) Started() <-chan struct{} { return e.started }

// Addr is where the executor listens, once it has started.
func (e *Executor) Addr() string { return e.address }

// ID is the executor's id, once it has started.
func (e *Executor) ID() string { return e.id.executorID }

// Secret is what a server proves itself with, once the executor has started.
func (e *Executor) Secret() string { return e.id.secret }

// Drain makes the executor take nothing new, or take it again.
func (e *Executor) Drain(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ledger.SetDraining(on)
}

// Running is the number of attempts that run.
func (e *Executor) Running() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ledger.Load().Running
}

// GoingOn is the number of attempts that go on if the executor stops now: those of durable handlers, and those that
// have kept what the next life needs.
func (e *Executor) GoingOn() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := e.ledger.Load().Running
	for _, t := range e.tasks { // also those that are about to begin
		if e.durables[t.Handler] == nil && !t.keeps() {
			n--
		}
	}
	return n
}

// Stop ends the executor: nothing new is taken, handlers in this process are told to stop, calls in flight are
// answered. What a durable handler runs goes on, and what others have kept is taken up again, at the next start. It may
// be called twice.
func (e *Executor) Stop() { e.once.Do(e.stop) }

func (e *Executor) stop() {
	close(e.quit)
	if e.journal == nil {
		return
	}
	e.Drain(true)
	if e.server != nil {
		<-e.left // the server is told first, so that connections which end do not surprise it
		close(e.closing)
		e.server.close()
	}
	e.halt()
	if !waitFor(&e.local, e.cfg.StopTimeout) {
		e.log.Warn("executor: handlers did not stop in time; what they have not kept ends lost at the next start")
	}
	e.wg.Wait()
	e.mu.Lock()
	e.stopped = true
	left := e.ledger.Load().Running
	e.mu.Unlock()
	if left > 0 {
		e.log.Info("executor stopped; what it runs goes on and is found again at the next start", "running", left)
	}
	e.shut()
}

// halt tells the handlers in this process to stop, those that run and those that are about to.
func (e *Executor) halt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.halted = true
	for _, j := range e.jobs {
		j.cancel(&Stopped{Words: stopWords})
	}
	if e.release != nil {
		e.release()
	}
}

// shut closes what open opened.
func (e *Executor) shut() {
	if e.effects != nil {
		e.effects.close()
	}
	if e.journal != nil {
		e.journal.Close()
	}
	_ = e.id.lock.Close()
}

// waitFor waits for a group, but not for ever.
func waitFor(g *sync.WaitGroup, limit time.Duration) bool {
	done := make(chan struct{})
	go func() {
		g.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

func clock() ledger.Now { return ledger.Now{Mono: BootTime(), Wall: time.Now()} }

// Serve runs an executor with these handlers until ctx ends.
func Serve(ctx context.Context, cfg Config, handlers ...any) error {
	e, err := New(cfg, handlers...)
	if err != nil {
		return err
	}
	if err := e.Start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	e.Stop()
	return nil
}
