package dispatch

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// desk is a copier at work, and what it released.
type desk struct {
	*copier
	t        *testing.T
	releases chan int64

	mu  sync.Mutex
	now fleet.LogView
}

// newDesk starts a copier over a folder. It stops with the test.
func newDesk(t *testing.T, dir string) *desk {
	t.Helper()
	return newDeskOf(t, newCopier(dir, newTestPool(t), quiet(), callerOf))
}

// newDeskOf sets a copier to work.
func newDeskOf(t *testing.T, c *copier) *desk {
	t.Helper()
	d := &desk{copier: c, t: t, releases: make(chan int64, 10_000)}
	d.every = 20 * time.Millisecond
	d.released = func(_ string, attempts []hive.AttemptRef) {
		for _, id := range attempts {
			d.releases <- id.ID
		}
	}
	d.view = func(context.Context) (fleet.LogView, bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.now, d.now.Executors != nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { d.run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return d
}

// sees sets what is known and runs.
func (d *desk) sees(known []hive.Executor, running ...fleet.AttemptLog) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = fleet.LogView{Executors: map[string]hive.Executor{}, Running: running}
	for i := range known {
		d.now.Executors[known[i].ID] = known[i]
	}
}

func logOf(id int64, e hive.Executor) fleet.AttemptLog {
	return fleet.AttemptLog{Attempt: ref(id), Executor: e}
}

// awaits fails unless these attempts, and no others, are released.
func (d *desk) awaits(want ...int64) {
	d.t.Helper()
	got := map[int64]bool{}
	for len(got) < len(want) {
		select {
		case id := <-d.releases:
			assert.False(d.t, got[id], "attempt %d is released once", id)
			assert.Contains(d.t, want, id)
			got[id] = true
		case <-time.After(2 * time.Minute):
			d.t.Fatalf("released only %v of %v", got, want)
		}
	}
}

func (d *desk) file(attempt int64, suffix string) string {
	d.t.Helper()
	raw, err := os.ReadFile(d.path(ref(attempt), suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return "(none)"
	}
	require.NoError(d.t, err)
	return string(raw)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 2*time.Minute, 5*time.Millisecond, what)
}

// Whole logs are stored, under a mode that nobody else reads, and only then released; an empty one leaves no file.
func TestWholeLogs(t *testing.T) {
	t.Parallel()
	d, x := newDesk(t, filepath.Join(t.TempDir(), "logs")), newScript(t, "x")
	big := strings.Repeat("0123456789abcdef\n", 3*copyChunk/17) // more than one call brings
	x.write(1, "hello\n", true)
	x.write(2, big, true)
	x.write(3, "", true)
	// 4 is not known there any more
	d.finish([]fleet.AttemptLog{logOf(1, x.row()), logOf(2, x.row()), logOf(3, x.row()), logOf(4, x.row())})
	d.awaits(1, 2, 3, 4)
	assert.Equal(t, "hello\n", d.file(1, wholeLog))
	if d.file(2, wholeLog) != big {
		t.Error("not every byte is in its place")
	}
	for _, none := range []int64{3, 4} {
		assert.Equal(t, "(none)", d.file(none, wholeLog))
	}
	assert.Equal(t, "(none)", d.file(1, partLog))
	for name, mode := range map[string]fs.FileMode{
		d.dir: 0o700, filepath.Dir(d.path(ref(1), "")): 0o700,
		d.path(ref(1), wholeLog): 0o600,
	} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), name)
	}

	_, before := x.counts()
	d.finish([]fleet.AttemptLog{logOf(1, x.row())}) // only its release was lost
	d.awaits(1)
	_, after := x.counts()
	assert.Equal(t, before, after, "nothing is copied twice")
}

