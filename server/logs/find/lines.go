package find

import (
	"bytes"
	"errors"
	"sync"

	"github.com/rprp/hivego/server/hive"
)

// What is remembered of where lines are: for each mebibyte of a log, how many lines end before it. That is 8 KiB for a
// log of 1 GiB.
const (
	step     = piece
	maxLogs  = 128
	maxSteps = 1 << 16
)

// lineIndex remembers the logs that were asked about last. Logs only grow, so what was counted stays true.
type lineIndex struct {
	mu   sync.Mutex
	logs []*counted // used last at the end
}

// counted is one log.
type counted struct {
	attempt int64

	mu     sync.Mutex
	before []int64 // line ends in the first 0, 1, 2, … steps
}

func newLineIndex() *lineIndex { return &lineIndex{} }

// of is what is known of a log. It waits for nobody who counts: one slow log holds up no other.
func (x *lineIndex) of(attempt int64) *counted {
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

// fit forgets what is known of a log that has become shorter: it was made anew.
func (c *counted) fit(size int64) {
	if int64(len(c.before)-1)*step > size {
		c.before = []int64{0}
	}
}

// errLate: the time was not enough. What was counted until then is kept, so asking again comes further.
var errLate = errors.New("there are too many lines to count in time")

// extend counts until the first k steps are known, or until enough lines are (if enough is not 0).
func (c *counted) extend(s *search, k int, enough int64) error {
	for len(c.before) <= k && len(c.before) < maxSteps {
		n := len(c.before) - 1
		if enough > 0 && c.before[n] >= enough {
			return nil
		}
		if s.late() {
			return errLate
		}
		data, err := s.bytes(int64(n)*step, int64(n+1)*step)
		if err != nil {
			return err
		}
		c.before = append(c.before, c.before[n]+int64(bytes.Count(data, []byte{'\n'})))
	}
	return nil
}

// number is the number of the line that begins at an offset, 1 for the first; 0 if counting would take too long.
func (x *lineIndex) number(s *search, attempt, offset int64) (int64, error) {
	c := x.of(attempt)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fit(s.size)
	k := min(int(offset/step), maxSteps-1)
	switch err := c.extend(s, k, 0); {
	case errors.Is(err, errLate):
		return 0, nil
	case err != nil:
		return 0, err
	}
	if offset-int64(k)*step > step {
		return 0, nil // beyond what is indexed
	}
	data, err := s.bytes(int64(k)*step, offset)
	return c.before[k] + int64(bytes.Count(data, []byte{'\n'})) + 1, err
}

// line finds the beginning of a line by its number.
func (f *Finder) line(s *search, attempt, number int64) (hive.LogPlace, error) {
	p := hive.LogPlace{Size: s.size, Next: s.size, Complete: true}
	c := f.lines.of(attempt)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fit(s.size)
	ends := number - 1 // so many lines end before it
	switch err := c.extend(s, int(s.size/step), ends); {
	case errors.Is(err, errLate):
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
		if s.late() {
			return hive.LogPlace{Size: s.size, Next: at}, nil
		}
	}
	return p, nil
}
