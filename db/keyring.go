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
	"maps"
	"strings"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// KeySize is the size of a key of secrets, in bytes.
const KeySize = 32

const (
	// MetaSecretKey is the Meta key of the id of the key that the secrets are encrypted with.
	MetaSecretKey = "secretKey"
	// MetaFormerSecretKey is the Meta key of the id of the former key, while a rotation is under way.
	MetaFormerSecretKey = "secretKey.former"
	// metaServerKeys and the id of a server are the Meta key of the ids of the keys that the server has.
	metaServerKeys = "secretKeys."
	// sealedPrefix begins a sealed secret: aes1:KEYID:BASE64(nonce, ciphertext, tag).
	sealedPrefix = "aes1:"
)

// KeyID names a key without telling it.
func KeyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("hivego secret key id\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

// sealer encrypts with one key what must be read again: each call to an executor shows it the executor's secret, a
// task needs the values of its secrets, and a message those of its channel.
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

// boundToName binds a sealed value to the name of its secret.
func boundToName(name string) []byte { return []byte("secrets.value\x00" + name) }

// seal encrypts the secret of an executor. Without a key, and without a secret, it stays as it is.
func (k *sealer) seal(executor, secret string) string { return k.sealAs(bound(executor), secret) }

// sealAs encrypts a secret and binds it to its place. Without a key, and without a secret, it stays as it is.
func (k *sealer) sealAs(to []byte, secret string) string {
	if k == nil || secret == "" {
		return secret
	}
	return k.box(to, secret)
}

// box encrypts a text that can only be opened where it is bound to.
func (k *sealer) box(to []byte, plain string) string {
	box := k.aead.Seal(nil, nil, []byte(plain), to) //nolint:gosec // the AEAD draws the nonce itself
	return sealedPrefix + k.id + ":" + base64.RawStdEncoding.EncodeToString(box)
}

var errSealed = errors.New("it cannot be decrypted")

// unbox decrypts the part of a sealed text after the key's id.
func (k *sealer) unbox(to []byte, text string) (string, error) {
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return "", errSealed
	}
	plain, err := k.aead.Open(nil, nil, raw, to)
	if err != nil {
		return "", errSealed
	}
	return string(plain), nil
}

// keyring holds the keys that open, by id. The database names the one that seals. It is never changed.
type keyring map[string]*sealer

func newKeyring(keys ...[]byte) (keyring, error) {
	ring := keyring{}
	for _, key := range keys {
		k, err := newSealer(key)
		if err != nil {
			return nil, err
		}
		ring[k.id] = k
	}
	return ring, nil
}

// with returns a ring that has one more key.
func (r keyring) with(k *sealer) keyring {
	more := maps.Clone(r)
	if more == nil {
		more = keyring{}
	}
	more[k.id] = k
	return more
}

// unseal opens a sealed text.
func (r keyring) unseal(to []byte, stored string) (string, error) {
	rest, sealed := strings.CutPrefix(stored, sealedPrefix)
	id, text, _ := strings.Cut(rest, ":")
	k := r[id]
	if !sealed || k == nil {
		return "", fmt.Errorf("%w: it was encrypted with key %.20q", errSealed, id)
	}
	return k.unbox(to, text)
}

// open returns the secret of an executor. A text that is not sealed was written before there was a key.
func (r keyring) open(executor, stored string) (string, error) {
	return r.openAs(bound(executor), stored)
}

// openAs returns the secret of a place. A text that is not sealed was written before there was a key.
func (r keyring) openAs(to []byte, stored string) (string, error) {
	if !strings.HasPrefix(stored, sealedPrefix) {
		return stored, nil
	}
	return r.unseal(to, stored)
}

// ring returns the keys of the store; nil before UseSecretKey.
func (s *Store) ring() keyring {
	if r := s.keys.Load(); r != nil {
		return *r
	}
	return nil
}

func (s *Store) setRing(r keyring) { s.keys.Store(&r) }

// sealing returns the key that seals now, until the end of a transaction; nil before UseSecretKey. It locks the row
// that names the key, so that no rotation ends before the transaction.
func (s *Store) sealing(ctx context.Context, tx bun.Tx) (*sealer, error) {
	ring := s.ring()
	if ring == nil {
		return nil, nil //nolint:nilnil // what is stored then stays in clear until there is a key
	}
	var now metaRow
	err := tx.NewRaw("SELECT * FROM meta WHERE key = ?"+s.kind.lock("SHARE"), MetaSecretKey).Scan(ctx, &now)
	if err != nil {
		return nil, err
	}
	k := ring[now.Value]
	if k == nil {
		return nil, hive.Errorf(hive.CodeUnavailable, "the secrets are encrypted with key %s now, which this server "+
			"does "+
			"not have; give it the key, and start it again", now.Value)
	}
	return k, nil
}

// hive returns the executor of a row, with its secret decrypted. With an error, the executor lacks what cannot be read.
func (r keyring) hive(row *executorRow) (hive.Executor, error) {
	e, err := row.hive()
	if err != nil {
		err = fmt.Errorf("executor %q: %w", e.Name, err)
	}
	var serr error
	if e.Secret, serr = r.open(e.ID, row.Secret); serr != nil {
		serr = fmt.Errorf("the secret of executor %q: %w", e.Name, serr)
	}
	if err = errors.Join(err, serr); err != nil {
		err = fmt.Errorf("%w; delete the executor, and let it register or add it again", err)
	}
	return e, err
}
