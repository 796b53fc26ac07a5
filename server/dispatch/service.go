package dispatch

import (
	"context"
	"crypto/tls"
	"log/slog"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// Config of the shell around the fleet.
type Config struct {
	Settings  Settings
	ClusterID string
	ServerID  string
	TLS       *tls.Config // for executors that speak TLS; nil: the system's roots
	LogDir    string      // where logs are copied to
	Attempts  Attempts
	Log       *slog.Logger
	// Failing says that nothing can be stored in the database; nil: nobody knows. It is called from any goroutine.
	Failing func() bool
	// Described stores what executors that were added by their address say of themselves; nil: nobody does.
	Described func(ctx context.Context, e hive.Executor)
	// Post runs f in the owner's loop. It blocks while the loop's inbox is full, and does nothing once it has ended.
	Post func(f func(now time.Time))
}

// Service makes the fleet's calls and copies logs. The owner's loop drives it by Events, Launch and Wake.
type Service struct {
	service.Base
	*Fleet
	cfg     Config
	session session
	pool    *pool
	logs    *copier

	mu   sync.Mutex
	work context.Context //nolint:containedctx // the context of the service's work, for calls that the loop launches
	term context.Context //nolint:containedctx // of the session's calls: work, until the next session begins
	stop context.CancelFunc
	runs map[hive.AttemptRef]context.CancelFunc // of the run calls under way, by attempt
}

// New makes the shell and its fleet. executors are those known from before.
func New(cfg Config) *Service {
	s := &Service{
		Fleet: NewFleet(cfg.Settings, cfg.Log), cfg: cfg, pool: newPool(cfg.TLS),
		runs: map[hive.AttemptRef]context.CancelFunc{},
	}
	s.logs = newCopier(cfg.LogDir, s.pool, cfg.Log, s.caller)
	if cfg.Failing != nil {
		s.logs.room.failing = cfg.Failing
	}
	s.logs.released = func(executor string, attempts []hive.AttemptRef) {
		cfg.Post(func(time.Time) { s.Released(executor, attempts...) })
	}
	s.logs.view = func(ctx context.Context) (LogView, bool) {
		out := make(chan LogView, 1)
		cfg.Post(func(time.Time) { out <- s.LogView() })
		select {
		case v := <-out:
			return v, true
		case <-ctx.Done():
			return LogView{}, false
		}
	}
	return s
}

// Start begins to make calls for a session with this epoch.
func (s *Service) Start(ctx context.Context) error {
	work, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.work = work
	s.renewTerm()
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

// SetEpoch names the session by its epoch and a random text. The loop calls it before the first call, and when the
// session begins anew: what is under way for the former one is broken off.
func (s *Service) SetEpoch(epoch int64, text string) {
	s.Renew(epoch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = session{epoch, text}
	s.renewTerm()
}

func (s *Service) renewTerm() {
	if s.stop != nil {
		s.stop()
	}
	work := s.work
	if work == nil {
		work = context.Background()
	}
	s.term, s.stop = context.WithCancel(work)
}

// caller is how this server names itself to an executor.
func (s *Service) caller(e *hive.Executor) caller {
	s.mu.Lock()
	defer s.mu.Unlock()
	return caller{
		token: e.Secret, cluster: s.cfg.ClusterID, server: s.cfg.ServerID, epoch: s.session.epoch,
		session: s.session.text,
	}
}

// Events answers what has happened to attempts since the last call. Loop only.
func (s *Service) Events(now time.Time) []hive.AttemptEvent {
	s.Due(now)
	return s.Fleet.Events()
}

// Launch starts the calls that are due. Loop only.
func (s *Service) Launch(now time.Time) {
	s.mu.Lock()
	ctx := s.term
	s.mu.Unlock()
	if ctx == nil || ctx.Err() != nil {
		return
	}
	for _, c := range s.Calls(now) {
		if c.Kind == CallBreak {
			s.breakOff(c.Kill[0].Ref())
			continue
		}
		cl := s.caller(&c.Executor) // the session in which the call was decided, not the one in which it leaves
		if c.Kind == CallRun {
			s.launchRun(cl, c)
			continue
		}
		s.Go(func() {
			a := s.perform(ctx, cl, c)
			s.cfg.Post(func(now time.Time) { s.Answered(now, c, a) })
		})
	}
	if strays := s.Strays(); len(strays) > 0 {
		s.Go(func() { s.settle(ctx, strays) })
	}
	if news := s.News(); len(news) > 0 && s.cfg.Described != nil {
		s.Go(func() {
			for i := range news {
				s.cfg.Described(ctx, news[i])
			}
		})
	}
	if work := s.LogWork(); len(work) > 0 {
		s.logs.finish(work)
	}
}

// perform makes one call.
func (s *Service) perform(ctx context.Context, cl caller, c Call) Answer {
	limit := callTimeout
	switch c.Kind {
	case CallPoll:
		limit += c.Wait
	case CallDescribe:
		limit = describeTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var a Answer
	if c.Kind == CallDescribe {
		d, err := s.pool.describe(ctx, c.Executor, cl)
		return Answer{Err: err, Description: d}
	}
	err := s.pool.use(ctx, c.Executor, lineOf(c.Kind), func(x *conn) error {
		var err error
		switch c.Kind {
		case CallAttach:
			a, err = x.attach(ctx, cl, c)
		case CallSubmit:
			a, err = x.submit(ctx, cl, c)
		case CallKill:
			a, err = x.kill(ctx, cl, c)
		case CallPoll:
			a, err = x.poll(ctx, cl, c)
		}
		return err
	})
	if err != nil {
		return Answer{Err: err, Bad: isBadCall(err), Description: a.Description}
	}
	return a
}
