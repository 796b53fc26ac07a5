package hive

import (
	"fmt"
	"time"
)

// PlannedChange is a person's change of one coming moment of a schedule: it is skipped, moved, held or run with other
// params. The schedule itself stays as it is.
type PlannedChange struct {
	ScheduleID int64
	Moment     time.Time // unique with ScheduleID
	Action     ChangeAction
	To         time.Time      // of a move: when the moment is decided
	Params     map[string]any // given to its batch, over the definition's
	By         string
	Reason     string
	At         time.Time // when the person made it

	// Decided reports that the moment has a tick. The store fills it.
	Decided bool
	// State is the state for people. Who lists changes for them fills it.
	State ChangeState
}

// ChangeAction is what a planned change does with a moment.
type ChangeAction string

// The actions of planned changes.
const (
	ChangeSkip   ChangeAction = "skip"   // it makes no batch
	ChangeMove   ChangeAction = "move"   // it is decided at another time, and stays the logical time of its batch
	ChangeHold   ChangeAction = "hold"   // it waits for a person
	ChangeParams ChangeAction = "params" // only its params are others
)

// ChangeState is the state of a planned change.
type ChangeState string

// The states of planned changes.
const (
	ChangePlanned ChangeState = "planned" // its moment is not decided yet
	ChangeDecided ChangeState = "decided" // its moment has a tick
	ChangeVoid    ChangeState = "void"    // no trigger has its moment, or that was decided in a row with others
)

// Limits of planned changes.
const (
	FarthestMove      = 7 * 24 * time.Hour // between a moment and the time to which it is moved
	MaxChangeReason   = 500                // bytes
	MaxPlannedChanges = 200                // of one schedule that are to come
)

// Words describes the change and who made it, for the detail of a tick.
func (c *PlannedChange) Words() string {
	what := "planned with other params"
	switch c.Action {
	case ChangeSkip:
		what = "skipped"
	case ChangeHold:
		what = "held"
	case ChangeMove:
		what = "moved to " + c.To.UTC().Format(time.RFC3339)
	case ChangeParams:
	}
	if c.Action != ChangeParams && len(c.Params) > 0 {
		what += " with other params"
	}
	return fmt.Sprintf("%s by %s: %s", what, c.By, c.Reason)
}

// ChangeRequest asks for a planned change of one moment.
type ChangeRequest struct {
	Schedule string
	Change   PlannedChange
}
