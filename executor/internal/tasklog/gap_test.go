package tasklog

import (
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// disk is a file on a file system that has room for a limited number of bytes.
type disk struct {
	mu      sync.Mutex
	text    strings.Builder
	room    int
	refused int // writes
}

func (d *disk) Write(data []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(data), d.room)
	d.text.Write(data[:n])
	d.room -= n
	if n < len(data) {
		d.refused++
		return n, &fs.PathError{Op: "write", Path: "log", Err: syscall.ENOSPC}
	}
	return n, nil
}

func (d *disk) Close() error { return nil }

func (d *disk) free(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = n
}

func (d *disk) refusals() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refused
}

func (d *disk) lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.SplitAfter(d.text.String(), "\n")
}

// on makes a writer on a disk; pass advances its clock.
func on(d *disk) (w *Writer, pass func(time.Duration)) {
	now := clock()
	w = &Writer{f: d, limit: DefaultLimit, now: func() time.Time { return now }}
	return w, func(by time.Duration) { now = now.Add(by) }
}

// The disk is full for a while. The line that was cut is completed, and one line reports how many bytes are missing
// after it.
func TestGap(t *testing.T) {
	t.Parallel()
	d := &disk{room: 100}
	w, pass := on(d)
	p := w.Pipe(Out)
	for range 10 {
		_, _ = p.Write([]byte("0123456789\n")) // 40 bytes in the log
	}
	d.free(1000)
	_, _ = p.Write([]byte("too early: not each line tries\n"))
	pass(2 * time.Second)
	_, _ = p.Write([]byte("again\n"))
	if err := w.Close("exit code 0"); err == nil {
		t.Fatal("the log is incomplete, but Close reported no error")
	}
	if missing := w.Missing(); missing != "" {
		t.Fatalf("the log reports the gap itself, yet: %s", missing)
	}
	got := d.lines()
	if len(got) != 7 || got[6] != "" {
		t.Fatalf("lines %q", got)
	}
	for _, line := range got[:3] {
		if line != stamp+"out 0123456789\n" {
			t.Fatalf("line %q", line)
		}
	}
	late := "2026-11-21T03:23:00.114Z "
	missing := 7*len(got[0]) + len(stamp+"out too early: not each line tries\n")
	want := late + "sys " + strconv.Itoa(missing) + " bytes of the log are missing here: they could not be written " +
		"(no space left on device); the task went on\n"
	if got[3] != want {
		t.Fatalf("got %q, want %q", got[3], want)
	}
	if got[4] != late+"out again\n" || got[5] != late+"sys exit code 0\n" {
		t.Fatalf("after the gap: %q", got[4:])
	}
}

// Close waits for room, so that a log does not end in the middle of a line.
func TestGapAtTheEnd(t *testing.T) {
	t.Parallel()
	d := &disk{room: 60}
	w, _ := on(d)
	w.wait = time.Hour
	_, _ = w.Pipe(Out).Write([]byte("0123456789\n0123456789\n0123456789\n"))
	closed := make(chan error)
	go func() { closed <- w.Close("exit code 0") }()
	d.free(1000)
	if err := <-closed; err == nil {
		t.Fatal("no error")
	}
	got := d.lines()
	if len(got) != 5 || !strings.Contains(got[2], " sys 40 bytes of the log are missing here") ||
		got[3] != stamp+"sys exit code 0\n" {
		t.Fatalf("lines %q", got)
	}
}

// If the room ends within the closing line or right before it, the log still gets that line, once and complete, and
// nothing else is missing.
func TestGapInTheClosingLine(t *testing.T) {
	t.Parallel()
	for _, room := range []int{40, 60} {
		d := &disk{room: room}
		w, _ := on(d)
		w.wait = time.Hour
		_, _ = w.Pipe(Out).Write([]byte("0123456789\n")) // 40 bytes in the log
		closed := make(chan error)
		go func() { closed <- w.Close("exit code 0") }()
		for end := time.Now().Add(2 * time.Minute); d.refusals() == 0 && time.Now().Before(end); {
			<-time.After(time.Millisecond)
		}
		d.free(1000)
		if err := <-closed; err == nil {
			t.Error("no error")
		}
		if got := d.lines(); len(got) != 3 || got[1] != stamp+"sys exit code 0\n" {
			t.Errorf("with room for %d bytes: lines %q", room, got)
		}
		if w.Missing() != "" || w.Size() != int64(d.text.Len()) {
			t.Errorf("size %d of %d; %s", w.Size(), d.text.Len(), w.Missing())
		}
	}
}

// If the disk stays full, Missing reports the gap.
func TestGapThatStays(t *testing.T) {
	t.Parallel()
	w, _ := on(&disk{room: 60})
	_, _ = w.Pipe(Out).Write([]byte("0123456789\n0123456789\n0123456789\n"))
	if err := w.Close("exit code 0"); err == nil {
		t.Fatal("no error")
	}
	want := "the end of the log is missing, 60 bytes: they could not be written (no space left on device)"
	if got := w.Missing(); got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// However the room changes, every line is complete, and the bytes in the log plus the bytes reported as missing equal
// the bytes written. There is at most one notice for each write that the disk refused.
func TestAnyGaps(t *testing.T) {
	t.Parallel()
	notice := regexp.MustCompile(` sys (\d+) bytes of the log are missing here`)
	rapid.Check(t, func(rt *rapid.T) {
		d := &disk{}
		w, pass := on(d)
		p := w.Pipe(Out)
		written := 0
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			d.free(rapid.IntRange(0, 300).Draw(rt, "room"))
			text := strings.Repeat("中\n", rapid.IntRange(1, 5).Draw(rt, "lines"))
			written += strings.Count(text, "\n") * len(stamp+"out 中\n")
			_, _ = p.Write([]byte(text))
			pass(rapid.SampledFrom([]time.Duration{0, 2 * time.Second}).Draw(rt, "pause"))
		}
		d.free(1 << 20)
		_ = w.Close("end")
		reported, notices := 0, 0
		got := d.lines()
		for _, line := range got[:len(got)-2] {
			m := notice.FindStringSubmatch(line)
			switch {
			case m == nil && !strings.HasSuffix(line, "Z out 中\n"):
				rt.Fatalf("line %q", line)
			case m == nil:
				reported += len(line)
			default:
				n, _ := strconv.Atoi(m[1])
				reported += n
				notices++
			}
		}
		if notices > d.refused {
			rt.Fatalf("%d writes were refused: %q", d.refused, got)
		}
		if reported != written || w.Size() != int64(d.text.Len()) {
			rt.Fatalf("%d bytes were written, the log reports %d, size %d, log %q", written, reported, w.Size(), got)
		}
		if last := got[len(got)-2]; !strings.HasSuffix(last, "Z sys end\n") {
			rt.Fatalf("last line %q", last)
		}
	})
}
