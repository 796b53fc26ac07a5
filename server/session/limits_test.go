package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// limited is a state with one limit, which allows nothing.
func limited() hive.LimitState {
	return hive.LimitState{Limits: []hive.ActiveLimit{{
		Limit: hive.Limit{LimitKey: hive.LimitKey{Kind: hive.LimitServer}},
	}}}
}

// Limits are read every five seconds, every second while a run waits for one, and at once when they have changed.
func TestReadLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	answer := func(s hive.LimitState) {
		f.LimitsRead(request[ReadLimits](t, f), s, nil)
		f.turn(0)
	}
	f.turn(4 * time.Second)
	assert.False(t, pends[ReadLimits](f))
	f.turn(time.Second)
	answer(hive.LimitState{})

	f.LimitsChanged()
	f.turn(0)
	f.LimitsChanged() // the answer that is under way may not have it
	f.turn(0)
	answer(hive.LimitState{})
	answer(limited())
	assert.False(t, pends[ReadLimits](f))

	f.Add(2, 2, hive.BatchRunning, "", "a")
	f.Adopt(2)
	f.turn(0)
	f.BatchesRead(f.now, request[ReadBatches](t, f), []hive.BatchSnapshot{f.Snapshot(2)}, nil)
	f.turn(0)
	f.GraphsCompiled(f.now, request[CompileGraphs](t, f))
	f.turn(0)
	assert.Zero(t, f.driver.Attempt(2, "a"))
	f.turn(time.Second)
	answer(limited())
	f.turn(time.Second)
	f.LimitsRead(request[ReadLimits](t, f), hive.LimitState{}, errBroken)
	f.turn(0)
	assert.Zero(t, f.driver.Attempt(2, "a"), "the limits of the last time hold")
	f.turn(time.Second)
	answer(hive.LimitState{})
	f.commit(t)
	assert.NotZero(t, f.driver.Attempt(2, "a"))
}

// Limits that were read before the refusal of a commit do not lift it: they are read again at once.
func TestLimitsReadBeforeARefusal(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.LimitsChanged()
	f.turn(0)
	early := request[ReadLimits](t, f)
	f.Add(2, 2, hive.BatchRunning, "", "a")
	f.Adopt(2)
	f.turn(0)
	f.BatchesRead(f.now, request[ReadBatches](t, f), []hive.BatchSnapshot{f.Snapshot(2)}, nil)
	f.turn(0)
	f.GraphsCompiled(f.now, request[CompileGraphs](t, f))
	f.turn(0)
	f.Committed(f.now, request[Commit](t, f), &hive.GuardError{Batches: []int64{2}, Limited: true})
	f.turn(0)
	f.LimitsRead(early, hive.LimitState{}, nil)
	f.turn(0)
	assert.True(t, f.owner.LimitsOutdated())
	f.LimitsRead(request[ReadLimits](t, f), hive.LimitState{}, nil)
	assert.False(t, f.owner.LimitsOutdated())
}

// Nothing is offered in a session before the limits were read.
func TestNothingIsOfferedBeforeTheLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.turn(time.Second)
	f.Renewed(f.now, request[Heartbeat](t, f), hive.ErrSessionLost)
	f.turn(0)
	f.Epoch = 2
	f.SessionStarted(f.now, request[StartSession](t, f), 2, map[string]int64{"attempt": 5000, "run": 5000}, nil)
	f.turn(0)
	f.Add(2, 2, hive.BatchRunning, "", "a")
	f.OwnedListed(f.now, request[ListOwned](t, f), nil, []int64{2}, nil)
	f.turn(0)
	f.BatchesRead(f.now, request[ReadBatches](t, f), []hive.BatchSnapshot{f.Snapshot(2)}, nil)
	f.turn(0)
	f.GraphsCompiled(f.now, request[CompileGraphs](t, f))
	f.turn(0)
	assert.False(t, pends[Commit](f), "nothing is offered")
	f.LimitsRead(request[ReadLimits](t, f), hive.LimitState{}, nil)
	f.turn(0)
	f.commit(t)
	assert.NotZero(t, f.driver.Attempt(2, "a"))
}
