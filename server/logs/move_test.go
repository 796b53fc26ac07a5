package logs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// archive keeps logs in memory.
type archive struct {
	mu    sync.Mutex
	logs  map[int64]string
	puts  int
	fail  map[int64]error // by attempt
	away  error           // of every call
	inPut func()          // called in Put before the archive has the log
}

func newArchive() *archive { return &archive{logs: map[int64]string{}, fail: map[int64]error{}} }

// errStoreAway is what an archive answers that cannot be used.
var errStoreAway = hive.Errorf(hive.CodeUnavailable, "the store is away").WithReason(hive.ErrorLogStoreAway)

// Put keeps a log.
func (a *archive) Put(_ context.Context, attempt hive.AttemptRef, log *os.File) error {
	text, err := io.ReadAll(log)
	if a.inPut != nil {
		a.inPut()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.puts++
	if err := errors.Join(err, a.away, a.fail[attempt.ID]); err != nil {
		return err
	}
	a.logs[attempt.ID] = string(text)
	return nil
}

// Read returns a part of a log.
func (a *archive) Read(_ context.Context, attempt hive.AttemptRef, offset int64, limit int) (hive.LogPart, bool,
	error,
) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, found := a.logs[attempt.ID]
	if a.away != nil || !found {
		return hive.LogPart{}, false, a.away
	}
	rest := text[min(int(offset), len(text)):]
	return hive.LogPart{
		Data: []byte(rest[:min(limit, len(rest))]), Offset: offset, Size: int64(len(text)), Complete: true,
	}, true, nil
}

// Remove forgets logs.
func (a *archive) Remove(_ context.Context, attempts []hive.AttemptRef) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range attempts {
		delete(a.logs, r.ID)
	}
	return a.away
}

// List lists all logs at once.
func (a *archive) List(context.Context, string, int) (out []hive.StoredLog, next string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, text := range a.logs {
		out = append(out, hive.StoredLog{Attempt: ref(id), Size: int64(len(text))})
	}
	return out, "", a.away
}

// newMoving makes a store with an archive, and complete logs of some ages.
func newMoving(t *testing.T, a *archive, after time.Duration, ages map[int64]time.Duration) *Store {
	t.Helper()
	s := New(Config{
		Dir: t.TempDir(), Source: &executors{}, Log: slog.New(slog.DiscardHandler), Archive: a, MoveAfter: after,
	})
	for id, age := range ages {
		require.NoError(t, s.Keep(ref(id), []byte("log\n")))
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(s.path(ref(id), wholeLog), at, at))
	}
	return s
}

func here(s *Store, id int64) bool {
	_, err := os.Stat(s.path(ref(id), wholeLog))
	return err == nil
}

const day = 24 * time.Hour

// TestMoveDue moves complete logs of the given age, and nothing else in the folder.
func TestMoveDue(t *testing.T) {
	t.Parallel()
	a := newArchive()
	s := newMoving(t, a, time.Hour, map[int64]time.Duration{1: 2 * time.Hour, 2: 59 * time.Minute, 3001: day})
	others := []string{"0/7.part", "0/readme.log", "0/08.log", "0/-3.log", "x/4.log", "9.log", "0/5-a b.log"}
	for _, name := range others {
		file := filepath.Join(s.cfg.Dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte("other"), 0o600))
		require.NoError(t, os.Chtimes(file, time.Time{}, time.Now().Add(-99*time.Hour)))
	}
	n, err := Due(t.Context(), s.cfg.Dir, time.Now().Add(-time.Hour))
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	require.NoError(t, s.moveDue(t.Context()))
	assert.Equal(t, map[int64]string{1: "log\n", 3001: "log\n"}, a.logs)
	assert.Equal(t, []bool{false, true, false}, []bool{here(s, 1), here(s, 2), here(s, 3001)})
	assert.Equal(t, Moves{Moved: 2, Bytes: 8}, s.Moves())
	for _, name := range others {
		assert.FileExists(t, filepath.Join(s.cfg.Dir, name))
	}
}

// TestMoveFails: a log that cannot be moved stays, and delays no other; an archive that is away ends the pass.
func TestMoveFails(t *testing.T) {
	t.Parallel()
	a := newArchive()
	s := newMoving(t, a, 0, map[int64]time.Duration{1: time.Hour, 2: time.Hour, 3: time.Hour})
	var out bytes.Buffer
	s.cfg.Log = slog.New(slog.NewTextHandler(&out, nil))
	a.fail[2] = errors.New("a wrong checksum")
	for range 3 {
		require.NoError(t, s.moveDue(t.Context()))
	}
	assert.Equal(t, Moves{Moved: 2, Bytes: 8, Failed: 3, Waiting: 1}, s.Moves())
	assert.True(t, here(s, 2))
	assert.Equal(t, 1, strings.Count(out.String(), "a wrong checksum"), "it is logged once")

	a.away = errStoreAway
	for id := int64(10); id < 60; id++ {
		require.NoError(t, s.Keep(ref(id), []byte("log\n")))
	}
	a.puts = 0
	require.ErrorIs(t, s.moveDue(t.Context()), errStoreAway)
	assert.Less(t, a.puts, 40, "it does not try all logs")
	assert.Equal(t, int64(51), s.Moves().Waiting)

	a.away, a.fail = nil, nil
	require.NoError(t, s.moveDue(t.Context()))
	assert.Equal(t, int64(0), s.Moves().Waiting)
	assert.Len(t, a.logs, 53)
}

