package logs

import (
	"context"
	"errors"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ref names an attempt without a key.
func ref(id int64) hive.AttemptRef { return hive.AttemptRef{ID: id} }

func logOf(id int64, e hive.Executor) fleet.AttemptLog {
	return fleet.AttemptLog{Attempt: ref(id), Executor: e}
}

// errAway is the error of a call that does not reach its executor.
var errAway = errors.New("nothing listens at its address")

// executors are the executors that a store calls, by address.
type executors struct {
	mu sync.Mutex
	at map[string]*executor
}

// ReadLog asks the executor at the address of e.
func (x *executors) ReadLog(_ context.Context, e hive.Executor, _ bool, attempt hive.AttemptRef, offset int64,
	limit int,
) (hive.LogPart, bool, error) {
	x.mu.Lock()
	to := x.at[e.Address]
	x.mu.Unlock()
	if to == nil {
		return hive.LogPart{}, false, errAway
	}
	return to.readLog(attempt, offset, limit)
}

// executor has logs.
type executor struct {
	id, address string

	mu    sync.Mutex
	logs  map[int64]hive.LogPart
	reads int
	// answer replaces logs, if it is set.
	answer func(attempt hive.AttemptRef, offset int64) (part hive.LogPart, found bool, err error)
}

// add adds an executor that answers at an address of its own.
func (x *executors) add(id string) *executor {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := &executor{id: id, address: id + ":" + string(rune('0'+len(x.at))), logs: map[int64]hive.LogPart{}}
	x.at[e.address] = e
	return e
}

// remove makes an executor unreachable.
func (x *executors) remove(e *executor) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.at[e.address] = nil
}

func (e *executor) row() hive.Executor {
	return hive.Executor{ID: e.id, Name: e.id, Address: e.address, Durable: true}
}

// write sets the log of an attempt.
func (e *executor) write(attempt int64, data string, complete bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.logs[attempt] = hive.LogPart{Data: []byte(data), Size: int64(len(data)), Complete: complete}
}

func (e *executor) counts() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reads
}

func (e *executor) readLog(attempt hive.AttemptRef, offset int64, limit int) (hive.LogPart, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reads++
	if e.answer != nil {
		return e.answer(attempt, offset)
	}
	l, found := e.logs[attempt.ID]
	if !found {
		return hive.LogPart{}, false, nil
	}
	from := min(int(offset), len(l.Data))
	l.Data = l.Data[from:min(from+limit, len(l.Data))]
	l.Offset = offset
	return l, true, nil
}
