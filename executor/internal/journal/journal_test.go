package journal

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens the journal at path and returns its records.
func open(t testing.TB, path string) (*Journal, []string) {
	t.Helper()
	var got []string
	j, err := Open(path, slog.New(slog.DiscardHandler), func(p []byte) error {
		got = append(got, string(p))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return j, got
}

// put adds records and waits until they are durable.
func put(j *Journal, first uint64, records ...string) {
	var payloads [][]byte
	for _, r := range records {
		payloads = append(payloads, []byte(r))
	}
	done := make(chan struct{})
	j.Add(payloads, first+uint64(len(records))-1, func() { close(done) })
	<-done
}

func TestReopen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	j, got := open(t, path)
	if len(got) != 0 {
		t.Fatalf("new journal has %q", got)
	}
	put(j, 1, "a", "", "c")
	put(j, 4, "d")
	j.Close()
	j.Close()
	j, got = open(t, path)
	defer j.Close()
	if want := []string{"a", "", "c", "d"}; !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v", info.Mode())
	}
}

func TestCallbacksInOrder(t *testing.T) {
	t.Parallel()
	j, _ := open(t, filepath.Join(t.TempDir(), "journal"))
	defer j.Close()
	const n = 2000
	var order []int
	done := make(chan struct{})
	for i := range n {
		after := uint64(0)
		if i%3 == 0 {
			after = uint64(i + 1)
		}
		j.Add([][]byte{[]byte("x")}, after, func() {
			order = append(order, i)
			if len(order) == n {
				close(done)
			}
		})
	}
	<-done
	if !slices.IsSorted(order) {
		t.Fatal("the functions were called out of order")
	}
}

func TestRewriteReplacesEarlierRecords(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	j, _ := open(t, path)
	put(j, 1, "a", "b")
	j.Rewrite([][]byte{[]byte("ab")})
	put(j, 3, "c")
	j.Close()
	j, got := open(t, path)
	j.Close()
	if want := []string{"ab", "c"}; !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// While the writer is busy, a queued Rewrite counts already. Otherwise every caller that compares the size with a limit
// would queue one more.
func TestSizeCountsQueuedItems(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	j, _ := open(t, path)
	busy, release := make(chan struct{}), make(chan struct{})
	j.Add(nil, 0, func() {
		close(busy)
		<-release
	})
	<-busy
	expect := func(want int64) {
		t.Helper()
		if got := j.Size(); got != want {
			t.Errorf("size %d, want %d", got, want)
		}
	}
	j.Add([][]byte{bytes.Repeat([]byte("x"), 1000), []byte("y")}, 0, nil)
	expect(1001 + 2*headerSize)
	j.Rewrite([][]byte{[]byte("short")})
	expect(5 + headerSize)
	j.Add([][]byte{[]byte("next")}, 0, nil)
	expect(9 + 2*headerSize)
	close(release)
	j.Close()
	expect(9 + 2*headerSize)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	expect(info.Size())
	again, _ := open(t, path)
	defer again.Close()
	if again.Size() != info.Size() {
		t.Errorf("size %d after opening, want %d", again.Size(), info.Size())
	}
}

// After a crash the preallocated zeros are still in the file. They are no damage, but an unfinished record before them
// is.
func TestPreallocationAfterACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	j, _ := open(t, path)
	defer j.Close()
	put(j, 1, "first", "second")
	crashed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(crashed) < preallocation {
		t.Fatalf("%d bytes: nothing is preallocated", len(crashed))
	}
	written := len(bytes.TrimRight(crashed, "\x00"))
	for _, c := range []struct {
		cut  int // bytes of the last record that did not reach the disk
		want []string
		torn bool
	}{{0, []string{"first", "second"}, false}, {1, []string{"first"}, true}} {
		p := filepath.Join(dir, fmt.Sprint("crashed", c.cut))
		image := bytes.Clone(crashed)
		clear(image[written-c.cut:])
		if err := os.WriteFile(p, image, 0o600); err != nil {
			t.Fatal(err)
		}
		_, damage, err := openFile(p, func([]byte) error { return nil })
		if err != nil || damage.Skipped != 0 || damage.Torn > 0 != c.torn {
			t.Fatalf("cut %d: %+v, %v", c.cut, damage, err)
		}
		again, got := open(t, p)
		if !slices.Equal(got, c.want) {
			t.Fatalf("cut %d: got %q", c.cut, got)
		}
		put(again, 1, "next")
		again.Close()
		again, got = open(t, p)
		again.Close()
		if want := slices.Concat(c.want, []string{"next"}); !slices.Equal(got, want) {
			t.Fatalf("cut %d: after one more record got %q, want %q", c.cut, got, want)
		}
	}
}

