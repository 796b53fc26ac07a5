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
	"github.com/rprp/hivego/server/hive"
)

// The key is rotated while the server runs: what was sealed opens before and after, and at the next start.
func TestRotateKey(t *testing.T) {
	t.Parallel()
	data, file := withSecret(t)
	before := must(readKey(file))
	a := newApp(t, settings(data, false))
	value := "correct horse"
	_, err := a.secrets.Set(t.Context(), hive.SecretChange{Name: "DW", Value: &value})
	require.NoError(t, err)
	_, err = a.rotator.Rotate(t.Context(), "0123", "ada")
	require.Equal(t, hive.CodeConflict, hive.CodeOf(err)) // the next key is another one
	id, err := a.rotator.Rotate(t.Context(), "", "ada")
	require.NoError(t, err)
	assert.Equal(t, "hush", must(a.store.Executor(t.Context(), "e1")).Secret)
	a.Stop()
	key, err := readKey(file)
	require.NoError(t, err)
	assert.Equal(t, id, db.KeyID(key))
	assert.Equal(t, before, must(readKey(file+"."+db.KeyID(before)))) // older backups need it
	assert.Equal(t, "hush", secretOf(t, data, ""))
}

// A server that dies between the parts of a rotation completes it at the next start.
func TestRotationInterrupted(t *testing.T) {
	t.Parallel()
	data, file := withSecret(t)
	a := newApp(t, settings(data, false))
	next, err := a.rotator.next(t.Context(), "")
	require.NoError(t, err)
	require.NoError(t, a.store.AddSecretKey(next))
	require.NoError(t, a.store.AnnounceSecretKeys(t.Context(), a.server.ID))
	require.NoError(t, a.store.BeginRotation(t.Context(), db.KeyID(next)))
	a.Stop()
	require.NotEqual(t, next, must(readKey(file)))
	assert.Equal(t, "hush", secretOf(t, data, ""))
	assert.Equal(t, next, must(readKey(file)))
	a = newApp(t, settings(data, false))
	defer a.Stop()
	assert.Empty(t, must(a.store.FormerSecretKeyID(t.Context())))
}

// Keys from the environment and from a command: the database says which of them it has. No error shows a key.
func TestKeySources(t *testing.T) {
	t.Parallel()
	data, file := withSecret(t)
	text := string(must(os.ReadFile(file)))
	require.NoError(t, os.Remove(file))
	next := strings.Repeat("ab", db.KeySize)
	keys := filepath.Join(data, "keys")
	require.NoError(t, os.WriteFile(keys, []byte(next+"\n"+text), 0o600))
	for name, source := range map[string]keySource{
		"environment": {text: next + "\n" + text},
		"command":     {command: "cat '" + keys + "'"},
	} {
		cfg := settings(data, false)
		cfg.SecretKeyText, cfg.SecretKeyCommand = source.text, source.command
		a := newApp(t, cfg)
		assert.Equal(t, "hush", must(a.store.Executor(t.Context(), "e1")).Secret, name)
		a.Stop()
	}
	for name, source := range map[string]keySource{
		"another key":      {text: next},
		"cut":              {text: text[:20]},
		"fails":            {command: "cat '" + keys + "'; exit 3"},
		"prints nothing":   {command: "true"},
		"prints something": {command: "echo " + text[:10]},
	} {
		cfg := settings(data, false)
		cfg.SecretKeyText, cfg.SecretKeyCommand = source.text, source.command
		_, err := New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler))
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), text[:10], name)
		assert.NotContains(t, err.Error(), next[:10], name)
	}
}

// must returns a value that a call gives without an error.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
