// Package scenarios holds HiveGo's semantics as data: each file is a definition, what its executors do and what
// people ask, and the states that must come of it. README.md says how to read them. Load reads them, Play takes one
// through a Driver: the pure machine here, the whole engine on each database elsewhere.
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
	Queued     bool              // the batch waits for a start step
	Params     map[string]any    // of the batch
	Tasks      map[string][]Deed // what the attempts of a task do, one after the other; later ones succeed
	Steps      []Step
}

// DeedKind is what an attempt does once it is offered.
type DeedKind string

// The deeds.
const (
	Succeed  DeedKind = "succeed"
	Fail     DeedKind = "fail"     // ends with exit code 1
	Timeout  DeedKind = "timeout"  // the executor ends it at its own timeout
	Killed   DeedKind = "killed"   // somebody on the executor's machine kills it
	Refuse   DeedKind = "refuse"   // the executor will never run it
	Busy     DeedKind = "busy"     // the executor gives it back
	Vanish   DeedKind = "vanish"   // it starts, and then the executor says that it is gone
	Run      DeedKind = "run"      // it starts and goes on until a step or a kill ends it
	Stubborn DeedKind = "stubborn" // like run, but a kill comes too late: it succeeds
	Deaf     DeedKind = "deaf"     // like run, but a kill gets no answer
	Mute     DeedKind = "mute"     // no receipt comes, and no answer to a kill
)

// Deed is what one attempt does.
type Deed struct {
	Kind    DeedKind
	Outputs map[string]string // of succeed
}

// Instant says that a deed ends its attempt without further ado.
func (d Deed) Instant() bool {
	switch d.Kind {
	case Run, Stubborn, Deaf, Mute:
		return false
	default:
		return true
	}
}

// Signal is what a step lets happen to the attempt in hand of a task.
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
	End     []Ending      // attempts that run come to an end
	Signal  Signal        // with On
	On      []string      // tasks
	Advance time.Duration // time passes; what falls due in it happens in its order
	Wish    hive.Wish
	Publish *hive.Definition // a later revision
	Repair  *Repair
	Expect  *Expect
}

// Ending ends the attempt in hand of a task.
type Ending struct {
	Task string
	Deed Deed
}

// Repair is a repair plan: looked at, and applied unless it is Dry or must be refused.
type Repair struct {
	Request hive.PlanRequest
	Latest  bool // with the newest revision
	Dry     bool // only looked at; the batch must be as before
	// if given, exactly what the plan must list: "from -> to", with ", killed first" and "(why: cause)"
	Rows    map[string]string
	Kept    map[string]string // if given, exactly what it must say of kept ones: "changed", "ran on KEY"
	Refused hive.Code         // it must be refused so
}

// Expect is what must be true once nothing moves any more. What is not mentioned is not looked at.
type Expect struct {
	Batch    string // state, or state(reason)
	Round    int
	Wish     hive.Wish
	Closed   string            // note
	Tasks    map[string]string // state, state(reason) or state(reason: cause)
	Attempts map[string]int    // attempts that were not returned, of all rounds
	Revision int64
}
