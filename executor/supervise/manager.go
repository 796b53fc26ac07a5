package supervise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ManagerConfig says how an executor reaches its supervisor.
type ManagerConfig struct {
	Data string // the executor's data folder
	// Command starts a supervisor; `--data` and the folder are appended. For instance: hivego supervise.
	Command []string
	Log     *slog.Logger
}

// Manager is the executor's side: it starts a supervisor when one is needed, gives it orders, and hands exits to who
// started the process. If the supervisor dies, what it ran is gone, and told as lost.
type Manager struct {
	cfg ManagerConfig
	log *slog.Logger

	mu      sync.Mutex
	conn    *net.UnixConn
	keyed   bool // the supervisor of conn knows keys
	list    *List
	tracked map[Ref]*tracked
	adopted map[Ref]bool // what of the list was handed over, as it is named there
	leases  map[string]Lease
	out     []order
	kick    chan struct{}
	started *os.Process // the supervisor that this process started last
	need    bool        // there is something for a supervisor to do
	wg      sync.WaitGroup
	quit    chan struct{}
	once    sync.Once
}

// tracked is a process whose exit somebody waits for.
type tracked struct {
	tell func(End)
	sent bool // the order to start it may have reached a supervisor
	spec *Spec
	// Orders that are given again to another connection or supervisor:
	kill   *message
	server string
}

type order struct {
	frame  []byte
	start  Ref // the process that it starts, if any
	forget bool
}

// End is how a process ended for the one who started it.
type End struct {
	Exit Exit
	Lost string // if not empty, nobody knows how it ended, for this reason; it does not run any more
}

// NewManager makes a manager. Open makes it ready.
func NewManager(cfg ManagerConfig) *Manager {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Manager{
		cfg: cfg, log: cfg.Log, tracked: map[Ref]*tracked{}, adopted: map[Ref]bool{},
		leases: map[string]Lease{},
		kick:   make(chan struct{}, 1), quit: make(chan struct{}),
	}
}

const (
	startPatience = 10 * time.Second // for a new supervisor to answer; it may have to sweep first
	retryPause    = 500 * time.Millisecond
)

