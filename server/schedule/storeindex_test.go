package schedule_test

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// index finds the rows of one schedule in the store in memory, so that a year of ticks does not look at all rows for
// each question. It learns the rows that were added since it was asked last.
type index struct {
	ticks   int             // rows of store.ticks that it knows
	tickAt  map[int64]int   // positions in store.ticks, by moment
	batchAt map[int64]int64 // ids of the newest batches, by moment
	counted int             // batches
	moments []time.Time     // of ticks and batches, in order, each once
	waits   []int           // positions of the ticks that wait, or have waited when it looked last
}

// indexOf returns the index of a schedule, with all its rows.
func (s *store) indexOf(id int64) *index {
	for ; s.indexed < len(s.batches); s.indexed++ {
		b := &s.batches[s.indexed].Batch
		x := s.emptyIndex(b.ScheduleID)
		x.batchAt[b.Moment.UnixMilli()] = int64(s.indexed + 1)
		x.counted++
		x.add(b.Moment)
	}
	x := s.emptyIndex(id)
	for ; x.ticks < len(s.ticks[id]); x.ticks++ {
		t := &s.ticks[id][x.ticks]
		x.tickAt[t.Moment.UnixMilli()] = x.ticks
		x.add(t.Moment)
		if t.Decision == hive.DecisionWaiting {
			x.waits = append(x.waits, x.ticks)
		}
	}
	return x
}

// emptyIndex returns the index of a schedule, which may not know its latest rows.
func (s *store) emptyIndex(id int64) *index {
	if s.index[id] == nil {
		s.index[id] = &index{tickAt: map[int64]int{}, batchAt: map[int64]int64{}}
	}
	return s.index[id]
}

func (x *index) add(at time.Time) {
	if i, found := slices.BinarySearchFunc(x.moments, at, time.Time.Compare); !found {
		x.moments = slices.Insert(x.moments, i, at)
	}
}

// after returns the position of the first moment after a time.
func (x *index) after(at time.Time) int {
	i, found := slices.BinarySearchFunc(x.moments, at, time.Time.Compare)
	if found {
		i++
	}
	return i
}

// waitingAt lists the positions of the ticks of a schedule that wait. A tick never begins to wait again.
func (s *store) waitingAt(id int64) []int {
	x := s.indexOf(id)
	x.waits = slices.DeleteFunc(x.waits, func(i int) bool {
		return s.ticks[id][i].Decision != hive.DecisionWaiting
	})
	return x.waits
}

// result returns what is known of a moment.
func (s *store) result(id int64, at time.Time) hive.MomentResult {
	x, m := s.indexOf(id), hive.MomentResult{Moment: at}
	if i, found := x.tickAt[at.UnixMilli()]; found {
		m.Decision = s.ticks[id][i].Decision
	}
	if m.Batch = x.batchAt[at.UnixMilli()]; m.Batch != 0 {
		m.State = s.batches[m.Batch-1].Batch.State
		if state := s.ended[m.Batch]; state != "" {
			m.State = state
		}
	}
	return m
}