// A log is followed while it grows, by a new process too, and finished from where the copy stands.
func TestGrowingLog(t *testing.T) {
	t.Parallel()
	dir, x := t.TempDir(), newScript(t, "x")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "0"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "0", "1.part"), []byte("one\n"), 0o600)) // of an earlier life
	d := newDesk(t, dir)
	x.write(1, "one\ntwo\n", false)
	d.sees([]hive.Executor{x.row()}, logOf(1, x.row()))
	eventually(t, "what there is", func() bool { return d.file(1, partLog) == "one\ntwo\n" })
	d.finish([]fleet.AttemptLog{logOf(1, x.row()), logOf(2, x.row())}) // ended, though its last lines are still on their way
	x.write(2, "other\n", true)
	d.awaits(2)
	x.write(1, "one\ntwo\nthree\n", true)
	d.awaits(1)
	assert.Equal(t, "one\ntwo\nthree\n", d.file(1, wholeLog))
	eventually(t, "it is still followed, for a moment", func() bool {
		_, err := os.Stat(d.path(ref(1), partLog))
		return errors.Is(err, fs.ErrNotExist)
	})
}

// The executor made its log anew, shorter: what is here is not thrown away.
func TestShrunkenLog(t *testing.T) {
	t.Parallel()
	d, x := newDesk(t, t.TempDir()), newScript(t, "x")
	x.write(1, "a long story\n", false)
	d.sees([]hive.Executor{x.row()}, logOf(1, x.row()))
	eventually(t, "it is copied", func() bool { return d.file(1, partLog) == "a long story\n" })
	x.write(1, "short\n", true)
	d.finish([]fleet.AttemptLog{logOf(1, x.row())})
	d.awaits(1)
	assert.Equal(t, "a long story\n", d.file(1, wholeLog))
}

// An executor that is away, or hangs, holds nobody else up; when it is back, at another address, its logs come.
func TestAwayExecutor(t *testing.T) {
	t.Parallel()
	d, x, y := newDesk(t, t.TempDir()), newScript(t, "x"), newScript(t, "y")
	away := newScript(t, "x")
	away.close()
	var many []fleet.AttemptLog
	for id := range int64(50) {
		x.write(100+id, "x\n", true)
		many = append(many, logOf(100+id, away.row()))
	}
	d.finish(many)
	y.write(1, "y\n", true)
	d.finish([]fleet.AttemptLog{logOf(1, y.row())})
	d.awaits(1)
	assert.Equal(t, "(none)", d.file(100, wholeLog))

	d.sees([]hive.Executor{x.row(), y.row()})
	want := make([]int64, 0, len(many))
	for _, w := range many {
		want = append(want, w.Attempt.ID)
	}
	d.awaits(want...)
}

// A deleted executor's logs are not waited for. What was copied of them stays.
func TestDeletedExecutor(t *testing.T) {
	t.Parallel()
	d, x := newDesk(t, t.TempDir()), newScript(t, "x")
	x.write(1, "some", false)
	d.finish([]fleet.AttemptLog{logOf(1, x.row())})
	eventually(t, "it has begun", func() bool { return d.file(1, partLog) == "some" })
	d.copier.mu.Lock()
	old := d.trays["x"]
	d.copier.mu.Unlock()
	d.sees(nil)
	eventually(t, "it is forgotten, and nobody reads from it any more", func() bool {
		d.copier.mu.Lock()
		defer d.copier.mu.Unlock()
		return len(d.trays) == 0 && !old.working
	})
	x.write(1, "some more", true)
	x.write(2, "two", true)
	d.sees([]hive.Executor{x.row()})
	d.finish([]fleet.AttemptLog{logOf(2, x.row())})
	d.awaits(2)
	assert.Equal(t, "some", d.file(1, partLog))
}

