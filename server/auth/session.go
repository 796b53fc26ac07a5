package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Limits of a session.
const (
	sessionIdle = 7 * 24 * time.Hour  // it ends after this time without use
	sessionEnd  = 30 * 24 * time.Hour // it ends at this age in any case
	maxAgent    = 200                 // stored bytes of a browser's User-Agent
	maxAddress  = 64
)

var errNoSession = &hive.Error{
	Code: hive.CodeUnauthorized, Reason: hive.ErrorSession, Words: "you are not logged in any more; log in again",
}

// Session returns the identity of the session with this text and notes its use.
func (s *Service) Session(ctx context.Context, text string) (hive.Identity, error) {
	if !wellFormed(sessionPrefix, text) {
		return hive.Identity{}, errNoSession
	}
	n, err := s.sessions.SessionByHash(ctx, HashToken(text))
	if hive.CodeOf(err) == hive.CodeNotFound {
		return hive.Identity{}, errNoSession
	}
	if err != nil {
		return hive.Identity{}, fmt.Errorf("find a session: %w", err)
	}
	now := s.moment()
	if !n.Live(now) {
		return hive.Identity{}, errNoSession
	}
	u, err := s.users.UserByID(ctx, n.UserID)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return hive.Identity{}, errNoSession
	}
	if err != nil {
		return hive.Identity{}, fmt.Errorf("find the user of a session: %w", err)
	}
	// If the clock was set back, the times are stored too. Otherwise the idle end would stay too far in the future.
	if now.Sub(n.SeenAt).Abs() >= touchEvery {
		n.SeenAt, n.IdleAt = now, idleAt(now, n.EndsAt)
		if err := s.sessions.TouchSession(ctx, n.ID, n.SeenAt, n.IdleAt); err != nil { // worth a line, not a refusal
			s.log.Warn("the use of a session could not be noted", "session", n.ID, "error", err)
		}
	}
	return hive.Identity{User: u, Session: n, CSRF: csrf(text)}, nil
}

func idleAt(now, end time.Time) time.Time {
	if idle := now.Add(sessionIdle); idle.Before(end) {
		return idle
	}
	return end
}

// csrf derives the CSRF text from the session's text, which no page can read. So it is not stored.
func csrf(text string) string {
	mac := hmac.New(sha256.New, []byte(text))
	mac.Write([]byte("hivego csrf"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// begin makes a session for a user who has just logged in, and returns the only copy of its text.
func (s *Service) begin(ctx context.Context, u hive.User, v hive.Visitor) (hive.Identity, string, error) {
	now, text := s.moment(), newSecret(sessionPrefix)
	end := now.Add(sessionEnd)
	n, err := s.sessions.AddSession(ctx, hive.Session{
		UserID: u.ID, Hash: HashToken(text), CreatedAt: now, SeenAt: now, IdleAt: idleAt(now, end), EndsAt: end,
		Address: hive.Clean(v.Address, maxAddress), Agent: hive.Clean(v.Agent, maxAgent),
	}, u.PasswordHash)
	if err != nil {
		return hive.Identity{}, "", err
	}
	return hive.Identity{User: u, Session: n, CSRF: csrf(text)}, text, nil
}

// LogOut ends the session of an identity at once. It does nothing for an identity by token.
func (s *Service) LogOut(ctx context.Context, id hive.Identity) error {
	if id.Session.ID == 0 {
		return nil
	}
	if err := s.sessions.DeleteSession(ctx, id.Session.ID); err != nil {
		return err
	}
	s.ends.end(proof{session: id.Session.ID})
	s.log.Info("logged out", "user", id.User.Name, "session", id.Session.ID)
	return nil
}
