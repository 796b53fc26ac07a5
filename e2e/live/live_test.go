// Package live_test follows batches over the websocket of a real server.
package live_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// ended says whether the state shows the end of the batch.
func ended(f *harness.Follower) func() bool {
	return func() bool { return f.State == "succeeded" || f.State == "failed" }
}

func follow(t *testing.T, f *harness.Follower, ok func() bool) {
	t.Helper()
	if err := f.Until(ok); err != nil {
		t.Fatal(err)
	}
}

// gate returns a schedule of two tasks. The second one waits for a file, and fails unless another file exists.
func gate(dir string) string {
	return `apiVersion: hivego/v1
kind: Schedule
name: gate
jobs:
  - key: one
    tasks:
      - {key: first, handler: shell, params: {command: "true"}}
  - key: two
    tasks:
      - key: second
        handler: shell
        needs: [first]
        params: {command: "until test -e ` + dir + `/go; do sleep 0.05; done; test -e ` + dir + `/good"}
`
}

func touch(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The server is killed in the middle of a batch and started again. The follower connects again and sees the rest; its
// state at the end equals the API's answer.
func TestServerIsKilled(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	id := s.Run("warehouse")
	f := s.Follow(id)
	follow(t, f, func() bool { return f.In("succeeded") > 0 })
	s.Kill()
	if err := f.Until(func() bool { return false }); err == nil {
		t.Error("the socket outlives its server")
	}
	seen := f.In("succeeded")
	s.Start()
	f = s.Follow(id)
	if now := f.In("succeeded"); now < seen {
		t.Errorf("%d tasks had succeeded, and now only %d", seen, now)
	}
	follow(t, f, ended(f))
	f.Equals(s, id)
}

// A batch that has ended continues for its followers when it is resumed.
func TestResumed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{})
	s.Apply(gate(dir))
	id := s.Run("gate")
	f := s.Follow(id)
	follow(t, f, func() bool { return f.In("running") == 1 && f.In("succeeded") == 1 })
	touch(t, dir, "go")
	follow(t, f, func() bool { return f.State == "failed" })
	f.Equals(s, id)
	touch(t, dir, "good")
	s.CLI("resume", strconv.FormatInt(id, 10))
	follow(t, f, func() bool { return f.State == "succeeded" })
	f.Equals(s, id)
}

// A server that does not own a batch shows it too, live and to its end. It need not look for changes: the other server
// announces them.
func TestAnotherOwner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opts := harness.Options{DatabaseURL: dbtest.Postgres(t)}
	owner := harness.NewServer(t, opts)
	opts.Token, opts.NoExecutor, opts.Args = owner.Token, true, []string{"--live-look", "1h"}
	other := harness.NewServer(t, opts)
	owner.Apply(gate(dir))
	id := owner.Run("gate")
	f := other.Follow(id)
	follow(t, f, func() bool { return f.In("running") == 1 })
	touch(t, dir, "go")
	follow(t, f, func() bool { return f.State == "failed" })
	touch(t, dir, "good")
	owner.CLI("resume", strconv.FormatInt(id, 10))
	// The batch and its tasks are two reads, so that its end may arrive before that of the last task.
	follow(t, f, func() bool { return f.State == "succeeded" && f.In("failed")+f.In("running") == 0 })
	f.Equals(other, id)
}

// Two servers show each other who has a schedule open. A server that was killed has nobody after its start.
func TestPresenceAtTwoServers(t *testing.T) {
	t.Parallel()
	opts := harness.Options{DatabaseURL: dbtest.Postgres(t)}
	one := harness.NewServer(t, opts)
	opts.Token, opts.NoExecutor = one.Token, true
	two := harness.NewServer(t, opts)
	first := one.Join("orders", 1)
	first.Sees("[{admin [1] 0}]")
	second := two.Join("orders", 2)
	second.Sees("[{admin [1 2] 0}]")
	first.Sees("[{admin [1 2] 0}]")
	second.Present(3)
	first.Sees("[{admin [1 2] 3}]")
	third := two.Join("orders", 3)
	first.Sees("[{admin [1 2 3] 3}]")
	third.Leave()
	first.Sees("[{admin [1 2] 3}]")
	two.Kill()
	two.Start()
	first.Sees("[{admin [1] 0}]")
	two.Join("orders", 2).Sees("[{admin [1 2] 0}]")
}

// A server that stops says goodbye; revoking a token ends the sockets that it opened.
func TestSocketsEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{})
	s.Apply(gate(dir))
	id := s.Run("gate")
	keep := s.Token
	one := s.Follow(id)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.URL+"/api/v1/tokens/1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+keep)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		t.Fatalf("the token was not revoked: %s", resp.Status)
	}
	closes(t, one, 4401)
	s.Token = strings.TrimSpace(s.Local("", "token", "create", "--user", "admin"))
	two := s.Follow(id)
	s.Terminate()
	closes(t, two, websocket.CloseGoingAway)
}

// closes waits until the server closes a socket with this code.
func closes(t *testing.T, f *harness.Follower, code int) {
	t.Helper()
	err := f.Until(func() bool { return false })
	if c, ok := errors.AsType[*websocket.CloseError](err); !ok || c.Code != code {
		t.Errorf("it ends with %v, not with code %d", err, code)
	}
}
