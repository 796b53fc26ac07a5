// Package dispatch is the shell around the fleet: it makes the calls that the fleet decides, has logs copied, and takes
// the registrations of executors.
package dispatch

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// Config of the shell around the fleet.
type Config struct {
	Settings  fleet.Settings // the contract's Limits are filled in
	ClusterID string
	ServerID  string
	TLS       *tls.Config // for executors that speak TLS; nil: the system's roots
	LogDir    string      // where logs are copied to
	Attempts  Attempts
	Log       *slog.Logger
	// Failing says that nothing can be stored in the database; nil: nobody knows. It is called from any goroutine.
	Failing func() bool
	// Described stores what executors that were added by their address say of themselves; nil: nothing does.
	Described func(ctx context.Context, e hive.Executor)
	// Post runs f in the owner's loop. It blocks while the loop's inbox is full, and does nothing once it has ended.
	Post func(f func(now time.Time))
}

// Service makes the fleet's calls and has logs copied. The owner's loop drives it by Events, Launch and Wake.
type Service struct {
	service.Base
	*fleet.Fleet
	cfg     Config
	session session
	pool    *pool
	logs    *copier

	mu    sync.Mutex
	work  context.Context //nolint:containedctx // the context of the service's work, for calls that the loop starts
	calls context.Context //nolint:containedctx // of the session's calls: ends with work or when another session begins
	stop  context.CancelFunc
	runs  map[hive.AttemptRef]context.CancelFunc // of the run calls under way
}

// New makes the shell and an empty fleet.
func New(cfg Config) *Service {
	cfg.Settings.Limits = Limits()
	s := &Service{
		Fleet: fleet.New(cfg.Settings), cfg: cfg, pool: newPool(cfg.TLS), runs: map[hive.AttemptRef]context.CancelFunc{},
	}
	s.logs = newCopier(cfg.LogDir, s.pool, cfg.Log, s.caller)
	if cfg.Failing != nil {
		s.logs.room.failing = cfg.Failing
	}
	s.logs.released = func(executor string, attempts []hive.AttemptRef) {
		cfg.Post(func(time.Time) { s.Release(executor, attempts...) })
	}
	s.logs.view = func(ctx context.Context) (fleet.LogView, bool) {
		out := make(chan fleet.LogView, 1)
		cfg.Post(func(time.Time) { out <- s.LogView() })
		select {
		case v := <-out:
			return v, true
		case <-ctx.Done():
			return fleet.LogView{}, false
		}
	}
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
	s.Go(func() { s.logs.run(work) })
	s.Go(func() { <-work.Done(); s.pool.close() })
	s.Ready()
	return nil
}

// session is what all calls of a session of this server carry.
type session struct {
	epoch int64
	text  string // random
}

// SetEpoch names the session by its epoch and a random text. The loop calls it before the first call, and whenever
// another session begins: calls of the former one are broken off.
func (s *Service) SetEpoch(epoch int64, text string) {
	s.BeginSession(epoch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = session{epoch, text}
	s.renewCalls()
}

// renewCalls ends the calls under way, and makes a context for those to come.
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

// caller names this server to an executor.
func (s *Service) caller(e *hive.Executor) caller {
	s.mu.Lock()
	defer s.mu.Unlock()
	return caller{
		token: e.Secret, cluster: s.cfg.ClusterID, server: s.cfg.ServerID, epoch: s.session.epoch,
		session: s.session.text,
	}
}

// Events returns what has happened to attempts since the last call. Loop only.
func (s *Service) Events(now time.Time) []hive.AttemptEvent {
	s.FireTimers(now)
	logNotes(s.cfg.Log, s.TakeNotes())
	return s.Fleet.Events()
}

// Launch starts what the fleet wants done now. Loop only.
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
		cl := s.caller(c.Recipient()) // the session in which the call was decided, not the one in which it leaves
		switch c := c.(type) {
		case *fleet.RunCall:
			s.launchRun(cl, c)
		case fleet.SessionCall:
			s.Go(func() {
				answer := s.perform(ctx, cl, c)
				s.cfg.Post(func(now time.Time) { s.Answered(now, answer) })
			})
		}
	}
	if untracked := s.TakeUntracked(); len(untracked) > 0 {
		s.Go(func() { s.resolve(ctx, untracked) })
	}
	if changed := s.TakeChanged(); len(changed) > 0 && s.cfg.Described != nil {
		s.Go(func() {
			for i := range changed {
				s.cfg.Described(ctx, changed[i])
			}
		})
	}
	if logs := s.TakeFinishedLogs(); len(logs) > 0 {
		s.logs.finish(logs)
	}
}

// perform makes one call of a session.
func (s *Service) perform(ctx context.Context, cl caller, call fleet.SessionCall) fleet.Answer {
	limit := callTimeout
	switch c := call.(type) {
	case *fleet.PollCall:
		limit += c.Wait
	case *fleet.DescribeCall:
		limit = describeTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if c, ok := call.(*fleet.DescribeCall); ok {
		d, err := s.pool.describe(ctx, c.Executor, cl)
		if err != nil {
			return &fleet.Unanswered{Call: c, Failure: failureOf(err)}
		}
		return &fleet.DescribeAnswer{Call: c, Description: *d}
	}
	var answer fleet.Answer
	err := s.pool.use(ctx, *call.Recipient(), lineOf(call), func(x *conn) (err error) {
		answer, err = x.call(ctx, cl, call)
		return err
	})
	switch failed, attach := answer.(*fleet.AttachFailure); {
	case err == nil:
		return answer
	case attach && failed != nil:
		failed.Failure = failureOf(err)
		return failed
	default:
		return &fleet.Unanswered{Call: call, Failure: failureOf(err)}
	}
}

// call makes one call. With an error the answer is nil or, if the executor described itself before, an AttachFailure.
func (x *conn) call(ctx context.Context, cl caller, call fleet.SessionCall) (fleet.Answer, error) {
	switch c := call.(type) {
	case *fleet.AttachCall:
		return x.attach(ctx, cl, c)
	case *fleet.SubmitCall:
		return x.submit(ctx, cl, c)
	case *fleet.KillCall:
		return x.kill(ctx, cl, c)
	case *fleet.PollCall:
		return x.poll(ctx, cl, c)
	default:
		return nil, errors.ErrUnsupported
	}
}
