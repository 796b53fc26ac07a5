package supervise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rprp/hivego/executor/internal/groupwait"
	"github.com/rprp/hivego/executor/internal/mask"
	"github.com/rprp/hivego/executor/internal/plainfile"
	"github.com/rprp/hivego/executor/internal/tasklog"
)

const (
	// lingerTime is how long descendants of an ended process may go on writing to its pipes.
	lingerTime = 2 * time.Second
	// quickTime is how long after the end of its leader a group id cannot have been reused yet.
	quickTime = 100 * time.Millisecond
	// drainTime is how long the pipes are read after all processes were killed.
	drainTime = 500 * time.Millisecond
)

// process is one attempt's process group.
type process struct {
	spec  Spec
	token string
	sup   *supervisor

	log     *tasklog.Writer
	masks   *mask.Set // of the secrets of spec; set before the process runs
	pipes   []*os.File
	readers sync.WaitGroup
	pid     int // also the group id; set before the process is reaped
	started time.Time
	ident   Identity

	mu     sync.Mutex
	state  processState
	why    Why
	reason string
	force  time.Time // when SIGKILL is due
	timers []*time.Timer
}

type processState int

const (
	starting processState = iota
	running
	ended
)

// read copies a pipe into the log until the pipe ends.
func (p *process) read(pipe *os.File, out *tasklog.Pipe) {
	buf, ok := p.sup.buffers.Get().(*[]byte)
	if !ok {
		return // cannot happen: the pool holds no other type
	}
	defer p.sup.buffers.Put(buf)
	for {
		n, err := pipe.Read(*buf)
		if n > 0 {
			_, _ = out.Write((*buf)[:n])
		}
		if err != nil {
			return
		}
	}
}

// arm starts the timers of a process that has been started.
func (p *process) arm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spec.Deadline > 0 && p.state != ended {
		p.after(p.spec.Deadline-bootTime(), func() {
			p.kill(WhyTimeout, p.spec.Grace, "its timeout is over")
		})
	}
	if p.why != WhyNone && p.state == running { // kill was called before the process ran
		p.signal(max(time.Until(p.force), 0))
	}
}

// after calls f after d, unless the process has ended by then. The caller holds the lock.
func (p *process) after(d time.Duration, f func()) {
	p.timers = append(p.timers, time.AfterFunc(max(d, 0), f))
}

// kill sends SIGTERM to the group, and SIGKILL after the grace. The exit reports the reason of the first call. A later
// call can only shorten the grace.
func (p *process) kill(why Why, grace time.Duration, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	force := time.Now().Add(max(grace, 0))
	first := p.why == WhyNone
	if p.state == ended || (!first && !force.Before(p.force)) {
		return
	}
	p.force = force
	if first {
		p.why, p.reason = why, reason
	}
	if p.state == running {
		p.signal(grace)
	}
}

// signal sends SIGTERM, and SIGKILL after the grace. The caller holds the lock: the leader is not reaped yet, so the
// kernel cannot have reused the group id.
func (p *process) signal(grace time.Duration) {
	p.log.Sys("asked to end: %s", p.reason)
	if grace > 0 {
		_ = unix.Kill(-p.pid, unix.SIGTERM)
		_ = unix.Kill(-p.pid, unix.SIGCONT)
	}
	p.after(grace, p.forceNow)
}

func (p *process) forceNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == running {
		_ = unix.Kill(-p.pid, unix.SIGKILL)
	}
}

// reaped records the end of the leader. The caller has just reaped it.
func (p *process) reaped(status unix.WaitStatus) {
	p.mu.Lock()
	p.state = ended
	for _, t := range p.timers {
		t.Stop()
	}
	why, force := p.why, p.force
	p.mu.Unlock()
	go p.finish(status, why, force)
}

