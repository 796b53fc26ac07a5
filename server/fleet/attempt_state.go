package fleet

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// phase tells how far an attempt has come on its way to an executor, as far as the server can know.
type phase int

const (
	reserved  phase = iota // its row is being stored
	offered                // its row is durable, and it was not sent yet
	submitted              // it was sent, and there is no receipt: it may run
	adopted                // it was read from the database, and its executor has not been asked yet
	running                // there is a receipt
	ended                  // its end was reported to the owner, which makes it durable
)

// attemptState is the state of one attempt that an executor has, or may have.
type attemptState struct {
	ref        hive.AttemptRef
	phase      phase
	assignment hive.Assignment
	kill       *hive.KillOrder
	endSeq     int64     // of the event by which the executor reported the end
	askedRound int       // the attach round that named it last
	unreported int       // attaches in a row whose answers left it out
	adoptedAt  time.Time // when it was taken over from a former owner; zero if this session offered it
	noLog      bool      // it ended with an empty log
	unowned    bool      // the database does not know it, so no owner waits for it; it is being killed

	startReported   bool // the owner knows that it has started
	silenceReported bool // the owner knows that its executor is silent
	delayReported   bool // the owner knows that a submit of it got no receipt

	viaRunCall bool              // one run call does the work
	endEvent   hive.AttemptEvent // of a run call: its end
}

// ack allows an executor not to repeat the events of an attempt up to seq.
type ack struct {
	attempt hive.AttemptRef
	seq     int64
}

// sent reports whether the attempt was sent and has not ended.
func (a *attemptState) sent() bool {
	return a.phase == submitted || a.phase == adopted || a.phase == running
}
