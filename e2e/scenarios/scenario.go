// Package scenarios has HiveGo's semantics as data. Each file has a definition, the behavior of executors, the requests
// of people, and the states that must follow. README.md says how to read them. Load reads them. Play plays one on a
// Driver: on the pure machine, or on the whole engine with each database.
package scenarios

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Scenario is one file.
type Scenario struct {
	Name       string // path below the folder, without .yaml
	Title      string
	About      string // one sentence
	Definition *hive.Definition
	Queued     bool           // the batch waits for a start step
	Params     map[string]any // of the batch
	Limits     []LimitChange  // that hold from the begin; with any, the scenario needs a LimitDriver
	// Others are the definitions of further schedules by name, which each run one batch at the same time. No two tasks
	// of a scenario have the same key.
	Others map[string]*hive.Definition
	Tasks  map[string][]Behavior // how the attempts of a task behave, one after the other; later ones succeed
	Steps  []Step
}

// BehaviorKind is how an attempt behaves after its offer.
type BehaviorKind string

// The behaviors.
const (
	Succeed      BehaviorKind = "succeed"
	Fail         BehaviorKind = "fail"     // ends with exit code 1, or another one
	Hopeless     BehaviorKind = "hopeless" // like fail, and the executor asks not to retry
	Timeout      BehaviorKind = "timeout"  // the executor ends it at its own timeout
	Killed       BehaviorKind = "killed"   // somebody on the executor's machine kills it
	Refuse       BehaviorKind = "refuse"   // the executor will never run it
	Busy         BehaviorKind = "busy"     // the executor gives it back
	Vanish       BehaviorKind = "vanish"   // it starts, and then the executor says that it is gone
	Run          BehaviorKind = "run"      // it starts and goes on until a step or a kill ends it
	Stubborn     BehaviorKind = "stubborn" // like run, but a kill comes too late: it succeeds
	Unresponsive BehaviorKind = "deaf"     // like run, but a kill gets no answer
	Silent       BehaviorKind = "mute"     // no receipt comes, and no answer to a kill
)

// Behavior is how one attempt behaves.
type Behavior struct {
	Kind    BehaviorKind
	Outputs map[string]string // of succeed
	Code    int               // of fail; 1 when 0
}

// ExitCode returns the exit code of fail and hopeless.
func (d Behavior) ExitCode() *int {
	code := max(1, d.Code)
	return &code
}

// Instant says that the attempt ends at once.
func (d Behavior) Instant() bool {
	switch d.Kind {
	case Run, Stubborn, Unresponsive, Silent:
		return false
	default:
		return true
	}
}

// Signal is something that a step lets happen to the open attempt of a task.
type Signal string

// The signals.
const (
	Receipt Signal = "receipt" // the executor has it after all
	Return  Signal = "return"  // it never started there, and never will
	Silence Signal = "silent"  // its executor does not answer
	Back    Signal = "back"    // its executor answers again
	Lost    Signal = "lost"    // its executor's lease is over
	Repeat  Signal = "repeat"  // the latest ended attempt reports its end once more, and its start after it
)

// Step is one line of a scenario. Exactly one of its fields is set.
type Step struct {
	Line    int // in the file
	Start   bool
	End     []Ending      // running attempts end
	Signal  Signal        // with On
	On      []string      // tasks
	Advance time.Duration // time passes; everything that is due happens in order
	Wish    hive.Wish
	Publish *hive.Definition // a later revision
	Repair  *Repair
	Limits  []LimitChange
	Expect  *Expect
}

// Ending ends the open attempt of a task.
type Ending struct {
	Task     string
	Behavior Behavior
}

// Repair is a repair plan. It is applied, unless it is Dry or must be refused.
type Repair struct {
	Request hive.PlanRequest
	Latest  bool // with the newest revision
	Dry     bool // only planned; the batch must not change
	// if given, exactly what the plan must list: "from -> to", with ", killed first" and "(why: cause)"
	Rows    map[string]string
	Kept    map[string]string // if given, exactly what the plan must say of kept tasks: "changed", "ran on KEY"
	Refused hive.Code         // the code with which it must be refused
}

// Expect says what must hold when nothing changes any more. A field that is not set is not checked.
type Expect struct {
	Batch    string // state, or state(reason)
	Round    int
	Wish     hive.Wish
	Closed   string            // note
	Tasks    map[string]string // state, state(reason) or state(reason: cause)
	Attempts map[string]int    // attempts that were not returned, of all rounds
	Revision int64
	Waits    map[string]string // the limits and pools that tasks wait for
	Hooks    map[string]string // if given, all hooks that were called: by "task a 1", the names and states in order
}
