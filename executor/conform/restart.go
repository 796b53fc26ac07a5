package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// program is the executor under test, if the check starts it: a command in a process group of its own, so that signals
// reach all of it.
type program struct {
	command string
	target  Target

	mu     sync.Mutex
	output tail
	cmd    *exec.Cmd
	ended  chan struct{} // closed when cmd has ended
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
	cmd := exec.Command("sh", "-c", x.command) //nolint:noctx // stop ends it, with its group
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = &x.output, &x.output
	cmd.WaitDelay = time.Second // what it has started may keep the pipe
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", x.command, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	x.mu.Lock()
	x.cmd, x.ended = cmd, ended
	x.mu.Unlock()
	for {
		err := first(ctx)
		if err == nil && !x.hasEnded() {
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("what --start says has ended (%s); it printed: %s", cmd.ProcessState, x.output.String())
		case <-ctx.Done():
			return fmt.Errorf("what --start says does not answer: %w; it printed: %s", err, x.output.String())
		case <-time.After(askAgain):
		}
	}
}

// signal sends a signal to the program and what it has started in its group.
func (x *program) signal(s syscall.Signal) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cmd == nil {
		return errors.New("what --start says has not started")
	}
	if err := syscall.Kill(-x.cmd.Process.Pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("send %s: %w", s, err)
	}
	return nil
}

// kill ends the program as a crash does, and waits for its end.
func (x *program) kill() error {
	err := x.signal(syscall.SIGKILL)
	if err == nil {
		<-x.ended
	}
	return err
}

// restart kills the program and starts it again.
func (x *program) restart(ctx context.Context) error {
	if err := x.kill(); err != nil {
		return err
	}
	return x.start(ctx)
}

// hasEnded reports whether the program has ended by itself.
func (x *program) hasEnded() bool {
	select {
	case <-x.ended:
		return true
	default:
		return false
	}
}

// stopTime is how long a program may take to end after SIGTERM.
const stopTime = 5 * time.Second

// stop asks the program to end, and kills it if it does not.
func (x *program) stop() {
	if x.signal(syscall.SIGTERM) != nil {
		return
	}
	select {
	case <-x.ended:
	case <-time.After(stopTime):
	}
	_ = x.kill()
}
