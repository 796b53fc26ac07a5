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

// Config says how a supervisor runs.
type Config struct {
	Data     string        // the executor's data folder; the supervisor's own is in it
	IdleExit time.Duration // it ends when it has run nothing and heard nobody for so long; default 30 s
	Log      *slog.Logger
}

const (
	folderName  = "supervisor"
	defaultIdle = 30 * time.Second
	bufferSize  = 32 << 10
	spawners    = 2 // threads that start processes; the kernel lets one at a time through anyway
)

// ErrRunning says that the folder has a supervisor already.
var ErrRunning = errors.New("a supervisor runs already for this folder")

// supervisor is the state of the process.
type supervisor struct {
	cfg     Config
	log     *slog.Logger
	here    Identity
	store   *store
	buffers sync.Pool
	orders  chan *process // to be started
	null    *os.File
	done    chan struct{}

	// births is held for reading while a process is being started and until it can be found by its number, and for
	// writing by the reaper: so the exit of a process is never taken for a stranger's.
	births sync.RWMutex
	byPID  sync.Map // int → *process

	mu      sync.Mutex
	procs   map[Ref]*process
	leases  map[string]Lease
	session *session
	leaving bool
	idle    time.Time // since when nothing runs and nobody is connected
}

// Run is the whole life of a supervisor. It returns when it has been idle for long enough, or ctx ends; then what it
// runs is killed.
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
	_, _ = unix.Setsid() // fails if it has a session of its own already, as when an executor started it
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
	here, err := place()
	if err != nil {
		return nil, fmt.Errorf("supervisor: %w", err)
	}
	st, err := openStore(filepath.Join(dir, "journal"), cfg.Log)
	if err != nil {
		return nil, fmt.Errorf("supervisor: %w", err)
	}
	st.sweep(here, cfg.Log)
	st.begin(here.with(os.Getpid()))
	null, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		st.journal.Close()
		return nil, fmt.Errorf("supervisor: %w", err)
	}
	return &supervisor{
		cfg: cfg, log: cfg.Log, here: here, store: st, orders: make(chan *process, 1024), null: null,
		buffers: sync.Pool{New: func() any { return new(make([]byte, bufferSize)) }},
		done:    make(chan struct{}), procs: map[Ref]*process{}, leases: map[string]Lease{}, idle: time.Now(),
	}, nil
}

// lockFolder makes this the only supervisor of a folder. A former one that is about to end is waited for.
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
			if s.isIdle() && s.leave() {
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

// reap takes the exits of children, and of orphans that became ours.
func (s *supervisor) reap() {
	s.births.Lock()
	defer s.births.Unlock()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		known, _ := s.byPID.LoadAndDelete(pid)
		if p, ok := known.(*process); ok {
			p.reaped(status)
		}
	}
}

// exited keeps an exit and, once it is durable, tells it.
func (s *supervisor) exited(p *process, x Exit) {
	if err := syncFile(p.spec.Keep); err != nil {
		s.log.Error("supervisor: what a task put out may not be on disk", "attempt", x.name(), "error", err)
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

// enforceLeases kills what may not run any more. It does not need the executor.
func (s *supervisor) enforceLeases() {
	now := bootTime()
	var due []*process
	s.mu.Lock()
	for _, p := range s.procs {
		l, known := s.leases[p.spec.Server]
		if known && !l.Forever && now >= l.Deadline {
			due = append(due, p)
		}
	}
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

// leave decides to end, unless somebody has come meanwhile. Who comes later finds nobody, and starts the next one.
func (s *supervisor) leave() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.procs) > 0 || s.session != nil {
		return false
	}
	s.leaving = true
	close(s.done)
	s.log.Info("supervisor ends: nothing to do")
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
		left := len(s.procs)
		s.mu.Unlock()
		if left == 0 {
			return
		}
		pause(10 * time.Millisecond)
	}
}

// list is what an executor gets at its hello. An exit that is not durable yet counts as running: it is told soon. The
// caller holds the lock.
func (s *supervisor) list() *List {
	l := List{Keys: true}
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
