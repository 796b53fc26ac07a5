package app

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/hive"
)

// other is a user that exists on every machine.
const other = "nobody"

// passable makes a folder that other users may enter, as /var/lib is.
func passable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		require.NoError(t, os.Chmod(d, 0o711))
	}
	return dir
}

// Only root can run tasks as another user, who must exist and must not be root.
func TestAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		user      string
		effective int
		want      string
	}{
		"not root":     {other, 1000, "only root can run tasks as another user"},
		"nobody there": {"no-such-user-here", 0, "there is no such user on this machine; make one"},
		"root":         {"root", 0, "name a user without rights"},
		"fine":         {other, 0, ""},
		"none":         {"", 1000, ""},
	} {
		a, err := accountOf(c.user, c.effective)
		if c.want != "" {
			require.ErrorContains(t, err, c.want, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, c.user != "", a != nil && a.uid != 0, name)
	}
}

// Server and executor have separate folders, each closed to the other's user.
func TestAccountFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := &account{name: "me", uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}
	data := filepath.Join(dir, "data")
	require.NoError(t, os.Mkdir(data, 0o755))
	cfg := &config.Serve{Data: data, ExecutorUser: "me"}
	require.ErrorContains(t, mine.prepare(cfg), "chmod 700")
	require.NoError(t, os.Chmod(data, 0o700))
	if os.Geteuid() != 0 { // root needs a folder of its own
		require.ErrorContains(t, mine.prepare(cfg), "chown root")
		return
	}
	for _, bad := range []string{data, filepath.Join(data, "executor"), dir} {
		require.ErrorContains(t, mine.prepare(&config.Serve{Data: data, ExecutorUser: "me", ExecutorData: bad}),
			"neither may lie in the other")
	}
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "link")))
	require.ErrorContains(t,
		mine.prepare(&config.Serve{
			Data: data, ExecutorUser: "me",
			ExecutorData: filepath.Join(dir, "link", "data-x")[:len(dir)+5],
		}),
		"is no folder of me")
	for range 2 {
		require.NoError(t, mine.prepare(cfg))
	}
	info, err := os.Lstat(data + "-executor")
	require.NoError(t, err)
	assert.Equal(t, os.ModeDir|0o700, info.Mode())
	open := filepath.Join(dir, "open")
	require.NoError(t, os.Mkdir(open, 0o700))
	require.NoError(t, os.Chmod(open, 0o777))
	for _, bad := range []*config.Serve{
		{Data: data, ExecutorUser: "me", DatabaseURL: "sqlite:" + open + "/x.db"},
		{Data: data, ExecutorUser: "me", SecretKey: open + "/key"},
	} {
		require.ErrorContains(t, mine.prepare(bad), "chmod go-w")
	}
	require.NoError(t, mine.guard(cfg))
	for _, bad := range []*config.Serve{
		{Data: filepath.Join(open, "data")},
		{Data: data, Logs: open},
		{Data: data, Logs: filepath.Join(open, "not", "there")},
		{Data: data, SecretKey: filepath.Join(open, "keys", "key")},
	} {
		require.ErrorContains(t, mine.guard(bad), "chmod go-w "+open)
	}
	foreign := &account{name: "you", uid: mine.uid + 1}
	require.ErrorContains(t, foreign.prepare(cfg), "chown -R you")
}

// With --executor-user tasks run as that user and cannot reach anything of the server. The error tells users who are
// not root.
func TestExecutorUser(t *testing.T) {
	t.Parallel()
	dir := passable(t)
	cfg := settings(filepath.Join(dir, "data"), true)
	cfg.ExecutorUser, cfg.LogLimit = other, 1<<20
	if os.Geteuid() != 0 {
		_, err := New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, "only root can run tasks as another user")
		return
	}
	a := newApp(t, cfg)
	require.NoError(t, a.Start(t.Context()))
	_, err := a.auth.AddUser(t.Context(), "eve", "correct horse battery", false)
	require.NoError(t, err)

	script := fmt.Sprintf(`{"command": "id -un; id -G; pwd; echo from shell > shared; `+
		`for f in %s %s/server-id %s /proc/%d/environ /proc/%d/mem; do `+
		`cat $f > /dev/null && echo READ $f; (echo > $f) && echo WROTE $f; done; ls %s || true"}`,
		a.database().File(), cfg.Data, logFolder(cfg), os.Getpid(), os.Getpid(), cfg.Data)
	b, _, log := runTask(t, a, "shell", "shell", script)
	assert.Equal(t, hive.BatchSucceeded, b.State, log)
	assert.Contains(t, log, " "+other+"\n")
	assert.Contains(t, log, "/data-executor/workspace/shell\n")
	assert.NotRegexp(t, `READ|WROTE`, log)
	assert.GreaterOrEqual(t, strings.Count(log, "ermission denied"), 9, log)

	for name, params := range map[string]string{
		"own": fmt.Sprintf(`{"connection": "sqlite:%s", "statement": "UPDATE users SET admin = 1"}`,
			a.database().File()),
		"attach": fmt.Sprintf(`{"connection": "sqlite:mine.db", `+
			`"statement": "ATTACH '%s' AS x; UPDATE x.users SET admin = 1"}`,
			a.database().File()),
	} {
		b, attempt, _ := runTask(t, a, "sql-"+name, "sql", params)
		assert.Equal(t, hive.BatchFailed, b.State)
		assert.Contains(t, attempt.Error, "permission denied")
	}
	b, _, log = runTask(t, a, "sql", "sql",
		`{"connection": "sqlite:mine.db", "statement": "CREATE TABLE a (b); INSERT INTO a VALUES (1)"}`)
	assert.Equal(t, hive.BatchSucceeded, b.State, log)
	users, err := a.store.Users(t.Context())
	require.NoError(t, err)
	assert.False(t, users[0].Admin)

	x, ok := a.executor.(*separate)
	require.True(t, ok)
	restarts(t, a, x)
	assert.Zero(t, a.executor.Surviving())
	a.Stop()
	x.mu.Lock()
	defer x.mu.Unlock()
	assert.Nil(t, x.child)
}

// restarts kills the executor and waits for the next one, which has the same id.
func restarts(t *testing.T, a *App, x *separate) {
	t.Helper()
	x.mu.Lock()
	old := x.child
	x.mu.Unlock()
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", old.cmd.Process.Pid))
	require.NoError(t, err)
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(env), "\x00"), "\x00") {
		name, _, _ := strings.Cut(entry, "=")
		assert.Contains(t, []string{"HOME", "USER", "LOGNAME", "PATH", "LANG", "TZ"}, name)
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", old.cmd.Process.Pid))
	require.NoError(t, err)
	assert.NotContains(t, string(line), x.orders.Token)
	require.NoError(t, old.cmd.Process.Kill())
	require.Eventually(t, func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.child != nil && x.child != old
	}, time.Minute, 20*time.Millisecond)
	b, _, log := runTask(t, a, "again", "shell", `{"command": "id -un"}`)
	assert.Equal(t, hive.BatchSucceeded, b.State, log)
	known, err := a.store.Executors(t.Context())
	require.NoError(t, err)
	assert.Len(t, known, 1)
}
