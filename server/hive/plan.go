package hive

// PlanAction is the action of a repair on runs of a batch.
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
	// keys, or names of single shards such as copy.3; empty: all tasks to which the action applies (resume, cancel,
	// close)
	Tasks      []string `json:"tasks,omitempty"`
	Downstream bool     `json:"downstream,omitempty"` // rerun: with all tasks that read it, directly or not
	RerunKept  []string `json:"rerunKept,omitempty"`  // kept tasks that ran on a failed input, to rerun as well
	RevisionID int64    `json:"revisionId,omitempty"` // 0: the batch's own
	Note       string   `json:"note,omitempty"`
	Hash       string   `json:"hash,omitempty"` // of the plan that the person saw; empty: the current plan
	// the round that the batch must still be in; 0: any. A chain repair sets it
	Round int `json:"round,omitempty"`
}

// Plan is the exact list of the changes that an action would make. Computing one changes nothing.
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
	Shard  *int     `json:"shard,omitempty"` // index of a shard; nil for the run of a task
	From   RunState `json:"from"`            // empty for a new task
	To     RunState `json:"to"`
	Kill   bool     `json:"kill,omitempty"` // it runs now and is killed first
	Why    PlanWhy  `json:"why"`
	Cause  string   `json:"cause,omitempty"` // the task that Why refers to
}

// PlanWhy tells why a row is in a plan. It is a code; users see a text for it.
type PlanWhy string

// The reasons of plan rows.
const (
	WhyFailed      PlanWhy = "failed"      // it failed
	WhyCanceled    PlanWhy = "canceled"    // it was canceled
	WhyHeld        PlanWhy = "held"        // it is held as unknown
	WhySkipped     PlanWhy = "skipped"     // it was skipped because of Cause, which the plan changes
	WhyAsked       PlanWhy = "asked"       // named in the request
	WhyDownstream  PlanWhy = "downstream"  // it reads Cause
	WhyRanOnBad    PlanWhy = "ran_on_bad"  // it ran on a failed input, and rerunKept names it
	WhyNew         PlanWhy = "new"         // only the later revision has it
	WhyRemoved     PlanWhy = "removed"     // the later revision no longer has it
	WhyDecideAgain PlanWhy = "decide_anew" // its skip or ignore is decided again
)

// PlanKept is a task run that a plan does not change, with facts that a person should know about it.
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
	Reason Reason `json:"reason,omitempty"` // ReasonReplaced when a tick ends the batch; empty for a person's action
}

// Problem is the answer of a refused command.
type Problem struct {
	Code   Code              `json:"code"`
	Words  string            `json:"words"`
	Reason ErrorReason       `json:"refusal,omitempty"`
	Params map[string]string `json:"params,omitempty"`
	Faults []Fault           `json:"faults,omitempty"`
}
