package auth

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Hashing a password takes 64 MiB. So only a few hashes are computed at once. Further requests wait in a queue, which
// is bounded in length and time.
const (
	maxHashing = 4
	maxQueue   = 256
	hashWithin = 10 * time.Second
)

func hashingAtOnce() int { return min(max(runtime.GOMAXPROCS(0), 2), maxHashing) }

var errBusy = &hive.Error{
	Code: hive.CodeUnavailable, Reason: hive.ErrorHashing, Wait: hashWithin,
	Words: "too many people log in at this moment; try again in a few seconds",
}

// inQueue waits for a free slot and calls f. If f returns a channel, inQueue waits until it is closed and calls f
// again.
func (s *Service) inQueue(ctx context.Context, f func() (again <-chan struct{})) error {
	select {
	case s.queue <- struct{}{}:
		defer func() { <-s.queue }()
	default:
		return errBusy
	}
	ctx, cancel := context.WithTimeout(ctx, hashWithin)
	defer cancel()
	turn := func() <-chan struct{} {
		defer func() { <-s.slots }()
		return f()
	}
	for {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return errBusy
		}
		again := turn()
		if again == nil {
			return nil
		}
		select {
		case <-again:
		case <-ctx.Done():
			return errBusy
		}
	}
}

// hashing runs f, which computes a password's hash, once a slot is free.
func (s *Service) hashing(ctx context.Context, f func()) error {
	return s.inQueue(ctx, func() <-chan struct{} { f(); return nil })
}

// verify reports whether a password matches a stored hash. It counts as a try once it has a slot, not while it waits in
// the queue.
func (s *Service) verify(ctx context.Context, address, name, hash, password string) (same bool, err error) {
	if err := s.guesses.refuse(address, name, s.now()); err != nil {
		return false, err // at once, without taking a place in the queue
	}
	busy := s.inQueue(ctx, func() <-chan struct{} {
		t, again, no := s.guesses.begin(address, name, s.now())
		if t == nil {
			if err = no; err != nil {
				return nil
			}
			return again
		}
		wrong := true // unless the check below succeeds
		defer func() { t.end(s.now(), wrong) }()
		same, err = VerifyPassword(hash, password)
		wrong = err == nil && !same
		return nil
	})
	if busy != nil {
		return false, busy
	}
	return same, err
}

var errCredentials = &hive.Error{
	Code: hive.CodeUnauthorized, Reason: hive.ErrorLogIn,
	Words: "the name or the password is wrong; who has forgotten it asks for `hivego user password NAME " +
		"--password-stdin --data DIR` " +
		"on the server's machine",
}

// LogIn makes a session for a user name with its password. The error does not reveal whether name or password was
// wrong. CodeTooMany has the time to wait after wrong tries; CodeUnavailable means that too many people log in at once.
func (s *Service) LogIn(ctx context.Context, name, password string, v hive.Visitor) (hive.Identity, string, error) {
	if !userName.MatchString(name) {
		name = ""
	}
	if err := s.guesses.refuse(v.Address, name, s.now()); err != nil {
		return hive.Identity{}, "", s.logTooMany(err, name, v)
	}
	u, err := s.users.UserByName(ctx, name)
	known := err == nil && u.PasswordHash != ""
	if err != nil && hive.CodeOf(err) != hive.CodeNotFound {
		return hive.Identity{}, "", fmt.Errorf("find a user: %w", err)
	}
	hash := s.cost.decoy()
	if known {
		hash = u.PasswordHash
	}
	same, err := s.verify(ctx, v.Address, name, hash, password)
	if err != nil {
		return hive.Identity{}, "", s.logTooMany(err, name, v)
	}
	if !known || !same {
		s.log.Warn("a log-in failed", "user", name, "address", v.Address)
		return hive.Identity{}, "", errCredentials
	}
	id, text, err := s.begin(ctx, u, v)
	if hive.CodeOf(err) == hive.CodeConflict { // the password was right until a moment ago
		return hive.Identity{}, "", errCredentials
	}
	if err == nil {
		s.log.Info("logged in", "user", name, "address", v.Address, "session", id.Session.ID)
	}
	return id, text, err
}

// logTooMany logs err if it makes somebody wait for wrong tries. It returns err.
func (s *Service) logTooMany(err error, name string, v hive.Visitor) error {
	if hive.CodeOf(err) == hive.CodeTooMany {
		s.log.Warn("a log-in was made to wait", "user", name, "address", v.Address, "error", err)
	}
	return err
}

// ChangePassword sets a new password for the user of an identity and ends all other sessions of the user.
func (s *Service) ChangePassword(ctx context.Context, id hive.Identity, current, next string) error {
	if err := checkPassword(next); err != nil {
		return err
	}
	// It counts as a try: an attacker with a stolen session must not guess the password either.
	same, err := s.verify(ctx, id.Session.Address, id.User.Name, id.User.PasswordHash, current)
	if err != nil {
		return err
	}
	if !same {
		return hive.Errorf(hive.CodeForbidden, "the current password is wrong; nothing was changed").
			WithReason(hive.ErrorPassword)
	}
	return s.setPassword(ctx, id.User, next, id.Session.ID)
}

// ResetPassword sets a new password without asking for the old one, and ends all sessions of the user.
func (s *Service) ResetPassword(ctx context.Context, name, password string) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	u, err := s.users.UserByName(ctx, name)
	if err != nil {
		return err
	}
	return s.setPassword(ctx, u, password, 0)
}

func (s *Service) setPassword(ctx context.Context, u hive.User, password string, keep int64) error {
	var hash string
	if err := s.hashing(ctx, func() { hash = s.cost.hash(password) }); err != nil {
		return err
	}
	ended, err := s.users.SetPassword(ctx, u.ID, u.PasswordHash, hash, keep)
	if err != nil {
		return err
	}
	for _, n := range ended {
		s.ends.end(proof{session: n})
	}
	s.log.Info("a password was changed", "user", u.Name, "sessions-ended", len(ended))
	return nil
}
