package harness

import (
	"bytes"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is one process of a test, hivego or another program.
type Process struct {
	cmd  *exec.Cmd
	out  *buffer
	done chan struct{}
	name string
	t    testing.TB
}

// buffer takes a process's output while tests read it.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// StartProcess starts hivego with these arguments. It is killed when the test ends.
func StartProcess(t testing.TB, name string, env []string, args ...string) *Process {
	t.Helper()
	return StartProgram(t, name, "", env, append([]string{Binary(t)}, args...)...)
}

// StartProgram starts any program, in a folder; the present one if it is empty. It is killed when the test ends.
func StartProgram(t testing.TB, name, dir string, env []string, argv ...string) *Process {
	t.Helper()
	p := &Process{cmd: exec.Command(argv[0], argv[1:]...), out: &buffer{}, done: make(chan struct{}), name: name, t: t}
	p.cmd.WaitDelay = Patience // a child that outlives the process may hold its output open
	p.cmd.Dir = dir
	p.cmd.Env = append(cleanEnv(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	// A group of its own: signals of the test's terminal do not reach the process, and its end kills nothing else.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.Kill)
	return p
}

// Kill ends the process with SIGKILL and waits for it. It may be called twice, and on one that never started.
func (p *Process) Kill() { p.end(syscall.SIGKILL) }

// Terminate asks the process to end and waits for it.
func (p *Process) Terminate() { p.end(syscall.SIGTERM) }

func (p *Process) end(sig syscall.Signal) {
	if p == nil {
		return
	}
	if !p.Ended() {
		_ = p.cmd.Process.Signal(sig)
	}
	select {
	case <-p.done:
	case <-time.After(2 * Patience):
		p.t.Errorf("%s does not end by %v:\n%s", p.name, sig, p.Output())
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Output is what the process has printed so far.
func (p *Process) Output() string { return p.out.String() }