// TestMoveMeanwhile: a reader finds a log before, during and after its move; a log that is removed during its move does
// no harm.
func TestMoveMeanwhile(t *testing.T) {
	t.Parallel()
	a := newArchive()
	s := newMoving(t, a, 0, map[int64]time.Duration{1: time.Hour})
	attempt := hive.Attempt{ID: 1, State: hive.AttemptEnded, Outcome: hive.OutcomeSuccess, LogBytes: 4}
	reads := 0
	read := func() {
		got, err := s.Read(t.Context(), nil, attempt, 0, 10)
		assert.NoError(t, err)
		assert.Equal(t, "log\n", string(got.Data))
		reads++
	}
	read()
	a.inPut = read
	require.NoError(t, s.moveDue(t.Context()))
	read()
	assert.Equal(t, 3, reads)

	require.NoError(t, s.Keep(ref(2), []byte("log\n")))
	a.inPut = func() { assert.NoError(t, s.Remove(ref(2))) }
	require.NoError(t, s.moveDue(t.Context()))
	assert.False(t, here(s, 2))
	require.NoError(t, s.RemoveAll(t.Context(), []hive.AttemptRef{ref(1), ref(2)}))
	assert.Empty(t, a.logs)
}

// TestList lists complete and growing logs of the folder by parts, and then those of the archive.
func TestList(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]*archive{"with an archive": newArchive(), "without": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
			if a != nil {
				s = New(Config{Dir: s.cfg.Dir, Log: s.cfg.Log, Archive: a})
				a.logs[77] = "moved"
			}
			for _, id := range []int64{1, 2, 9001, 10_001} {
				require.NoError(t, s.Keep(ref(id), []byte("log\n")))
			}
			require.NoError(t, os.Rename(s.path(ref(2), wholeLog), s.path(ref(2), partLog)))
			require.NoError(t, os.WriteFile(filepath.Join(s.cfg.Dir, "0", "readme"), nil, 0o600))
			var ids []int64
			next, parts := "", 0
			for more := true; more; more = next != "" {
				list, to, err := s.List(t.Context(), next)
				require.NoError(t, err)
				for _, l := range list {
					ids = append(ids, l.Attempt.ID)
					assert.Positive(t, l.Size)
				}
				next = to
				parts++
			}
			want := []int64{1, 2, 10_001, 9001}
			if a != nil {
				want = append(want, 77)
			}
			assert.Equal(t, want, ids)
			assert.Greater(t, parts, 3)
		})
	}
}

// TestOneMoves: of the servers that share a folder one moves at a time.
func TestOneMoves(t *testing.T) {
	t.Parallel()
	a, b := newArchive(), newArchive()
	s := newMoving(t, a, 0, map[int64]time.Duration{1: time.Hour})
	other := New(Config{Dir: s.cfg.Dir, Log: s.cfg.Log, Archive: b})
	a.inPut = func() { assert.NoError(t, other.moveDue(t.Context())) }
	require.NoError(t, s.moveDue(t.Context()))
	assert.Equal(t, []int{1, 0}, []int{a.puts, b.puts})
	require.NoError(t, s.Keep(ref(2), []byte("log\n")))
	require.NoError(t, other.moveDue(t.Context()))
	assert.Equal(t, 1, b.puts)
}

// TestReadAway: an archive that is away matters only for logs that it may have.
func TestReadAway(t *testing.T) {
	t.Parallel()
	e := hive.Executor{ID: "y", Address: "y:9", Durable: true}
	wrote := hive.Attempt{ID: 1, State: hive.AttemptEnded, Outcome: hive.OutcomeSuccess, LogBytes: 4}
	empty, running, lost := wrote, wrote, wrote
	empty.LogBytes, running.State, running.LogBytes = 0, hive.AttemptRunning, 0
	lost.LogBytes, lost.Outcome, lost.StartedAt = 0, hive.OutcomeLost, time.Now()
	for name, c := range map[string]struct {
		attempt  hive.Attempt
		executor *hive.Executor
		part     string
		away     bool
	}{
		"it wrote a log":                {wrote, nil, "", true},
		"its executor is away, too":     {wrote, &e, "", true},
		"lost while it ran":             {lost, nil, "", true},
		"it wrote none":                 {empty, nil, "", false},
		"it runs":                       {running, &e, "", false},
		"a part of it is in the folder": {lost, nil, "lo", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArchive()
			a.away = errStoreAway
			s := newMoving(t, a, 0, nil)
			if c.part != "" {
				require.NoError(t, os.MkdirAll(filepath.Dir(s.path(ref(1), partLog)), 0o700))
				require.NoError(t, os.WriteFile(s.path(ref(1), partLog), []byte(c.part), 0o600))
			}
			got, err := s.Read(t.Context(), c.executor, c.attempt, 0, 10)
			if c.away {
				require.ErrorIs(t, err, errStoreAway)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.part, string(got.Data))
		})
	}
}

// TestMoveAll moves logs when they are complete, waits while the archive is away, and goes on.
func TestMoveAll(t *testing.T) {
	t.Parallel()
	a := newArchive()
	s := newMoving(t, a, 0, nil)
	s.mover.again = time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { s.moveAll(ctx) })
	defer wg.Wait()
	defer stop()
	require.NoError(t, s.Keep(ref(1), []byte("log\n")))
	require.Eventually(t, func() bool { return s.Moves().Moved == 1 }, time.Minute, time.Millisecond)
	a.mu.Lock()
	a.away = errStoreAway
	a.mu.Unlock()
	require.NoError(t, s.Keep(ref(2), []byte("log\n")))
	require.Eventually(t, func() bool { return s.Moves().Away }, time.Minute, time.Millisecond)
	a.mu.Lock()
	a.away = nil
	a.mu.Unlock()
	require.Eventually(t, func() bool { m := s.Moves(); return m.Moved == 2 && !m.Away }, time.Minute, time.Millisecond)
}
