// Package tasklog writes the log of an attempt. A line is `2026-11-21T03:22:58.114Z out text`; the streams are out, err
// and sys (messages of the executor). Lines are complete, valid UTF-8, and have no control characters except tab and
// the escape that begins colors.
package tasklog

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/rprp/hivego/executor/internal/mask"
	"github.com/rprp/hivego/executor/internal/plainfile"
)

// Stream names the source of a line.
type Stream string

// The streams of a log.
const (
	Out Stream = "out" // standard output
	Err Stream = "err" // standard error
	Sys Stream = "sys" // the executor itself
)

// DefaultLimit is the size, in bytes, at which a log is cut if no limit is given.
const DefaultLimit = 2 << 30

// MaxLine is the length of the longest line, in bytes of its text. A longer line continues on the next line.
const MaxLine = 64 << 10

// reserve is how many bytes below the limit are reserved for messages of the executor at the end.
const reserve = 8 << 10

const timeLayout = "2006-01-02T15:04:05.000Z"

// Writer writes one attempt's log. It is safe for concurrent use.
type Writer struct {
	mu      sync.Mutex
	f       io.WriteCloser // nil once closed
	size    int64
	limit   int64
	cut     bool
	cutting bool // the notice of the cut is still in buf
	gap     *gap // the part that could not be written; nil: none
	closing bool // the closing line is formatted
	failed  error
	now     func() time.Time
	wait    time.Duration // how long Close waits for room
	buf     []byte
	pipes   []*Pipe
	masks   *mask.Set // nil: nothing is masked
}

// Mask masks the values of a set in everything that is written from now on. Call it before the first write.
func (w *Writer) Mask(values *mask.Set) { w.masks = values }

// Open opens the log at path. If it exists, it is continued on a new line, also if a crash or a full disk has cut its
// last line. limit is in bytes; 0 means DefaultLimit.
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
			n, _ := f.WriteString("\n") // if the disk is still full, the next line reports it
			size += int64(n)
		}
	}
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Writer{f: f, size: size, limit: max(limit, 2*reserve), now: now, wait: patience}, nil
}

// Sys writes a message of the executor.
func (w *Writer) Sys(format string, args ...any) { w.Line(Sys, fmt.Sprintf(format, args...)) }

// Line writes text as one line, or as several if it has line breaks.
func (w *Writer) Line(s Stream, text string) {
	p := Pipe{w: w, stream: s}
	_, _ = p.Write([]byte(text))
	p.Flush()
}

// Pipe returns a writer that splits its input into lines of stream s. It buffers an unfinished line until the line
// ends, or until Flush or Close.
func (w *Writer) Pipe(s Stream) *Pipe {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &Pipe{w: w, stream: s}
	w.pipes = append(w.pipes, p)
	return p
}

// Size returns the number of bytes in the log.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.size
}

// Close writes the unfinished lines, and then closing as a message of the executor, unless it is empty. If the disk is
// full, Close waits a while for room. It returns the first error of any write: the log is then incomplete.
func (w *Writer) Close(closing string) error {
	closing = w.masks.String(closing)
	w.mu.Lock()
	pipes := w.pipes
	w.mu.Unlock()
	for _, p := range pipes {
		p.Flush()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for end := time.Now().Add(w.wait); !w.writeClosing(closing) && time.Now().Before(end); {
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

// write appends the lines that add has formatted into w.buf, with one system call. The caller holds the lock.
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
	if g := w.gap; g != nil && (w.now().Before(g.retry) || !w.closeGap()) {
		g.missing += int64(len(w.buf))
		if w.cutting {
			w.cut = false // the notice is lost too
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
