package supervise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Config configures a supervisor.
type Config struct {
	Data     string        // the executor's data folder; the supervisor's folder is in it
	IdleExit time.Duration // the supervisor ends after this time without a process or a connection; default 30 s
	Log      *slog.Logger
}

const (
	folderName  = "supervisor"
	defaultIdle = 30 * time.Second
	bufferSize  = 32 << 10
	spawners    = 2 // threads that start processes; more do not help, since the kernel forks one at a time
)

// ErrRunning means that another supervisor runs for the folder.
var ErrRunning = errors.New("a supervisor runs already for this folder")

// supervisor is the state of the process.
type supervisor struct {
	cfg     Config
	log     *slog.Logger
	local   Identity
	store   *store
	buffers sync.Pool
	starts  chan *process // to be started
	null    *os.File
	done    chan struct{}

	// forkLock makes sure that the reaper finds every process in byPID. It is locked for reading from the start of a
	// process until it is in byPID, and for writing by the reaper.
	forkLock sync.RWMutex
	byPID    sync.Map // int → *process

	mu       sync.Mutex
	procs    map[Ref]*process
	leases   map[string]Lease
	session  *session
	stopping bool
	idle     time.Time // since when no process runs and no executor is connected
}

// Run runs a supervisor. It returns after IdleExit without work. If ctx ends before, it kills all processes and
// returns.
func Run(ctx context.Context, cfg Config) error {
	if cfg.IdleExit <= 0 {
		cfg.IdleExit = defaultIdle
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	dir := filepath.Join(cfg.Data, folderName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("supervisor: %w", err)
	}
	lock, err := lockFolder(ctx, dir)
	if err != nil {
		return fmt.Errorf("supervisor: %w", err)
	}
	defer lock.Close()
	_, _ = unix.Setsid() // fails if this process leads a session already, as one started by an executor does
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("supervisor: become subreaper: %w", err)
	}
	s, err := newSupervisor(cfg, dir)
	if err != nil {
		return err
	}
	defer s.null.Close()
	defer s.store.journal.Close()
	listener, err := listen(dir)
	if err != nil {
		return fmt.Errorf("supervisor: %w", err)
	}
	cfg.Log.Info("supervisor started", "pid", os.Getpid(), "data", cfg.Data)
	return s.run(ctx, listener)
}

func newSupervisor(cfg Config, dir string) (*supervisor, error) {
	local, err := localIdentity()
	if err != nil {
		return nil, fmt.Errorf("supervisor: %w", err)
	}
	st, err := openStore(filepath.Join(dir, "journal"), cfg.Log)
	if err != nil {
		return nil, fmt.Errorf("supervisor: %w", err)
	}
	st.sweep(local, cfg.Log)
	st.begin(local.withPID(os.Getpid()))
	null, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		st.journal.Close()
		return nil, fmt.Errorf("supervisor: %w", err)
	}
	return &supervisor{
		cfg: cfg, log: cfg.Log, local: local, store: st, starts: make(chan *process, 1024), null: null,
		buffers: sync.Pool{New: func() any { return new(make([]byte, bufferSize)) }},
		done:    make(chan struct{}), procs: map[Ref]*process{}, leases: map[string]Lease{}, idle: time.Now(),
	}, nil
}

// lockFolder makes this the only supervisor of a folder. If another supervisor has the lock, it waits for up to five
// seconds, because that supervisor may be about to end.
func lockFolder(ctx context.Context, dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(5 * time.Second); ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(end) || ctx.Err() != nil {
			_ = f.Close()
			return nil, ErrRunning
		}
		pause(10 * time.Millisecond)
	}
}

func (s *supervisor) run(ctx context.Context, listener *net.UnixListener) error {
	child := make(chan os.Signal, 1)
	signal.Notify(child, unix.SIGCHLD)
	defer signal.Stop(child)
	for range spawners {
		go s.spawnLoop()
	}
	go s.accept(listener)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-child:
			s.reap()
		case <-tick.C:
			s.enforceLeases()
			if s.isIdle() && s.stop() {
				_ = listener.Close()
				return nil
			}
		case <-ctx.Done():
			_ = listener.Close()
			s.killEverything()
			return nil
		}
	}
}

// reap reaps ended children, and the orphans that this process inherited as a subreaper.
func (s *supervisor) reap() {
	s.forkLock.Lock()
	defer s.forkLock.Unlock()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		found, _ := s.byPID.LoadAndDelete(pid)
		if p, ok := found.(*process); ok {
			p.reaped(status)
		}
	}
}

// exited stores an exit, and reports it once it is durable.
func (s *supervisor) exited(p *process, x Exit) {
	if err := p.maskFile(p.spec.OutputFile); err != nil {
		s.log.Error("supervisor: the outputs of a task cannot be masked, and are dropped", "attempt", x.name(),
			"error", err)
	}
	if err := syncFile(p.spec.OutputFile); err != nil {
		s.log.Error("supervisor: the outputs of a task may not be on disk", "attempt", x.name(), "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store.add(record{Kind: kindExit, Exit: &x}, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.procs, x.Ref)
		if len(s.procs) == 0 {
			s.idle = time.Now()
		}
		if s.session != nil {
			s.session.send(message{Op: opExit, Exit: &x})
		}
	})
}

// enforceLeases kills the processes whose lease is over, and forgets old leases. It does not need the executor.
func (s *supervisor) enforceLeases() {
	now := bootTime()
	var due []*process
	s.mu.Lock()
	for _, p := range s.procs {
		l, found := s.leases[p.spec.Lease]
		if found && !l.Forever && now >= l.Deadline {
			due = append(due, p)
		}
	}
	maps.DeleteFunc(s.leases, func(name string, l Lease) bool {
		return l.isOld(now) && !slices.ContainsFunc(due, func(p *process) bool { return p.spec.Lease == name })
	})
	s.mu.Unlock()
	for _, p := range due {
		p.kill(WhyLease, p.spec.Grace, "its server was silent for longer than the orphan timeout")
	}
}

func (s *supervisor) isIdle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.procs) == 0 && s.session == nil && time.Since(s.idle) >= s.cfg.IdleExit
}

// stop stops the supervisor, unless it has got a process or a connection meanwhile. An executor that connects later
// gets no answer, and starts another supervisor.
func (s *supervisor) stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.procs) > 0 || s.session != nil {
		return false
	}
	s.stopping = true
	close(s.done)
	s.log.Info("supervisor stopped: it was idle")
	return true
}

func (s *supervisor) killEverything() {
	s.mu.Lock()
	procs := slices.Collect(maps.Values(s.procs))
	s.mu.Unlock()
	for _, p := range procs {
		p.kill(WhyStop, 0, "the supervisor was stopped")
	}
	for range 100 {
		s.reap()
		s.mu.Lock()
		remaining := len(s.procs)
		s.mu.Unlock()
		if remaining == 0 {
			return
		}
		pause(10 * time.Millisecond)
	}
}

// list makes the answer to a hello. A process whose exit is not durable yet counts as running; its exit is reported
// soon. The caller holds the lock.
func (s *supervisor) list() *List {
	l := List{Keys: true, Masks: true}
	for _, p := range s.procs {
		l.Running = append(l.Running, Running{Ref: p.spec.Ref, Identity: p.identity()})
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.store.exits), compareRefs) {
		if s.procs[id] == nil {
			l.Exits = append(l.Exits, s.store.exits[id])
		}
	}
	l.Leases = slices.Collect(maps.Values(s.leases))
	return &l
}
