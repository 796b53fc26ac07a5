// Package find finds places in logs of attempts, which may be long and still grow. It reads a log piece by piece,
// within a budget for each query, and never holds more than two pieces. Offsets are bytes: a piece may end within a
// character, a line never does.
package find

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Read returns at most limit bytes of a log from offset on. It returns none only at the end of the log.
type Read func(ctx context.Context, offset, limit int64) (hive.LogPart, error)

// Budgets of one query.
const (
	piece     = 1 << 20   // bytes that are read at once
	maxLine   = 1 << 20   // a longer line counts as several
	maxSearch = 64 << 20  // bytes that are searched
	tail      = 4 << 20   // bytes before the end in which the error is searched
	near      = 256 << 10 // the last part of tail, which is searched however long that takes
	patience  = time.Second
	counting  = 250 * time.Millisecond // to count the number of a line that was found
)

// Finder answers queries. Many goroutines may use it at once.
type Finder struct {
	now   func() time.Time
	rules *rules
	lines *lineIndex
	most  int64 // bytes of one search
}

// NewFinder makes a Finder with a clock.
func NewFinder(now func() time.Time) *Finder {
	return &Finder{now: now, rules: newRules(), lines: newLineIndex(), most: maxSearch}
}

// Find searches the log of an attempt.
func (f *Finder) Find(ctx context.Context, attempt int64, read Read, q hive.LogQuery) (hive.LogPlace, error) {
	s := &search{ctx: ctx, read: read, now: f.now, most: f.most, until: f.now().Add(patience)}
	if err := s.measure(); err != nil {
		return hive.LogPlace{}, err
	}
	var p hive.LogPlace
	var err error
	switch {
	case q.Line > 0:
		return f.line(s, attempt, q.Line)
	case q.Text != "":
		p, err = s.find(q, newNeedle(q.Text).in)
	case q.Next || q.Backwards:
		p, err = s.find(q, f.rules.first)
	default:
		p, err = f.rules.cause(s)
	}
	p.Size = s.size
	if err == nil && p.Found {
		s.until = f.now().Add(counting)
		p.Line, err = f.lines.number(s, attempt, p.Offset)
	}
	return p, err
}

// search is one query of one log.
type search struct {
	ctx   context.Context //nolint:containedctx // of the query, which ends with it
	read  Read
	now   func() time.Time
	until time.Time
	size  int64 // of the log when the query began
	most  int64 // bytes to search
}

// measure reads the log's size. Later bytes are left for the next query.
func (s *search) measure() error {
	p, err := s.read(s.ctx, 0, 1)
	s.size = p.Size
	return err
}

// timeUp reports whether the time for the query is over.
func (s *search) timeUp() bool { return s.now().After(s.until) }

// bytes reads [from, to), which the log must have.
func (s *search) bytes(from, to int64) ([]byte, error) {
	var all []byte
	for from < to {
		p, err := s.read(s.ctx, from, min(to-from, piece))
		if err != nil {
			return nil, err
		}
		if len(p.Data) == 0 {
			return nil, fmt.Errorf("the log ends at byte %d, and had %d", from, s.size)
		}
		if all == nil && from+int64(len(p.Data)) >= to {
			return p.Data, nil
		}
		all = append(all, p.Data...)
		from += int64(len(p.Data))
	}
	return all, nil
}

// match returns where the first matching line of a block of complete lines begins, or the last one; -1 if none matches.
type match func(block []byte, last bool) int

// find searches the log in blocks of complete lines.
func (s *search) find(q hive.LogQuery, m match) (hive.LogPlace, error) {
	if q.Backwards {
		return s.backwards(q, m)
	}
	from, err := s.lineFrom(q.From)
	if err != nil {
		return hive.LogPlace{}, err
	}
	for end := from + s.most; from < s.size; {
		if from >= end || s.timeUp() {
			return hive.LogPlace{Next: from}, nil
		}
		block, err := s.block(from)
		if err != nil {
			return hive.LogPlace{}, err
		}
		if at := m(block, false); at >= 0 {
			return s.found(from+int64(at), block[at:]), nil
		}
		from += int64(len(block))
	}
	return hive.LogPlace{Next: s.size, Complete: true}, nil
}

// found returns the place of a line that begins at offset; rest is the log from offset on.
func (s *search) found(offset int64, rest []byte) hive.LogPlace {
	next := offset + int64(len(rest))
	if n := bytes.IndexByte(rest, '\n'); n >= 0 {
		next = offset + int64(n) + 1
	}
	return hive.LogPlace{Found: true, Offset: offset, Next: next}
}

// lineFrom returns the beginning of the first line that begins at an offset or after it.
func (s *search) lineFrom(offset int64) (int64, error) {
	if offset <= 0 {
		return 0, nil
	}
	if offset >= s.size {
		return s.size, nil
	}
	part, err := s.bytes(offset-1, min(offset-1+maxLine, s.size))
	if err != nil {
		return 0, err
	}
	if n := bytes.IndexByte(part, '\n'); n >= 0 {
		return offset + int64(n), nil
	}
	return offset - 1 + int64(len(part)), nil
}

// block reads complete lines from the beginning of a line on: at least one, or the available part of it.
func (s *search) block(from int64) ([]byte, error) {
	data, err := s.bytes(from, min(from+piece, s.size))
	if err != nil || from+int64(len(data)) >= s.size {
		return data, err
	}
	if n := bytes.LastIndexByte(data, '\n'); n >= 0 {
		return data[:n+1], nil
	}
	return data, nil
}

// backwards searches from the line before q.From, or from the end, to the beginning.
func (s *search) backwards(q hive.LogQuery, m match) (hive.LogPlace, error) {
	end := s.size
	if q.From > 0 && q.From < s.size {
		var err error
		if end, err = s.lineFrom(q.From); err != nil { // to the end of the line that begins before it
			return hive.LogPlace{}, err
		}
	}
	for stop := end - s.most; end > 0; {
		if end <= stop || s.timeUp() {
			return hive.LogPlace{Next: end}, nil
		}
		from, block, err := s.blockBefore(end)
		if err != nil {
			return hive.LogPlace{}, err
		}
		if at := m(block, true); at >= 0 {
			p := s.found(from+int64(at), block[at:])
			p.Next = p.Offset
			return p, nil
		}
		end = from
	}
	return hive.LogPlace{Complete: true}, nil
}

// blockBefore reads complete lines up to the end of one.
func (s *search) blockBefore(end int64) (from int64, block []byte, err error) {
	from = max(end-piece, 0)
	if block, err = s.bytes(from, end); err != nil || from == 0 {
		return from, block, err
	}
	if n := bytes.IndexByte(block[:len(block)-1], '\n'); n >= 0 { // the rest of a line that begins before
		return from + int64(n) + 1, block[n+1:], nil
	}
	return from, block, nil
}
