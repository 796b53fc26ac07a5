package tasklog

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// When what could not be written is tried again.
const (
	gapPause  = time.Second            // while the task goes on: not at each of its lines
	closeWait = 200 * time.Millisecond // at the end
	patience  = 30 * time.Second       // how long the end waits for room
)

// gap is where lines were lost, because the system did not take them.
type gap struct {
	rest    []byte // of the line that was cut in the middle: it comes first, so that every line is whole
	missing int64  // bytes after that
	why     error
	retry   time.Time // nothing is tried before
}

// lose notes what could not be written: all but the first n bytes of lines. The caller holds the lock.
func (w *Writer) lose(lines []byte, n int, err error) {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err // a reader of the log does not ask for the file's name
	}
	if w.failed == nil {
		w.failed = fmt.Errorf("write task log: %w", err)
	}
	if w.cutting {
		w.cut = false // the notice is lost too
	}
	g := &gap{why: err, retry: w.now().Add(gapPause)}
	if n > 0 && lines[n-1] != '\n' {
		end := n
		for lines[end] != '\n' {
			end++
		}
		g.rest = append(g.rest, lines[n:end+1]...)
		n = end + 1
	}
	g.missing = int64(len(lines) - n)
	w.gap = g
}

// mend writes what a cut line lacks, and how much is missing after it; false: the system still refuses. The caller
// holds the lock.
func (w *Writer) mend() bool {
	g := w.gap
	if g == nil {
		return true
	}
	lines := g.rest
	if g.missing > 0 {
		lines = w.format(slices.Clip(lines), Sys, fmt.Appendf(nil,
			"%d bytes of the log are missing here: they could not be written (%v); the task went on", g.missing, g.why))
	}
	n, err := w.f.Write(lines)
	w.size += int64(n)
	switch {
	case err == nil:
		w.gap = nil
		return true
	case n < len(g.rest):
		g.rest = g.rest[n:]
	case n == len(g.rest):
		g.rest = nil
	default: // the notice has begun: what is lost from now on is another gap
		g.rest, g.missing = lines[n:], 0
	}
	g.retry = w.now().Add(gapPause)
	return false
}

// last writes the closing line, if it can: after all that is to be said before it. A line that is refused, or cut,
// waits for room as the rest of a line does, and is not made again. The caller holds the lock.
func (w *Writer) last(line string) bool {
	if w.f == nil {
		return true
	}
	if !w.mend() {
		return false
	}
	if line != "" && !w.closing {
		w.closing = true
		w.add(Sys, []byte(line))
		whole := slices.Clone(w.buf)
		w.write()
		if g := w.gap; g != nil && g.missing > 0 {
			g.rest, g.missing = whole, 0
		}
	}
	return w.gap == nil
}

// Missing says in words what is missing at the end of a closed log without a line that tells it; empty: nothing.
func (w *Writer) Missing() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gap == nil {
		return ""
	}
	return fmt.Sprintf("the end of the log is missing, %d bytes: they could not be written (%v)",
		w.gap.missing+int64(len(w.gap.rest)), w.gap.why)
}
