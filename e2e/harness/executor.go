package harness

import (
	"strings"
	"testing"
)

// Executor is one `hivego executor` that tests start, kill and start again on the same data.
type Executor struct {
	Data string
	Name string

	t    testing.TB
	args []string
	proc *Process
}

// NewExecutor starts an executor of a group and waits until the server has it.
func NewExecutor(t testing.TB, s *Server, name, group string, more ...string) *Executor {
	t.Helper()
	e := &Executor{Data: t.TempDir(), Name: name, t: t}
	e.args = append([]string{
		"executor", "--server", s.URL, "--listen", FreeAddress(t), "--group", group, "--name", name,
		"--data", e.Data, "--token-file", s.ExecutorToken(group),
	}, more...)
	t.Cleanup(func() {
		e.Kill()
		KillSupervisors(e.Data)
	})
	e.Start()
	EventuallyOr(t, "the executor is registered", func() bool {
		return strings.Contains(s.CLI("executors"), name)
	}, func() string { return e.Output() })
	return e
}

// Start starts the executor.
func (e *Executor) Start() { e.proc = StartProcess(e.t, e.Name, nil, e.args...) }

// Kill ends the executor with SIGKILL; its supervisor and tasks go on.
func (e *Executor) Kill() { e.proc.Kill() }

// Terminate asks the executor to end and waits for it.
func (e *Executor) Terminate() { e.proc.Terminate() }

// Output is what the executor has printed since its last start.
func (e *Executor) Output() string { return e.proc.Output() }
