package schedule

import (
	"slices"
	"time"
)

// HasMoments reports whether a trigger has moments of its own.
func (t *Timetable) HasMoments() bool { return len(t.entries) > 0 }

// shifted returns a copy whose own moments are moved.
func (t *Timetable) shifted(by time.Duration) *Timetable {
	c := *t
	c.entries = slices.Clone(t.entries)
	for i := range c.entries {
		c.entries[i].series = shifted{c.entries[i].series, by}
	}
	return &c
}

// shifted is the moments of a series, each moved by the same time.
type shifted struct {
	series
	by time.Duration
}

// Next is of series.
func (s shifted) Next(after time.Time) (time.Time, bool) {
	at, ok := s.series.Next(after.Add(-s.by))
	return at.Add(s.by), ok
}

func (s shifted) count(after, until time.Time) int {
	return s.series.count(after.Add(-s.by), until.Add(-s.by))
}
