package engine

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/rprp/hivego/server/owner"
)

// opened is a session that the store has, and ids to work with.
type newSession struct {
	epoch    int64
	until    time.Time        // the lease ends, at the earliest
	firstIDs map[string]int64 // by kind; of idsAhead each
}

// openSession begins a session in the store. It runs outside of the loop.
func (e *Engine) openSession(ctx context.Context) (*newSession, error) {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	began := e.cfg.Now()
	epoch, err := e.cfg.Store.StartSession(ctx, e.cfg.Server, e.pace.lease)
	if err != nil {
		return nil, fmt.Errorf("start session: %w", err)
	}
	s := &newSession{epoch: epoch, until: began.Add(e.pace.lease), firstIDs: map[string]int64{}}
	for _, kind := range []string{owner.AttemptIDs, owner.RunIDs} {
		if s.firstIDs[kind], err = e.nextIDs(ctx, kind); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (e *Engine) nextIDs(ctx context.Context, kind string) (first int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	first, err = e.cfg.Store.NextIDs(ctx, kind, idsAhead)
	if err != nil {
		return 0, fmt.Errorf("draw %s ids: %w", kind, err)
	}
	return first, nil
}

// begin goes on in a session. What this server owns is loaded batch by batch, so that the first work while the last
// are still being read.
func (e *Engine) beginSession(s *newSession) {
	e.cfg.Driver.Reset()
	e.cfg.Driver.SetEpoch(s.epoch, e.cfg.NewSession())
	e.owner = owner.New(owner.Config{
		Fleet: e.cfg.Driver, Graphs: e.cfg.Graphs, NewKey: e.cfg.NewKey,
		Session:        owner.Session{Server: e.cfg.Server.ID, Epoch: s.epoch},
		TraceDecisions: e.cfg.Log.Enabled(context.Background(), slog.LevelDebug),
	})
	for kind, first := range s.firstIDs {
		e.owner.AddIDs(kind, first, idsAhead)
	}
	e.storedCommits.Store(0)
	e.stuck, e.lapsed, e.retryAt = newStuck(), false, time.Time{}
	e.session.begin(s.epoch, s.until)
	e.notifier.session(s.epoch)
	e.cfg.Log.Info("session started", "server", e.cfg.Server.ID, "epoch", s.epoch)
	e.recovered()
	e.loader.loadOwned()
}

// restart begins a new session after this one was lost. Until it has, nothing is decided, and no call leaves. The loop
// itself goes on: others wait for it.
func (e *Engine) restartSession(ctx context.Context) {
	e.cfg.Log.Error("this server's session was lost; starting a new one (if this comes again and again, another server runs "+
		"on a copy of this data folder)", "server", e.cfg.Server.ID)
	e.lapsed = true
	e.releasePublishWaiters()
	e.session.lapse()
	e.waiters.releaseAll()
	e.cfg.Driver.Reset()
	e.Go(func() {
		for ctx.Err() == nil {
			s, err := e.openSession(ctx)
			if err == nil {
				e.post(ctx, func(time.Time) { e.beginSession(s) })
				return
			}
			if ctx.Err() == nil {
				e.cfg.Log.Error("the session does not start", "error", err)
			}
			wait(ctx, time.Second)
		}
	})
}
