// Package shell is the handler that runs scripts. The supervisor runs their processes, so they outlive the executor.
package shell

import (
	"context"
	_ "embed"
	"log/slog"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/supervise"
)

//go:embed schema.json
var schema string

// Config configures the handler.
type Config struct {
	Data       string // the executor's data folder
	Executor   string // its name, for the first line of logs
	Supervisor *supervise.Manager
	Log        *slog.Logger
}

// Handler runs scripts.
type Handler struct {
	cfg      Config
	reporter sdk.Reporter

	mu      sync.Mutex
	running map[sdk.Ref]string // the folder of each running attempt
	watched bool               // the goroutine of watch runs
	quit    chan struct{}
	once    sync.Once
	wg      sync.WaitGroup
}

var (
	_ sdk.Durable = (*Handler)(nil)
	_ sdk.Checker = (*Handler)(nil)
)

// New makes the handler. Call Close to end it.
func New(cfg Config) *Handler {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{cfg: cfg, running: map[sdk.Ref]string{}, quit: make(chan struct{})}
}

// Info describes the handler.
func (h *Handler) Info() sdk.Info {
	return sdk.Info{
		Name: "shell", Title: "Shell", ParamsSchema: schema,
		Description: "Runs a script with /bin/sh or another interpreter, in the schedule's shared folder.",
	}
}

// params are the handler's parameters.
type params struct {
	Command     string            `json:"command"`
	Interpreter []string          `json:"interpreter"`
	Env         map[string]string `json:"env"`
	Workdir     string            `json:"workdir"`
}

// read reads and checks the params of a task.
func read(t *sdk.Task) (params, error) {
	p := params{Interpreter: []string{"/bin/sh", "-e"}}
	if err := t.Decode(&p); err != nil {
		return p, err
	}
	if strings.TrimSpace(p.Command) == "" {
		return p, message.Errorf(message.ShellCommand, "params: command is missing")
	}
	if len(p.Interpreter) == 0 || p.Interpreter[0] == "" {
		return p, message.Errorf(message.ShellInterpreter, "params: interpreter is empty; leave it out for /bin/sh -e")
	}
	if strings.ContainsRune(p.Command, 0) || strings.ContainsRune(strings.Join(p.Interpreter, ""), 0) {
		return p, message.Errorf(message.ShellNUL, "params: a NUL character cannot be passed to a program")
	}
	for name, value := range p.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return p, message.Errorf(message.ShellEnv, "params: env ‹name› cannot be an environment variable",
				"name", strconv.Quote(name))
		}
	}
	if strings.ContainsRune(p.Workdir, 0) {
		return p, message.Errorf(message.ShellWorkdirNUL, "params: workdir has a NUL character")
	}
	if p.Workdir != "" && !filepath.IsAbs(p.Workdir) && !filepath.IsLocal(p.Workdir) {
		return p, message.Errorf(message.ShellWorkdirOut,
			"params: workdir ‹path› leaves the schedule's folder; give an absolute path if that is meant",
			"path", strconv.Quote(p.Workdir))
	}
	return p, nil
}

// Check returns an error for params that can never work.
func (h *Handler) Check(t *sdk.Task) error {
	_, err := read(t)
	return err
}

// Recover adopts the processes of attempts that an earlier executor process has started. It reports those that the
// supervisor does not know as lost. It returns the supervisor's leases.
func (h *Handler) Recover(ctx context.Context, survivors []sdk.Ref, reporter sdk.Reporter) ([]sdk.Lease, error) {
	h.reporter = reporter
	list, err := h.cfg.Supervisor.Open(ctx, len(survivors) > 0)
	if err != nil {
		return nil, err
	}
	adopted := 0
	for _, attempt := range survivors {
		folder := sdk.AttemptFolder(h.cfg.Data, attempt)
		h.track(attempt, folder)
		if h.cfg.Supervisor.Adopt(supervise.Ref(attempt), func(e supervise.End) { h.end(attempt, folder, e) }) {
			adopted++
			continue
		}
		h.end(attempt, folder, supervise.End{Lost: message.New(message.LostProcess,
			"its process did not outlive the restart of the executor")})
	}
	h.cfg.Supervisor.EndUnadopted()
	if len(survivors) > 0 {
		h.cfg.Log.Info("shell: adopted running attempts", "attempts", adopted, "lost", len(survivors)-adopted)
	}
	leases := make([]sdk.Lease, 0, len(list.Leases))
	for _, l := range list.Leases {
		leases = append(leases, sdk.Lease{Name: l.Name, Deadline: l.Deadline, Forever: l.Forever})
	}
	return leases, nil
}

// Start lets the supervisor start a script.
func (h *Handler) Start(t *sdk.Task) {
	spec, err := h.prepare(t)
	if err != nil {
		t.LogStartFailure(err)
		h.reporter.Ended(t.Attempt, sdk.Failed(err), false)
		return
	}
	h.track(t.Attempt, t.Folder)
	h.cfg.Supervisor.Start(spec, func(e supervise.End) { h.end(t.Attempt, t.Folder, e) })
}

// Kill lets the supervisor kill a script.
func (h *Handler) Kill(attempt sdk.Ref, grace time.Duration, reason string) {
	if reason == "" {
		reason = "somebody asked for it"
	}
	h.cfg.Supervisor.Kill(supervise.Ref(attempt), grace, reason)
}

// SetLease sets until when the scripts of one session may run.
func (h *Handler) SetLease(l sdk.Lease) {
	h.cfg.Supervisor.SetLease(supervise.Lease{Name: l.Name, Deadline: l.Deadline, Forever: l.Forever})
}

// Move puts a script under another lease.
func (h *Handler) Move(attempt sdk.Ref, lease string) {
	h.cfg.Supervisor.Move(supervise.Ref(attempt), lease)
}

// Drop lets the supervisor forget the exit of an attempt.
func (h *Handler) Drop(attempt sdk.Ref) { h.cfg.Supervisor.Forget(supervise.Ref(attempt)) }

// Close ends the handler. Running scripts keep running.
func (h *Handler) Close() {
	h.once.Do(func() { close(h.quit) })
	h.wg.Wait()
}

// end reports the outcome of a script.
func (h *Handler) end(attempt sdk.Ref, folder string, e supervise.End) {
	h.mu.Lock()
	delete(h.running, attempt)
	h.mu.Unlock()
	h.reporter.Ended(attempt, outcome(folder, e), true)
}

// track starts to watch the progress of a script.
func (h *Handler) track(attempt sdk.Ref, folder string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running[attempt] = folder
	if !h.watched {
		h.watched = true
		h.wg.Go(h.watch)
	}
}

// watchPeriod is how often the progress files are read.
const watchPeriod = time.Second

// watch reads and reports the progress of the scripts while any of them runs.
func (h *Handler) watch() {
	tick := time.NewTicker(watchPeriod)
	defer tick.Stop()
	last := map[sdk.Ref]float64{}
	for {
		select {
		case <-tick.C:
		case <-h.quit:
			return
		}
		h.mu.Lock()
		folders := maps.Clone(h.running)
		if len(folders) == 0 {
			h.watched = false
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
		for id := range last {
			if folders[id] == "" {
				delete(last, id)
			}
		}
		for id, folder := range folders {
			if f, ok := readProgress(filepath.Join(folder, progressName)); ok && f != last[id] {
				last[id] = f
				h.reporter.Progress(id, f)
			}
		}
	}
}
