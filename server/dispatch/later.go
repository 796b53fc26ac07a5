package dispatch

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// farthest is how far ahead of this server's epoch one that an executor has heard of can be. No database loses that
// many starts; and an executor that lies cannot use up the numbers.
const farthest = 1 << 32

// outrun takes an answer by which an executor refuses this session for a later one, and says whether it was one.
func (f *Fleet) outrun(p *peer, err error) bool {
	stale, ok := errors.AsType[*hivego.StaleEpoch](err)
	if !ok {
		return false
	}
	heard := stale.GetEpoch()
	switch impossible := heard < f.epoch || heard-f.epoch > farthest; {
	case impossible && p.failures > 0: // this was said
	case impossible:
		f.log.Error("an executor refuses this server for a session that cannot be", "executor", p.exec.Name,
			"heard", heard, "epoch", f.epoch)
	case f.later == nil || f.later.Epoch < heard:
		f.later = &hive.Later{Executor: p.exec.Name, Epoch: heard}
	}
	return true
}

// Later answers a later session of this server that an executor has heard of; each once.
func (f *Fleet) Later() (hive.Later, bool) {
	if f.later == nil {
		return hive.Later{}, false
	}
	later := *f.later
	f.later = nil
	return later, true
}

func isStale(err error) bool {
	_, ok := errors.AsType[*hivego.StaleEpoch](err)
	return ok
}

// spokenError is an error of a call in words: exceptions of the contract print as pointers.
type spokenError struct {
	call, words string
	err         error
}

func (e *spokenError) Error() string { return e.call + ": " + e.words }

func (e *spokenError) Unwrap() error { return e.err }

// spoken says which call met an error, and in the executor's own words what it was.
func spoken(call string, err error) error {
	words := err.Error()
	if stale, ok := errors.AsType[*hivego.StaleEpoch](err); ok {
		words = fmt.Sprintf("refused for session %d: %s", stale.GetEpoch(), cmp.Or(stale.GetMessage(), "no words"))
	} else if denied, ok := errors.AsType[*hivego.AccessDenied](err); ok {
		words = "refused: " + cmp.Or(denied.GetMessage(), "no words")
	} else if bad, ok := errors.AsType[*hivego.BadCall](err); ok {
		words = "it cannot read the call: " + cmp.Or(bad.GetMessage(), "no words")
	}
	return &spokenError{call: call, words: hive.Clean(words, maxSpoken), err: err}
}

// maxSpoken bounds the words of an executor in a log, in bytes.
const maxSpoken = 512
