package logs

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
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
)

// copying is a store at work, with the executors that it calls and the attempts that it has copied.
type copying struct {
	*Store
	executors
	t      *testing.T
	copied chan int64

	mu  sync.Mutex
	now fleet.LogView
}

// newCopying makes a store over a folder. It does nothing before start.
func newCopying(t *testing.T, dir string) *copying {
	t.Helper()
	c := &copying{t: t, copied: make(chan int64, 10_000), executors: executors{at: map[string]*executor{}}}
	c.Store = New(Config{
		Dir: dir, Source: &c.executors, Log: slog.New(slog.DiscardHandler),
		Copied: func(_ string, attempts []hive.AttemptRef) {
			for _, id := range attempts {
				c.copied <- id.ID
			}
		},
		View: func(context.Context) (fleet.LogView, bool) {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.now, c.now.Executors != nil
		},
	})
	c.every = 20 * time.Millisecond
	return c
}

// start sets the store to work until the test ends.
func (c *copying) start() *copying {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { c.Run(ctx) })
	c.t.Cleanup(func() { cancel(); wg.Wait() })
	return c
}

// sees sets the executors, and the growing logs.
func (c *copying) sees(known []hive.Executor, running ...fleet.AttemptLog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = fleet.LogView{Executors: map[string]hive.Executor{}, Running: running}
	for i := range known {
		c.now.Executors[known[i].ID] = known[i]
	}
}

// awaits fails unless these attempts, and no others, are copied.
func (c *copying) awaits(want ...int64) {
	c.t.Helper()
	got := map[int64]bool{}
	for len(got) < len(want) {
		select {
		case id := <-c.copied:
			assert.False(c.t, got[id], "attempt %d is copied once", id)
			assert.Contains(c.t, want, id)
			got[id] = true
		case <-time.After(2 * time.Minute):
			c.t.Fatalf("released only %v of %v", got, want)
		}
	}
}

func (c *copying) file(attempt int64, suffix string) string {
	c.t.Helper()
	raw, err := os.ReadFile(c.path(ref(attempt), suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return "(none)"
	}
	require.NoError(c.t, err)
	return string(raw)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 2*time.Minute, 5*time.Millisecond, what)
}

// Complete logs are stored in files that nobody else can read, and only then reported as copied. An empty one leaves no
// file.
func TestCompleteLogs(t *testing.T) {
	t.Parallel()
	d := newCopying(t, filepath.Join(t.TempDir(), "logs")).start()
	x := d.add("x")
	big := strings.Repeat("0123456789abcdef\n", 3*hive.MaxLogPart/17) // more than one call brings
	x.write(1, "hello\n", true)
	x.write(2, big, true)
	x.write(3, "", true)
	// 4 is unknown there now
	d.Finish([]fleet.AttemptLog{logOf(1, x.row()), logOf(2, x.row()), logOf(3, x.row()), logOf(4, x.row())})
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
		d.cfg.Dir: 0o700, filepath.Dir(d.path(ref(1), "")): 0o700,
		d.path(ref(1), wholeLog): 0o600,
	} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), name)
	}

	before := x.counts()
	d.Finish([]fleet.AttemptLog{logOf(1, x.row())}) // only its release was lost
	d.awaits(1)
	after := x.counts()
	assert.Equal(t, before, after, "nothing is copied twice")
}

// A log is copied while it grows, also by a new process. The copy continues where it ended.
func TestGrowingLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "0"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "0", "1.part"), []byte("one\n"), 0o600)) // of an earlier life
	d := newCopying(t, dir).start()
	x := d.add("x")
	x.write(1, "one\ntwo\n", false)
	d.sees([]hive.Executor{x.row()}, logOf(1, x.row()))
	eventually(t, "what there is", func() bool { return d.file(1, partLog) == "one\ntwo\n" })
	// they have ended, though their last lines are still to come
	d.Finish([]fleet.AttemptLog{logOf(1, x.row()), logOf(2, x.row())})
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

// An executor that recreated its log, shorter, does not shorten the copy.
func TestShrunkenLog(t *testing.T) {
	t.Parallel()
	d := newCopying(t, t.TempDir()).start()
	x := d.add("x")
	x.write(1, "a long story\n", false)
	d.sees([]hive.Executor{x.row()}, logOf(1, x.row()))
	eventually(t, "it is copied", func() bool { return d.file(1, partLog) == "a long story\n" })
	x.write(1, "short\n", true)
	d.Finish([]fleet.AttemptLog{logOf(1, x.row())})
	d.awaits(1)
	assert.Equal(t, "a long story\n", d.file(1, wholeLog))
}

