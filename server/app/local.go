package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/auth"
	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/hive"
)

// local implements the commands on the server's machine, with or without a running server.
type local struct {
	store *db.Store
	auth  *auth.Service
	data  string
}

// OpenLocal opens the database of a server.
func OpenLocal(ctx context.Context, p cli.Place) (*cli.Local, error) {
	log := slog.New(slog.DiscardHandler)
	config := databaseOf(p)
	config.Beside, config.Existing = !p.Alone, !p.Create
	store, err := db.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	l := &local{store: store, auth: newAuth(store, log), data: p.Data}
	return &cli.Local{Users: l, Tokens: l, Key: l, Closer: l}, nil
}

func newAuth(store *db.Store, log *slog.Logger) *auth.Service {
	return auth.New(auth.Config{Users: store, Tokens: store, Sessions: store, Now: time.Now, Log: log})
}

// AddUser stores a new user.
func (l *local) AddUser(ctx context.Context, name, password string, admin bool) error {
	_, err := l.auth.AddUser(ctx, name, password, admin)
	return err
}

// CreateToken makes a token of a user or of a group.
func (l *local) CreateToken(ctx context.Context, user, group, name string, expires time.Time) (string, error) {
	t := hive.Token{Group: group, Name: name, ExpiresAt: expires}
	if user != "" {
		_, text, err := l.auth.CreateTokenFor(ctx, user, t)
		return text, err
	}
	_, text, err := l.auth.CreateToken(ctx, t)
	return text, err
}

// Users lists the users.
func (l *local) Users(ctx context.Context) ([]hive.User, error) { return l.store.Users(ctx) }

// SetPassword gives a user a new password and ends all their sessions.
func (l *local) SetPassword(ctx context.Context, name, password string) error {
	return l.auth.ResetPassword(ctx, name, password)
}

// RemoveUser removes a user with their sessions and tokens.
func (l *local) RemoveUser(ctx context.Context, name string) error {
	return l.store.RemoveUser(ctx, name)
}

// Tokens lists the tokens of a user, or the tokens of executors if the name is empty.
func (l *local) Tokens(ctx context.Context, user string) ([]hive.Token, error) {
	if user == "" {
		return l.auth.Tokens(ctx, 0)
	}
	u, err := l.store.UserByName(ctx, user)
	if err != nil {
		return nil, err
	}
	return l.auth.Tokens(ctx, u.ID)
}

// RevokeToken revokes a token.
func (l *local) RevokeToken(ctx context.Context, id int64) error {
	return l.auth.DeleteToken(ctx, id, 0)
}

// ChangeKey encrypts the database's secrets with a new key.
func (l *local) ChangeKey(ctx context.Context, from cli.KeyPlace, lost bool) error {
	return sourceOf(from, l.data).change(ctx, l.store, lost)
}

// Close closes the database.
func (l *local) Close() error { return l.store.Close() }
