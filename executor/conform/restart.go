package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// program is the executor under test, if the check starts it: a command in a process group of its own, so that signals
// reach all of it. The command may be a wrapper (sh, npm, mvn) that ends before or after the executor. So the group and
// the address say what the executor does, and the end of the wrapper says nothing.
type program struct {
	command string
	target  Target

	output tail

	mu    sync.Mutex
	group *group // nil: it was never started
}

// tail keeps the end of what a program prints.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 2048

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if n := len(t.text) - tailBytes; n > 0 {
		t.text = append([]byte(nil), t.text[n:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}

// group is one start of the command: a process group.
type group struct {
	id     int
	reaped chan struct{} // closed when the wrapper has ended
	state  *os.ProcessState
	output *os.File      // the reading end of what the group prints
	copied chan struct{} // closed when nothing more is copied
}

// startGroup starts a shell command in a process group of its own, and copies what the group prints. The pipe belongs
// to the group and not to the wrapper: an executor that outlives its wrapper goes on printing.
func startGroup(command string, output io.Writer) (*group, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	cmd := exec.Command("sh", "-c", command) //nolint:noctx // stop ends it, with its group
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = w, w
	err = cmd.Start()
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("start %s: %w", command, err)
	}
	g := &group{id: cmd.Process.Pid, reaped: make(chan struct{}), output: r, copied: make(chan struct{})}
	go func() {
		defer close(g.reaped)
		_ = cmd.Wait()
		g.state = cmd.ProcessState
	}()
	go func() {
		defer close(g.copied)
		_, _ = io.Copy(output, r)
	}()
	return g, nil
}

// alive reports whether a process of the group still runs.
func (g *group) alive() bool {
	select {
	case <-g.reaped:
		return groupRuns(g.id)
	default:
		return true
	}
}

// signal sends a signal to all processes of the group. A group that has ended gets none, because its number may belong
// to another one.
func (g *group) signal(s syscall.Signal) error {
	if !g.alive() {
		return nil
	}
	if err := syscall.Kill(-g.id, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("send %s: %w", s, err)
	}
	return nil
}

// close ends the copying of what the group prints. A process that has left the group may still have the pipe.
func (g *group) close() {
	_ = g.output.Close()
	<-g.copied
}

// askAgain is how often the check asks a program that has just been started.
const askAgain = 50 * time.Millisecond

// start runs the command, and waits until it answers describe. It refuses to do so while anybody answers there already:
// the check would run its tasks on a program that it has not started.
func (x *program) start(ctx context.Context) error {
	if _, err := Describe(ctx, x.target); err == nil {
		return errors.New("an executor answers there already; stop it, or give --start another address")
	}
	return x.startAnd(ctx, func(ctx context.Context) error {
		_, err := Describe(ctx, x.target)
		return err
	})
}

// startAnd runs the command, and makes its first call until that succeeds.
func (x *program) startAnd(ctx context.Context, first func(context.Context) error) error {
	g, err := startGroup(x.command, &x.output)
	if err != nil {
		return err
	}
	x.mu.Lock()
	x.group = g
	x.mu.Unlock()
	for {
		alive := g.alive()
		err := first(ctx)
		switch {
		case err == nil && g.alive():
			return nil
		case err == nil:
			return errors.New("an executor answers at the address of --start, and it has left the process group of " +
				"that command: it must not become a daemon, nor begin a session of its own")
		case !alive:
			return fmt.Errorf("what --start says has ended (%s); it printed: %s", g.state, x.output.String())
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("what --start says does not answer: %w; it printed: %s", err, x.output.String())
		case <-time.After(askAgain):
		}
	}
}

// signal sends a signal to the program and what it has started in its group.
func (x *program) signal(s syscall.Signal) error {
	g := x.current()
	if g == nil {
		return errors.New("what --start says has not started")
	}
	return g.signal(s)
}

func (x *program) current() *group {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.group
}

// killTime is how long the end of a killed group and of its port may take.
const killTime = 20 * time.Second

// kill ends the program as a crash does. It waits until no process of its group runs, and until nobody listens at its
// address any more.
func (x *program) kill() error {
	if err := x.signal(syscall.SIGKILL); err != nil {
		return err
	}
	defer x.current().close()
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	if !x.endsBefore(ctx) {
		return fmt.Errorf("%s after SIGKILL its process group still runs", killTime)
	}
	for {
		c, err := x.target.dialPlain(ctx)
		if err != nil {
			return nil // nobody listens there any more
		}
		_ = c.Close()
		if pause(ctx, askAgain) != nil {
			return fmt.Errorf("%s after SIGKILL of its process group somebody still listens at %s: a process has "+
				"left the group", killTime, x.target.Address)
		}
	}
}

// restart kills the program and starts it again.
func (x *program) restart(ctx context.Context) error {
	if err := x.kill(); err != nil {
		return err
	}
	return x.start(ctx)
}

// endsBefore waits for the end of the program, and reports whether it came before that of the context.
func (x *program) endsBefore(ctx context.Context) bool {
	for !x.hasEnded() {
		if pause(ctx, askAgain) != nil {
			return false
		}
	}
	return true
}

// hasEnded reports whether no process of the program runs any more.
func (x *program) hasEnded() bool {
	g := x.current()
	return g == nil || !g.alive()
}

// stopTime is how long a program may take to end after SIGTERM.
const stopTime = 10 * time.Second

// stop asks the program to end, and kills it if it does not.
func (x *program) stop() {
	g := x.current()
	if g == nil {
		return
	}
	defer g.close()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if g.signal(sig) != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		ended := x.endsBefore(ctx)
		cancel()
		if ended {
			return
		}
	}
}
