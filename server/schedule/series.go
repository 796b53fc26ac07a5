package schedule

import (
	"time"
)

// series is the moments of one trigger, in order.
type series interface {
	// Next returns the first moment after the given one; false if there is none.
	Next(after time.Time) (time.Time, bool)
	// count returns the number of moments after the first and up to the second time.
	count(after, until time.Time) int
}

// single is the series of one moment.
type single time.Time

// Next is of series.
func (s single) Next(after time.Time) (time.Time, bool) {
	at := time.Time(s)
	return at, at.After(after)
}

func (s single) count(after, until time.Time) int {
	if at, ok := s.Next(after); ok && !at.After(until) {
		return 1
	}
	return 0
}

// bounded is the moments of a series from start to end, both included. A zero time is no bound.
type bounded struct {
	series
	start, end time.Time
}

// Next is of series.
func (b *bounded) Next(after time.Time) (time.Time, bool) {
	at, ok := b.series.Next(b.from(after))
	if !ok || !b.end.IsZero() && at.After(b.end) {
		return time.Time{}, false
	}
	return at, true
}

func (b *bounded) count(after, until time.Time) int {
	if !b.end.IsZero() && b.end.Before(until) {
		until = b.end
	}
	after = b.from(after)
	if !after.Before(until) {
		return 0
	}
	return b.series.count(after, until)
}

// from returns the later of after and the last moment before the start.
func (b *bounded) from(after time.Time) time.Time {
	if b.start.IsZero() {
		return after
	}
	return later(after, b.start.Add(-time.Second))
}

// isMoment reports whether at is a moment of s.
func isMoment(s series, at time.Time) bool {
	next, ok := s.Next(at.Add(-time.Second))
	return ok && next.Equal(at)
}

// older is what lies before the newest moments: how many, the first and the last.
type older struct {
	count       int
	first, last time.Time
}

// newest returns the last limit moments after the first and up to the second time, oldest first, and what is older.
func newest(s series, after, until time.Time, limit int) ([]time.Time, older) {
	total := s.count(after, until)
	from := after
	if total > limit {
		span := until.Sub(after)/time.Duration(total)*time.Duration(limit+1) + time.Second
		for from = until.Add(-span); from.After(after) && s.count(from, until) <= limit; {
			span *= 2
			from = until.Add(-span)
		}
		if from.Before(after) {
			from = after
		}
	}
	var all []time.Time
	for t, ok := s.Next(from); ok && !t.After(until); t, ok = s.Next(t) {
		all = append(all, t)
	}
	if total <= limit {
		return all, older{}
	}
	cut := len(all) - limit
	first, _ := s.Next(after)
	return all[cut:], older{count: total - limit, first: first, last: all[cut-1]}
}
