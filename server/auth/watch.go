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

// proof is what an identity was proved with: a session or a token, by its id.
type proof struct{ session, token int64 }

// watchers are those who hold something open in somebody's name.
type watchers struct {
	mu      sync.Mutex
	waiting map[proof]map[chan struct{}]struct{}
}

// Watch answers a channel that is closed when what id was proved with ends: a session by log-out, expiry, a change of
// the password; a token by revocation or expiry; both when the user is removed. What happens here is told at once, what
// another server or command does within watchEvery. Call stop when nobody listens any more.
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

// end tells those who watch p.
func (w *watchers) end(p proof) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.waiting[p] {
		close(c)
	}
	delete(w.waiting, p)
}

// watched are the proofs that somebody watches.
func (w *watchers) watched() []proof {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.waiting))
}

const (
	watchEvery = 5 * time.Second // between two looks at what is watched
	sweepEvery = time.Hour       // between two sweeps of sessions that have ended
)

// Keeper notices sessions and tokens that ended elsewhere or by themselves, and clears away what has ended.
type Keeper struct {
	service.Base
	auth *Service
}

// NewKeeper makes the Keeper of a Service.
func NewKeeper(s *Service) *Keeper { return &Keeper{auth: s} }

// Start begins to look.
func (k *Keeper) Start(ctx context.Context) error {
	work, err := k.Begin(ctx)
	if err != nil {
		return err
	}
	k.Go(func() {
		look, sweep := time.NewTicker(watchEvery), time.NewTicker(sweepEvery)
		defer look.Stop()
		defer sweep.Stop()
		k.auth.sweep(work)
		k.Ready()
		for {
			select {
			case <-work.Done():
				return
			case <-look.C:
				k.auth.look(work)
			case <-sweep.C:
				k.auth.sweep(work)
			}
		}
	})
	return nil
}

// look ends what is watched and is not there any more. While the database is away nothing is known to have ended.
func (s *Service) look(ctx context.Context) {
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
	s.warn(ctx, "it could not be looked which sessions have ended", err)
}

// sweep deletes the sessions that have ended by themselves.
func (s *Service) sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	n, err := s.sessions.SweepSessions(ctx, s.moment())
	if err != nil {
		s.warn(ctx, "sessions that have ended could not be swept", err)
	} else if n > 0 {
		s.log.Info("sessions that have ended were swept", "sessions", n)
	}
}

// warn writes a line unless the service is being stopped.
func (s *Service) warn(ctx context.Context, words string, err error) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		s.log.Warn(words, "error", err)
	}
}
