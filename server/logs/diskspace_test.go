package logs

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// notes counts what was logged by level.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) count(level string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Count(n.text.String(), "level="+level)
}

// While nothing can be stored in the database, nothing is copied, because the database needs the space. The log reports
// the begin and the end, once each.
func TestNoCopiesWhileNothingCanBeStored(t *testing.T) {
	t.Parallel()
	d, text := newCopying(t, t.TempDir()), new(notes)
	d.cfg.Log = slog.New(slog.NewTextHandler(text, nil))
	x := d.add("x")
	var failing atomic.Bool
	var checks atomic.Int64
	failing.Store(true)
	d.space.failing = func() bool { checks.Add(1); return failing.Load() }
	d.start()
	x.write(1, "hello\n", true)
	d.Finish([]fleet.AttemptLog{logOf(1, x.row())})
	eventually(t, "it was checked again and again", func() bool { return checks.Load() > 5 })
	x.mu.Lock()
	assert.Zero(t, x.reads, "nothing was even asked for")
	x.mu.Unlock()
	assert.Equal(t, 1, text.count("WARN"))
	assert.Zero(t, text.count("INFO"))
	failing.Store(false)
	d.awaits(1)
	assert.Equal(t, "hello\n", d.file(1, wholeLog))
	assert.Equal(t, 1, text.count("WARN"))
	assert.Equal(t, 1, text.count("INFO"))
}

// A running copy stops when the space is short, and continues where it stopped.
func TestCopyStopsWithoutDiskSpace(t *testing.T) {
	t.Parallel()
	d := newCopying(t, t.TempDir())
	x := d.add("x")
	var mu sync.Mutex
	enough, checks := 4, 0 // checks that find space
	d.space.measure = func(string) (uint64, uint64, error) {
		mu.Lock()
		defer mu.Unlock()
		if checks++; checks > enough {
			return 1, 1 << 40, nil
		}
		return 1 << 39, 1 << 40, nil
	}
	d.start()
	log := strings.Repeat("0123456789abcde\n", 5*hive.MaxLogPart/16)
	x.write(1, log, true)
	d.Finish([]fleet.AttemptLog{logOf(1, x.row())})
	eventually(t, "it was checked again and again", func() bool { mu.Lock(); defer mu.Unlock(); return checks > 10 })
	assert.Empty(t, d.copied)
	assert.Equal(t, log[:3*hive.MaxLogPart], d.file(1, partLog), "one check before the call, and one before each write")
	mu.Lock()
	enough = 1 << 30
	mu.Unlock()
	d.awaits(1)
	assert.Equal(t, log, d.file(1, wholeLog))
}

// A network file system that does not answer delays the copies and not the engine's loop, which continues to request
// them.
func TestCopiesWaitForTheFileSystemAlone(t *testing.T) {
	t.Parallel()
	d := newCopying(t, t.TempDir())
	x := d.add("x")
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	d.space.measure = func(string) (uint64, uint64, error) {
		asked <- struct{}{}
		<-answer
		return 1 << 39, 1 << 40, nil
	}
	d.start()
	goOn := sync.OnceFunc(func() { close(answer) })
	t.Cleanup(goOn)
	x.write(1, "hello\n", true)
	x.write(2, "world\n", true)
	d.Finish([]fleet.AttemptLog{logOf(1, x.row())})
	<-asked
	eventually(t, "the loop goes on", func() bool {
		if !d.Store.mu.TryLock() {
			return false
		}
		d.Store.mu.Unlock()
		return true
	})
	d.Finish([]fleet.AttemptLog{logOf(2, x.row())})
	goOn()
	d.awaits(1, 2)
}

// A copy that filled the disk is removed: others need the space more.
func TestCopyThatFillsTheDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "0"), 0o700))
	require.NoError(t, os.Symlink("/dev/full", filepath.Join(dir, "0", "1"+partLog)))
	d := newCopying(t, dir)
	x := d.add("x")
	x.write(1, "hello\n", true)
	l, err := d.copy(t.Context(), x.row(), &copyJob{attempt: ref(1), whole: true})
	assert.Nil(t, l)
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.NoFileExists(t, filepath.Join(dir, "0", "1"+partLog))
	d.start()
	d.Finish([]fleet.AttemptLog{logOf(1, x.row())})
	d.awaits(1)
	assert.Equal(t, "hello\n", d.file(1, wholeLog))
}

func TestDiskSpace(t *testing.T) {
	t.Parallel()
	const mib, gib = 1 << 20, 1 << 30
	for name, c := range map[string]struct {
		total, least uint64
	}{
		"a small disk keeps a tenth": {100 * mib, 10 * mib},
		"at least":                   {4 * gib, minReserve},
		"a hundredth":                {50 * gib, 50 * gib / 100},
		"at most":                    {4096 * gib, maxReserve},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, free := newDiskSpace("x"), c.least
			r.measure = func(string) (uint64, uint64, error) { return free, c.total, nil }
			check := func(now uint64, may, change bool) {
				t.Helper()
				free = now
				changed, why := r.check()
				assert.Equal(t, may, why == nil)
				assert.Equal(t, change, changed)
			}
			check(c.least, true, false)
			check(c.least-1, false, true)
			check(c.least, false, false)
			check(c.least+c.least/4, true, true)
			check(c.least, true, false)
		})
	}
	r := newDiskSpace("x")
	r.measure = func(string) (uint64, uint64, error) { return 0, 0, errors.New("not asked") }
	changed, why := r.check()
	require.NoError(t, why)
	assert.False(t, changed)
}

// The folder is created with the first log; its file system can be measured before.
func TestMeasureDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	free, total, err := MeasureDisk(filepath.Join(dir, "not", "yet"))
	require.NoError(t, err)
	assert.NotZero(t, total)
	assert.LessOrEqual(t, free, total)
	_, _, err = MeasureDisk(dir + "\x00")
	require.Error(t, err)
}
