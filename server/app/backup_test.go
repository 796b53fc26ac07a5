package app

import (
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

// filesOf are the places of a server's files.
func filesOf(data string, k cli.KeyPlace) cli.ServerFiles {
	return cli.ServerFiles{Place: cli.Place{Data: data}, KeyPlace: k}
}

// A backup from the middle of a change of the key has all keys that its secrets need: the restored server completes it.
func TestBackupInRotation(t *testing.T) {
	t.Parallel()
	data, file := withSecret(t)
	a := newApp(t, settings(data, false))
	before := must(a.store.SecretKeyID(t.Context()))
	next := must(a.rotator.next(t.Context(), ""))
	require.NoError(t, a.store.AddSecretKey(next))
	require.NoError(t, a.store.AnnounceSecretKeys(t.Context(), a.server.ID))
	require.NoError(t, a.store.BeginRotation(t.Context(), db.KeyID(next)))
	for name, change := range map[string]func() error{
		"before the files change": func() error { return nil },
		"after the files changed": func() error { return moveKey(nextKey(file), file) },
	} {
		require.NoError(t, change())
		copied := filepath.Join(t.TempDir(), "copy")
		_, err := Backups{}.Backup(t.Context(), cli.BackupOrder{
			ServerFiles: filesOf(data, cli.KeyPlace{}), File: copied,
		})
		require.NoError(t, err, name)
		restored := filepath.Join(t.TempDir(), "data")
		_, err = Backups{}.Restore(t.Context(), cli.RestoreOrder{
			ServerFiles: filesOf(restored, cli.KeyPlace{}), File: copied,
		})
		require.NoError(t, err, name)
		assert.Equal(t, "hush", secretOf(t, restored, ""), name)
	}
	a.Stop()
	require.NoError(t, os.Remove(file+"."+before))
	_, err := Backups{}.Backup(t.Context(), cli.BackupOrder{
		ServerFiles: filesOf(data, cli.KeyPlace{}), File: filepath.Join(t.TempDir(), "copy"),
	})
	require.ErrorContains(t, err, before) // a part of the secrets would be lost
}

// An older state of the database finds the former key that is beside the present one.
func TestFormerKeyReturns(t *testing.T) {
	t.Parallel()
	data, file := withSecret(t)
	older, err := os.ReadFile(filepath.Join(data, "hivego.db"))
	require.NoError(t, err)
	before := must(readKey(file))
	a := newApp(t, settings(data, false))
	fresh := must(a.rotator.Rotate(t.Context(), "", "ada"))
	a.Stop()
	for _, end := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(filepath.Join(data, "hivego.db"+end))
	}
	require.NoError(t, os.WriteFile(filepath.Join(data, "hivego.db"), older, 0o600))
	assert.Equal(t, "hush", secretOf(t, data, ""))
	assert.Equal(t, before, must(readKey(file)))
	assert.Equal(t, fresh, db.KeyID(must(readKey(file+"."+fresh))))
}

// Where the key does not come from a file, a backup leaves it out and says so, and only its owner can restore it.
func TestBackupWithListedKey(t *testing.T) {
	t.Parallel()
	data, file := withSecret(t)
	text := string(must(os.ReadFile(file)))
	require.NoError(t, os.Remove(file))
	copied := filepath.Join(t.TempDir(), "copy")
	listed, other := cli.KeyPlace{SealingKey: text}, cli.KeyPlace{SealingKey: strings.Repeat("ab", db.KeySize)}
	_, err := Backups{}.Backup(t.Context(), cli.BackupOrder{ServerFiles: filesOf(data, other), File: copied})
	require.ErrorContains(t, err, "HIVEGO_SEALING_KEY")
	c, err := Backups{}.Backup(t.Context(), cli.BackupOrder{ServerFiles: filesOf(data, listed), File: copied})
	require.NoError(t, err)
	assert.True(t, c.KeyElsewhere)
	restored := filepath.Join(t.TempDir(), "data")
	order := cli.RestoreOrder{ServerFiles: filesOf(restored, other), File: copied}
	_, err = Backups{}.Restore(t.Context(), order)
	require.ErrorContains(t, err, "HIVEGO_SEALING_KEY")
	order.KeyPlace = listed
	_, err = Backups{}.Restore(t.Context(), order)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(restored, "secret.key"))
	cfg := settings(restored, false)
	cfg.SecretKeyText = text
	a := newApp(t, cfg)
	assert.Equal(t, "hush", must(a.store.Executor(t.Context(), "e1")).Secret)
	a.Stop()
}

// `secret-key new` takes the next key from the list, and gives up what a lost key has sealed.
func TestChangeListedKey(t *testing.T) {
	t.Parallel()
	data, file := withSecret(t)
	text, next := string(must(os.ReadFile(file))), strings.Repeat("ab", db.KeySize)
	require.NoError(t, os.Remove(file))
	change := func(keys string, lost bool) error {
		l, err := OpenLocal(t.Context(), cli.Place{Data: data, Alone: true})
		require.NoError(t, err)
		defer func() { assert.NoError(t, l.Close()) }()
		return l.Key.ChangeKey(t.Context(), cli.KeyPlace{SealingKey: keys}, lost)
	}
	require.ErrorContains(t, change(text, false), "no next key")
	require.ErrorContains(t, change(next, false), "not among the keys")
	require.NoError(t, change(text+"\n"+next, false))
	assert.NoFileExists(t, file)
	secret := func(keys string) string {
		cfg := settings(data, false)
		cfg.SecretKeyText = keys
		a, err := New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		defer a.Stop()
		var e hive.Executor
		e, err = a.store.Executor(t.Context(), "e1")
		require.NoError(t, err)
		return e.Secret
	}
	assert.Equal(t, "hush", secret(next))
	require.NoError(t, change(text, true))
	assert.Empty(t, secret(text))
}
