package app

import (
	"context"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/hive"
)

// withSecret returns the data folder of a stopped server whose database holds an executor's secret.
func withSecret(t *testing.T) (data, key string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	a := newApp(t, settings(data, false))
	require.NoError(t, a.store.SaveExecutor(t.Context(), hive.Executor{ID: "e1", Name: "alpha", Secret: "hush"}))
	a.Stop()
	key = filepath.Join(data, "secret.key")
	info, err := os.Stat(key)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	return data, key
}

// secretOf starts a server and reads the executor's secret.
func secretOf(t *testing.T, data, key string) string {
	t.Helper()
	cfg := settings(data, false)
	cfg.SecretKey = key
	a := newApp(t, cfg)
	defer a.Stop()
	e, err := a.store.Executor(t.Context(), "e1")
	require.NoError(t, err)
	return e.Secret
}

// A server without the key of its database does not start, and names the remedy. No part of the key is in the error.
func TestKeyMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(key string) error
		want   []string
	}{
		"away": {os.Remove, []string{"is not there", "backup", "--secret-key", "hivego secret-key new --lost"}},
		"another": {
			func(key string) error { return os.WriteFile(key, []byte(strings.Repeat("ab", 32)), 0o600) },
			[]string{"has key ", "another server"},
		},
		"open":  {func(key string) error { return os.Chmod(key, 0o640) }, []string{"others can read", "chmod 600"}},
		"cut":   {func(key string) error { return os.Truncate(key, 10) }, []string{"is no key", "64 hexadecimal"}},
		"empty": {func(key string) error { return os.Truncate(key, 0) }, []string{"is no key"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, key := withSecret(t)
			text, err := os.ReadFile(key)
			require.NoError(t, err)
			require.NoError(t, c.change(key))
			var output strings.Builder
			_, err = New(t.Context(), settings(data, false), "test", slog.New(slog.NewTextHandler(&output, nil)))
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
			assert.NotContains(t, err.Error()+output.String(), string(text[:8]))
			_ = os.Remove(key)
			require.NoError(t, os.WriteFile(key, text, 0o600))
			assert.Equal(t, "hush", secretOf(t, data, ""))
		})
	}
}

// The key may be in another place, because servers that share a database need the same key.
func TestKeyElsewhere(t *testing.T) {
	t.Parallel()
	data, key := withSecret(t)
	moved := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.Rename(key, moved))
	assert.Equal(t, "hush", secretOf(t, data, moved))
	assert.NoFileExists(t, key)
}

// A key can be changed, and given up when it is lost. A running server prevents both.
func TestKeyChange(t *testing.T) {
	t.Parallel()
	data, key := withSecret(t)
	before, err := os.ReadFile(key)
	require.NoError(t, err)
	change := func(lost bool) error {
		l, err := OpenLocal(t.Context(), cli.Place{Data: data, Alone: true})
		if err != nil {
			return err
		}
		defer func() { assert.NoError(t, l.Close()) }()
		return l.Key.ChangeKey(t.Context(), cli.KeyPlace{}, lost)
	}
	a := newApp(t, settings(data, false))
	require.Error(t, change(false))
	a.Stop()
	require.NoError(t, change(false))
	after, err := os.ReadFile(key)
	require.NoError(t, err)
	assert.NotEqual(t, before, after)
	kept, err := filepath.Glob(key + ".*")
	require.NoError(t, err)
	require.Len(t, kept, 1, "older backups need the former key")
	former, err := os.ReadFile(kept[0])
	require.NoError(t, err)
	assert.Equal(t, before, former)
	assert.NoFileExists(t, nextKey(key))
	assert.Equal(t, "hush", secretOf(t, data, ""))

	require.NoError(t, os.Remove(key))
	require.ErrorContains(t, change(false), "is not there")
	require.NoError(t, change(true))
	assert.Empty(t, secretOf(t, data, ""))
}

// A change that is killed at any point leaves a server that starts, and a key that can be changed.
func TestKeyChangeKilled(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]func(ctx context.Context, s *db.Store, path string, old, fresh []byte) error{
		"before the database has it": func(_ context.Context, _ *db.Store, path string, _, fresh []byte) error {
			return writeKey(nextKey(path), fresh)
		},
		"before the file is moved": func(ctx context.Context, s *db.Store, path string, old, fresh []byte) error {
			if err := writeKey(nextKey(path), fresh); err != nil {
				return err
			}
			return s.ChangeSecretKey(ctx, old, fresh)
		},
	} {
		for _, then := range []string{"start", "change", "lost"} {
			t.Run(name+", then "+then, func(t *testing.T) {
				t.Parallel()
				data, path := withSecret(t)
				s, err := db.Open(t.Context(), db.Config{Dir: data, Log: slog.New(slog.DiscardHandler)})
				require.NoError(t, err)
				old, err := readKey(path)
				require.NoError(t, err)
				require.NoError(t, killed(t.Context(), s, path, old, newKey()))
				want := "hush"
				switch then {
				case "change":
					require.NoError(t, changeKey(t.Context(), s, path, false))
				case "lost":
					require.NoError(t, changeKey(t.Context(), s, path, true))
					want = ""
				}
				require.NoError(t, s.Close())
				assert.Equal(t, want, secretOf(t, data, ""))
			})
		}
	}
}

// A key is what `openssl rand -hex 32` prints. An existing file is never overwritten.
func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	key := newKey()
	require.NoError(t, writeKey(path, key))
	require.Error(t, writeKey(path, newKey()))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, hex.EncodeToString(key)+"\n", string(text))
	got, err := readKey(path)
	require.NoError(t, err)
	assert.Equal(t, key, got)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".secret*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
