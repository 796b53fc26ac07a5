package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/service"
)

const (
	childReady  = time.Minute      // for a new executor to become ready; it may start a supervisor first
	childAnswer = 2 * time.Second  // for an answer
	childEnd    = 20 * time.Second // for it to end when asked to
	childAgain  = time.Second      // before the next start; doubled at each failure
	childSeldom = time.Minute
)

// separate is the executor of --executor-user: a process of that user. The server starts it, starts it again when it
// dies, and stops it at its own end. It registers like any other executor, at a loopback address of its own.
type separate struct {
	service.Base
	account  *account
	prepare  func() error
	orders   orders
	registry http.Handler
	log      *slog.Logger

	mu    sync.Mutex
	child *child // the running process; nil if there is none
	id    string // of the executor
}

func newSeparate(a *App, who *account, r *registrar) *separate {
	r.own = newSecret()
	return &separate{
		account: who, registry: a.registry, log: a.log, prepare: func() error { return who.prepare(a.cfg) },
		orders: orders{
			Data: executorData(a.cfg), Token: r.own, Name: a.cfg.Name, Slots: a.cfg.Slots, Version: a.version,
			LogLevel: a.cfg.Log.Level,
		},
	}
}

// Start starts the executor, and returns when it is ready.
func (s *separate) Start(ctx context.Context) error {
	work, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	if err := s.prepare(); err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the executor of user %s: %w", s.account.name, err)
	}
	s.orders.Server = "http://" + ln.Addr().String()
	mux := http.NewServeMux()
	mux.Handle("/thrift/registry", s.registry)
	door := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10,
	}
	s.Go(func() { _ = door.Serve(ln) })
	first, err := s.launch(work)
	if err != nil {
		_ = door.Close()
		return err
	}
	s.Go(func() {
		defer func() { _ = door.Close() }() // last, because an executor that ends says goodbye
		s.keep(work, first)
	})
	s.Ready()
	return nil
}

// keep keeps an executor running until ctx ends.
func (s *separate) keep(ctx context.Context, c *child) {
	for pause := childAgain; ; {
		began := time.Now()
		if c != nil {
			select {
			case <-ctx.Done():
				s.set(nil)
				c.end()
				return
			case <-c.gone:
			}
			s.set(nil)
			s.log.Error("the executor has ended; another one is started", "user", s.account.name, "error", c.why())
		}
		if time.Since(began) > childSeldom {
			pause = childAgain
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		pause = min(2*pause, childSeldom)
		var err error
		if c, err = s.launch(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("the executor cannot be started; it is tried again", "error", err)
		}
	}
}

func (s *separate) set(c *child) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.child = c
}

// launch starts a process and waits until it is ready.
func (s *separate) launch(ctx context.Context) (*child, error) {
	c, err := start(s.account, s.log)
	if err != nil {
		return nil, fmt.Errorf("start the executor of user %s: %w", s.account.name, err)
	}
	output, err := json.Marshal(s.orders)
	if err == nil {
		_, err = c.in.Write(append(output, '\n'))
	}
	if err == nil {
		err = c.await(ctx, childReady, func(line string) (ready bool) {
			var id string
			if id, ready = strings.CutPrefix(line, saysReady+" "); ready {
				s.know(id)
			}
			return ready
		})
	}
	if err != nil {
		c.end()
		if why := c.why(); why != nil {
			err = why
		}
		return nil, fmt.Errorf("the executor of user %s did not start: %w", s.account.name, err)
	}
	s.set(c)
	return c, nil
}

func (s *separate) know(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = id
}

// ID returns the executor's id, or "" before it was ready for the first time.
func (s *separate) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Surviving returns the number of tasks that continue if the executor stops now, or 0 if it does not answer.
func (s *separate) Surviving() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	if s.child == nil {
		return n
	}
	if _, err := io.WriteString(s.child.in, asksCount+"\n"); err != nil {
		return n
	}
	_ = s.child.await(context.Background(), childAnswer, func(line string) (ok bool) { // 0 without an answer
		var err error
		n, err = strconv.Atoi(line)
		return err == nil
	})
	return n
}

// child is one process.
type child struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	gone  chan struct{} // closed when it has ended
	err   error         // the error; set before gone is closed
	relay *relay
}

func start(who *account, log *slog.Logger) (*child, error) {
	cmd := exec.CommandContext(context.Background(), thisProgram, childCommand) // the process ends when its input does
	cmd.Args[0], cmd.Dir, cmd.Env = os.Args[0], "/", who.environment()
	// The process gets its own terminal session. In root's, it could type commands.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: who.credential()}
	cmd.WaitDelay = childAnswer
	c := &child{cmd: cmd, lines: make(chan string, 1), gone: make(chan struct{}), relay: &relay{log: log}}
	cmd.Stderr = c.relay // a pipe, because the process must not reach root's own file
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go c.read(out)
	return c, nil
}

// read passes on the output of the process until it ends.
func (c *child) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		select {
		case c.lines <- lines.Text():
		default: // nobody waits for it
		}
	}
	c.err = c.cmd.Wait()
	close(c.gone)
}

var errNoAnswer = errors.New("it does not answer in time")

// await waits for a line.
func (c *child) await(ctx context.Context, limit time.Duration, wanted func(line string) bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case line := <-c.lines:
			if wanted(line) {
				return nil
			}
		case <-c.gone:
			return errors.New("it has ended")
		case <-timer.C:
			return errNoAnswer
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// end asks the process to end, and makes sure that it does.
func (c *child) end() {
	_ = c.in.Close()
	timer := time.NewTimer(childEnd)
	defer timer.Stop()
	select {
	case <-c.gone:
		return
	case <-timer.C:
	}
	_ = c.cmd.Process.Kill()
	<-c.gone
}

// why returns the process's last output that was not a log line, or else how the process ended.
func (c *child) why() error {
	select {
	case <-c.gone:
	default:
		return nil
	}
	if words := c.relay.words(); words != "" {
		return errors.New(words)
	}
	return c.err
}

// embeddable is an executor that starts and ends with the server.
type embeddable interface {
	service.Service
	Surviving() int
	// ID returns the executor's id, or "" before it was ready for the first time.
	ID() string
}

// newExecutor makes the executor that comes with the server, or returns nil with --no-executor.
func newExecutor(a *App, cfg *config.Serve, r *registrar) (embeddable, error) {
	switch {
	case cfg.NoExecutor:
		return nil, nil //nolint:nilnil // there is none
	case a.account != nil:
		return newSeparate(a, a.account, r), nil
	default:
		x, err := newEmbedded(cfg, a.version, a.registry, r, a.log)
		if err != nil {
			return nil, err
		}
		return x, nil
	}
}