// Two servers that share a folder copy the same log at the same time, when one was frozen and the other has taken over:
// every byte is there once.
func TestTwoServersCopyOneLog(t *testing.T) {
	t.Parallel()
	dir, x, y := t.TempDir(), newScript(t, "x"), newScript(t, "y")
	frozen, other := newCopier(dir, newTestPool(t), quiet(), callerOf), newCopier(dir, newTestPool(t), quiet(),
		callerOf)
	y.write(1, "hello\n", true)
	job := &copyJob{attempt: ref(1), whole: true}
	var whole *copied
	// the frozen one goes on when the other has all of it
	x.readLog = func(c *hivego.LogCall) (*hivego.LogReply, error) {
		if whole == nil {
			var err error
			if whole, err = other.copy(t.Context(), y.row(), job); err != nil {
				return nil, err
			}
		}
		return &hivego.LogReply{
			Data: []byte("hello\n")[c.GetOffset():], Size: new(int64(6)), Complete: new(true), Found: new(true),
		}, nil
	}
	late, err := frozen.copy(t.Context(), x.row(), job)
	require.NoError(t, err)
	free, failed := other.store([]*copied{whole})
	assert.Equal(t, []hive.AttemptRef{ref(1)}, free)
	assert.Empty(t, failed)
	_, failed = frozen.store([]*copied{late})
	assert.Len(t, failed, 1, "its name is taken away; it looks again, and finds the whole log")
	again, err := frozen.copy(t.Context(), x.row(), job)
	require.NoError(t, err)
	assert.Nil(t, again.file)
	raw, err := os.ReadFile(frozen.path(ref(1), wholeLog))
	require.NoError(t, err)
	assert.Equal(t, "hello\n", string(raw))
}

// One log that its executor cannot give does not keep back the others.
func TestOneBadLog(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func() (*hivego.LogReply, error){
		"declared":   func() (*hivego.LogReply, error) { return nil, &hivego.BadCall{} },
		"undeclared": func() (*hivego.LogReply, error) { return nil, errUnscripted },
		"no bytes": func() (*hivego.LogReply, error) {
			return &hivego.LogReply{Size: new(int64(9)), Found: new(true)},
				nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, x := newDesk(t, t.TempDir()), newScript(t, "x")
			bad := true
			x.readLog = func(c *hivego.LogCall) (*hivego.LogReply, error) {
				if c.GetAttemptId() == 1 && bad {
					return answer()
				}
				return &hivego.LogReply{Size: new(int64(0)), Complete: new(true), Found: new(true)}, nil
			}
			d.finish([]fleet.AttemptLog{logOf(1, x.row()), logOf(2, x.row()), logOf(3, x.row())})
			d.awaits(2, 3)
			x.mu.Lock()
			bad = false
			x.mu.Unlock()
			d.awaits(1)
		})
	}
}

// A log that cannot be stored is not released.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir, x := t.TempDir(), newScript(t, "x")
	blocker := filepath.Join(dir, "0") // a file where the folder should be
	require.NoError(t, os.WriteFile(blocker, nil, 0o600))
	d := newDesk(t, dir)
	x.write(1, "hello\n", true)
	d.finish([]fleet.AttemptLog{logOf(1, x.row())})
	eventually(t, "it was tried", func() bool {
		d.copier.mu.Lock()
		defer d.copier.mu.Unlock()
		return d.trays["x"].failing
	})
	assert.Empty(t, d.releases)
	require.NoError(t, os.Remove(blocker))
	d.awaits(1)
	assert.Equal(t, "hello\n", d.file(1, wholeLog))
}

