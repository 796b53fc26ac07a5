package auth

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// proof identifies the session or the token by which a request was authenticated.
type proof struct{ session, token int64 }

// watchers has the channels of open connections, by the proof that authenticated each.
type watchers struct {
	mu      sync.Mutex
	waiting map[proof]map[chan struct{}]struct{}
}

// Watch returns a channel that is closed when the session or token of id ends: a session by log-out, expiry or a change
// of the password; a token by revocation or expiry; both when the user is removed. Changes by this server close it at
// once, changes by another server or a command within watchEvery. The caller calls stop when it is done.
func (s *Service) Watch(id hive.Identity) (ended <-chan struct{}, stop func()) {
	w, p, c := &s.ends, proof{id.Session.ID, id.Token.ID}, make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == nil {
		w.waiting = map[proof]map[chan struct{}]struct{}{}
	}
	if w.waiting[p] == nil {
		w.waiting[p] = map[chan struct{}]struct{}{}
	}
	w.waiting[p][c] = struct{}{}
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.waiting[p], c); len(w.waiting[p]) == 0 {
			delete(w.waiting, p)
		}
	}
}

// end closes the channels of p.
func (w *watchers) end(p proof) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.waiting[p] {
		close(c)
	}
	delete(w.waiting, p)
}

// watched returns the proofs that have open channels.
func (w *watchers) watched() []proof {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.waiting))
}

const (
	watchEvery = 5 * time.Second // interval of closeEnded
	sweepEvery = time.Hour       // interval of sweep
)

// Keeper notices sessions and tokens that expired or that another server ended, and deletes ended sessions.
type Keeper struct {
	service.Base
	auth *Service
}

// NewKeeper makes the Keeper of a Service.
func NewKeeper(s *Service) *Keeper { return &Keeper{auth: s} }

// Start starts the periodic checks.
func (k *Keeper) Start(ctx context.Context) error {
	work, err := k.Begin(ctx)
	if err != nil {
		return err
	}
	k.Go(func() {
		watch, sweep := time.NewTicker(watchEvery), time.NewTicker(sweepEvery)
		defer watch.Stop()
		defer sweep.Stop()
		k.auth.sweep(work)
		k.Ready()
		for {
			select {
			case <-work.Done():
				return
			case <-watch.C:
				k.auth.closeEnded(work)
			case <-sweep.C:
				k.auth.sweep(work)
			}
		}
	})
	return nil
}

// closeEnded closes the channels of sessions and tokens that have ended. If the database is not available, it closes
// none.
func (s *Service) closeEnded(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, watchEvery)
	defer cancel()
	all := s.ends.watched()
	var sessions, tokens []int64
	for _, p := range all {
		if p.session != 0 {
			sessions = append(sessions, p.session)
		} else {
			tokens = append(tokens, p.token)
		}
	}
	now := s.moment()
	liveSessions, err := s.sessions.LiveSessions(ctx, sessions, now)
	if err == nil {
		var liveTokens []int64
		if liveTokens, err = s.tokens.LiveTokens(ctx, tokens, now); err == nil {
			for _, p := range all {
				if !slices.Contains(liveSessions, p.session) && !slices.Contains(liveTokens, p.token) {
					s.ends.end(p)
				}
			}
			return
		}
	}
	s.warn(ctx, "ended sessions could not be looked up", err)
}

// sweep deletes the sessions that have ended by themselves.
func (s *Service) sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	n, err := s.sessions.SweepSessions(ctx, s.moment())
	if err != nil {
		s.warn(ctx, "ended sessions could not be deleted", err)
	} else if n > 0 {
		s.log.Info("ended sessions were deleted", "sessions", n)
	}
}

// warn logs an error unless the service is being stopped.
func (s *Service) warn(ctx context.Context, message string, err error) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		s.log.Warn(message, "error", err)
	}
}
