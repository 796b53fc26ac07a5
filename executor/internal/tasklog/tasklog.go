// Package tasklog writes the log of an attempt: one line each, `2026-11-21T03:22:58.114Z out text`, with the streams
// out, err and sys (what the executor says). Lines are whole, valid UTF-8, and free of control characters but tab and
// the escape of colours.
package tasklog

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/rprp/hivego/executor/internal/plainfile"
)

// Stream says who wrote a line.
type Stream string

// The streams of a log.
const (
	Out Stream = "out" // standard output
	Err Stream = "err" // standard error
	Sys Stream = "sys" // the executor itself
)

// DefaultLimit is the size, in bytes, at which a log is cut if nothing else is said.
const DefaultLimit = 2 << 30

// MaxLine is the longest line, in bytes of its text; a longer one is continued on the next line.
const MaxLine = 64 << 10

// reserve is kept free under the limit for what the executor itself has to say at the end.
const reserve = 8 << 10

const timeLayout = "2006-01-02T15:04:05.000Z"

// Writer writes one attempt's log. It may be used from several goroutines.
type Writer struct {
	mu      sync.Mutex
	f       io.WriteCloser // nil once closed
	size    int64
	limit   int64
	cut     bool
	cutting bool // the notice of the cut is still in buf
	gap     *gap // what could not be written; nil: nothing
	closing bool // the closing line was made
	failed  error
	now     func() time.Time
	wait    time.Duration // for room, at the end
	buf     []byte
	pipes   []*Pipe
}

// Open opens the log at path, to be continued if it exists: on a line of its own, though a crash or a full disk may
// have cut the last one. limit is in bytes; 0 means DefaultLimit.
func Open(path string, limit int64, now func() time.Time) (*Writer, error) {
	f, err := plainfile.Open(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open task log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("open task log: %w", err)
	}
	size := info.Size()
	if size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			n, _ := f.WriteString("\n") // a disk that is still full says so at the next line
			size += int64(n)
		}
	}
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Writer{f: f, size: size, limit: max(limit, 2*reserve), now: now, wait: patience}, nil
}

// Sys writes a line of the executor's own.
func (w *Writer) Sys(format string, args ...any) { w.Line(Sys, fmt.Sprintf(format, args...)) }

// Line writes text as one line, or as several if it has line breaks.
func (w *Writer) Line(s Stream, text string) {
	p := Pipe{w: w, stream: s}
	_, _ = p.Write([]byte(text))
	p.Flush()
}

// Pipe gives a writer that cuts what is written into lines of stream s. What has no line end yet is kept until the
// rest comes, Flush or Close.
func (w *Writer) Pipe(s Stream) *Pipe {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &Pipe{w: w, stream: s}
	w.pipes = append(w.pipes, p)
	return p
}

// Size is the number of bytes in the log.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.size
}

// Close writes what is left of unfinished lines, and a last line of the executor's own unless it is empty. If the
// system does not take it, a while is waited for room. It answers the first error that writing met: the log is then
// shorter than it should be.
func (w *Writer) Close(last string) error {
	w.mu.Lock()
	pipes := w.pipes
	w.mu.Unlock()
	for _, p := range pipes {
		p.Flush()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for end := time.Now().Add(w.wait); !w.last(last) && time.Now().Before(end); {
		w.mu.Unlock()
		<-time.After(closeWait)
		w.mu.Lock()
	}
	if w.f == nil {
		return w.failed
	}
	err := w.f.Close()
	w.f = nil
	if w.failed == nil && err != nil {
		w.failed = err
	}
	return w.failed
}

// write appends whole lines, formatted by add into w.buf, with one system call. The caller holds the lock.
func (w *Writer) write() {
	defer func() {
		w.buf, w.cutting = w.buf[:0], false
		if cap(w.buf) > 1<<20 {
			w.buf = nil
		}
	}()
	if len(w.buf) == 0 || w.f == nil {
		return
	}
	if g := w.gap; g != nil && (w.now().Before(g.retry) || !w.mend()) {
		g.missing += int64(len(w.buf))
		if w.cutting {
			w.cut = false // its notice is lost too
		}
		return
	}
	n, err := w.f.Write(w.buf)
	w.size += int64(n)
	if err != nil {
		w.lose(w.buf, n, err)
	}
}

// add formats one line into w.buf, unless the log is full. The caller holds the lock.
func (w *Writer) add(s Stream, text []byte) {
	room := w.limit - w.size - int64(len(w.buf))
	if s != Sys {
		if w.cut {
			return
		}
		if room-reserve < int64(len(timeLayout)+6+len(text)) {
			w.cut, w.cutting = true, true
			w.add(Sys, fmt.Appendf(nil, "the log is cut here: it has reached its limit of %d bytes; the task goes on",
				w.limit))
			return
		}
	} else if room < int64(len(timeLayout)+6+len(text)) {
		return
	}
	w.buf = w.format(w.buf, s, text)
}

// format appends one line.
func (w *Writer) format(buf []byte, s Stream, text []byte) []byte {
	buf = w.now().UTC().AppendFormat(buf, timeLayout)
	buf = append(buf, ' ')
	buf = append(buf, s...)
	buf = append(buf, ' ')
	buf = appendClean(buf, text)
	return append(buf, '\n')
}