// An executor that does not answer delays no other. When it is back, at another address, its logs are copied.
func TestUnreachableExecutor(t *testing.T) {
	t.Parallel()
	d := newCopying(t, t.TempDir()).start()
	x, y := d.add("x"), d.add("y")
	away := d.add("x")
	d.remove(away)
	var many []fleet.AttemptLog
	for id := range int64(50) {
		x.write(100+id, "x\n", true)
		many = append(many, logOf(100+id, away.row()))
	}
	d.Finish(many)
	y.write(1, "y\n", true)
	d.Finish([]fleet.AttemptLog{logOf(1, y.row())})
	d.awaits(1)
	assert.Equal(t, "(none)", d.file(100, wholeLog))

	d.sees([]hive.Executor{x.row(), y.row()})
	want := make([]int64, 0, len(many))
	for _, w := range many {
		want = append(want, w.Attempt.ID)
	}
	d.awaits(want...)
}

// The store does not wait for the logs of a deleted executor. Their copies stay.
func TestDeletedExecutor(t *testing.T) {
	t.Parallel()
	d := newCopying(t, t.TempDir()).start()
	x := d.add("x")
	x.write(1, "some", false)
	d.Finish([]fleet.AttemptLog{logOf(1, x.row())})
	eventually(t, "it has begun", func() bool { return d.file(1, partLog) == "some" })
	d.Store.mu.Lock()
	old := d.queues["x"]
	d.Store.mu.Unlock()
	d.sees(nil)
	eventually(t, "it is forgotten, and nobody reads from it any more", func() bool {
		d.Store.mu.Lock()
		defer d.Store.mu.Unlock()
		return len(d.queues) == 0 && !old.working
	})
	x.write(1, "some more", true)
	x.write(2, "two", true)
	d.sees([]hive.Executor{x.row()})
	d.Finish([]fleet.AttemptLog{logOf(2, x.row())})
	d.awaits(2)
	assert.Equal(t, "some", d.file(1, partLog))
}

// Two servers that share a folder copy the same log at the same time, when one was frozen and the other has taken over:
// every byte is there once.
func TestTwoServersCopyOneLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	frozen, other := newCopying(t, dir), newCopying(t, dir)
	x, y := frozen.add("x"), other.add("y")
	y.write(1, "hello\n", true)
	job := &copyJob{attempt: ref(1), whole: true}
	var whole *copied
	// the frozen one goes on when the other has all of it
	x.answer = func(_ hive.AttemptRef, offset int64) (hive.LogPart, bool, error) {
		if whole == nil {
			var err error
			if whole, err = other.copy(t.Context(), y.row(), job); err != nil {
				return hive.LogPart{}, false, err
			}
		}
		return hive.LogPart{Data: []byte("hello\n")[offset:], Size: 6, Complete: true}, true, nil
	}
	late, err := frozen.copy(t.Context(), x.row(), job)
	require.NoError(t, err)
	stored, failed := other.seal([]*copied{whole})
	assert.Equal(t, []hive.AttemptRef{ref(1)}, stored)
	assert.Empty(t, failed)
	_, failed = frozen.seal([]*copied{late})
	assert.Len(t, failed, 1, "its name is taken away; it looks again, and finds the whole log")
	again, err := frozen.copy(t.Context(), x.row(), job)
	require.NoError(t, err)
	assert.Nil(t, again.file)
	raw, err := os.ReadFile(frozen.path(ref(1), wholeLog))
	require.NoError(t, err)
	assert.Equal(t, "hello\n", string(raw))
}

// A log that its executor refuses does not delay the others.
func TestOneBadLog(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func() (hive.LogPart, bool, error){
		"refused":  func() (hive.LogPart, bool, error) { return hive.LogPart{}, false, &RefusedError{errAway} },
		"no bytes": func() (hive.LogPart, bool, error) { return hive.LogPart{Size: 9}, true, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newCopying(t, t.TempDir()).start()
			x := d.add("x")
			bad := true
			x.answer = func(attempt hive.AttemptRef, _ int64) (hive.LogPart, bool, error) {
				if attempt.ID == 1 && bad {
					return answer()
				}
				return hive.LogPart{Complete: true}, true, nil
			}
			d.Finish([]fleet.AttemptLog{logOf(1, x.row()), logOf(2, x.row()), logOf(3, x.row())})
			d.awaits(2, 3)
			x.mu.Lock()
			bad = false
			x.mu.Unlock()
			d.awaits(1)
		})
	}
}

// A log that cannot be stored is not reported as copied.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	blocker := filepath.Join(dir, "0") // a file where the folder should be
	require.NoError(t, os.WriteFile(blocker, nil, 0o600))
	d := newCopying(t, dir).start()
	x := d.add("x")
	x.write(1, "hello\n", true)
	d.Finish([]fleet.AttemptLog{logOf(1, x.row())})
	eventually(t, "it was tried", func() bool {
		d.Store.mu.Lock()
		defer d.Store.mu.Unlock()
		return d.queues["x"].failing
	})
	assert.Empty(t, d.copied)
	require.NoError(t, os.Remove(blocker))
	d.awaits(1)
	assert.Equal(t, "hello\n", d.file(1, wholeLog))
}
