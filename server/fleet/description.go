package fleet

import (
	"reflect"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// OtherExecutor returns the trouble of an executor when another executor answers at its address.
func OtherExecutor() hive.Sentence {
	return hive.NewSentence(hive.SentenceExecutorAnother, "another executor answers at its address")
}

// Description is an executor's checked description of itself: no text in it steers a terminal or breaks a limit. Fields
// that the executor does not report are empty.
type Description struct {
	ID, BootID, Name, Group, Version string
	Labels                           map[string]string
	Slots                            int // at least 1
	Handlers                         []hive.Handler
	Durable                          bool
	Load                             *Load         // nil if not reported
	Offset                           time.Duration // the server's clock minus the executor's
	OffsetKnown                      bool
}

// Fits reports whether the description can belong to the executor e. An executor without an id is identified by its
// address alone.
func (d *Description) Fits(e *hive.Executor) bool {
	return d.ID == e.ID || e.Origin == hive.OriginAddress && (d.ID == "" || e.ID == AddressID(e.Address))
}

// update applies the description to the row of an executor that was added by its address. Name, group and labels stay
// as entered. An executor that only offered run keeps that kind until it is added again, because nobody could ask it
// for the results of its run calls. It returns false if nothing has changed.
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

// AddressID returns the id of an executor that reports none. The address identifies it.
func AddressID(address string) string { return "at:" + address }
