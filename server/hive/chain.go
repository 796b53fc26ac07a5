package hive

import "time"

// ChainRequest asks how a chain of schedules will go on.
type ChainRequest struct {
	Schedule string    // name
	ResumeAt time.Time // when the failed batches are resumed; zero: never. A time before now is now
}

// MaxChain is the number of schedules that a chain shows.
const MaxChain = 200

// Chain is a schedule with the schedules that it waits for and those that wait for it, over time.
type Chain struct {
	Schedule string // name
	Now      time.Time
	From     time.Time // From and Until bound the time in which the present moments of the chain lie
	Until    time.Time
	ResumeAt time.Time    // as assumed; zero: never
	Links    []ChainLink  // each schedule after those that it waits for
	Edges    []ChainEdge  // between bars of the present moments
	Failures []ChainFault // batches that have failed, and that present moments wait for; of the schedule itself too
	Cut      bool         // there is more than this answer shows
}

// ChainPlace is where a schedule stands in a chain.
type ChainPlace string

// The places in a chain.
const (
	ChainSubject ChainPlace = "subject"
	ChainBefore  ChainPlace = "before" // the subject waits for it, directly or not
	ChainAfter   ChainPlace = "after"  // it waits for the subject, directly or not
	ChainBeside  ChainPlace = "beside" // only a schedule after the subject waits for it
)

// ChainLink is one schedule of a chain.
type ChainLink struct {
	Schedule string
	Title    string
	Place    ChainPlace
	Missing  bool // there is no schedule of this name; all other fields but Place are empty
	Enabled  bool
	Archived bool
	Timezone string
	Triggers []Trigger
	Expire   time.Duration // 0: never
	Usual    time.Duration // of a batch, if UsualKnown
	// UsualKnown is false if no batch of the schedule has succeeded yet.
	UsualKnown bool
	NextAt     time.Time  // the next moment of its own triggers; zero if there is none
	Bars       []ChainBar // by moment
	More       int        // bars that are left out
}

// ChainOutcome is what is known or expected of one moment.
type ChainOutcome string

// The outcomes of a moment.
const (
	ChainSucceeded ChainOutcome = "succeeded"
	ChainFailed    ChainOutcome = "failed"   // or canceled: it stays so until a person acts
	ChainResumed   ChainOutcome = "resumed"  // failed, and assumed to succeed after the resume
	ChainRunning   ChainOutcome = "running"  // assumed to succeed after the usual duration
	ChainExpected  ChainOutcome = "expected" // it begins at StartsAt
	ChainHeld      ChainOutcome = "held"     // it does not begin until a person acts
	ChainExpired   ChainOutcome = "expired"  // it is missed at EndsAt, because of policy.expire
	ChainLeftOut   ChainOutcome = "left_out" // it makes no batch: skipped
	ChainUnknown   ChainOutcome = "unknown"  // a usual duration is not known, so that its begin is not
)

// ChainBar is one moment of a schedule.
type ChainBar struct {
	Moment  time.Time
	Own     bool // the moment is given by a trigger of the schedule, so that it can be late
	Present bool // it belongs to the present moments of the chain
	Waiting bool // its tick waits
	Batch   int64
	State   BatchState // empty: it has no batch
	Paused  bool       // until a person continues it
	Counts  Counts     // of the task runs of its batch; nil without

	StartedAt  time.Time // of the batch
	FinishedAt time.Time // zero while live
	UsualStart time.Time // if all batches before it take as long as usual; zero if not known
	UsualEnd   time.Time

	Outcome  ChainOutcome
	StartsAt time.Time // expected begin of a batch that has not begun, and of the assumed resume
	EndsAt   time.Time // expected end; of ChainExpired and ChainLeftOut, the time of that decision
	Late     time.Duration
	Delay    time.Duration // StartsAt after UsualStart

	MayBeginUntil time.Time // by policy.expire; zero: without end, or begun
	Saved         bool      // it waits for failed batches, directly or not, that a resume may repair
	InTimeUntil   time.Time // the last resume with which it begins at its own moment; zero: not known, or not Own
	BeginsUntil   time.Time // the last resume with which it begins before it expires; zero: not known, or no expire
}

// ChainEdge is what one moment waits for, of one schedule.
type ChainEdge struct {
	From       string    // schedule that is waited for
	FromMoment time.Time // the moment that succeeds last; zero if none is known
	To         string
	ToMoment   time.Time
	Needed     int  // moments
	Met        int  // of these
	Any        bool // one of them is enough
	Decides    bool // the begin of the moment depends on this one: it is on the critical chain
	Missing    bool // the schedule does not exist
}

// ChainFault is a failed batch that the chain waits for.
type ChainFault struct {
	Schedule string
	Moment   time.Time
	Batch    int64
	State    BatchState
	Tasks    int           // that a resume runs, as the counts of the batch tell
	Of       int           // tasks of the batch
	Takes    time.Duration // of the resume: the share of the usual duration; 0 if not known
	Holds    []string      // schedules whose present moments wait for it, directly or not
}
