package hive

import (
	"slices"
	"time"
)

// Counts is the number of task runs of a batch by state. It has no entry for a state without runs.
type Counts map[RunState]int

// CountRuns counts.
func CountRuns(runs []Run) Counts {
	c := Counts{}
	for i := range runs {
		c[runs[i].State]++
	}
	return c
}

// The batches from which the usual duration of a schedule is computed.
const (
	UsualOf     = 20 // successes, at most
	UsualWithin = 40 // among so many of its latest batches
)

// Usual returns the median of durations; 0 if there are none.
func Usual(durations []time.Duration) time.Duration {
	n := len(durations)
	if n == 0 {
		return 0
	}
	d := slices.Sorted(slices.Values(durations))
	return d[(n-1)/2] + (d[n/2]-d[(n-1)/2])/2
}
