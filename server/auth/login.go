package auth

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// A password costs 64 MiB for a moment. So few are computed at once; others wait in line for it, but not many, and none
// for long.
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

// inLine has f called when its turn has come. If f answers a channel, it has another one once that is closed.
func (s *Service) inLine(ctx context.Context, f func() (again <-chan struct{})) error {
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

// hashing runs f, which computes a password's hash, when there is memory for it.
func (s *Service) hashing(ctx context.Context, f func()) error {
	return s.inLine(ctx, func() <-chan struct{} { f(); return nil })
}

// verify says whether a password is that of a stored hash. It is a try, which counts when its turn has come: who waits
// in line has not tried yet.
func (s *Service) verify(ctx context.Context, address, name, hash, password string) (same bool, err error) {
	if err := s.guesses.refuse(address, name, s.now()); err != nil {
		return false, err // at once, and without a place in the line
	}
	busy := s.inLine(ctx, func() <-chan struct{} {
		t, again, no := s.guesses.begin(address, name, s.now())
		if t == nil {
			if err = no; err != nil {
				return nil
			}
			return again
		}
		wrong := true // until the contrary is proved
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

// LogIn makes a session for who knows a name and its password. An answer never says which of them was wrong.
// CodeTooMany says how long to wait after wrong ones, CodeUnavailable that too many try at once.
func (s *Service) LogIn(ctx context.Context, name, password string, v hive.Visitor) (hive.Identity, string, error) {
	if !userName.MatchString(name) {
		name = ""
	}
	if err := s.guesses.refuse(v.Address, name, s.now()); err != nil {
		return hive.Identity{}, "", s.mustWait(err, name, v)
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
		return hive.Identity{}, "", s.mustWait(err, name, v)
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

// mustWait logs who was made to wait for wrong tries.
func (s *Service) mustWait(err error, name string, v hive.Visitor) error {
	if hive.CodeOf(err) == hive.CodeTooMany {
		s.log.Warn("a log-in was made to wait", "user", name, "address", v.Address, "error", err)
	}
	return err
}

// ChangePassword gives the user of an identity a new password. All other sessions of theirs end.
func (s *Service) ChangePassword(ctx context.Context, id hive.Identity, current, next string) error {
	if err := checkPassword(next); err != nil {
		return err
	}
	// It is a try: who took over a session must not guess either.
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

// ResetPassword gives a user a new password without the old one. All their sessions end.
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
