package hive

import "time"

// LiveTotals counts what a server has in memory, and tells how long its session still holds.
type LiveTotals struct {
	Batches map[BatchState]int // by state
	Paused  int                // batches that a person has paused; they are in Batches too
	Stuck   int                // batches that cannot be loaded or stored
	Runs    Counts             // task runs of the batches
	Queue   map[string]int     // ready runs that no executor has taken, by group
	Waits   map[WaitReason]int // the same runs, by the reason
	// LeaseLeft is how long the lease of the server's session still runs; 0 if it does not.
	LeaseLeft time.Duration
}

// WaitReasons lists the reasons why no executor takes a run, from the most distant one to the nearest.
func WaitReasons() []WaitReason {
	return []WaitReason{WaitNoGroup, WaitNoHandler, WaitNoMatch, WaitOffline, WaitSilent, WaitBusy, WaitPool, WaitLimit}
}
