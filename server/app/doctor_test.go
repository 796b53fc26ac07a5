package app

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/doctor"
	"github.com/rprp/hivego/server/hive"
)

// diagnosis runs the command, and returns its findings that are not well.
func diagnosis(t *testing.T, args ...string) (findings []doctor.Finding, failed bool) {
	t.Helper()
	cmd := doctorCommand("test")
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetArgs(append([]string{"-o", "json"}, args...))
	err := cmd.ExecuteContext(t.Context())
	if err != nil {
		require.ErrorIs(t, err, cli.ErrFailed)
	}
	var answer struct {
		Status doctor.Level
		Checks []doctor.Finding
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &answer), out.String())
	assert.Equal(t, answer.Status == doctor.Fault, err != nil)
	findings = slices.DeleteFunc(answer.Checks, func(f doctor.Finding) bool {
		return f.Level == doctor.OK || f.Check == doctor.DiskCheck // the disk of the machine may be nearly full
	})
	return findings, err != nil
}

// A server is well while it runs, and while it does not. The doctor changes nothing that the next start would notice.
func TestDoctor(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	a := newApp(t, settings(data, true))
	require.NoError(t, a.Start(t.Context()))
	address := strings.TrimPrefix(a.URL(), "http://")
	require.Eventually(t, func() bool {
		known, err := a.store.Executors(t.Context())
		return err == nil && len(known) == 1
	}, time.Minute, 5*time.Millisecond, "the executor has registered")
	findings, failed := diagnosis(t, "--data", data, "--listen", address)
	assert.False(t, failed)
	assert.Empty(t, findings)

	findings, failed = diagnosis(t, "--data", data, "--listen", "127.0.0.1:1")
	assert.True(t, failed)
	require.Len(t, findings, 1)
	assert.Equal(t, doctor.ServerCheck, findings[0].Check)

	away := hive.Executor{
		ID: "away", Name: "away", Group: "default", Address: closedPort(t), Secret: "s", Slots: 1, Durable: true,
		Handlers: []hive.Handler{{Name: "shell"}}, Version: "other", Origin: hive.OriginAddress,
	}
	require.NoError(t, a.store.SaveExecutor(t.Context(), away))
	findings, failed = diagnosis(t, "--data", data, "--listen", address)
	assert.True(t, failed)
	require.Len(t, findings, 1)
	assert.Equal(t, doctor.Executors, findings[0].Check)
	assert.Contains(t, findings[0].Words, "away does not answer")
	require.NoError(t, a.store.DeleteExecutor(t.Context(), away.ID))

	a.Stop()
	findings, failed = diagnosis(t, "--data", data, "--listen", address)
	assert.False(t, failed)
	assert.Empty(t, findings)
	names, err := os.ReadDir(data)
	require.NoError(t, err)
	for _, n := range names {
		assert.False(t, strings.HasPrefix(n.Name(), ".doctor"), n.Name())
	}
	require.NoError(t, newApp(t, settings(data, true)).Start(t.Context()))
}

// On PostgreSQL, the doctor looks at a database that is empty yet, and does not change it.
func TestDoctorOnPostgreSQL(t *testing.T) {
	t.Parallel()
	cfg := settings(t.TempDir(), false)
	cfg.DatabaseURL = dbtest.Postgres(t)
	args := []string{"--data", cfg.Data, "--database-url", cfg.DatabaseURL, "--listen", closedPort(t)}
	for range 2 {
		findings, failed := diagnosis(t, args...)
		assert.False(t, failed)
		require.Len(t, findings, 2)
		assert.Contains(t, findings[0].Words, "PostgreSQL")
		assert.Contains(t, findings[0].Words, "an empty database")
		assert.Contains(t, findings[1].Words, "not called")
	}
	a := newApp(t, cfg)
	require.NoError(t, a.Start(t.Context()))
	args[len(args)-1] = strings.TrimPrefix(a.URL(), "http://")
	findings, failed := diagnosis(t, args...)
	assert.False(t, failed)
	require.Len(t, findings, 1)
	assert.Contains(t, findings[0].Words, "no executor is known")
}

// closedPort returns an address where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	return ln.Addr().String()
}

// Each broken part is a fault of its check, also when several are broken.
func TestDoctorFaults(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	a := newApp(t, settings(data, false))
	require.NoError(t, a.Start(t.Context()))
	a.Stop()
	listening, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listening.Close() })
	free := closedPort(t)
	garbage := filepath.Join(t.TempDir(), "hivego.db")
	require.NoError(t, os.WriteFile(garbage, bytes.Repeat([]byte("no database "), 1000), 0o600))
	bad := filepath.Join(t.TempDir(), "hivego.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("slot: 3\n"), 0o600))
	for name, c := range map[string]struct {
		args  []string
		check doctor.Check
		words string
	}{
		"unknown setting": {[]string{"--config", bad}, doctor.Configuration, `there is no setting "slot"`},
		"open port":       {[]string{"--listen", "0.0.0.0:1", "--data", data}, doctor.Configuration, "speaks TLS only"},
		"no token": {
			[]string{
				"--metrics-listen", "127.0.0.1:1", "--metrics-token-file", "/no/file", "--data", data, "--listen", free,
			}, doctor.Configuration, "--metrics-token-file",
		},
		"no certificate": {
			[]string{"--tls-cert", bad, "--tls-key", bad, "--data", data, "--listen", free}, doctor.Configuration, bad,
		},
		"taken port": {
			[]string{"--listen", listening.Addr().String(), "--data", data}, doctor.ServerCheck, "none can listen",
		},
		"no folder":   {[]string{"--data", data + "x", "--listen", free}, doctor.DatabaseCheck, "there is none at"},
		"no database": {[]string{"--data", filepath.Dir(garbage), "--listen", free}, doctor.DatabaseCheck, "no SQLite"},
		"out of reach": {
			[]string{"--data", data, "--listen", free, "--database-url", "postgres://x:geheim@127.0.0.1:1/x"},
			doctor.DatabaseCheck, "PostgreSQL cannot be used",
		},
		"key of a command": {
			[]string{"--data", data, "--listen", free, "--secret-key-command", "echo geheim; exit 3"},
			doctor.Configuration, "--secret-key-command: exit status 3",
		},
		"another key of a command": {
			[]string{"--data", data, "--listen", free, "--secret-key-command", "echo " + strings.Repeat("ab", 32)},
			doctor.Configuration, "not among the keys",
		},
		"two places of a key": {
			[]string{"--data", data, "--listen", free, "--secret-key", bad, "--secret-key-command", "true"},
			doctor.Configuration, "only one of them",
		},
		"another key": {
			[]string{"--data", data, "--listen", free, "--secret-key", bad}, doctor.Configuration, "no key",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findings, failed := diagnosis(t, c.args...)
			assert.True(t, failed)
			at := slices.IndexFunc(findings, func(f doctor.Finding) bool {
				return f.Check == c.check && f.Level == doctor.Fault && strings.Contains(f.Words, c.words)
			})
			require.GreaterOrEqual(t, at, 0, "%v", findings)
			assert.NotEmpty(t, findings[at].Remedy)
			for _, f := range findings {
				assert.NotContains(t, f.Words, "geheim")
			}
		})
	}
	_, err = os.Stat(data + "x")
	assert.True(t, os.IsNotExist(err), "the doctor makes no folder")
}
