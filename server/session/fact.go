package session

import "github.com/rprp/hivego/server/hive"

// Fact is something that the shell logs or publishes. Facts are in order.
type Fact interface{ fact() }

// Level says how much a note matters. The numbers are those of log/slog.
type Level int

// The levels.
const (
	LevelDebug Level = -4
	LevelInfo  Level = 0
	LevelWarn  Level = 4
	LevelError Level = 8
)

// Note is a line for the log. Fields are names and values in turn.
type Note struct {
	Level  Level
	Text   string
	Fields []any
}

// Began says that a session begins, or goes on under another epoch. What observers know may be out of date.
type Began struct{ Epoch int64 }

// Lost says that the session is over. Nothing is decided until the next one begins.
type Lost struct{}

// Outage says that nothing can be stored, or that it can be again: then Err is nil.
type Outage struct{ Err error }

// Stored says what a commit has made durable.
type Stored struct {
	Answers []hive.CommandDone
	Deltas  []hive.Delta
	Ended   []hive.Batch // batches that ended, or ended again
}

// Loaded says how a batch stands that has come into memory.
type Loaded struct{ Deltas []hive.Delta }

// Stuck says that a batch is kept out of memory until a later try.
type Stuck struct {
	Batch int64
	Err   error
}

// Unfit says that an event did not fit its batch: a defect of the program. Broken: the batch is read again.
type Unfit struct {
	Batch  int64
	Err    error
	Broken bool
}

// Reread names batches whose stored rows may differ from what was published.
type Reread struct{ Batches []int64 }

// Released says that the answers of a batch's commands may become durable without a Stored of this server: the batch
// has left the memory, or belongs to another server. Whoever waits for one looks at its row.
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

// TakeFacts returns what has come about since the last call, in order. The shell takes them after each call of the
// keeper, before it runs the requests.
func (k *Keeper) TakeFacts() []Fact {
	taken := k.facts
	k.facts = nil
	return taken
}

func (k *Keeper) tell(f Fact) { k.facts = append(k.facts, f) }

func (k *Keeper) note(level Level, text string, fields ...any) {
	k.tell(Note{Level: level, Text: text, Fields: fields})
}
