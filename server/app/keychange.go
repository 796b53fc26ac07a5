package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/rprp/hivego/db"
)

// change gives the database another key while no server uses it. Keys that do not come from files are made elsewhere:
// then it takes the one that is listed beside the present one.
func (k keySource) change(ctx context.Context, store *db.Store, lost bool) error {
	keys, files, err := k.listed(ctx)
	switch {
	case err != nil:
		return err
	case files:
		return changeKey(ctx, store, k.file, lost)
	}
	id, err := store.SecretKeyID(ctx)
	if err != nil {
		return err
	}
	if err := notRotating(ctx, store, lost); err != nil {
		return err
	}
	var old, next []byte
	for _, key := range keys {
		switch {
		case db.KeyID(key) == id:
			old = key
		case next == nil:
			next = key
		}
	}
	switch {
	case lost:
		old = nil
	case old == nil && id != "":
		return notListed(id)
	}
	if next == nil {
		return errors.New("there is no next key; let the command or the environment give it on a line of its own " +
			"beside the present one")
	}
	return store.ChangeSecretKey(ctx, old, next)
}

// notRotating returns an error if a rotation is under way, which needs the former key too.
func notRotating(ctx context.Context, store *db.Store, lost bool) error {
	former, err := store.FormerSecretKeyID(ctx)
	if err == nil && former != "" && !lost {
		err = errors.New("a rotation of the key is under way; start a server, which completes it, and try again")
	}
	return err
}

// changeKey replaces the key of the database. Whenever it is killed, the key of the database is in one of two files.
func changeKey(ctx context.Context, store *db.Store, path string, lost bool) error {
	wanted, err := store.SecretKeyID(ctx)
	if err != nil {
		return err
	}
	old, err := readKey(path)
	if err != nil {
		return err
	}
	if wanted != "" && (old == nil || db.KeyID(old) != wanted) {
		taken, err := takeKey(path, wanted)
		if err == nil && taken {
			old, err = readKey(path)
		}
		if err == nil && !taken && !lost {
			err = noKey(path, wanted, old)
		}
		if err != nil {
			return err
		}
	}
	if err := notRotating(ctx, store, lost); err != nil {
		return err
	}
	if lost {
		old = nil
	}
	// The database has not accepted it.
	if err := os.Remove(nextKey(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key := newKey()
	if err := writeKey(nextKey(path), key); err != nil {
		return fmt.Errorf("make the key of secrets: %w", err)
	}
	if err := store.ChangeSecretKey(ctx, old, key); err != nil {
		return err // the next key stays, because the database may have accepted it
	}
	return moveKey(nextKey(path), path)
}
