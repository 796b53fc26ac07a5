package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type userRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`

	ID           int64  `bun:"id,pk,autoincrement"`
	Name         string `bun:"name"`
	Admin        bool   `bun:"admin"`
	PasswordHash string `bun:"password_hash"`
	CreatedAt    int64  `bun:"created_at"`
}

func (r *userRow) hive() hive.User {
	return hive.User{
		ID: r.ID, Name: r.Name, Admin: r.Admin, PasswordHash: r.PasswordHash, CreatedAt: at(r.CreatedAt),
	}
}

type tokenRow struct {
	bun.BaseModel `bun:"table:tokens,alias:k"`

	ID        int64  `bun:"id,pk,autoincrement"`
	UserID    int64  `bun:"user_id,nullzero"`
	Group     string `bun:"grp"`
	Hash      string `bun:"hash"`
	Name      string `bun:"name"`
	CreatedAt int64  `bun:"created_at"`
	ExpiresAt int64  `bun:"expires_at"`
	UsedAt    int64  `bun:"used_at"`
}

func (r *tokenRow) hive() hive.Token {
	return hive.Token{
		ID: r.ID, UserID: r.UserID, Group: r.Group, Hash: r.Hash, Name: r.Name, CreatedAt: at(r.CreatedAt),
		ExpiresAt: at(r.ExpiresAt), UsedAt: at(r.UsedAt),
	}
}

// AddUser stores a new user. hive.CodeConflict if the name is taken.
func (s *Store) AddUser(ctx context.Context, u hive.User) (hive.User, error) {
	return s.addUser(ctx, u, func(ctx context.Context, tx bun.Tx) error { return s.lockPeople(ctx, tx, "SHARE") })
}

// AddFirstUser stores a user if there is none yet; otherwise hive.CodeConflict. Of two calls at once, one succeeds.
func (s *Store) AddFirstUser(ctx context.Context, u hive.User) (hive.User, error) {
	return s.addUser(ctx, u, func(ctx context.Context, tx bun.Tx) error {
		if err := s.lockPeople(ctx, tx, "UPDATE"); err != nil {
			return err
		}
		n, err := tx.NewSelect().Model((*userRow)(nil)).Count(ctx)
		if err == nil && n > 0 {
			return hive.Errorf(hive.CodeConflict,
				"this server has its administrator already; log in").WithReason(hive.ErrorSetUp)
		}
		return err
	})
}

func (s *Store) addUser(ctx context.Context, u hive.User,
	first func(context.Context, bun.Tx) error,
) (hive.User, error) {
	row := &userRow{Name: text(u.Name), Admin: u.Admin, PasswordHash: text(u.PasswordHash), CreatedAt: ms(u.CreatedAt)}
	err := s.write(ctx, "store user", func(ctx context.Context, tx bun.Tx) error {
		if err := first(ctx, tx); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(row).Returning("id").Exec(ctx)
		if err != nil && s.sortOf(err) == failureUnique {
			return hive.Errorf(hive.CodeConflict, "there is a user %q already; choose another name", u.Name).
				WithReason(hive.ErrorUserTaken, "name", u.Name)
		}
		return err
	})
	if err != nil {
		return hive.User{}, err
	}
	return row.hive(), nil
}

// lockPeople locks the one row that every database has, so that transactions that depend on the list of users run one
// after another. On SQLite each write transaction is alone anyway.
func (s *Store) lockPeople(ctx context.Context, tx bun.Tx, strength string) error {
	var id string
	return tx.NewRaw("SELECT value FROM meta WHERE key = ?"+s.kind.lock(strength), MetaClusterID).Scan(ctx, &id)
}

// UserByName finds a user by name.
func (s *Store) UserByName(ctx context.Context, name string) (hive.User, error) {
	row := new(userRow)
	err := s.r.NewSelect().Model(row).Where("name = ?", text(name)).Scan(ctx)
	return row.hive(), s.fault("read user", missing(err, "there is no user %q", name))
}

// UserByID finds a user by id.
func (s *Store) UserByID(ctx context.Context, id int64) (hive.User, error) {
	row := new(userRow)
	err := s.r.NewSelect().Model(row).Where("id = ?", id).Scan(ctx)
	return row.hive(), s.fault("read user", missing(err, "there is no user with id %d", id))
}

// Users lists all users by name.
func (s *Store) Users(ctx context.Context) ([]hive.User, error) {
	var rows []*userRow
	if err := s.r.NewSelect().Model(&rows).Order("name").Scan(ctx); err != nil {
		return nil, s.fault("list users", err)
	}
	out := make([]hive.User, len(rows))
	for i, r := range rows {
		out[i] = r.hive()
	}
	return out, nil
}

// AddToken stores a new token. hive.CodeConflict if its hash is known, or if its user has as many tokens as a user may
// have; hive.CodeNotFound if there is no such user.
func (s *Store) AddToken(ctx context.Context, t hive.Token) (hive.Token, error) {
	row := &tokenRow{
		UserID: t.UserID, Group: text(t.Group), Hash: text(t.Hash), Name: text(t.Name), CreatedAt: ms(t.CreatedAt),
		ExpiresAt: ms(t.ExpiresAt), UsedAt: ms(t.UsedAt),
	}
	err := s.write(ctx, "store token", func(ctx context.Context, tx bun.Tx) error {
		if err := s.roomForToken(ctx, tx, t.UserID); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(row).Returning("id").Exec(ctx)
		if err != nil && s.sortOf(err) == failureUnique {
			return hive.Errorf(hive.CodeConflict, "this token is known already; make a new one")
		}
		return err
	})
	if err != nil {
		return hive.Token{}, err
	}
	return row.hive(), nil
}

// roomForToken refuses one more token of a user who has the most that a user may have. User 0 stands for executors,
// whose tokens only administrators make.
func (s *Store) roomForToken(ctx context.Context, tx bun.Tx, user int64) error {
	if user == 0 {
		return nil
	}
	if err := s.lockBelongings(ctx, tx, user); err != nil {
		return err
	}
	n, err := tx.NewSelect().Model((*tokenRow)(nil)).Where("user_id = ?", user).Count(ctx)
	if err == nil && n >= hive.MaxTokens {
		err = hive.Errorf(hive.CodeConflict,
			"this user has %d tokens, and no more are kept; revoke some, for example those that have expired", n)
	}
	return err
}

// lockBelongings locks a user, and so their drafts and tokens, until the end of the transaction.
func (s *Store) lockBelongings(ctx context.Context, tx bun.Tx, user int64) error {
	var id int64
	err := tx.NewRaw("SELECT id FROM users WHERE id = ?"+s.kind.lock("NO KEY UPDATE"), user).Scan(ctx, &id)
	return missing(err, "there is no user with id %d", user)
}

// TokenByHash finds a token by the SHA-256 of its text. The caller checks whether it has expired.
func (s *Store) TokenByHash(ctx context.Context, hash string) (hive.Token, error) {
	row := new(tokenRow)
	err := s.r.NewSelect().Model(row).Where("hash = ?", text(hash)).Scan(ctx)
	return row.hive(), s.fault("read token", missing(err, "there is no such token"))
}

// Tokens lists a user's tokens, oldest first. For user 0 it lists the tokens of executors.
func (s *Store) Tokens(ctx context.Context, userID int64) ([]hive.Token, error) {
	var rows []*tokenRow
	q := s.r.NewSelect().Model(&rows).Order("id")
	if userID == 0 {
		q.Where("user_id IS NULL")
	} else {
		q.Where("user_id = ?", userID)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.fault("list tokens", err)
	}
	out := make([]hive.Token, len(rows))
	for i, r := range rows {
		out[i] = r.hive()
	}
	return out, nil
}

// TouchToken notes when a token was last used.
func (s *Store) TouchToken(ctx context.Context, id int64, used time.Time) error {
	return s.write(ctx, "note the use of a token", func(ctx context.Context, tx bun.Tx) error {
		res, err := tx.NewUpdate().Model((*tokenRow)(nil)).Set("used_at = ?", ms(used)).Where("id = ?", id).Exec(ctx)
		return needOne(res, err, "there is no token with id %d", id)
	})
}

// LiveTokens returns which of these tokens exist and have not expired.
func (s *Store) LiveTokens(ctx context.Context, ids []int64, now time.Time) ([]int64, error) {
	return s.liveOf(ctx, (*tokenRow)(nil), ids, "expires_at = 0 OR expires_at > ?", ms(now))
}

// liveOf returns the ids of a table for which a condition holds.
func (s *Store) liveOf(ctx context.Context, model any, ids []int64, condition string, args ...any) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var live []int64
	err := s.r.NewSelect().Model(model).Column("id").Where("id IN (?)", bun.List(ids)).Where("("+condition+")",
		args...).Scan(ctx, &live)
	return live, s.fault("look which are still there", err)
}

// DeleteToken removes a token of the user, or of any user if userID is 0. hive.CodeNotFound if there is none.
func (s *Store) DeleteToken(ctx context.Context, id, userID int64) error {
	return s.write(ctx, "delete token", func(ctx context.Context, tx bun.Tx) error {
		q := tx.NewDelete().Model((*tokenRow)(nil)).Where("id = ?", id)
		if userID != 0 {
			q.Where("user_id = ?", userID)
		}
		res, err := q.Exec(ctx)
		return needOne(res, err, "there is no token with id %d", id)
	})
}
