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

	texts "github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/internal/mailbox"
)

// ManagerConfig configures how an executor reaches its supervisor.
type ManagerConfig struct {
	Data string // the executor's data folder
	// Command starts a supervisor, for example: hivego supervise. The manager appends --data and the folder.
	Command []string
	Log     *slog.Logger
}

// Manager is the executor's side of the connection. It starts a supervisor when one is needed, sends it orders, and
// reports each exit to the caller that started the process. If the supervisor dies, its processes are reported as lost.
type Manager struct {
	cfg ManagerConfig
	log *slog.Logger

	mu      sync.Mutex
	conn    *net.UnixConn
	keyed   bool // the supervisor of conn knows keys
	masking bool // the supervisor of conn masks secrets
	list    *List
	tracked map[Ref]*tracked
	adopted map[Ref]bool // the references in list that Adopt has accepted
	leases  map[string]Lease
	orders  *mailbox.Box[order]
	started *os.Process // the supervisor that this process started last
	need    bool        // a supervisor is needed
	wg      sync.WaitGroup
	quit    chan struct{}
	once    sync.Once
}

// tracked is a process with a caller that waits for its end.
type tracked struct {
	report func(End)
	sent   bool // the order to start it may have reached a supervisor
	spec   *Spec
	// Orders that are sent again over a new connection:
	kill  *message
	lease string // name of the lease that it was moved under; empty: that of spec
}

// order is an encoded message that waits to be sent.
type order struct {
	frame  []byte
	start  Ref // the process that the order starts; zero if it starts none
	forget bool
}

// End reports the end of a process to the caller that started it.
type End struct {
	Exit Exit
	// Lost says why the exit is unknown; empty if it is known. In both cases the process does not run any more.
	Lost texts.Text
}

// NewManager makes a manager. Call Open before any other method.
func NewManager(cfg ManagerConfig) *Manager {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Manager{
		cfg: cfg, log: cfg.Log, tracked: map[Ref]*tracked{}, adopted: map[Ref]bool{},
		leases: map[string]Lease{}, orders: mailbox.New[order](), quit: make(chan struct{}),
	}
}

const (
	startTimeout = 10 * time.Second // for a new supervisor to answer; it may have to sweep first
	retryPause   = 500 * time.Millisecond
)

// Open connects to the supervisor of an earlier executor process, if there is one, and returns its list. If need is set
// and no supervisor runs, Open starts one: only a supervisor knows how earlier processes ended, and makes sure that
// none of them still runs.
func (m *Manager) Open(ctx context.Context, need bool) (List, error) {
	conn, list, err := m.connect()
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
	m.conn, m.keyed, m.masking = conn, list.Keys, list.Masks
	m.list = &List{Running: slices.Clone(list.Running), Exits: slices.Clone(list.Exits)}
	for _, l := range list.Leases {
		m.leases[l.Name] = l
	}
	m.wg.Go(m.loop)
	return *list, nil
}

// connect connects to a running supervisor. The new connection replaces any earlier one.
func (m *Manager) connect() (*net.UnixConn, *List, error) {
	conn, err := dial(filepath.Join(m.cfg.Data, folderName))
	if err != nil {
		return nil, nil, err
	}
	frame, err := encode(message{Op: opHello})
	if err == nil {
		_, err = conn.Write(frame)
	}
	if err == nil {
		err = conn.SetReadDeadline(time.Now().Add(startTimeout))
	}
	var answer message
	if err == nil {
		answer, err = receive(conn)
	}
	if err == nil && (answer.Op != opWelcome || answer.List == nil) {
		err = errors.New("the supervisor gave an unexpected answer")
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
	for end := time.Now().Add(startTimeout); ; {
		conn, list, err := m.connect()
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
			if conn, list, err := m.connect(); err == nil { // another supervisor was started first
				return conn, list, nil
			}
			return nil, nil, fmt.Errorf("supervisor: it ended at once (see %s)", m.logPath())
		}
	}
}

func (m *Manager) logPath() string { return filepath.Join(m.cfg.Data, folderName, "log") }

// spawn starts the supervisor in its own session, so that signals to the executor's session do not reach it. The
// returned function reports whether the supervisor has ended.
func (m *Manager) spawn() (exited func() bool, err error) {
	m.reapSupervisor()
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
	cmd.Env = withoutSecrets(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.started = cmd.Process
	m.mu.Unlock()
	return m.reapSupervisor, nil
}

// withoutSecrets reduces the executor's environment to the variables that the supervisor gets. Tasks can read the
// supervisor's environment in /proc, and the executor's environment may contain secrets, such as the URL of the
// server's database.
func withoutSecrets(environment []string) []string {
	allowed := []string{"PATH", "HOME", "LANG", "TZ", "TMPDIR"}
	return slices.DeleteFunc(environment, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(allowed, name)
	})
}

