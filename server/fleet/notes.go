package fleet

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Note is something that operators should find in the log: Stopping, NotAnswering, Silent, Back, Described, TakenOver,
// UnknownReceipt, ImpossibleSession or KillingUntracked.
type Note interface{ note() }

// Stopping says that an executor stops in an orderly way.
type Stopping struct {
	Executor string // name
	Attempts int    // that it has
}

// NotAnswering says that a call got no answer, while the calls before it did.
type NotAnswering struct {
	Executor string // name
	Call     string // kind
	Error    string
}

// Silent says that an executor was not heard for Settings.SilentAfter.
type Silent struct {
	Executor string // name
	Since    time.Time
}

// Back says that a silent executor is in contact again.
type Back struct {
	Executor string // name
}

// Described says that an executor that was added by its address describes itself otherwise than before.
type Described struct {
	Executor        string // name
	Handlers, Slots int
}

// TakenOver says that another server has taken over an attempt that this one takes for its own.
type TakenOver struct {
	Executor string // name
	Attempt  hive.AttemptRef
}

// UnknownReceipt says that an executor gave a receipt that does not fit what this server knows.
type UnknownReceipt struct {
	Executor string // name
	Attempt  hive.AttemptRef
	Receipt  Receipt
}

// ImpossibleSession says that an executor refuses this session for one that cannot be later.
type ImpossibleSession struct {
	Executor        string // name
	Reported, Epoch int64  // what it says, and the epoch of this session
}

// KillingUntracked says that an executor runs an attempt for which nobody waits, and which is killed.
type KillingUntracked struct {
	Executor string // name
	Attempt  hive.AttemptRef
}

func (Stopping) note()          {}
func (NotAnswering) note()      {}
func (Silent) note()            {}
func (Back) note()              {}
func (Described) note()         {}
func (TakenOver) note()         {}
func (UnknownReceipt) note()    {}
func (ImpossibleSession) note() {}
func (KillingUntracked) note()  {}

func (f *Fleet) note(n Note) { f.notes = append(f.notes, n) }

// TakeNotes returns the notes since the last call, in order. The shell takes them after each turn.
func (f *Fleet) TakeNotes() []Note {
	notes := f.notes
	f.notes = nil
	return notes
}
