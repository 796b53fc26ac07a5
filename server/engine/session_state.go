package engine

import (
	"sync"
	"time"

	"github.com/rprp/hivego/server/owner"
)

// sessionState is what any goroutine may ask about the server's session.
type sessionState struct {
	mu     sync.Mutex
	number int64     // the epoch
	lapsed bool      // the session was lost, and the next has not begun
	until  time.Time // by this server's clock; the lease does not end in the store before that
}

// begin notes a new session, or a new epoch of the same session.
func (s *sessionState) begin(epoch int64, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number, s.until, s.lapsed = epoch, until, false
}

// lapse notes that the session is over.
func (s *sessionState) lapse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lapsed, s.until = true, time.Time{}
}

// current is the epoch, and whether it is still in force as far as this server knows.
func (s *sessionState) current() (epoch int64, in bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.number, !s.lapsed
}

// extend notes a renewed lease, unless the session that renewed it is over.
func (s *sessionState) extend(epoch int64, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.number == epoch && !s.lapsed && until.After(s.until) {
		s.until = until
	}
}

// leased says that no other server can have taken this session over.
func (s *sessionState) leased(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Before(s.until)
}

func (s *sessionState) epoch() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.number
}

// Session is this server's right to write now.
func (e *Engine) Session() owner.Session {
	return owner.Session{Server: e.cfg.Server.ID, Epoch: e.session.epoch()}
}
