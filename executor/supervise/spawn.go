package supervise

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rprp/hivego/executor/internal/mask"
	"github.com/rprp/hivego/executor/internal/tasklog"
)

// spawnLoop starts processes on its own thread. PDEATHSIG fires when the thread that forked ends, so that thread must
// live as long as the supervisor.
func (s *supervisor) spawnLoop() {
	runtime.LockOSThread()
	for {
		select {
		case p := <-s.starts:
			s.spawn(p)
		case <-s.done:
			select {} // never release the thread
		}
	}
}

// spawn starts one process. If that fails, it reports an exit with the error.
func (s *supervisor) spawn(p *process) {
	p.started, p.masks = time.Now(), mask.New(p.spec.Secrets)
	log, err := tasklog.Open(p.spec.Log, p.spec.LogLimit, time.Now)
	if err != nil {
		s.notStarted(p, err)
		return
	}
	log.Mask(p.masks)
	p.log = log
	s.mu.Lock()
	s.store.add(record{Kind: kindStart, ID: p.spec.ID, Key: p.spec.Key, Token: p.token}, nil)
	s.mu.Unlock()
	if err := s.fork(p); err != nil {
		log.Sys("not started: %v", err)
		_ = log.Close("")
		s.notStarted(p, err)
		return
	}
	p.arm()
}

func (s *supervisor) notStarted(p *process, err error) {
	p.mu.Lock()
	p.state = ended
	p.mu.Unlock()
	now := time.Now().UnixMilli()
	x := Exit{Ref: p.spec.Ref, Code: -1, Failed: p.masks.String(err.Error()), Started: now, Finished: now}
	if p.log != nil {
		x.LogBytes = p.log.Size()
	}
	s.exited(p, x)
}

// fork makes the pipes, starts the process in its own group, and starts to read the pipes.
func (s *supervisor) fork(p *process) error {
	out, outEnd, err := pipe()
	if err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	errs, errEnd, err := pipe()
	if err != nil {
		_ = out.Close()
		_ = unix.Close(outEnd)
		return fmt.Errorf("pipe: %w", err)
	}
	attr := &syscall.ProcAttr{
		Dir: p.spec.Dir, Env: append(p.spec.Env, tokenVariable+"="+p.token),
		Files: []uintptr{s.null.Fd(), uintptr(outEnd), uintptr(errEnd)},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	s.forkLock.RLock()
	pid, err := syscall.ForkExec(p.spec.Path, p.spec.Args, attr)
	if err == nil {
		p.mu.Lock()
		p.pid, p.state = pid, running
		p.pipes = []*os.File{out, errs}
		p.ident = s.local.withPID(pid)
		p.log.Sys("%s, process %d", p.spec.Opening, pid)
		p.startReading(out, errs)
		p.mu.Unlock()
		s.byPID.Store(pid, p)
	}
	s.forkLock.RUnlock()
	_ = unix.Close(outEnd)
	_ = unix.Close(errEnd)
	if err != nil {
		_ = out.Close()
		_ = errs.Close()
		return fmt.Errorf("start %s in %s: %w", p.spec.Path, p.spec.Dir, err)
	}
	return nil
}

func (p *process) startReading(out, errs *os.File) {
	for _, x := range []struct {
		pipe   *os.File
		stream tasklog.Stream
	}{{out, tasklog.Out}, {errs, tasklog.Err}} {
		to := p.log.Pipe(x.stream)
		p.readers.Go(func() { p.read(x.pipe, to) })
	}
}

func (p *process) identity() Identity {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ident
}

// pipe makes a pipe. Its reading end uses Go's poller. Its writing end blocks, as programs expect.
func pipe() (read *os.File, write int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, 0, err
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		_ = unix.Close(fds[0])
		_ = unix.Close(fds[1])
		return nil, 0, err
	}
	return os.NewFile(uintptr(fds[0]), "pipe"), fds[1], nil
}

func newToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
