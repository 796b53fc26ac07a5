package auth

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rprp/hivego/server/hive"
)

// UserStore stores users.
type UserStore interface {
	AddUser(ctx context.Context, u hive.User) (hive.User, error)
	// AddFirstUser stores a user if there is none yet, else it returns CodeConflict.
	AddFirstUser(ctx context.Context, u hive.User) (hive.User, error)
	Users(ctx context.Context) ([]hive.User, error)
	UserByName(ctx context.Context, name string) (hive.User, error)
	UserByID(ctx context.Context, id int64) (hive.User, error)
	// SetPassword stores a new hash if the stored one is before, else it returns CodeConflict. It ends all sessions of
	// the user except keep, and returns the ended ones.
	SetPassword(ctx context.Context, user int64, before, hash string, keep int64) (ended []int64, err error)
}

// TokenStore stores tokens by the hash of their text.
type TokenStore interface {
	AddToken(ctx context.Context, t hive.Token) (hive.Token, error)
	TokenByHash(ctx context.Context, hash string) (hive.Token, error)
	Tokens(ctx context.Context, userID int64) ([]hive.Token, error)
	// DeleteToken removes a token. If user is not 0, the token must belong to that user. CodeNotFound if there is none.
	DeleteToken(ctx context.Context, id, user int64) error
	TouchToken(ctx context.Context, id int64, at time.Time) error
	// LiveTokens returns the ids of tokens that are stored and have not expired.
	LiveTokens(ctx context.Context, ids []int64, now time.Time) ([]int64, error)
}

// SessionStore stores sessions of browsers by the hash of their text.
type SessionStore interface {
	// AddSession stores a session of a user whose password hash is still this one, else it returns CodeConflict.
	AddSession(ctx context.Context, n hive.Session, passwordHash string) (hive.Session, error)
	SessionByHash(ctx context.Context, hash string) (hive.Session, error)
	TouchSession(ctx context.Context, id int64, seen, idle time.Time) error
	DeleteSession(ctx context.Context, id int64) error
	// LiveSessions returns the ids of sessions that are stored and have not ended.
	LiveSessions(ctx context.Context, ids []int64, now time.Time) ([]int64, error)
	// SweepSessions deletes the sessions that have ended and returns how many there were.
	SweepSessions(ctx context.Context, now time.Time) (int64, error)
}

// Config is what a Service needs.
type Config struct {
	Users    UserStore
	Tokens   TokenStore
	Sessions SessionStore
	Now      func() time.Time
	Log      *slog.Logger
}

// touchEvery is the precision of the stored time of a token's or session's last use.
const touchEvery = time.Minute

var (
	userName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$`)
	groupName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)
)

// Service checks passwords, sessions and tokens, and manages them.
type Service struct {
	users    UserStore
	tokens   TokenStore
	sessions SessionStore
	now      func() time.Time
	log      *slog.Logger
	code     string // of the setup
	ends     watchers

	cost         cost // of a password
	guesses      *guesses
	queue, slots chan struct{} // requests that wait for a hash or compute it; hashes being computed
}

// New makes a Service.
func New(c Config) *Service {
	slots := hashingAtOnce()
	return &Service{
		users: c.Users, tokens: c.Tokens, sessions: c.Sessions, now: c.Now, log: c.Log,
		code: newCode(), cost: fullCost(), guesses: newGuesses(),
		slots: make(chan struct{}, slots), queue: make(chan struct{}, slots+maxQueue),
	}
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

var errWrong = &hive.Error{
	Code: hive.CodeUnauthorized, Reason: hive.ErrorToken,
	Words: "the token is not valid: it is mistyped, expired or revoked; `hivego token create --user NAME --data " +
		"DIR` makes one",
}

// Authenticate returns the user of a token. A token of an executor group is refused.
func (s *Service) Authenticate(ctx context.Context, text string) (hive.Identity, error) {
	t, err := s.find(ctx, text)
	if err != nil {
		return hive.Identity{}, err
	}
	if t.UserID == 0 {
		return hive.Identity{}, hive.Errorf(hive.CodeUnauthorized,
			"this token lets executors join group %q and nothing else; use a token of a user", t.Group)
	}
	u, err := s.users.UserByID(ctx, t.UserID)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return hive.Identity{}, errWrong
	}
	if err != nil {
		return hive.Identity{}, fmt.Errorf("find the user of a token: %w", err)
	}
	return hive.Identity{User: u, Token: t}, nil
}

// Group returns the executor group of a token. A token of a user is refused.
func (s *Service) Group(ctx context.Context, text string) (string, error) {
	t, err := s.find(ctx, text)
	if err != nil {
		return "", err
	}
	if t.UserID != 0 || t.Group == "" {
		return "", hive.Errorf(hive.CodeUnauthorized,
			"this token is a user's; executors join with one of `hivego token create --group NAME --data DIR`")
	}
	return t.Group, nil
}

