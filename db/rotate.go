package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// FormerSecretKeyID returns the id of the key that a rotation replaces; "" if no rotation is under way.
func (s *Store) FormerSecretKeyID(ctx context.Context) (string, error) {
	id, err := s.Meta(ctx, MetaFormerSecretKey)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return "", nil
	}
	return id, err
}

// AddSecretKey makes another key open secrets.
func (s *Store) AddSecretKey(key []byte) error {
	k, err := newSealer(key)
	if err == nil {
		s.setRing(s.ring().with(k))
	}
	return err
}

// AnnounceSecretKeys stores which keys a server has, so that no rotation locks it out.
func (s *Store) AnnounceSecretKeys(ctx context.Context, server string) error {
	ids := slices.Sorted(maps.Keys(s.ring()))
	return s.SetMeta(ctx, metaServerKeys+server, strings.Join(ids, " "))
}

// BeginRotation makes another key seal from now on. The former one still opens, until ResealChunk has sealed all
// secrets anew. hive.CodeConflict if a rotation is under way already, or if a live server does not have the key.
func (s *Store) BeginRotation(ctx context.Context, next string) error {
	if s.ring()[next] == nil {
		return fmt.Errorf("this server does not have key %s", next)
	}
	return s.write(ctx, "begin to rotate the key of secrets", func(ctx context.Context, tx bun.Tx) error {
		var now metaRow
		err := tx.NewRaw("SELECT * FROM meta WHERE key = ?"+s.kind.lock("UPDATE"), MetaSecretKey).Scan(ctx, &now)
		if err != nil {
			return err
		}
		if now.Value == next {
			return nil
		}
		var former metaRow
		err = tx.NewRaw("SELECT * FROM meta WHERE key = ?", MetaFormerSecretKey).Scan(ctx, &former)
		if err == nil {
			return hive.Errorf(hive.CodeConflict, "a rotation of the key is under way; call again to go on with it").
				WithReason(hive.ErrorRotating)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := s.checkServerKeys(ctx, tx, next); err != nil {
			return err
		}
		_, err = tx.NewInsert().Model(&metaRow{Key: MetaFormerSecretKey, Value: now.Value}).Exec(ctx)
		if err == nil {
			_, err = tx.NewRaw("UPDATE meta SET value = ? WHERE key = ?", next, MetaSecretKey).Exec(ctx)
		}
		return err
	})
}

// checkServerKeys returns an error if a live server has not announced a key.
func (s *Store) checkServerKeys(ctx context.Context, tx bun.Tx, id string) error {
	var rows []struct{ ID, Address, Keys string }
	err := tx.NewRaw("SELECT s.id, s.address, COALESCE(m.value, '') AS keys FROM servers AS s LEFT JOIN meta AS m "+
		"ON m.key = ? || s.id WHERE s.lease_until > "+s.kind.now()+" ORDER BY s.id", metaServerKeys).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if !slices.Contains(strings.Fields(r.Keys), id) {
			return hive.Errorf(hive.CodeConflict, "the server at %s does not have key %s yet; give every server the "+
				"next "+
				"key beside the present one, and start it again", r.Address, id).
				WithReason(hive.ErrorKeyMissing, "server", r.Address, "key", id)
		}
	}
	return nil
}

// ResealChunk seals at most limit secrets of each kind anew, with the key that the database names. It returns false
// once none is left: the former key is not needed any more then. A crash between two chunks loses nothing.
func (s *Store) ResealChunk(ctx context.Context, limit int) (more bool, err error) {
	ring := s.ring()
	err = s.write(ctx, "encrypt secrets anew", func(ctx context.Context, tx bun.Tx) error {
		k, err := s.sealing(ctx, tx)
		if err != nil || k == nil {
			return err
		}
		executors, err := s.resealSome(ctx, tx, sealedColumn{"executors", "id", "secret", bound}, ring, k, limit)
		if err != nil {
			return err
		}
		values, err := s.resealSome(ctx, tx, sealedColumn{"secrets", "name", "value", boundToName}, ring, k, limit)
		if err != nil {
			return err
		}
		channels, err := s.resealSomeOfChannels(ctx, tx, ring, k, limit)
		if err != nil {
			return err
		}
		if more = executors+values+channels > 0; more {
			return nil
		}
		_, err = tx.NewRaw("DELETE FROM meta WHERE key = ?", MetaFormerSecretKey).Exec(ctx)
		return err
	})
	return more, err
}

// sealedColumn is a column with sealed texts.
type sealedColumn struct {
	table, key, column string
	bound              func(key string) []byte
}

type sealedText struct{ Key, Sealed string }

// resealSome seals at most limit texts anew that another key has sealed.
func (s *Store) resealSome(
	ctx context.Context, tx bun.Tx, c sealedColumn, ring keyring, k *sealer, limit int,
) (int, error) {
	var rows []sealedText
	err := tx.NewRaw("SELECT ? AS key, ? AS sealed FROM ? WHERE ? LIKE ? AND ? NOT LIKE ? ORDER BY ? LIMIT ?"+
		s.kind.lock("UPDATE"), bun.Ident(c.key), bun.Ident(c.column), bun.Ident(c.table), bun.Ident(c.column),
		sealedPrefix+"%", bun.Ident(c.column), sealedPrefix+k.id+":%", bun.Ident(c.key), limit).Scan(ctx, &rows)
	if err != nil {
		return 0, err
	}
	return len(rows), c.reseal(ctx, tx, rows, ring, k)
}

// reseal replaces sealed texts by the same texts under another key.
func (c sealedColumn) reseal(ctx context.Context, tx bun.Tx, rows []sealedText, ring keyring, k *sealer) error {
	for _, r := range rows {
		plain, err := ring.unseal(c.bound(r.Key), r.Sealed)
		if err != nil {
			return fmt.Errorf("%s %q: %w; delete it, and set it again", strings.TrimSuffix(c.table, "s"), r.Key, err)
		}
		_, err = tx.NewRaw("UPDATE ? SET ? = ? WHERE ? = ?", bun.Ident(c.table), bun.Ident(c.column),
			k.box(c.bound(r.Key), plain), bun.Ident(c.key), r.Key).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// resealValues seals the values of all secrets of tasks anew. Without a former key they are lost, and deleted.
func resealValues(ctx context.Context, tx bun.Tx, before keyring, after *sealer) error {
	if before == nil {
		_, err := tx.NewRaw("DELETE FROM secrets").Exec(ctx)
		return err
	}
	var rows []sealedText
	err := tx.NewRaw("SELECT name AS key, value AS sealed FROM secrets ORDER BY name").Scan(ctx, &rows)
	if err != nil {
		return err
	}
	return sealedColumn{"secrets", "name", "value", boundToName}.reseal(ctx, tx, rows, before, after)
}
