package supervise

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rprp/hivego/executor/internal/plainfile"
	"github.com/rprp/hivego/executor/internal/tasklog"
)

const (
	// lingerTime is how long the pipes of an ended process may stay open, for what it left behind to finish writing.
	lingerTime = 2 * time.Second
	// quickTime is how long after its leader's end the number of a group is trusted.
	quickTime = 100 * time.Millisecond
	// drainTime is how long pipes are read after everything was killed.
	drainTime = 500 * time.Millisecond
)

// process is one attempt's process group.
type process struct {
	spec  Spec
	token string
	sup   *supervisor

	log     *tasklog.Writer
	pipes   []*os.File
	readers sync.WaitGroup
	pid     int // its group too; set before it is reaped
	started time.Time
	ident   Identity

	mu     sync.Mutex
	state  processState
	why    Why
	words  string
	force  time.Time // when SIGKILL is due
	timers []*time.Timer
}

type processState int

const (
	starting processState = iota
	running
	ended
)

// read copies a pipe into the log, whole lines at a time.
func (p *process) read(pipe *os.File, out *tasklog.Pipe) {
	buf, ok := p.sup.buffers.Get().(*[]byte)
	if !ok {
		return // the pool has nothing else
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

// arm begins to watch the clock, once the process runs.
func (p *process) arm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spec.Deadline > 0 && p.state != ended {
		p.after(p.spec.Deadline-bootTime(), func() {
			p.kill(WhyTimeout, p.spec.Grace, "its timeout is over")
		})
	}
	if p.why != WhyNone && p.state == running { // a kill came while it was being started
		p.signal(max(time.Until(p.force), 0))
	}
}

// after calls f later, unless the process has ended. The caller holds the lock.
func (p *process) after(d time.Duration, f func()) {
	p.timers = append(p.timers, time.AfterFunc(max(d, 0), f))
}

// kill asks the whole group to end, and forces it after the grace. The first reason counts; a shorter grace shortens.
func (p *process) kill(why Why, grace time.Duration, words string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	force := time.Now().Add(max(grace, 0))
	first := p.why == WhyNone
	if p.state == ended || (!first && !force.Before(p.force)) {
		return
	}
	p.force = force
	if first {
		p.why, p.words = why, words
	}
	if p.state == running {
		p.signal(grace)
	}
}

// signal sends SIGTERM, and SIGKILL after the grace. The caller holds the lock, so the leader is not reaped yet and the
// group's number is its own.
func (p *process) signal(grace time.Duration) {
	p.log.Sys("asked to end: %s", p.words)
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

// reaped notes the end of the leader; the caller has just reaped it.
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

// finish ends the rest of the group, closes the log, and has the exit told.
func (p *process) finish(status unix.WaitStatus, why Why, force time.Time) {
	tokens := map[string]bool{p.token: true}
	left := 0
	switch {
	case why != WhyNone:
		p.awaitGroup(force)
		left = killAll(time.Second, func(pid int, _ stat) bool { return marked(pid, tokens) })
	case waitFor(&p.readers, quickTime):
		_ = unix.Kill(-p.pid, unix.SIGKILL) // what is still there is silent; the number cannot be another's yet
	default:
		waitFor(&p.readers, lingerTime)
		left = killAll(time.Second, func(pid int, s stat) bool { return s.group == p.pid && marked(pid, tokens) })
	}
	if left > 0 {
		p.log.Sys("killed %d processes that were left behind", left)
	}
	if !waitFor(&p.readers, drainTime) { // a daemon that left the group holds the pipes: let it
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
		Ref: p.spec.Ref, Code: status.ExitStatus(), Why: why, Words: p.words,
		Started: p.started.UnixMilli(), Finished: finished.UnixMilli(),
	}
	if status.Signaled() {
		exit.Signal = int(status.Signal())
		exit.Code = 128 + exit.Signal
	}
	if err := p.log.Close(exit.describe(finished.Sub(p.started))); err != nil {
		p.sup.log.Warn("supervisor: a log is not complete", "attempt", p.spec.name(), "error", err)
	}
	exit.LogBytes, exit.Missing = p.log.Size(), p.log.Missing()
	p.sup.exited(p, exit)
}

// awaitGroup waits until the group is empty, or force has come.
func (p *process) awaitGroup(force time.Time) {
	wait := time.Millisecond
	for time.Now().Before(force) && unix.Kill(-p.pid, 0) == nil {
		pause(wait)
		wait = min(2*wait, 50*time.Millisecond)
	}
}

// describe is the last line of a log.
func (x Exit) describe(took time.Duration) string {
	took = took.Round(time.Millisecond)
	switch {
	case x.Why != WhyNone && x.Signal != 0:
		return fmt.Sprintf("ended by signal %d after %s: %s", x.Signal, took, x.Words)
	case x.Why != WhyNone:
		return fmt.Sprintf("exit code %d after %s: %s", x.Code, took, x.Words)
	case x.Signal != 0:
		return fmt.Sprintf("ended by signal %d after %s", x.Signal, took)
	default:
		return fmt.Sprintf("exit code %d after %s", x.Code, took)
	}
}

// syncFile makes what is in a small file durable; a file that is not there needs nothing. The task may have put
// something else in its place.
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

// waitFor waits for a group, but not for ever.
func waitFor(g *sync.WaitGroup, limit time.Duration) bool {
	done := make(chan struct{})
	go func() {
		g.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// pause waits before the kernel is asked again, where it tells nothing by itself.
func pause(d time.Duration) { <-time.After(d) }

func bootTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) // any Linux has it
	return time.Duration(ts.Nano())
}