// find returns the stored token with this text, unless it has expired, and notes its use.
func (s *Service) find(ctx context.Context, text string) (hive.Token, error) {
	if !wellFormed(tokenPrefix, text) {
		return hive.Token{}, errWrong
	}
	t, err := s.tokens.TokenByHash(ctx, HashToken(text))
	if hive.CodeOf(err) == hive.CodeNotFound {
		return hive.Token{}, errWrong
	}
	if err != nil {
		return hive.Token{}, fmt.Errorf("find a token: %w", err)
	}
	now := s.moment()
	if !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt) {
		return hive.Token{}, errWrong
	}
	if now.Sub(t.UsedAt) >= touchEvery {
		if err := s.tokens.TouchToken(ctx, t.ID, now); err != nil { // worth a line, not a refusal
			s.log.Warn("the use of a token could not be noted", "token", t.ID, "error", err)
		}
		t.UsedAt = now
	}
	return t, nil
}

// AddUser stores a new user. CodeConflict if the name is taken, CodeInvalid for a bad name or password.
func (s *Service) AddUser(ctx context.Context, name, password string, admin bool) (hive.User, error) {
	u, err := s.newUser(ctx, name, password, admin)
	if err != nil {
		return hive.User{}, err
	}
	return s.users.AddUser(ctx, u)
}

func (s *Service) newUser(ctx context.Context, name, password string, admin bool) (hive.User, error) {
	if !userName.MatchString(name) {
		return hive.User{}, hive.Errorf(hive.CodeInvalid,
			"%.80q is no name of a user: 1 to 63 of a-z, A-Z, 0-9, dots, dashes, underscores and @, with a letter "+
				"or digit first", name).
			WithReason(hive.ErrorUserForm, "name", name)
	}
	if err := checkPassword(password); err != nil {
		return hive.User{}, err
	}
	u := hive.User{Name: name, Admin: admin, CreatedAt: s.moment()}
	return u, s.hashing(ctx, func() { u.PasswordHash = s.cost.hash(password) })
}

func checkPassword(p string) error {
	switch {
	case !utf8.ValidString(p) || strings.ContainsAny(p, "\x00\r\n"):
		return hive.Errorf(hive.CodeInvalid, "the password must be one line of text").WithReason(hive.ErrorPasswordForm)
	case utf8.RuneCountInString(p) < minPassword:
		return hive.Errorf(hive.CodeInvalid, "the password is too short; take at least %d characters", minPassword).
			WithReason(hive.ErrorPasswordShort, "least", minPassword)
	case len(p) > maxPassword:
		return hive.Errorf(hive.CodeInvalid, "the password is longer than %d bytes", maxPassword).
			WithReason(hive.ErrorPasswordLong, "most", maxPassword)
	default:
		return nil
	}
}

// Tokens lists the tokens of a user, oldest first.
func (s *Service) Tokens(ctx context.Context, user int64) ([]hive.Token, error) {
	return s.tokens.Tokens(ctx, user)
}

// CreateToken stores a token of t's user or group and returns its text, which is stored nowhere.
func (s *Service) CreateToken(ctx context.Context, t hive.Token) (hive.Token, string, error) {
	if (t.UserID == 0) == (t.Group == "") {
		return hive.Token{}, "", hive.Errorf(hive.CodeInvalid, "a token is either a user's or a group's")
	}
	if t.Group != "" && !groupName.MatchString(t.Group) {
		return hive.Token{}, "", hive.Errorf(hive.CodeInvalid,
			"%.80q is no name of a group: 1 to 63 of a-z, A-Z, 0-9, dashes and underscores", t.Group)
	}
	text := NewToken()
	t.Hash, t.CreatedAt = HashToken(text), s.moment()
	stored, err := s.tokens.AddToken(ctx, t)
	if err != nil {
		return hive.Token{}, "", err
	}
	return stored, text, nil
}

// CreateTokenFor is CreateToken for a user given by name.
func (s *Service) CreateTokenFor(ctx context.Context, user string, t hive.Token) (hive.Token, string, error) {
	u, err := s.users.UserByName(ctx, user)
	if err != nil {
		return hive.Token{}, "", err
	}
	t.UserID = u.ID
	return s.CreateToken(ctx, t)
}

// DeleteToken revokes a token. If user is not 0, the token must belong to that user.
func (s *Service) DeleteToken(ctx context.Context, id, user int64) error {
	if err := s.tokens.DeleteToken(ctx, id, user); err != nil {
		return err
	}
	s.ends.end(proof{token: id})
	return nil
}