// reapSupervisor reaps the supervisor that this process started last. It returns false while that supervisor runs.
func (m *Manager) reapSupervisor() bool {
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

// Start starts a process. It calls report once, when the process has ended. The caller starts each attempt once: Start
// would replace the report of an earlier call, and the supervisor would not start a second process.
func (m *Manager) Start(spec Spec, report func(End)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tracked[spec.Ref] = &tracked{report: report, spec: &spec}
	m.need = true
	if m.conn != nil {
		m.queue(message{Op: opStart, Spec: &spec}, spec.Ref)
	} // without a connection, reconnect sends the order
	m.orders.Put()
}

// Adopt takes over a process that an earlier executor started; it calls report once, when the process has ended. It
// returns false if the supervisor does not know the process, which then does not run any more.
func (m *Manager) Adopt(id Ref, report func(End)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.list == nil {
		return false
	}
	for _, x := range m.list.Exits {
		if id.matches(x.Ref) {
			m.adopted[x.Ref] = true
			x.Ref = id
			m.wg.Go(func() { report(End{Exit: x}) })
			return true
		}
	}
	for _, r := range m.list.Running {
		if id.matches(r.Ref) {
			m.adopted[r.Ref] = true
			m.tracked[id] = &tracked{report: report, sent: true}
			return true
		}
	}
	return false
}

// EndUnadopted kills the processes of an earlier executor that were not adopted, and drops the exits that were not
// adopted.
func (m *Manager) EndUnadopted() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.list == nil {
		return
	}
	for _, r := range m.list.Running {
		if !m.adopted[r.Ref] {
			m.log.Warn("supervisor: killing an unknown attempt", "attempt", r.name())
			m.tracked[r.Ref] = &tracked{sent: true, report: func(End) { m.Forget(r.Ref) }}
			m.queue(message{Op: opKill, Ref: r.Ref, Reason: "nobody knows this attempt"}, Ref{})
		}
	}
	for _, x := range m.list.Exits {
		if !m.adopted[x.Ref] {
			m.queue(message{Op: opForget, Ref: x.Ref}, Ref{})
		}
	}
	m.list = nil
}

// Kill ends a process group: with SIGTERM, and with SIGKILL after the grace.
func (m *Manager) Kill(id Ref, grace time.Duration, reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.tracked[id]; t != nil {
		t.kill = &message{Op: opKill, Ref: id, Grace: grace, Reason: reason}
		m.queue(*t.kill, Ref{})
	}
}

// SetLease sets until when the processes under a lease may run. The supervisor enforces it also without this executor.
func (m *Manager) SetLease(l Lease) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := bootTime()
	maps.DeleteFunc(m.leases, func(_ string, l Lease) bool { return l.isOld(now) })
	m.leases[l.Name] = l
	m.queue(message{Op: opLease, Lease: &l}, Ref{})
}

// Move puts a process under the lease with this name.
func (m *Manager) Move(id Ref, lease string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.tracked[id]; t != nil {
		t.lease = lease
		m.queue(message{Op: opMove, Ref: id, Under: lease}, Ref{})
	}
}

// Forget lets the supervisor drop an exit.
func (m *Manager) Forget(id Ref) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue(message{Op: opForget, Ref: id}, Ref{})
}

// queue queues an order for the connected supervisor. Without a connection it drops the order: reconnect sends again
// what a new supervisor needs. The caller holds the lock.
func (m *Manager) queue(x message, start Ref) {
	if m.conn == nil {
		return
	}
	if x.Spec != nil && len(x.Spec.Secrets) > 0 && !m.masking {
		m.refuseSecrets(start)
		return
	}
	if !m.keyed {
		x.Ref = x.legacy()
		if x.Spec != nil {
			spec := *x.Spec
			spec.Ref = spec.legacy()
			x.Spec = &spec
		}
	}
	frame, err := encode(x)
	if err != nil {
		m.log.Error("supervisor: cannot send an order", "error", err)
		return
	}
	m.orders.Put(order{frame: frame, start: start, forget: x.Op == opForget})
}

// refuseSecrets ends a process that needs a supervisor which masks secrets. The caller holds the lock.
func (m *Manager) refuseSecrets(id Ref) {
	t := m.tracked[id]
	if t == nil {
		return
	}
	delete(m.tracked, id)
	now := time.Now().UnixMilli()
	exit := Exit{
		Ref: id, Code: -1, Started: now, Finished: now, Failed: "the supervisor of this executor is of an earlier " +
			"version, " +
			"which cannot mask secrets; it ends by itself half a minute after its processes have ended and the " +
			"executor " +
			"was stopped",
	}
	m.wg.Go(func() { t.report(End{Exit: exit}) })
}

// Close sends the queued orders and disconnects from the supervisor. Its processes keep running.
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

// trackedRefs lists the tracked processes in a fixed order. The caller holds the lock.
func (m *Manager) trackedRefs() []Ref { return slices.SortedFunc(maps.Keys(m.tracked), compareRefs) }
