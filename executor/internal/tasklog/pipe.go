package tasklog

import (
	"bytes"
	"unicode/utf8"

	"github.com/rprp/hivego/executor/internal/mask"
)

// Pipe splits a stream of bytes into lines of a log. It is an io.Writer that never fails: a task must not stop because
// its log cannot be written.
type Pipe struct {
	w      *Writer
	stream Stream
	rest   []byte       // an unfinished line
	masked *mask.Stream // holds back what could begin a secret; nil: nothing is masked, or nothing was written yet
	wasCR  bool         // the last byte was \r and ended a line; a \n after it ends no other line
}

// Write accepts any bytes. Lines end at \n, \r\n or \r.
func (p *Pipe) Write(data []byte) (int, error) {
	n := len(data)
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.w.masks != nil {
		if p.masked == nil {
			p.masked = p.w.masks.Stream()
		}
		data = p.masked.Write(data)
	}
	p.split(data)
	p.w.write()
	return n, nil
}

// split adds the complete lines of data to the log. The caller holds the lock.
func (p *Pipe) split(data []byte) {
	for len(data) > 0 {
		if p.wasCR {
			p.wasCR = false
			if data[0] == '\n' {
				data = data[1:]
				continue
			}
		}
		i := bytes.IndexAny(data, "\n\r")
		if i < 0 {
			p.extend(data)
			break
		}
		p.wasCR = data[i] == '\r'
		p.line(data[:i])
		data = data[i+1:]
	}
}

// line completes the unfinished line with more.
func (p *Pipe) line(more []byte) {
	if len(p.rest) == 0 && len(more) <= MaxLine {
		p.w.add(p.stream, more)
		return
	}
	p.extend(more)
	p.w.add(p.stream, p.rest)
	p.rest = p.rest[:0]
}

// extend appends to the unfinished line. A line that becomes longer than MaxLine is split.
func (p *Pipe) extend(more []byte) {
	p.rest = append(p.rest, more...)
	for len(p.rest) > MaxLine {
		cut := MaxLine
		for cut > MaxLine-utf8.UTFMax && !utf8.RuneStart(p.rest[cut]) {
			cut--
		}
		p.w.add(p.stream, p.rest[:cut])
		p.rest = append(p.rest[:0], p.rest[cut:]...)
	}
}

// Flush ends and writes an unfinished line.
func (p *Pipe) Flush() {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.masked != nil {
		p.split(p.masked.Flush())
	}
	if len(p.rest) > 0 {
		p.w.add(p.stream, p.rest)
		p.rest = nil
	}
	p.w.write()
}

const escape = 0x1b

// appendClean appends text. It replaces control characters and invalid UTF-8 by U+FFFD.
func appendClean(buf, text []byte) []byte {
	for len(text) > 0 {
		c := text[0]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != 0x7f || c == '\t' || c == escape {
				buf = append(buf, c)
			} else {
				buf = utf8.AppendRune(buf, utf8.RuneError)
			}
			text = text[1:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		if r >= 0x80 && r < 0xa0 { // C1 control characters
			r = utf8.RuneError
		}
		buf = utf8.AppendRune(buf, r)
		text = text[n:]
	}
	return buf
}