// A file that was cut at any byte has the records before the cut, and accepts new ones.
func TestTornTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	j, _ := open(t, path)
	put(j, 1, "first", "second", "third")
	j.Close()
	complete, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"first", "second", "third"}
	for cut := range complete {
		p := filepath.Join(dir, fmt.Sprint("cut", cut))
		if err := os.WriteFile(p, complete[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		j, got := open(t, p)
		if !slices.Equal(got, all[:len(got)]) {
			t.Fatalf("cut at %d: got %q", cut, got)
		}
		put(j, 1, "new")
		j.Close()
		j, again := open(t, p)
		j.Close()
		if !slices.Equal(again, append(slices.Clone(got), "new")) {
			t.Fatalf("cut at %d: after one more record got %q", cut, again)
		}
	}
}

// Damage loses at most the records that it touches, and never yields a record that was not written.
func TestDamage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "records")
		var data []byte
		var ends []int
		want := map[string]bool{}
		for i := range n {
			p := fmt.Sprintf("record %d %s", i, bytes.Repeat([]byte("x"), rapid.IntRange(0, 40).Draw(t, "size")))
			want[p] = true
			data = frame(data, []byte(p))
			ends = append(ends, len(data))
		}
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		length := rapid.IntRange(1, min(20, len(data)-at)).Draw(t, "length")
		seed := rand.New(rand.NewPCG(1, uint64(at)))
		for i := range length {
			data[at+i] ^= byte(seed.IntN(255) + 1)
		}
		touched := 0
		for i, end := range ends {
			start := 0
			if i > 0 {
				start = ends[i-1]
			}
			if start < at+length && at < end {
				touched++
			}
		}
		read := 0
		_, _, err := readAll(bytes.NewReader(data), func(p []byte) error {
			if !want[string(p)] {
				t.Fatalf("read %q, which was not written", p)
			}
			read++
			return nil
		})
		if err != nil || read < n-touched {
			t.Fatalf("read %d of %d, %d touched: %v", read, n, touched, err)
		}
	})
}

// After a failed write, the next call of write also writes the bytes of the failed one.
func TestWriteAgainAfterFailure(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	f, _, err := openFile(path, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	good := f.f
	bad, err := os.Open(path) // not open for writing
	if err != nil {
		t.Fatal(err)
	}
	f.f = bad
	if f.write(frame(nil, []byte("one"))) == nil {
		t.Fatal("wrote to a file that is only open for reading")
	}
	_ = bad.Close()
	f.f = good
	if err := f.write(frame(nil, []byte("two"))); err != nil {
		t.Fatal(err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	j, got := open(t, path)
	j.Close()
	if want := []string{"one", "two"}; !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// WriteError reports a failed write until the write succeeds.
func TestWriteError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	j, _ := open(t, path)
	defer j.Close()
	full := errors.New("no space left")
	tries := 0
	var reported error
	if !j.persist(func() error {
		if tries++; tries == 1 {
			return full
		}
		reported = j.WriteError()
		return nil
	}) {
		t.Fatal("the write was not repeated")
	}
	if !errors.Is(reported, full) || j.WriteError() != nil {
		t.Fatalf("%v, then %v", reported, j.WriteError())
	}
}

func BenchmarkGroup(b *testing.B) {
	j, _ := open(b, filepath.Join(b.TempDir(), "journal"))
	defer j.Close()
	payload := [][]byte{bytes.Repeat([]byte("x"), 200)}
	done := make(chan struct{})
	for i := range b.N {
		last := i == b.N-1
		j.Add(payload, uint64(i+1), func() {
			if last {
				close(done)
			}
		})
	}
	<-done
}
