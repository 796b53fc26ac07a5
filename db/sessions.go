package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:w"`

	ID        int64  `bun:"id,pk,autoincrement"`
	UserID    int64  `bun:"user_id"`
	Hash      string `bun:"hash"`
	CreatedAt int64  `bun:"created_at"`
	SeenAt    int64  `bun:"seen_at"`
	IdleAt    int64  `bun:"idle_at"`
	EndsAt    int64  `bun:"ends_at"`
	Address   string `bun:"address"`
	Agent     string `bun:"agent"`
}

func (r *sessionRow) hive() hive.Session {
	return hive.Session{
		ID: r.ID, UserID: r.UserID, Hash: r.Hash, CreatedAt: at(r.CreatedAt), SeenAt: at(r.SeenAt),
		IdleAt: at(r.IdleAt), EndsAt: at(r.EndsAt), Address: r.Address, Agent: r.Agent,
	}
}

// AddSession stores a new session of a user who proved a password. hive.CodeConflict if passwordHash is not the
// user's any more: between the proof and now the password was changed, or the user removed.
func (s *Store) AddSession(ctx context.Context, n hive.Session, passwordHash string) (hive.Session, error) {
	row := &sessionRow{
		UserID: n.UserID, Hash: text(n.Hash), CreatedAt: ms(n.CreatedAt), SeenAt: ms(n.SeenAt), IdleAt: ms(n.IdleAt),
		EndsAt: ms(n.EndsAt), Address: text(n.Address), Agent: text(n.Agent),
	}
	err := s.write(ctx, "store session", func(ctx context.Context, tx bun.Tx) error {
		if err := s.lockUser(ctx, tx, n.UserID, passwordHash, "SHARE"); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(row).Returning("id").Exec(ctx)
		return err
	})
	if err != nil {
		return hive.Session{}, err
	}
	return row.hive(), nil
}

// lockUser locks a user until the end of the transaction. hive.CodeConflict if the password is another one.
func (s *Store) lockUser(ctx context.Context, tx bun.Tx, id int64, passwordHash, strength string) error {
	var stored string
	err := tx.NewRaw("SELECT password_hash FROM users WHERE id = ?"+s.kind.lock(strength), id).Scan(ctx, &stored)
	if errors.Is(err, sql.ErrNoRows) || err == nil && stored != passwordHash {
		return hive.Errorf(hive.CodeConflict, "the password was changed meanwhile; log in with the new one").
			WithReason(hive.ErrorPasswordMoved)
	}
	return err
}

// SessionByHash finds a session by the SHA-256 of its text. The caller checks whether it has ended.
func (s *Store) SessionByHash(ctx context.Context, hash string) (hive.Session, error) {
	row := new(sessionRow)
	err := s.r.NewSelect().Model(row).Where("hash = ?", text(hash)).Scan(ctx)
	return row.hive(), s.fault("read session", missing(err, "there is no such session"))
}

// TouchSession stores when a session was used, and when it ends if it is not used again. It does not restore a deleted
// session.
func (s *Store) TouchSession(ctx context.Context, id int64, seen, idle time.Time) error {
	_, err := s.w.NewUpdate().Model((*sessionRow)(nil)).Set("seen_at = ?", ms(seen)).Set("idle_at = ?", ms(idle)).
		Where("id = ?", id).Exec(ctx)
	return s.fault("note the use of a session", err)
}

// DeleteSession ends a session, if it exists.
func (s *Store) DeleteSession(ctx context.Context, id int64) error {
	_, err := s.w.NewDelete().Model((*sessionRow)(nil)).Where("id = ?", id).Exec(ctx)
	return s.fault("end a session", err)
}

// LiveSessions returns which of these sessions exist and have not ended.
func (s *Store) LiveSessions(ctx context.Context, ids []int64, now time.Time) ([]int64, error) {
	return s.liveOf(ctx, (*sessionRow)(nil), ids, "idle_at > ? AND ends_at > ?", ms(now), ms(now))
}

// SweepSessions deletes the sessions whose time is over, and returns how many it deleted.
func (s *Store) SweepSessions(ctx context.Context, now time.Time) (int64, error) {
	res, err := s.w.NewDelete().Model((*sessionRow)(nil)).Where("idle_at <= ? OR ends_at <= ?", ms(now),
		ms(now)).Exec(ctx)
	if err != nil {
		return 0, s.fault("sweep sessions", err)
	}
	n, err := res.RowsAffected()
	return n, s.fault("sweep sessions", err)
}

// SetPassword stores a new password, ends all sessions of the user but keep, and returns the ended ones.
// hive.CodeConflict if the stored password is not that of the hash before.
func (s *Store) SetPassword(ctx context.Context, user int64, before, hash string, keep int64) ([]int64, error) {
	var ended []int64
	err := s.write(ctx, "store a password", func(ctx context.Context, tx bun.Tx) error {
		if err := s.lockUser(ctx, tx, user, before, "UPDATE"); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model((*userRow)(nil)).Set("password_hash = ?", text(hash)).Where("id = ?",
			user).Exec(ctx)
		if err != nil {
			return err
		}
		return tx.NewRaw("DELETE FROM sessions WHERE user_id = ? AND id <> ? RETURNING id", user, keep).Scan(ctx,
			&ended)
	})
	return ended, err
}

// RemoveUser removes a user with their sessions, tokens and drafts. hive.CodeConflict for the last administrator.
func (s *Store) RemoveUser(ctx context.Context, name string) error {
	return s.write(ctx, "remove user", func(ctx context.Context, tx bun.Tx) error {
		if err := s.lockPeople(ctx, tx, "UPDATE"); err != nil {
			return err
		}
		row := new(userRow)
		err := tx.NewSelect().Model(row).Where("name = ?", text(name)).Scan(ctx)
		if err != nil {
			return missing(err, "there is no user %q", name)
		}
		others, err := tx.NewSelect().Model((*userRow)(nil)).Where("admin AND id <> ?", row.ID).Count(ctx)
		if err != nil {
			return err
		}
		if row.Admin && others == 0 {
			return hive.Errorf(hive.CodeConflict, "%q is the last administrator; add another one first", name)
		}
		// The row's lock makes a login that is under way end before this or fail.
		if err := s.lockUser(ctx, tx, row.ID, row.PasswordHash, "UPDATE"); err != nil {
			return err
		}
		for _, what := range []any{(*sessionRow)(nil), (*tokenRow)(nil), (*draftRow)(nil)} {
			if _, err := tx.NewDelete().Model(what).Where("user_id = ?", row.ID).Exec(ctx); err != nil {
				return err
			}
		}
		_, err = tx.NewDelete().Model(row).WherePK().Exec(ctx)
		return err
	})
}
