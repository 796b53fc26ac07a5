package dispatch

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
)

// notes is what was logged, by level.
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

// While the database cannot store, nothing is copied: the room is needed there. That is said once, and once that it is
// over.
func TestNoCopiesWhileNothingCanBeStored(t *testing.T) {
	t.Parallel()
	x, said := newScript(t, "x"), new(notes)
	c := newCopier(t.TempDir(), newTestPool(t), slog.New(slog.NewTextHandler(said, nil)), callerOf)
	var failing atomic.Bool
	var looks atomic.Int64
	failing.Store(true)
	c.room.failing = func() bool { looks.Add(1); return failing.Load() }
	d := newDeskOf(t, c)
	x.write(1, "hello\n", true)
	d.finish([]fleet.AttemptLog{logOf(1, x.row())})
	eventually(t, "it was looked again and again", func() bool { return looks.Load() > 5 })
	x.mu.Lock()
	assert.Zero(t, x.reads, "nothing was even asked for")
	x.mu.Unlock()
	assert.Equal(t, 1, said.count("WARN"))
	assert.Zero(t, said.count("INFO"))
	failing.Store(false)
	d.awaits(1)
	assert.Equal(t, "hello\n", d.file(1, wholeLog))
	assert.Equal(t, 1, said.count("WARN"))
	assert.Equal(t, 1, said.count("INFO"))
}

// A copy that is under way stops when the room becomes too little, and goes on where it was.
func TestCopyStopsForWantOfRoom(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	c := newCopier(t.TempDir(), newTestPool(t), quiet(), callerOf)
	var mu sync.Mutex
	least, looks := 4, 0 // looks that find room
	c.room.left = func(string) (uint64, uint64, error) {
		mu.Lock()
		defer mu.Unlock()
		if looks++; looks > least {
			return 1, 1 << 40, nil
		}
		return 1 << 39, 1 << 40, nil
	}
	d := newDeskOf(t, c)
	log := strings.Repeat("0123456789abcde\n", 5*copyChunk/16)
	x.write(1, log, true)
	d.finish([]fleet.AttemptLog{logOf(1, x.row())})
	eventually(t, "it was looked again and again", func() bool { mu.Lock(); defer mu.Unlock(); return looks > 10 })
	assert.Empty(t, d.releases)
	assert.Equal(t, log[:3*copyChunk], d.file(1, partLog), "one look before the call, and one before each write")
	mu.Lock()
	least = 1 << 30
	mu.Unlock()
	d.awaits(1)
	assert.Equal(t, log, d.file(1, wholeLog))
}

// A file system that does not answer, as one in a network may, holds up the copies and not the owner's loop, which goes
// on asking for more of them.
func TestCopiesWaitForTheFileSystemAlone(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	c := newCopier(t.TempDir(), newTestPool(t), quiet(), callerOf)
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	c.room.left = func(string) (uint64, uint64, error) {
		asked <- struct{}{}
		<-answer
		return 1 << 39, 1 << 40, nil
	}
	d := newDeskOf(t, c)
	goOn := sync.OnceFunc(func() { close(answer) })
	t.Cleanup(goOn)
	x.write(1, "hello\n", true)
	x.write(2, "world\n", true)
	d.finish([]fleet.AttemptLog{logOf(1, x.row())})
	<-asked
	eventually(t, "the loop goes on", func() bool {
		if !c.mu.TryLock() {
			return false
		}
		c.mu.Unlock()
		return true
	})
	d.finish([]fleet.AttemptLog{logOf(2, x.row())})
	goOn()
	d.awaits(1, 2)
}

// What filled the disk is given back: others need the room more than a copy.
func TestCopyThatFillsTheDisk(t *testing.T) {
	t.Parallel()
	dir, x := t.TempDir(), newScript(t, "x")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "0"), 0o700))
	require.NoError(t, os.Symlink("/dev/full", filepath.Join(dir, "0", "1"+partLog)))
	x.write(1, "hello\n", true)
	c := newCopier(dir, newTestPool(t), quiet(), callerOf)
	l, err := c.copy(t.Context(), x.row(), &copyJob{attempt: ref(1), whole: true})
	assert.Nil(t, l)
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.NoFileExists(t, filepath.Join(dir, "0", "1"+partLog))
	d := newDeskOf(t, c)
	d.finish([]fleet.AttemptLog{logOf(1, x.row())})
	d.awaits(1)
	assert.Equal(t, "hello\n", d.file(1, wholeLog))
}

func TestRoom(t *testing.T) {
	t.Parallel()
	const mib, gib = 1 << 20, 1 << 30
	for name, c := range map[string]struct {
		total, least uint64
	}{
		"a small disk keeps a tenth": {100 * mib, 10 * mib},
		"at least":                   {4 * gib, leastReserve},
		"a hundredth":                {50 * gib, 50 * gib / 100},
		"at most":                    {4096 * gib, mostReserve},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, free := newRoom("x"), c.least
			r.left = func(string) (uint64, uint64, error) { return free, c.total, nil }
			check := func(now uint64, may, change bool) {
				t.Helper()
				free = now
				changed, why := r.look()
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
	r := newRoom("x")
	r.left = func(string) (uint64, uint64, error) { return 0, 0, errors.New("not asked") }
	changed, why := r.look()
	require.NoError(t, why)
	assert.False(t, changed)
}

// The folder of the logs is made with the first of them; its file system is there before.
func TestRoomOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	free, total, err := onDisk(filepath.Join(dir, "not", "yet"))
	require.NoError(t, err)
	assert.NotZero(t, total)
	assert.LessOrEqual(t, free, total)
	_, _, err = onDisk(dir + "\x00")
	require.Error(t, err)
}
