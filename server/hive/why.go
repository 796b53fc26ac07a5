package hive

import "time"

// WhyCode is the first condition that keeps a task from running.
type WhyCode string

// The conditions, in the order in which they are checked.
const (
	BecauseFinal    WhyCode = "final"    // it has ended; it waits for nothing
	BecauseRunning  WhyCode = "running"  // it runs
	BecauseSilent   WhyCode = "silent"   // its executor does not answer
	BecauseHeld     WhyCode = "held"     // lost, and held until a person decides
	BecauseStuck    WhyCode = "stuck"    // the server cannot load or store the batch
	BecausePaused   WhyCode = "paused"   // the batch is paused
	BecauseQueued   WhyCode = "queued"   // the batch waits for others of its schedule
	BecauseNeeds    WhyCode = "needs"    // its rule is not met yet
	BecauseBarrier  WhyCode = "barrier"  // flow strict: an earlier job is not final
	BecauseRetry    WhyCode = "retry"    // it failed, and waits before the next attempt
	BecauseOffered  WhyCode = "offered"  // offered; the receipt is missing
	BecauseSlot     WhyCode = "slot"     // all slots that it could use are taken
	BecauseExecutor WhyCode = "executor" // no executor can take it
	BecausePool     WhyCode = "pool"     // its pool has too few free slots, or does not exist
	BecauseLimit    WhyCode = "limit"    // a limit on what runs is reached
)

// Why is the answer to "why is this task not running?".
type Why struct {
	Batch   int64
	Task    string
	State   RunState
	Code    WhyCode
	Words   string    // the reason as one sentence
	Since   time.Time // since when; zero if unknown
	Until   time.Time // when it ends by itself; zero if unknown
	On      []WhyOn   // tasks that it waits for
	Holders []WhyHolder
	Limit   *LimitUse // the limit that it waits for; nil for none. Nobody has set a pool that does not exist.
	Slots   int       // of the pool, how many the task needs; 0 for other limits
}

// WhyOn is a task that another one waits for.
type WhyOn struct {
	Task  string
	State RunState
	Since time.Time
}

// WhyHolder is an attempt that holds a slot, or that counts for a limit.
type WhyHolder struct {
	Batch    int64
	Schedule string // empty for adhoc
	Task     string
	Executor string // name
	Since    time.Time
}