// Open finds the supervisor of a former life, if there is one, and asks what it has. With need, one is started if none
// runs: only a supervisor can tell what became of processes, and that they are gone.
func (m *Manager) Open(ctx context.Context, need bool) (List, error) {
	conn, list, err := m.greet()
	if err != nil && need {
		conn, list, err = m.launch(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		if need {
			return List{}, err
		}
		list = &List{}
	}
	m.conn, m.keyed = conn, list.Keys
	m.list = &List{Running: slices.Clone(list.Running), Exits: slices.Clone(list.Exits)}
	for _, l := range list.Leases {
		m.leases[l.Server] = l
	}
	m.wg.Go(m.loop)
	return *list, nil
}

// greet connects to a running supervisor and makes this the connection that counts.
func (m *Manager) greet() (*net.UnixConn, *List, error) {
	conn, err := dial(filepath.Join(m.cfg.Data, folderName))
	if err != nil {
		return nil, nil, err
	}
	frame, err := encode(message{Op: opHello})
	if err == nil {
		_, err = conn.Write(frame)
	}
	if err == nil {
		err = conn.SetReadDeadline(time.Now().Add(startPatience))
	}
	var answer message
	if err == nil {
		answer, err = receive(conn)
	}
	if err == nil && (answer.Op != opWelcome || answer.List == nil) {
		err = errors.New("the supervisor does not answer as one")
	}
	if err == nil {
		err = conn.SetReadDeadline(time.Time{})
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	return conn, answer.List, nil
}

// launch starts a supervisor and connects to it.
func (m *Manager) launch(ctx context.Context) (*net.UnixConn, *List, error) {
	if len(m.cfg.Command) == 0 {
		return nil, nil, errors.New("supervisor: no command to start it with")
	}
	exited, err := m.spawn()
	if err != nil {
		return nil, nil, fmt.Errorf("supervisor: start: %w", err)
	}
	for end := time.Now().Add(startPatience); ; {
		conn, list, err := m.greet()
		if err == nil {
			return conn, list, nil
		}
		if time.Now().After(end) {
			return nil, nil, fmt.Errorf("supervisor: it does not answer (see %s): %w", m.logPath(), err)
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-m.quit:
			return nil, nil, errors.New("supervisor: the executor stops")
		}
		if exited() {
			if conn, list, err := m.greet(); err == nil { // another one was faster
				return conn, list, nil
			}
			return nil, nil, fmt.Errorf("supervisor: it ended at once (see %s)", m.logPath())
		}
	}
}

func (m *Manager) logPath() string { return filepath.Join(m.cfg.Data, folderName, "log") }

// spawn starts the supervisor's process in a session of its own, so that nothing that ends the executor ends it. The
// returned function says whether it has ended.
func (m *Manager) spawn() (exited func() bool, err error) {
	m.reapOld()
	if err := os.MkdirAll(filepath.Join(m.cfg.Data, folderName), 0o700); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(m.logPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := append(slices.Clone(m.cfg.Command[1:]), "--data", m.cfg.Data)
	cmd := exec.Command(m.cfg.Command[0], args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = bare(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.started = cmd.Process
	m.mu.Unlock()
	return m.reapOld, nil
}

// bare is what of an environment the supervisor gets. Tasks can read it in /proc, and the executor's own may hold
// secrets, such as the URL of the server's database.
func bare(environment []string) []string {
	keep := []string{"PATH", "HOME", "LANG", "TZ", "TMPDIR"}
	return slices.DeleteFunc(environment, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(keep, name)
	})
}

// reapOld takes the exit of the supervisor that this process started, if it has ended.
func (m *Manager) reapOld() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.started == nil {
		return true
	}
	var status syscall.WaitStatus
	pid, err := syscall.Wait4(m.started.Pid, &status, syscall.WNOHANG, nil)
	if err == nil && pid == 0 {
		return false
	}
	_ = m.started.Release()
	m.started = nil
	return true
}

// Start has a process run. tell gets its end, once. Nothing is started twice for one attempt.
func (m *Manager) Start(spec Spec, tell func(End)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tracked[spec.Ref] = &tracked{tell: tell, spec: &spec}
	m.need = true
	if m.conn != nil {
		m.queue(message{Op: opStart, Spec: &spec}, spec.Ref)
	} // else it is started when a supervisor answers
	m.wake()
}

// Adopt takes over a process that a former executor started. It returns false if the supervisor does not have it: it is
// gone.
func (m *Manager) Adopt(id Ref, report func(End)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.list == nil {
		return false
	}
	for _, x := range m.list.Exits {
		if id.is(x.Ref) {
			m.adopted[x.Ref] = true
			x.Ref = id
			m.wg.Go(func() { report(End{Exit: x}) })
			return true
		}
	}
	for _, r := range m.list.Running {
		if id.is(r.Ref) {
			m.adopted[r.Ref] = true
			m.tracked[id] = &tracked{tell: report, sent: true}
			return true
		}
	}
	return false
}

// EndUnadopted kills the processes of a former executor that nobody adopted, and forgets the exits of such ones.
func (m *Manager) EndUnadopted() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.list == nil {
		return
	}
	for _, r := range m.list.Running {
		if !m.adopted[r.Ref] {
			m.log.Warn("supervisor: an attempt that nobody knows is killed", "attempt", r.name())
			m.tracked[r.Ref] = &tracked{sent: true, tell: func(End) { m.Forget(r.Ref) }}
			m.queue(message{Op: opKill, Ref: r.Ref, Words: "nobody knows this attempt"}, Ref{})
		}
	}
	for _, x := range m.list.Exits {
		if !m.adopted[x.Ref] {
			m.queue(message{Op: opForget, Ref: x.Ref}, Ref{})
		}
	}
	m.list = nil
}

// Kill asks a process group to end: SIGTERM, and SIGKILL after the grace.
func (m *Manager) Kill(id Ref, grace time.Duration, words string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.tracked[id]; t != nil {
		t.kill = &message{Op: opKill, Ref: id, Grace: grace, Words: words}
		m.queue(*t.kill, Ref{})
	}
}

// SetLease tells until when the processes of a server may run, also without this executor.
func (m *Manager) SetLease(l Lease) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leases[l.Server] = l
	m.queue(message{Op: opLease, Lease: &l}, Ref{})
}

// Move says that another server's lease counts for a process.
func (m *Manager) Move(id Ref, server string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.tracked[id]; t != nil {
		t.server = server
		m.queue(message{Op: opMove, Ref: id, Server: server}, Ref{})
	}
}

// Forget says that an exit need not be remembered any more.
func (m *Manager) Forget(id Ref) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue(message{Op: opForget, Ref: id}, Ref{})
}

// queue adds an order for the present supervisor. Without one there is nothing to order. The caller holds the lock.
func (m *Manager) queue(x message, start Ref) {
	if m.conn == nil {
		return
	}
	if !m.keyed {
		x.Ref = x.number()
		if x.Spec != nil {
			spec := *x.Spec
			spec.Ref = spec.number()
			x.Spec = &spec
		}
	}
	frame, err := encode(x)
	if err != nil {
		m.log.Error("supervisor: an order cannot be sent", "error", err)
		return
	}
	m.out = append(m.out, order{frame: frame, start: start, forget: x.Op == opForget})
	m.wake()
}

func (m *Manager) wake() {
	select {
	case m.kick <- struct{}{}:
	default:
	}
}

// Close lets go of the supervisor. What it runs goes on.
func (m *Manager) Close() {
	m.once.Do(func() { close(m.quit) })
	m.wg.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.started != nil {
		_ = m.started.Release()
		m.started = nil
	}
}

// trackedRefs lists what is waited for, in order. The caller holds the lock.
func (m *Manager) trackedRefs() []Ref { return slices.SortedFunc(maps.Keys(m.tracked), compareRefs) }
