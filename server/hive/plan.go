package hive

// PlanAction is what a person wants done to runs of a batch.
type PlanAction string

// The actions of a repair plan.
const (
	PlanResume      PlanAction = "resume"
	PlanRerun       PlanAction = "rerun"
	PlanMarkSuccess PlanAction = "mark_success"
	PlanMarkSkip    PlanAction = "mark_skip"
	PlanCancel      PlanAction = "cancel"
	PlanClose       PlanAction = "close"
)

// PlanRequest asks for a repair plan. The same request, with the plan's hash, applies it.
type PlanRequest struct {
	Action PlanAction `json:"action"`
	// keys; empty: all that the action takes (resume, cancel, close)
	Tasks      []string `json:"tasks,omitempty"`
	Downstream bool     `json:"downstream,omitempty"` // rerun: with all that reads it, directly or not
	RerunKept  []string `json:"rerunKept,omitempty"`  // kept tasks that ran on a failed input, to rerun as well
	RevisionID int64    `json:"revisionId,omitempty"` // 0: the batch's own
	Note       string   `json:"note,omitempty"`
	Hash       string   `json:"hash,omitempty"` // of the plan that the person saw; empty: whatever it is now
}

// Plan is the exact list of what an action would change, before it is applied. Computing one changes nothing.
type Plan struct {
	BatchID    int64      `json:"batchId"`
	Action     PlanAction `json:"action"`
	Round      int        `json:"round"` // the round that the batch would be in
	RevisionID int64      `json:"revisionId"`
	Revision   int64      `json:"revision"`
	Rows       []PlanRow  `json:"rows"`
	Kept       []PlanKept `json:"kept"`
	Hash       string     `json:"hash"` // over Rows and the states of their needs
}

// PlanRow is one task run that a plan changes.
type PlanRow struct {
	Number int      `json:"number"` // of the run; -1 for a task that only the later revision has
	Task   string   `json:"task"`
	Job    string   `json:"job"`
	From   RunState `json:"from"` // empty for a new task
	To     RunState `json:"to"`
	Kill   bool     `json:"kill,omitempty"` // it runs now and is killed first
	Why    PlanWhy  `json:"why"`
	Cause  string   `json:"cause,omitempty"` // the task that Why speaks of
}

// PlanWhy says why a row is in a plan. Codes; people read words made of them.
type PlanWhy string

// The reasons of plan rows.
const (
	WhyFailed      PlanWhy = "failed"      // it failed
	WhyCanceled    PlanWhy = "canceled"    // it was canceled
	WhyHeld        PlanWhy = "held"        // it is held as unknown
	WhySkipped     PlanWhy = "skipped"     // it was skipped because of Cause, which the plan changes
	WhyAsked       PlanWhy = "asked"       // named in the request
	WhyDownstream  PlanWhy = "downstream"  // it reads Cause
	WhyRanOnBad    PlanWhy = "ran_on_bad"  // kept at first, it ran on a failed input; named in rerunKept
	WhyNew         PlanWhy = "new"         // only the later revision has it
	WhyRemoved     PlanWhy = "removed"     // the later revision has it no more
	WhyDecideAgain PlanWhy = "decide_anew" // its skip or ignore is decided again
)

// PlanKept is a task run that a plan leaves as it is, with what a person should know of it.
type PlanKept struct {
	Number      int      `json:"number"`
	Task        string   `json:"task"`
	State       RunState `json:"state"`
	Changed     bool     `json:"changed,omitempty"`     // its definition differs in the plan's revision
	RanOnFailed string   `json:"ranOnFailed,omitempty"` // it read this task, which the plan resets
}

// WishPayload is the payload of CommandWish.
type WishPayload struct {
	Wish   Wish   `json:"wish"`
	Note   string `json:"note,omitempty"`
	Reason Reason `json:"reason,omitempty"` // replaced, when a tick ends the batch; empty: a person's act
}

// Problem is the answer of a refused command.
type Problem struct {
	Code   Code              `json:"code"`
	Words  string            `json:"words"`
	Reason ErrorReason       `json:"refusal,omitempty"`
	Params map[string]string `json:"params,omitempty"`
	Faults []Fault           `json:"faults,omitempty"`
}
