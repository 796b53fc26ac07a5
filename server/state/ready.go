package state

import (
	"container/heap"
	"math/bits"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// readySet knows the runs that are ready and have no attempt in hand: a bit set for each priority, so that one
// change costs nothing and a walk goes in the order of offers. Those with a delay are in a heap as well.
type readySet struct {
	levels []level // by priority, highest first
	delays delays
}

type level struct {
	priority int
	bits     []uint64
	count    int
}

// update puts run n in or takes it out, by its row.
func (s *readySet) update(m *Machine, n int) {
	r := &m.runs[n]
	in := r.State == hive.RunReady && r.Attempt == 0
	l := s.level(m.spec(n).EffectivePriority(), in)
	if l == nil {
		return
	}
	word, bit := n/64, uint64(1)<<(n%64)
	if word >= len(l.bits) {
		if !in {
			return
		}
		l.bits = append(l.bits, make([]uint64, max(word, len(m.runs)/64)+1-len(l.bits))...)
	}
	if had := l.bits[word]&bit != 0; had == in {
		return
	}
	l.bits[word] ^= bit
	if !in {
		l.count--
		return
	}
	l.count++
	if !r.NotBefore.IsZero() {
		heap.Push(&s.delays, delay{at: r.NotBefore, run: n})
	}
}

func (s *readySet) level(priority int, create bool) *level {
	at, found := slices.BinarySearchFunc(s.levels, priority, func(l level, p int) int { return p - l.priority })
	if !found {
		if !create {
			return nil
		}
		s.levels = slices.Insert(s.levels, at, level{priority: priority})
	}
	return &s.levels[at]
}

// Offerable are the numbers of the runs that may be offered at the moment now: ready, their delay over, no attempt
// in hand, and the batch is neither paused nor being canceled. Priority 10 first, then by number.
func (m *Machine) Offerable(now time.Time) []int {
	if m.batch.State != hive.BatchRunning || m.batch.Wish != hive.WishRun {
		return nil
	}
	var out []int
	for i := range m.ready.levels {
		l := &m.ready.levels[i]
		if l.count == 0 {
			continue
		}
		for w, word := range l.bits {
			for ; word != 0; word &= word - 1 {
				if n := w*64 + bits.TrailingZeros64(word); !m.runs[n].NotBefore.After(now) {
					out = append(out, n)
				}
			}
		}
	}
	return out
}

// NextOffer is the earliest moment after now at which the delay of a ready run is over; zero: none.
func (m *Machine) NextOffer(now time.Time) time.Time {
	d := &m.ready.delays
	for len(*d) > 0 {
		first := (*d)[0]
		if r := &m.runs[first.run]; first.at.After(now) && r.State == hive.RunReady && r.Attempt == 0 &&
			r.NotBefore.Equal(first.at) {
			return first.at
		}
		heap.Pop(d)
	}
	return time.Time{}
}

// delay is the end of one run's delay. Entries whose run has moved on are dropped when they come up.
type delay struct {
	at  time.Time
	run int
}

type delays []delay

func (d delays) Len() int           { return len(d) }
func (d delays) Less(i, j int) bool { return d[i].at.Before(d[j].at) }
func (d delays) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *delays) Push(x any)        { *d = append(*d, x.(delay)) } //nolint:forcetypeassert // only delays are pushed

func (d *delays) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}