// What a reader gets, by who has the log.
func TestReadLog(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	away := newScript(t, "y")
	away.close()
	e, gone := x.row(), away.row()
	running, ended := hive.Attempt{State: hive.AttemptRunning}, hive.Attempt{
		State:   hive.AttemptEnded,
		Outcome: hive.OutcomeSuccess,
	}
	lost := hive.Attempt{State: hive.AttemptEnded, Outcome: hive.OutcomeLost}
	wrote, ran := ended, lost
	wrote.LogBytes, wrote.Number = 100, 3
	ran.StartedAt = time.Now()
	for name, c := range map[string]struct {
		attempt      hive.Attempt
		executor     *hive.Executor
		live         string // of the executor; empty: it has none
		grows        bool
		whole, part  string // of the store
		want         string
		wantComplete bool
		elsewhere    bool // it is refused
	}{
		"in the store":                         {ended, &e, "", false, "all of it", "", "all of it", true, false},
		"in the store, executor deleted":       {ended, nil, "", false, "all of it", "", "all of it", true, false},
		"at the executor":                      {running, &e, "so far", true, "", "so", "so far", false, false},
		"at the executor, ended":               {ended, &e, "all", false, "", "", "all", true, false},
		"nowhere, not begun":                   {running, &e, "", false, "", "", "", false, false},
		"nowhere, ended":                       {ended, &e, "", false, "", "", "", true, false},
		"executor away, running":               {running, &gone, "", false, "", "so", "so", false, false},
		"executor away, ended":                 {ended, &gone, "", false, "", "so", "so", false, false},
		"executor away, lost":                  {lost, &gone, "", false, "", "so", "so", true, false},
		"executor deleted":                     {ended, nil, "", false, "", "so", "so", true, false},
		"executor has it no more, partly here": {ended, &e, "", false, "", "so", "so", true, false},
		"in another server's folder":           {wrote, &e, "", false, "", "", "", false, true},
		"elsewhere, executor deleted":          {wrote, nil, "", false, "", "", "", false, true},
		"elsewhere, executor away":             {wrote, &gone, "", false, "", "", "", false, false},
		"lost while it ran, nowhere":           {ran, &e, "", false, "", "", "", false, true},
		"lost while it ran, executor deleted":  {ran, nil, "", false, "", "", "", false, true},
		"lost, partly here":                    {ran, nil, "", false, "", "so", "so", true, false},
		"lost before it began":                 {lost, &e, "", false, "", "", "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newScript(t, "x")
			if c.executor == &e {
				row := x.row()
				c.executor = &row
			}
			s := New(Config{LogDir: t.TempDir(), Log: quiet()})
			t.Cleanup(s.pool.close)
			c.attempt.ID = 7
			if c.live != "" {
				x.write(7, c.live, !c.grows)
			}
			for suffix, text := range map[string]string{wholeLog: c.whole, partLog: c.part} {
				if text != "" {
					require.NoError(t, os.MkdirAll(filepath.Dir(s.logs.path(ref(7), suffix)), 0o700))
					require.NoError(t, os.WriteFile(s.logs.path(ref(7), suffix), []byte(text), 0o600))
				}
			}
			got, err := s.ReadLog(t.Context(), c.executor, c.attempt, 0, 1<<30)
			if c.elsewhere {
				refused, _ := errors.AsType[*hive.Error](err)
				require.NotNil(t, refused)
				assert.Equal(t, hive.ErrorLogElsewhere, refused.Reason)
				assert.Contains(t, refused.Words, "--logs")
				if c.attempt.LogBytes > 0 { // whoever read it to its end elsewhere is not told that it is missing
					end, err := s.ReadLog(t.Context(), c.executor, c.attempt, c.attempt.LogBytes, 10)
					require.NoError(t, err)
					assert.Equal(t, LogPart{Size: c.attempt.LogBytes, Complete: true}, end)
				}
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, string(got.Data))
			assert.Equal(t, int64(len(c.want)), got.Size)
			assert.Equal(t, c.wantComplete, got.Complete)
			beyond, err := s.ReadLog(t.Context(), c.executor, c.attempt, 100, 10)
			require.NoError(t, err)
			assert.Empty(t, beyond.Data)
			if len(c.want) > 2 {
				mid, err := s.ReadLog(t.Context(), c.executor, c.attempt, 1, 1)
				require.NoError(t, err)
				assert.True(t, bytes.Equal([]byte(c.want[1:2]), mid.Data))
			}
		})
	}
}
