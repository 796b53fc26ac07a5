// Package dispatch is the shell around the fleet: it makes the calls that the fleet decides, and starts the copying of
// logs.
package dispatch

import (
	"context"
	"crypto/tls"
	"log/slog"
	"sync"
	"time"

	"github.com/rprp/hivego/internal/mailbox"
	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/logs"
	"github.com/rprp/hivego/server/service"
)

// Config configures a Service.
type Config struct {
	Settings  fleet.Settings // the contract's Limits are filled in
	ClusterID string
	ServerID  string
	TLS       *tls.Config // for executors that speak TLS; nil: the system's roots
	LogDir    string      // folder for the copies of logs

	LogArchive   logs.Archive // keeps logs that have not changed for LogMoveAfter; nil: they stay in the folder
	LogMoveAfter time.Duration

	Attempts Attempts
	Secrets  Secrets
	// Connections of the server; nil: there are none.
	Connections Connections

	Log *slog.Logger
	// Failing reports whether nothing can be stored in the database; nil: unknown. It is called from any goroutine.
	Failing func() bool
	// Described stores new descriptions of executors that were added by their address; nil: they are not stored.
	Described func(ctx context.Context, e hive.Executor)
	// Post runs f in the engine's loop. It blocks while the loop's inbox is full, and does nothing once the loop has
	// ended.
	Post func(f func(now time.Time))
}

// Service makes the fleet's calls and starts the copying of logs. The engine's loop drives it by Events, Launch and
// Wake.
type Service struct {
	service.Base
	*fleet.Fleet
	cfg     Config
	session session
	client  *wire.Client
	logs    *logs.Store

	described *mailbox.Box[hive.Executor] // whose new descriptions are to be stored

	mu    sync.Mutex
	work  context.Context //nolint:containedctx // the context of the service's work, for calls that the loop starts
	calls context.Context //nolint:containedctx // of the session's calls: ends with work or when another session begins
	stop  context.CancelFunc
	runs  map[hive.AttemptRef]context.CancelFunc // of the run calls under way
}

// New makes the shell and an empty fleet.
func New(cfg Config) *Service {
	cfg.Settings.Limits = wire.Limits()
	s := &Service{
		Fleet: fleet.New(cfg.Settings), cfg: cfg, client: wire.NewClient(cfg.TLS),
		described: mailbox.New[hive.Executor](), runs: map[hive.AttemptRef]context.CancelFunc{},
	}
	s.logs = logs.New(logs.Config{
		Dir: cfg.LogDir, Source: logSource{s}, Log: cfg.Log, Failing: cfg.Failing, View: s.logView,
		Archive: cfg.LogArchive, MoveAfter: cfg.LogMoveAfter,
		Copied: func(executor string, attempts []hive.AttemptRef) {
			cfg.Post(func(time.Time) { s.Release(executor, attempts...) })
		},
	})
	return s
}

// Start begins to make calls.
func (s *Service) Start(ctx context.Context) error {
	work, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.work = work
	s.renewCalls()
	s.mu.Unlock()
	s.Go(func() { s.logs.Run(work) })
	s.Go(func() { s.storeDescriptions(work) })
	s.Go(func() { <-work.Done(); s.client.Close() })
	s.Ready()
	return nil
}

// storeDescriptions stores new descriptions one after another, so that the latest one of an executor stays.
func (s *Service) storeDescriptions(work context.Context) {
	for {
		select {
		case <-work.Done():
			return
		case <-s.described.Wake():
		}
		for _, e := range s.described.TakeAll() {
			s.cfg.Described(work, e)
		}
	}
}

// session is the part that all calls of one session share.
type session struct {
	epoch int64
	text  string // random
}

// SetEpoch names the session by its epoch and a random text. The loop calls it before the first call, and whenever
// another session begins: calls of the former one are aborted.
func (s *Service) SetEpoch(epoch int64, text string) {
	s.BeginSession(epoch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = session{epoch, text}
	s.renewCalls()
}

// renewCalls ends the calls under way, and makes a context for the next ones.
func (s *Service) renewCalls() {
	if s.stop != nil {
		s.stop()
	}
	work := s.work
	if work == nil {
		work = context.Background()
	}
	s.calls, s.stop = context.WithCancel(work)
}

// caller identifies this server to an executor.
func (s *Service) caller(e *hive.Executor) wire.Caller {
	s.mu.Lock()
	defer s.mu.Unlock()
	return wire.Caller{
		Token: e.Secret, Cluster: s.cfg.ClusterID, Server: s.cfg.ServerID, Epoch: s.session.epoch,
		Session: s.session.text,
	}
}

// Describe connects to an executor that is being added, and asks for its description. Errors are *hive.Error, and quote
// nothing that the other side sent.
func (s *Service) Describe(ctx context.Context, e hive.Executor) (*fleet.Description, error) {
	return s.client.Describe(ctx, e, s.caller(&e), s.cfg.Log)
}

// Events returns the events of attempts since the last call. Loop only.
func (s *Service) Events(now time.Time) []hive.AttemptEvent {
	s.FireTimers(now)
	logNotes(s.cfg.Log, s.TakeNotes())
	return s.Fleet.Events()
}

// Launch starts the calls and copies that the fleet decides. Loop only.
func (s *Service) Launch(now time.Time) {
	s.mu.Lock()
	ctx := s.calls
	s.mu.Unlock()
	if ctx == nil || ctx.Err() != nil {
		return
	}
	for _, attempt := range s.Breaks() {
		s.breakOff(attempt)
	}
	for _, c := range s.Calls(now) {
		from := s.caller(c.Recipient()) // of the session that decided the call, which may end before it is sent
		switch c := c.(type) {
		case *fleet.RunCall:
			s.launchRun(from, c)
		case fleet.SessionCall:
			s.Go(func() {
				answer := s.make(ctx, from, c)
				s.cfg.Post(func(now time.Time) { s.Answered(now, answer) })
			})
		}
	}
	if untracked := s.TakeUntracked(); len(untracked) > 0 {
		s.Go(func() { s.resolve(ctx, untracked) })
	}
	if changed := s.TakeChanged(); len(changed) > 0 && s.cfg.Described != nil {
		s.described.Put(changed...)
	}
	if finished := s.TakeFinishedLogs(); len(finished) > 0 {
		s.logs.Finish(finished)
	}
}
