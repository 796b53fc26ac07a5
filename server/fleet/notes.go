package fleet

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Note is an entry for the log of operators: Stopping, NotAnswering, Silent, Back, Described, TakenOver, Unreported,
// UnknownReceipt, ImpossibleSession or KillingUntracked.
type Note interface{ note() }

// Stopping reports that an executor stops in an orderly way.
type Stopping struct {
	Executor string // name
	Attempts int    // that it has
}

// NotAnswering reports that a call got no answer, while the calls before it did.
type NotAnswering struct {
	Executor string // name
	Call     string // kind
	Error    string
}

// Silent reports that an executor has not answered for Settings.SilentAfter.
type Silent struct {
	Executor string // name
	Since    time.Time
}

// Back reports that a silent executor is in contact again.
type Back struct {
	Executor string // name
}

// Described reports that the description of an executor that was added by its address has changed.
type Described struct {
	Executor        string // name
	Handlers, Slots int
}

// TakenOver reports that another server has taken over an attempt that this server considers its own.
type TakenOver struct {
	Executor string // name
	Attempt  hive.AttemptRef
}

// Unreported reports that the answers of an executor leave out an attempt, which is now lost.
type Unreported struct {
	Executor string // name
	Attempt  hive.AttemptRef
}

// UnknownReceipt reports a receipt that contradicts the state of this server.
type UnknownReceipt struct {
	Executor string // name
	Attempt  hive.AttemptRef
	Receipt  Receipt
}

// ImpossibleSession reports that an executor refuses this session for one that cannot be later.
type ImpossibleSession struct {
	Executor        string // name
	Reported, Epoch int64  // the epoch that the executor reports, and the epoch of this session
}

// KillingUntracked reports that an executor runs an attempt that no owner tracks, and that the server kills it.
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
func (Unreported) note()        {}
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
