package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/hive"
)

// keyFile returns the file with the key of the database's secrets.
func keyFile(given, data string) string { return cmp.Or(given, filepath.Join(data, "secret.key")) }

// nextKey returns the file of a key that is about to replace another one.
func nextKey(path string) string { return path + ".next" }

// useKey sets the key of the store from the file. It creates the key if the database has none yet.
func useKey(ctx context.Context, store *db.Store, me, path string) error {
	wanted, err := store.SecretKeyID(ctx)
	if err != nil {
		return fmt.Errorf("look which key the secrets have: %w", err)
	}
	key, err := readKey(path)
	if err != nil {
		return err
	}
	if wanted != "" && (key == nil || db.KeyID(key) != wanted) {
		taken, err := takeKey(path, wanted)
		if err != nil {
			return err
		}
		if !taken {
			return noKey(path, wanted, key)
		}
		if key, err = readKey(path); err != nil {
			return err
		}
	}
	if key == nil {
		key = newKey()
		if err := writeKey(path, key); err != nil {
			return fmt.Errorf("make the key of secrets: %w", err)
		}
	}
	others, err := otherKeys(ctx, store, path)
	if err != nil {
		return err
	}
	if err := store.UseSecretKey(ctx, me, key, others...); hive.CodeOf(err) == hive.CodeUnavailable {
		return err
	} else if err != nil {
		return fmt.Errorf("%w; every server of a database needs the same key: %s, or what --secret-key names", err,
			path)
	}
	return nil
}

// otherKeys returns the keys that open beside the present one: the next one, if there is one, and the former one while
// a rotation is under way.
func otherKeys(ctx context.Context, store *db.Store, path string) ([][]byte, error) {
	var others [][]byte
	next, err := readKey(nextKey(path))
	if err != nil {
		return nil, err
	}
	if next != nil {
		others = append(others, next)
	}
	id, err := store.FormerSecretKeyID(ctx)
	if err != nil || id == "" {
		return others, err
	}
	former, err := readKey(path + "." + id)
	if err == nil && former == nil {
		err = fmt.Errorf("the key of the secrets was about to be rotated, and its former key %s is not at %s; put "+
			"it back "+
			"from its backup", id, path+"."+id)
	}
	return append(others, former), err
}

// besideKey returns the other files that may have the key of an id. The next one has it if a change of the key was
// killed after the database had accepted it, a former one if an older state of the database was restored.
func besideKey(path, id string) []string { return []string{nextKey(path), path + "." + id} }

// takeKey puts the key of an id into its place, if another file has it.
func takeKey(path, id string) (taken bool, err error) {
	for _, from := range besideKey(path, id) {
		key, err := readKey(from)
		if err != nil {
			return false, err
		}
		if key != nil && db.KeyID(key) == id {
			return true, moveKey(from, path)
		}
	}
	return false, nil
}

// noKey returns the error, with a remedy, for a missing key.
func noKey(path, wanted string, have []byte) error {
	found := "is not there"
	if have != nil {
		found = "has key " + db.KeyID(have)
	}
	return fmt.Errorf("the secrets in the database are encrypted with key %s, but %s %s; put the file back from "+
		"its backup, copy "+
		"that of another server of this database, or name it with --secret-key. If the key is lost, stop all "+
		"servers and run "+
		"`hivego secret-key new --lost`: executors that register come back by themselves, those added by an "+
		"address are to be "+
		"added again with their token, and the secrets of tasks and of channels to be set again", wanted, path, found)
}

func newKey() []byte {
	key := make([]byte, db.KeySize)
	_, _ = rand.Read(key) // it never fails
	return key
}

// readKey reads a key, or returns nil if there is no file. Other users must not have access to the file.
func readKey(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is none yet
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of secrets: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the key of secrets: %w", err)
	}
	if !config.Private(info, os.Getegid()) {
		return nil, fmt.Errorf("others can read %s, the key of the database's secrets; run: chmod 600 %s", path,
			hive.ShellWord(path))
	}
	text, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return nil, fmt.Errorf("read the key of secrets: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != db.KeySize { // the decoder's error would show part of the key
		return nil, fmt.Errorf("%s is no key: want %d hexadecimal characters, as `openssl rand -hex %d` makes them; "+
			"put it back from its backup", path, 2*db.KeySize, db.KeySize)
	}
	return key, nil
}

// writeKey creates a file that is complete or missing after a crash.
func writeKey(path string, key []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".secret-key-") // only its owner may read it
	if err != nil {
		return err
	}
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Link(f.Name(), path) // never replaces another file
	}
	return errors.Join(err, os.Remove(f.Name()), syncFolder(filepath.Dir(path)))
}

// moveKey replaces the key by another one. It keeps the old key under another name, because older backups need it.
func moveKey(from, path string) error {
	if old, err := readKey(path); err == nil && old != nil {
		if err := os.Link(path, path+"."+db.KeyID(old)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return errors.Join(os.Rename(from, path), syncFolder(filepath.Dir(path)))
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
