package session

import "github.com/rprp/hivego/server/hive"

// Fact is something that the shell logs or publishes, in the order of TakeFacts.
type Fact interface{ fact() }

// Level is the severity of a note. It has the same numbers as slog.Level.
type Level int

// The levels.
const (
	LevelDebug Level = -4
	LevelInfo  Level = 0
	LevelWarn  Level = 4
	LevelError Level = 8
)

// Note is a line for the log. Fields alternates names and values.
type Note struct {
	Level  Level
	Text   string
	Fields []any
}

// Began reports that a session begins, or continues under a new epoch. Observers may have missed changes.
type Began struct{ Epoch int64 }

// Lost reports that the session is over. Nothing is decided until the next one begins.
type Lost struct{}

// Outage reports that the database cannot be reached, or, if Err is nil, that changes can be stored again.
type Outage struct{ Err error }

// Stored lists the changes that a commit has made durable.
type Stored struct {
	Answers []hive.CommandDone
	Deltas  []hive.Delta
	Ended   []hive.Batch // batches that ended, or ended again
	Hooks   bool         // ends that hooks follow were stored
}

// Loaded is the state of a batch that was just loaded, as deltas for observers.
type Loaded struct{ Deltas []hive.Delta }

// Stuck reports that a batch is kept out of memory until a later try. Err is the error for the log.
type Stuck struct {
	Batch int64
	Err   error
}

// Unfit reports that an event did not fit its batch, which is a defect of the program. If Broken is set, the state in
// memory cannot be trusted, and the batch is loaded again.
type Unfit struct {
	Batch  int64
	Err    error
	Broken bool
}

// Reread names batches whose stored rows may differ from what was published.
type Reread struct{ Batches []int64 }

// Released reports that the batch has left the memory, or belongs to another server. The answers of its commands may
// then be stored without a Stored fact of this keeper, so callers that wait for an answer must read the command's row.
type Released struct{ Batch int64 }

func (Note) fact()     {}
func (Began) fact()    {}
func (Lost) fact()     {}
func (Outage) fact()   {}
func (Stored) fact()   {}
func (Loaded) fact()   {}
func (Stuck) fact()    {}
func (Unfit) fact()    {}
func (Reread) fact()   {}
func (Released) fact() {}

// TakeFacts returns the facts since the last call, in order. The shell calls it after each call of another method,
// before it runs the requests.
func (k *Keeper) TakeFacts() []Fact {
	taken := k.facts
	k.facts = nil
	return taken
}

func (k *Keeper) emit(f Fact) { k.facts = append(k.facts, f) }

func (k *Keeper) note(level Level, text string, fields ...any) {
	k.emit(Note{Level: level, Text: text, Fields: fields})
}