// finish kills the rest of the group, closes the log, and reports the exit.
func (p *process) finish(status unix.WaitStatus, why Why, force time.Time) {
	tokens := map[string]bool{p.token: true}
	killed := 0
	switch {
	case why != WhyNone:
		p.awaitGroup(force)
		killed = killAll(time.Second, func(pid int, _ stat) bool { return hasToken(pid, tokens) })
	case groupwait.For(&p.readers, quickTime):
		// Nothing writes any more, and the group id cannot have been reused yet: kill the silent rest of the group.
		_ = unix.Kill(-p.pid, unix.SIGKILL)
	default:
		groupwait.For(&p.readers, lingerTime)
		killed = killAll(time.Second, func(pid int, s stat) bool { return s.group == p.pid && hasToken(pid, tokens) })
	}
	if killed > 0 {
		p.log.Sys("killed %d processes that were left behind", killed)
	}
	if !groupwait.For(&p.readers, drainTime) { // a daemon that left the group has the pipes open; stop reading them
		for _, pipe := range p.pipes {
			_ = pipe.SetReadDeadline(time.Now())
		}
		p.readers.Wait()
	}
	for _, pipe := range p.pipes {
		_ = pipe.Close()
	}
	finished := time.Now()
	exit := Exit{
		Ref: p.spec.Ref, Code: status.ExitStatus(), Why: why, Reason: p.reason,
		Started: p.started.UnixMilli(), Finished: finished.UnixMilli(),
	}
	if status.Signaled() {
		exit.Signal = int(status.Signal())
		exit.Code = 128 + exit.Signal
	}
	if err := p.log.Close(exit.describe(finished.Sub(p.started))); err != nil {
		p.sup.log.Warn("supervisor: a log is incomplete", "attempt", p.spec.name(), "error", err)
	}
	exit.LogBytes, exit.Missing = p.log.Size(), p.log.Missing()
	p.sup.exited(p, exit)
}

// awaitGroup waits until the group is empty, but not longer than until force.
func (p *process) awaitGroup(force time.Time) {
	wait := time.Millisecond
	for time.Now().Before(force) && unix.Kill(-p.pid, 0) == nil {
		pause(wait)
		wait = min(2*wait, 50*time.Millisecond)
	}
}

// describe makes the last line of the log.
func (x Exit) describe(took time.Duration) string {
	took = took.Round(time.Millisecond)
	switch {
	case x.Why != WhyNone && x.Signal != 0:
		return fmt.Sprintf("ended by signal %d after %s: %s", x.Signal, took, x.Reason)
	case x.Why != WhyNone:
		return fmt.Sprintf("exit code %d after %s: %s", x.Code, took, x.Reason)
	case x.Signal != 0:
		return fmt.Sprintf("ended by signal %d after %s", x.Signal, took)
	default:
		return fmt.Sprintf("exit code %d after %s", x.Code, took)
	}
}

// syncFile syncs a file that the task may have written. A missing file is no error. The task may have replaced the file
// by something else, such as a pipe, so plainfile opens it.
func syncFile(path string) error {
	if path == "" {
		return nil
	}
	f, err := plainfile.Open(path, os.O_WRONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() == 0 {
		return err
	}
	return f.Sync()
}

// maxOutput is how much of an output file is masked; more than the contract allows.
const maxOutput = 1 << 20

// maskFile masks the secrets of the process in a file that it may have written. The executor that reads the file may
// not know the secrets any more. If the file cannot be masked, it is removed.
func (p *process) maskFile(path string) error {
	if p.masks == nil || path == "" {
		return nil
	}
	f, err := plainfile.Open(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(path))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxOutput+1))
	if err == nil && len(text) > maxOutput {
		err = fmt.Errorf("more than %d bytes", maxOutput)
	}
	if masked := p.masks.String(string(text)); err == nil && masked != string(text) {
		if err = f.Truncate(0); err == nil {
			_, err = f.WriteAt([]byte(masked), 0)
		}
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// pause waits between two polls of a state for which the kernel has no notification.
func pause(d time.Duration) { <-time.After(d) }

func bootTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) // every supported Linux has this clock
	return time.Duration(ts.Nano())
}
