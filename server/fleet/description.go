package fleet

import (
	"reflect"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// OtherExecutor is the trouble of an executor at whose address another one answers.
func OtherExecutor() hive.Sentence {
	return hive.NewSentence(hive.SentenceExecutorAnother, "another executor answers at its address")
}

// Description is what an executor says of itself, after it was checked: no text in it steers a terminal or breaks a
// limit. What it does not say is empty.
type Description struct {
	ID, BootID, Name, Group, Version string
	Labels                           map[string]string
	Slots                            int // at least 1
	Handlers                         []hive.Handler
	Durable                          bool
	Load                             *Load         // nil if it does not say
	Offset                           time.Duration // the server's clock minus the executor's
	OffsetKnown                      bool
}

// Fits says whether the description can be that of an executor. One that names no id is known by its address alone.
func (d *Description) Fits(e *hive.Executor) bool {
	return d.ID == e.ID || e.Origin == hive.OriginAddress && (d.ID == "" || e.ID == AddressID(e.Address))
}

// update changes the row of an executor that was added by its address to what it says of itself now. Name, group and
// labels stay as they were when it was added. One that only offered run stays so until it is added again, because
// nobody could ask it what became of the run calls that it was given. It returns false if nothing has changed.
func (d *Description) update(e *hive.Executor) bool {
	if e.Origin != hive.OriginAddress {
		return false
	}
	before := *e
	e.Handlers, e.Version, e.BootID, e.Durable = d.Handlers, d.Version, d.BootID, e.Durable && d.Durable
	e.Drained = e.Drained && before.BootID == d.BootID
	if !e.SlotsByPerson {
		e.Slots = d.Slots
	}
	return !reflect.DeepEqual(*e, before)
}

// AddressID returns the id of an executor that names none: as long as it stays at its address, it is the same.
func AddressID(address string) string { return "at:" + address }
