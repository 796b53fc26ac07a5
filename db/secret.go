package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// SecretKeyID returns the id of the key that secrets are encrypted with; "" if none is in use yet.
func (s *Store) SecretKeyID(ctx context.Context) (string, error) {
	id, err := s.Meta(ctx, MetaSecretKey)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return "", nil
	}
	return id, err
}

// UseSecretKey encrypts secrets with a key from now on. It encrypts all secrets that are stored as plain text in one
// transaction. hive.CodeConflict if the database has another key; hive.CodeUnavailable if it has none yet, and another
// server works on it: that server has an earlier version, which cannot read encrypted secrets.
//
// The other keys only open: the former key, while a rotation is under way, and the next one.
func (s *Store) UseSecretKey(ctx context.Context, me string, key []byte, others ...[]byte) error {
	k, err := newSealer(key)
	if err != nil {
		return err
	}
	ring, err := newKeyring(append([][]byte{key}, others...)...)
	if err != nil {
		return err
	}
	err = s.erasing(ctx, func() error {
		return s.write(ctx, "encrypt secrets", func(ctx context.Context, tx bun.Tx) error {
			res, err := tx.NewInsert().Model(&metaRow{
				Key:   MetaSecretKey,
				Value: k.id,
			}).On("CONFLICT (key) DO NOTHING").Exec(ctx)
			if err != nil {
				return err
			}
			made, err := res.RowsAffected()
			if err != nil {
				return err
			}
			if err := s.alone(ctx, tx, me, made); err != nil {
				return err
			}
			var now metaRow
			if err := tx.NewSelect().Model(&now).Where("key = ?", MetaSecretKey).Scan(ctx); err != nil {
				return err
			}
			if now.Value != k.id {
				return hive.Errorf(hive.CodeConflict,
					"the database's secrets are encrypted with key %s, and this is key %s",
					now.Value, k.id)
			}
			return reseal(ctx, tx, func(bound []byte, stored string) (string, error) {
				// Before there was a key nothing was sealed, whatever an executor chose for a secret.
				if made == 0 && strings.HasPrefix(stored, sealedPrefix) {
					return stored, nil
				}
				return k.sealAs(bound, stored), nil
			})
		})
	})
	if err == nil {
		s.setRing(ring)
	}
	return err
}

// alone returns an error if another server works on the database, which is about to get its first key.
func (s *Store) alone(ctx context.Context, tx bun.Tx, me string, made int64) error {
	if made == 0 {
		return nil
	}
	var others int
	err := tx.NewRaw("SELECT count(*) FROM servers WHERE id <> ? AND lease_until > "+s.kind.now(), text(me)).Scan(ctx,
		&others)
	if err == nil && others > 0 {
		err = hive.Errorf(hive.CodeUnavailable,
			"a server of an earlier version works on the database, or did so a few seconds ago; "+
				"stop all servers before the first one of this version starts, and try again after half a minute")
	}
	return err
}

// ChangeSecretKey encrypts all secrets with a new key. With old nil it removes them: executors that register send
// theirs again, executors that were added by an address need their token once more, and the secrets of tasks and of
// channels must be set again. No server may run, because it would go on with the old key.
func (s *Store) ChangeSecretKey(ctx context.Context, old, key []byte) error {
	var before keyring
	after, err := newSealer(key)
	if err == nil && old != nil {
		before, err = newKeyring(old)
	}
	if err != nil {
		return err
	}
	return s.erasing(ctx, func() error {
		return s.write(ctx, "encrypt secrets anew", func(ctx context.Context, tx bun.Tx) error {
			var leases int
			err := tx.NewRaw("SELECT count(*) FROM servers WHERE lease_until > "+s.kind.now()).Scan(ctx, &leases)
			if err != nil {
				return err
			}
			if leases > 0 {
				return hive.Errorf(hive.CodeConflict,
					"a server works on the database, or did so a few seconds ago; stop all of them, "+
						"and try again after half a minute")
			}
			_, err = tx.NewInsert().Model(&metaRow{Key: MetaSecretKey, Value: after.id}).
				On("CONFLICT (key) DO UPDATE").Set("value = EXCLUDED.value").Exec(ctx)
			if err != nil {
				return err
			}
			if _, err := tx.NewRaw("DELETE FROM meta WHERE key = ?", MetaFormerSecretKey).Exec(ctx); err != nil {
				return err
			}
			if err := resealValues(ctx, tx, before, after); err != nil {
				return err
			}
			return reseal(ctx, tx, func(bound []byte, stored string) (string, error) {
				if before == nil && strings.HasPrefix(stored, sealedPrefix) {
					return "", nil
				}
				plain, err := before.openAs(bound, stored)
				return after.sealAs(bound, plain), err
			})
		})
	})
}

// reseal replaces each secret of executors and channels by the result of f. bound is what the secret is bound to.
func reseal(ctx context.Context, tx bun.Tx, f func(bound []byte, stored string) (string, error)) error {
	var rows []struct {
		ID     string `bun:"id"`
		Secret string `bun:"secret"`
	}
	if err := tx.NewRaw("SELECT id, secret FROM executors ORDER BY id").Scan(ctx, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		fresh, err := f(bound(r.ID), r.Secret)
		if err != nil {
			return fmt.Errorf("the secret of executor %q: %w", r.ID, err)
		}
		if fresh == r.Secret {
			continue
		}
		if _, err := tx.NewRaw("UPDATE executors SET secret = ? WHERE id = ?", fresh, r.ID).Exec(ctx); err != nil {
			return err
		}
	}
	return resealChannels(ctx, tx, f)
}

// erasing makes SQLite overwrite what f replaces. Otherwise the plain text would stay in the file.
func (s *Store) erasing(ctx context.Context, f func() error) error {
	if s.r == s.w { // PostgreSQL
		return f()
	}
	if _, err := s.w.ExecContext(ctx, "PRAGMA secure_delete = ON"); err != nil {
		return s.fault("have SQLite overwrite what is replaced", err)
	}
	err := f()
	if _, off := s.w.ExecContext(ctx, "PRAGMA secure_delete = OFF"); err == nil && off != nil {
		err = s.fault("have SQLite delete as usual", off)
	}
	return err
}
