package hive

import (
	"slices"
	"time"
)

// Counts is the number of task runs of a batch by state. It has no entry for a state without runs.
type Counts map[RunState]int

// CountRuns counts. The shards of a task do not count beside its run.
func CountRuns(runs []Run) Counts {
	c := Counts{}
	for i := range runs {
		if runs[i].Shard == 0 {
			c[runs[i].State]++
		}
	}
	return c
}

// The batches from which the usual duration of a schedule is computed.
const (
	UsualOf     = 20 // successes, at most
	UsualWithin = 40 // among so many of its latest batches
	UsualRunsOf = 20 // successes for the usual run of each task, at most
	UsualMostOf = 3  // for the longest that is still usual, at least
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

// UsualMost returns the smallest of durations that at most five of a hundred exceed; 0 if there are fewer than
// UsualMostOf.
func UsualMost(durations []time.Duration) time.Duration {
	n := len(durations)
	if n < UsualMostOf {
		return 0
	}
	return slices.Sorted(slices.Values(durations))[(n*95+99)/100-1]
}
