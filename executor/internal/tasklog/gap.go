package tasklog

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// When failed writes are tried again.
const (
	gapPause  = time.Second            // while the task goes on; not at each of its lines
	closeWait = 200 * time.Millisecond // in Close
	patience  = 30 * time.Second       // how long Close waits for room
)

// gap is a part of the log that could not be written.
type gap struct {
	rest    []byte // the rest of a line that was cut in the middle; written first, so that every line is complete
	missing int64  // bytes that are lost after rest
	why     error
	retry   time.Time // no write is tried before this time
}

// lose records a failed write: only the first n bytes of lines were written. The caller holds the lock.
func (w *Writer) lose(lines []byte, n int, err error) {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err // readers of the log do not need the file's name
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

// closeGap writes the rest of a cut line, and a notice with the number of lost bytes after it. It returns false if that
// cannot be written either. The caller holds the lock.
func (w *Writer) closeGap() bool {
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
	default: // a part of the notice is written: lines that are lost from now on belong to another gap
		g.rest, g.missing = lines[n:], 0
	}
	g.retry = w.now().Add(gapPause)
	return false
}

// writeClosing writes the closing line after everything before it. If the line cannot be written, or only a part of it,
// its rest becomes the rest of a gap, and the next call tries to write that. It returns false until everything is
// written. The caller holds the lock.
func (w *Writer) writeClosing(line string) bool {
	if w.f == nil {
		return true
	}
	if !w.closeGap() {
		return false
	}
	if line != "" && !w.closing {
		w.closing = true
		w.add(Sys, []byte(line))
		formatted := slices.Clone(w.buf)
		w.write()
		if g := w.gap; g != nil && g.missing > 0 {
			g.rest, g.missing = formatted, 0
		}
	}
	return w.gap == nil
}

// Missing says which bytes are missing at the end of a closed log that has no notice about them. It returns an empty
// string if none are missing.
func (w *Writer) Missing() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gap == nil {
		return ""
	}
	return fmt.Sprintf("the end of the log is missing, %d bytes: they could not be written (%v)",
		w.gap.missing+int64(len(w.gap.rest)), w.gap.why)
}
