package db

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// KeySize is the size of a key of secrets, in bytes.
const KeySize = 32

const (
	// MetaSecretKey is the Meta key of the id of the key that the secrets are encrypted with.
	MetaSecretKey = "secretKey"
	// sealedPrefix begins a sealed secret: aes1:KEYID:BASE64(nonce, ciphertext, tag).
	sealedPrefix = "aes1:"
)

// KeyID names a key without telling it.
func KeyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("hivego secret key id\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

// sealer encrypts secrets that must be read again: each call to an executor shows it the executor's secret.
type sealer struct {
	id   string
	aead cipher.AEAD
}

func newSealer(key []byte) (*sealer, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("a key of secrets has %d bytes, not %d", KeySize, len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &sealer{id: KeyID(key), aead: aead}, nil
}

// bound binds a sealed secret to its executor: it cannot be opened in the row of another one.
func bound(executor string) []byte { return []byte("executors.secret\x00" + executor) }

// seal encrypts the secret of an executor. Without a key, and without a secret, it stays as it is.
func (k *sealer) seal(executor, secret string) string { return k.sealAs(bound(executor), secret) }

// sealAs encrypts a secret and binds it to its place.
func (k *sealer) sealAs(bound []byte, secret string) string {
	if k == nil || secret == "" {
		return secret
	}
	box := k.aead.Seal(nil, nil, []byte(secret), bound) //nolint:gosec // the AEAD draws the nonce itself
	return sealedPrefix + k.id + ":" + base64.RawStdEncoding.EncodeToString(box)
}

var errSealed = errors.New("it cannot be decrypted")

// open returns the secret of an executor. A text that is not sealed was written before there was a key.
func (k *sealer) open(executor, stored string) (string, error) {
	return k.openAs(bound(executor), stored)
}

// openAs returns the secret of a place.
func (k *sealer) openAs(bound []byte, stored string) (string, error) {
	rest, sealed := strings.CutPrefix(stored, sealedPrefix)
	if !sealed {
		return stored, nil
	}
	id, text, _ := strings.Cut(rest, ":")
	if k == nil || id != k.id {
		return "", fmt.Errorf("%w: it was encrypted with key %.20q", errSealed, id)
	}
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return "", errSealed
	}
	plain, err := k.aead.Open(nil, nil, raw, bound)
	if err != nil {
		return "", errSealed
	}
	return string(plain), nil
}

// hive returns the executor of a row, with its secret decrypted. With an error, the executor lacks what cannot be read.
func (k *sealer) hive(r *executorRow) (hive.Executor, error) {
	e, err := r.hive()
	if err != nil {
		err = fmt.Errorf("executor %q: %w", e.Name, err)
	}
	var serr error
	if e.Secret, serr = k.open(e.ID, r.Secret); serr != nil {
		serr = fmt.Errorf("the secret of executor %q: %w", e.Name, serr)
	}
	if err = errors.Join(err, serr); err != nil {
		err = fmt.Errorf("%w; delete the executor, and let it register or add it again", err)
	}
	return e, err
}

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
func (s *Store) UseSecretKey(ctx context.Context, me string, key []byte) error {
	k, err := newSealer(key)
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
		s.sealer = k
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
// theirs again, executors that were added by an address need their token once more, and the secrets of channels must be
// set again. No server may run, because it
// would go on with the old key.
func (s *Store) ChangeSecretKey(ctx context.Context, old, key []byte) error {
	var before *sealer
	after, err := newSealer(key)
	if err == nil && old != nil {
		before, err = newSealer(old)
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

// reseal replaces each secret by the result of f. bound is what the secret is bound to.
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
