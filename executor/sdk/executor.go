package sdk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/rprp/hivego/executor/internal/groupwait"
	"github.com/rprp/hivego/executor/internal/journal"
	"github.com/rprp/hivego/executor/ledger"
)

// Executor is one executor: it answers the calls of servers and runs handlers. It starts once.
type Executor struct {
	cfg      Config
	log      *slog.Logger
	handlers map[string]Handler // those that run in this process
	durables map[string]Durable // the others
	infos    []Info             // of all handlers

	id        *identity
	journal   *journal.Journal
	effects   *queue
	server    *frameServer
	address   string
	freeSpace func(folder string) (free, total uint64, err error) // bytes, on the disk of a folder

	mu            sync.Mutex // guards all below
	ledger        *ledger.Ledger
	jobs          map[ledger.Ref]*job          // attempts that run in this process
	tasks         map[ledger.Ref]*Task         // accepted or resumed by this process, until they end
	ends          map[ledger.Ref]chan struct{} // closed when an attempt ends; for run
	wakeups       map[string]chan struct{}     // by server; closed when there is an event for its poll
	polls         map[string]int               // counts the polls of each server: only the latest waits
	pushedLeases  map[string]Lease             // as last given to the durable handlers
	compacted     int64                        // bytes of the journal after its last compaction
	leasesChanged chan struct{}                // wakes the loop that watches leases
	halted        bool                         // handlers in this process are to stop
	stopped       bool
	detach        func() bool // ends the link from Start's context to Stop

	quit         chan struct{} // closed when Stop begins
	deregistered chan struct{} // closed after the attempt to deregister
	closing      chan struct{} // closed after that: no call waits any more
	started      chan struct{}
	loops        sync.WaitGroup
	local        sync.WaitGroup // handlers in this process
	once         sync.Once
}

// New checks the configuration and the handlers. It does no I/O. Kinds of work that outlive this process are given as
// Config.Durables.
func New(cfg Config, handlers ...Handler) (*Executor, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	e := &Executor{
		cfg: cfg, log: cfg.Log, handlers: map[string]Handler{}, durables: map[string]Durable{},
		freeSpace: freeSpaceOf,
		jobs:      map[ledger.Ref]*job{}, tasks: map[ledger.Ref]*Task{}, ends: map[ledger.Ref]chan struct{}{},
		wakeups: map[string]chan struct{}{}, polls: map[string]int{}, pushedLeases: map[string]Lease{},
		leasesChanged: make(chan struct{}, 1), quit: make(chan struct{}), deregistered: make(chan struct{}),
		closing: make(chan struct{}), started: make(chan struct{}),
	}
	for _, d := range cfg.Durables {
		info := d.Info()
		e.durables[info.Name] = d
		e.infos = append(e.infos, info)
	}
	for _, h := range handlers {
		info := h.Info()
		e.handlers[info.Name] = h
		e.infos = append(e.infos, info)
	}
	if len(e.infos) == 0 {
		return nil, errors.New("executor: no handlers")
	}
	names := map[string]bool{}
	for _, info := range e.infos {
		if names[info.Name] {
			return nil, fmt.Errorf("executor: two handlers are named %q", info.Name)
		}
		names[info.Name] = true
	}
	return e, nil
}

// Start opens the data folder, recovers earlier attempts, and listens. It returns once calls are answered. When ctx
// ends, the executor stops, as with Stop.
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
		e.closeStores()
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", e.cfg.Listen)
	if err != nil {
		e.closeStores()
		return fmt.Errorf("executor: listen on %s: %w", e.cfg.Listen, err)
	}
	e.address = listener.Addr().String()
	e.server = newFrameServer(listener, e.cfg.TLS, processor(e), e.log)
	resume() // before the first call
	e.loops.Go(e.server.serve)
	e.loops.Go(e.watchLeases)
	if e.cfg.ServerURL != "" {
		e.loops.Go(func() {
			defer close(e.deregistered)
			e.keepRegistered()
		})
	} else {
		close(e.deregistered)
	}
	e.log.Info("executor started", "executor", e.id.executorID, "name", e.cfg.Name, "group", e.cfg.Group,
		"listen", e.address, "slots", e.cfg.Slots)
	close(e.started)
	detach := context.AfterFunc(ctx, e.Stop)
	e.mu.Lock()
	e.detach = detach
	e.mu.Unlock()
	return nil
}

// Started returns a channel that is closed once calls are answered.
func (e *Executor) Started() <-chan struct{} { return e.started }

// Addr returns the address on which the executor listens, once it has started.
func (e *Executor) Addr() string { return e.address }

// ID returns the executor's id, once it has started.
func (e *Executor) ID() string { return e.id.executorID }

// Secret returns the token with which servers authenticate, once the executor has started.
func (e *Executor) Secret() string { return e.id.secret }

// Drain makes the executor refuse new attempts, or accept them again.
func (e *Executor) Drain(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ledger.SetDraining(on)
}

// Running returns the number of attempts that run.
func (e *Executor) Running() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ledger.Load().Running
}

// Surviving returns the number of attempts that continue if the executor stops now: submitted attempts of durable
// handlers, and attempts with a checkpoint.
func (e *Executor) Surviving() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := e.ledger.Load().Running
	for attempt, t := range e.tasks { // also those that are about to begin
		if e.isRun(attempt) || e.durables[t.Handler] == nil && !t.hasCheckpoint() {
			n--
		}
	}
	return n
}

// Stop stops the executor: it accepts no new attempts, cancels the handlers in this process, and answers calls in
// flight. The work of durable handlers continues, and attempts with a checkpoint are resumed at the next start. Stop
// may be called twice.
func (e *Executor) Stop() { e.once.Do(e.stop) }

// stop implements Stop; it runs once.
func (e *Executor) stop() {
	close(e.quit)
	if e.journal == nil {
		return
	}
	e.Drain(true)
	if e.server != nil {
		<-e.deregistered // deregister first, so that the server expects its connections to end
		close(e.closing)
		e.server.close()
	}
	e.halt()
	if !groupwait.For(&e.local, e.cfg.StopTimeout) {
		e.log.Warn("executor: handlers did not stop in time; attempts without a checkpoint end lost at the next start")
	}
	e.loops.Wait()
	e.mu.Lock()
	e.stopped = true
	running := e.ledger.Load().Running
	e.mu.Unlock()
	if running > 0 {
		e.log.Info("executor stopped; what it runs goes on and is found again at the next start", "running", running)
	}
	e.closeStores()
}

// halt cancels the handlers in this process, also those that are about to begin.
func (e *Executor) halt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.halted = true
	for _, j := range e.jobs {
		j.cancel(shutdown())
	}
	if e.detach != nil {
		e.detach()
	}
}

// closeStores closes what open opened, and the lock of the data folder.
func (e *Executor) closeStores() {
	if e.effects != nil {
		e.effects.close()
	}
	if e.journal != nil {
		e.journal.Close()
	}
	_ = e.id.lock.Close()
}

// clock reads both clocks.
func clock() ledger.Now { return ledger.Now{Mono: BootTime(), Wall: time.Now()} }

// Serve runs an executor with these handlers until ctx ends.
func Serve(ctx context.Context, cfg Config, handlers ...Handler) error {
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
