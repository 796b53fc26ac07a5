package find

import (
	"bytes"
	"errors"
	"sync"

	"github.com/rprp/hivego/server/hive"
)

// The index has one entry for each mebibyte of a log: how many lines end before it. That is 8 KiB for a log of 1 GiB.
const (
	step     = piece
	maxLogs  = 128
	maxSteps = 1 << 16
)

// lineIndex caches the line counts of the logs of the last queries. Logs only grow, so counts stay true.
type lineIndex struct {
	mu   sync.Mutex
	logs []*counted // the last used one is at the end
}

// counted holds the line counts of one log.
type counted struct {
	attempt int64

	mu     sync.Mutex
	before []int64 // line ends in the first 0, 1, 2, … steps
}

func newLineIndex() *lineIndex { return &lineIndex{} }

// entry returns the counts of a log, and creates them if needed. It does not wait for a running count, so that a slow
// log delays no other.
func (x *lineIndex) entry(attempt int64) *counted {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, c := range x.logs {
		if c.attempt == attempt {
			x.logs = append(append(x.logs[:i:i], x.logs[i+1:]...), c)
			return c
		}
	}
	c := &counted{attempt: attempt, before: []int64{0}}
	x.logs = append(x.logs, c)
	if len(x.logs) > maxLogs {
		x.logs = append([]*counted(nil), x.logs[1:]...)
	}
	return c
}

// resetIfShorter clears the counts of a log that has become shorter, because then it is another log.
func (c *counted) resetIfShorter(size int64) {
	if int64(len(c.before)-1)*step > size {
		c.before = []int64{0}
	}
}

// errTimeUp reports that the time was not enough. The counts so far stay, so that the next query gets further.
var errTimeUp = errors.New("there are too many lines to count in time")

// extend counts until the first k steps are known or, if enough is not 0, that many lines.
func (c *counted) extend(s *search, k int, enough int64) error {
	for len(c.before) <= k && len(c.before) < maxSteps {
		n := len(c.before) - 1
		if enough > 0 && c.before[n] >= enough {
			return nil
		}
		if s.timeUp() {
			return errTimeUp
		}
		data, err := s.bytes(int64(n)*step, int64(n+1)*step)
		if err != nil {
			return err
		}
		c.before = append(c.before, c.before[n]+int64(bytes.Count(data, []byte{'\n'})))
	}
	return nil
}

// number returns the number of the line that begins at an offset, from 1; 0 if counting would take too long.
func (x *lineIndex) number(s *search, attempt, offset int64) (int64, error) {
	c := x.entry(attempt)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resetIfShorter(s.size)
	k := min(int(offset/step), maxSteps-1)
	switch err := c.extend(s, k, 0); {
	case errors.Is(err, errTimeUp):
		return 0, nil
	case err != nil:
		return 0, err
	}
	if offset-int64(k)*step > step {
		return 0, nil // the index does not reach that far
	}
	data, err := s.bytes(int64(k)*step, offset)
	return c.before[k] + int64(bytes.Count(data, []byte{'\n'})) + 1, err
}

// line finds the beginning of a line by its number.
func (f *Finder) line(s *search, attempt, number int64) (hive.LogPlace, error) {
	p := hive.LogPlace{Size: s.size, Next: s.size, Complete: true}
	c := f.lines.entry(attempt)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resetIfShorter(s.size)
	ends := number - 1 // lines that end before it
	switch err := c.extend(s, int(s.size/step), ends); {
	case errors.Is(err, errTimeUp):
		return hive.LogPlace{Size: s.size, Next: int64(len(c.before)-1) * step}, nil
	case err != nil:
		return hive.LogPlace{}, err
	}
	k := 0
	for k+1 < len(c.before) && c.before[k+1] < ends {
		k++
	}
	at, seen := int64(k)*step, c.before[k]
	for ; at < s.size; at += step {
		data, err := s.bytes(at, min(at+step, s.size))
		if err != nil {
			return hive.LogPlace{}, err
		}
		for here := 0; seen <= ends; {
			if seen == ends && at+int64(here) < s.size {
				p.Found, p.Offset, p.Line, p.Next = true, at+int64(here), number, at+int64(here)
				return p, nil
			}
			n := bytes.IndexByte(data[here:], '\n')
			if n < 0 {
				break
			}
			here += n + 1
			seen++
		}
		if s.timeUp() {
			return hive.LogPlace{Size: s.size, Next: at}, nil
		}
	}
	return p, nil
}
