package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// NeedsSetup reports whether there is no user yet.
func (s *Service) NeedsSetup(ctx context.Context) (bool, error) {
	users, err := s.users.Users(ctx)
	return err == nil && len(users) == 0, err
}

// SetupCode returns the code that SetUp requires from another machine. Each start of the server makes a new one; it is
// not stored.
func (s *Service) SetupCode() string { return s.code }

// newCode returns 80 random bits as four groups that a person can type.
func newCode() string {
	t := rand.Text()
	return t[0:4] + "-" + t[4:8] + "-" + t[8:12] + "-" + t[12:16]
}

func sameCode(given, want string) bool {
	plain := strings.NewReplacer("-", "", " ", "")
	return subtle.ConstantTimeCompare([]byte(strings.ToUpper(plain.Replace(given))), []byte(plain.Replace(want))) == 1
}

// SetUp makes the first user, an administrator, and logs them in. CodeConflict if there is a user already; of two
// parallel calls one succeeds. CodeForbidden if the visitor is at another machine and the code is wrong.
func (s *Service) SetUp(ctx context.Context, name, password, code string,
	v hive.Visitor,
) (hive.Identity, string, error) {
	needed, err := s.NeedsSetup(ctx)
	if err != nil {
		return hive.Identity{}, "", err
	}
	if !needed {
		return hive.Identity{}, "", hive.Errorf(hive.CodeConflict, "this server has its administrator already; log in").
			WithReason(hive.ErrorSetUp)
	}
	if !v.Local {
		right, err := s.guessCode(ctx, code, v.Address)
		if err != nil {
			return hive.Identity{}, "", err
		}
		if !right {
			s.log.Warn("a setup with a wrong code", "address", v.Address)
			return hive.Identity{}, "", hive.Errorf(hive.CodeForbidden,
				"the code is wrong: take the one that the server printed when it started; if nobody saw it, start "+
					"it again").
				WithReason(hive.ErrorSetUpCode)
		}
	}
	u, err := s.newUser(ctx, name, password, true)
	if err != nil {
		return hive.Identity{}, "", err
	}
	if u, err = s.users.AddFirstUser(ctx, u); err != nil {
		return hive.Identity{}, "", err
	}
	s.log.Info("the administrator was created", "user", u.Name, "address", v.Address)
	return s.begin(ctx, u, v)
}

// guessCode reports whether a setup code is right. It counts as a try, as a password does.
func (s *Service) guessCode(ctx context.Context, code, address string) (right bool, err error) {
	for {
		t, again, err := s.guesses.begin(address, "", s.now())
		if err != nil {
			return false, err
		}
		if t != nil {
			right = sameCode(code, s.code)
			t.end(s.now(), !right)
			return right, nil
		}
		select {
		case <-again:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
