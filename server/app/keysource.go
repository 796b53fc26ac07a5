package app

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/hive"
)

// keySource is where the keys of the database's secrets come from: a file, the environment, or a command.
type keySource struct {
	file    string // also if the keys do not come from it
	text    string // keys, a line each; empty: not from the environment
	command string
}

func keySourceOf(cfg *config.Serve) keySource {
	return keySource{
		file: keyFile(cfg.SecretKey, cfg.Data), text: cfg.SecretKeyText, command: cfg.SecretKeyCommand,
	}
}

// commandTime is how long the command of a key may take.
const commandTime = 30 * time.Second

// maxKeys is the size of the longest list of keys, in bytes.
const maxKeys = 4 << 10

// listed returns the keys from the environment or from the command. files says that the keys come from files instead.
func (k keySource) listed(ctx context.Context) (keys [][]byte, files bool, err error) {
	text, from := k.text, "HIVEGO_SEALING_KEY"
	if k.command != "" {
		from = "--secret-key-command"
		if text, err = output(ctx, k.command); err != nil {
			return nil, false, fmt.Errorf("%s: %w", from, err)
		}
	}
	if k.inFiles() {
		return nil, true, nil
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, err := hex.DecodeString(line)
		if err != nil || len(key) != db.KeySize { // the decoder's error would show part of the key
			return nil, false, fmt.Errorf("%s: want keys of %d hexadecimal characters, as `openssl rand -hex %d` "+
				"makes "+
				"them, a line each", from, 2*db.KeySize, db.KeySize)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, false, fmt.Errorf("%s gives no key", from)
	}
	return keys, false, nil
}

// output returns what a command prints. Its errors do not quote that.
func output(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.WaitDelay = time.Second
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	var words bytes.Buffer
	cmd.Stderr = &words
	if err := cmd.Start(); err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(pipe, maxKeys))
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return "", fmt.Errorf("%w: %s", err, hive.Clean(strings.TrimSpace(words.String()), 300))
	}
	return string(text), nil
}

// use sets the keys of the store, and completes a rotation that was under way.
func (k keySource) use(ctx context.Context, store *db.Store, me string) error {
	keys, files, err := k.listed(ctx)
	switch {
	case err != nil:
		return err
	case files:
		err = useKey(ctx, store, me, k.file)
	default:
		err = useListed(ctx, store, me, keys)
	}
	if err != nil {
		return err
	}
	if err := store.AnnounceSecretKeys(ctx, me); err != nil {
		return err
	}
	former, err := store.FormerSecretKeyID(ctx)
	if err != nil || former == "" {
		return err
	}
	return reseal(ctx, store)
}

// useListed sets the keys of a list: the one that the database names, else the first one.
func useListed(ctx context.Context, store *db.Store, me string, keys [][]byte) error {
	wanted, err := store.SecretKeyID(ctx)
	if err != nil {
		return fmt.Errorf("look which key the secrets have: %w", err)
	}
	i := 0
	if wanted != "" {
		i = slices.IndexFunc(keys, func(key []byte) bool { return db.KeyID(key) == wanted })
	}
	if i < 0 {
		return notListed(wanted)
	}
	return store.UseSecretKey(ctx, me, keys[i], keys...)
}

func notListed(id string) error {
	return fmt.Errorf("the secrets in the database are encrypted with key %s, which is not among the keys that "+
		"HIVEGO_SEALING_KEY or --secret-key-command gives; give it on a line of its own", id)
}

// find returns the keys of ids, without those of empty ids. It changes nothing. An error names the remedy for a key
// that is not there.
func (k keySource) find(ctx context.Context, ids ...string) ([][]byte, error) {
	given, files, err := k.listed(ctx)
	if err != nil {
		return nil, err
	}
	var found [][]byte
	for _, id := range ids {
		if id == "" {
			continue
		}
		keys := given
		if files {
			if keys, err = readKeys(append([]string{k.file}, besideKey(k.file, id)...)); err != nil {
				return nil, err
			}
		}
		i := slices.IndexFunc(keys, func(key []byte) bool { return key != nil && db.KeyID(key) == id })
		switch {
		case i >= 0:
			found = append(found, keys[i])
		case files:
			return nil, noKey(k.file, id, keys[0])
		default:
			return nil, notListed(id)
		}
	}
	return found, nil
}

// readKeys reads files of keys. The key of a file that is not there is nil.
func readKeys(paths []string) ([][]byte, error) {
	keys := make([][]byte, len(paths))
	for i, path := range paths {
		var err error
		if keys[i], err = readKey(path); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// inFiles reports whether the keys come from files.
func (k keySource) inFiles() bool { return k.text == "" && k.command == "" }

// resealed is how many secrets are encrypted anew in one transaction.
const resealed = 200

func reseal(ctx context.Context, store *db.Store) error {
	for {
		if more, err := store.ResealChunk(ctx, resealed); err != nil || !more {
			return err
		}
	}
}

// rotator changes the key of the secrets while servers run.
type rotator struct {
	source keySource
	store  *db.Store
	server string
	log    *slog.Logger
	mu     sync.Mutex
}

// Rotate encrypts all secrets with the next key, and returns its id. A call after a crash goes on. With want,
// CodeConflict if the next key is another one.
func (r *rotator) Rotate(ctx context.Context, want, by string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id, err := r.store.SecretKeyID(ctx)
	if err != nil {
		return "", err
	}
	former, err := r.store.FormerSecretKeyID(ctx)
	if err != nil {
		return "", err
	}
	if former == "" {
		next, err := r.next(ctx, id)
		if err != nil {
			return "", err
		}
		if want != "" && db.KeyID(next) != want {
			return "", hive.Errorf(hive.CodeConflict, "the next key is %s", db.KeyID(next))
		}
		if err := r.store.AddSecretKey(next); err != nil {
			return "", err
		}
		if err := r.store.AnnounceSecretKeys(ctx, r.server); err != nil {
			return "", err
		}
		id = db.KeyID(next)
		if err := r.store.BeginRotation(ctx, id); err != nil {
			return "", err
		}
	}
	if r.source.inFiles() {
		if _, err := takeKey(r.source.file, id); err != nil {
			return "", err
		}
	}
	if err := reseal(ctx, r.store); err != nil {
		return "", err
	}
	r.log.Info("the key of the secrets was rotated", "key", id, "by", by)
	return id, nil
}

// next returns the key after the present one. It makes a file of it if the keys come from files, and there is none.
func (r *rotator) next(ctx context.Context, present string) ([]byte, error) {
	keys, files, err := r.source.listed(ctx)
	if err != nil {
		return nil, err
	}
	if !files {
		for _, key := range keys {
			if db.KeyID(key) != present {
				return key, nil
			}
		}
		return nil, hive.Errorf(hive.CodeConflict, "there is no next key; let the command or the environment give "+
			"it on a "+
			"line of its own beside the present one").WithReason(hive.ErrorNoNextKey)
	}
	path := nextKey(r.source.file)
	key, err := readKey(path)
	if err != nil || key != nil {
		return key, err
	}
	key = newKey()
	if err := writeKey(path, key); err != nil {
		return nil, fmt.Errorf("make the next key of secrets: %w", err)
	}
	return key, nil
}
