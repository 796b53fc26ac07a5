package scenarios

import (
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

var _ owner.Fleet = (*scripted)(nil)

// scripted is executors that follow the scenario. They outlive the server's memory.
type scripted struct {
	d         *fullDriver
	scripts   map[string][]Behavior
	behaviors map[int64]Behavior // by attempt
	ready     []int64            // attempts that will end now, oldest first
	events    []hive.AttemptEvent
	latest    map[string]hive.AttemptEvent
	acked     map[int64]bool
	ended     map[int64]hive.AttemptEvent
	kills     map[int64]bool // attempts with a kill order
	keys      map[int64]string
}

// Everyone is always in contact.
func (*scripted) Everyone(hive.Requirement) ([]hive.ExecutorRef, hive.WaitReason) {
	return everyone(), hive.WaitNone
}

// Pick always finds room.
func (*scripted) Pick(req hive.Requirement) hive.Choice {
	for _, x := range everyone() {
		if x.ID == req.Bound {
			return hive.Choice{Executor: x.ID, Name: x.Name}
		}
	}
	id := executorOf(req.Group)
	return hive.Choice{Executor: id, Name: id}
}

// Reserve does nothing: there is room for all.
func (*scripted) Reserve(string, hive.AttemptRef) {}

// Drop always succeeds.
func (*scripted) Drop(hive.AttemptRef) bool { return true }

// Rendering renders nothing: scenarios have no params of handlers.
func (*scripted) Rendering(string, string) *hive.Rendering { return nil }

// Offer begins an attempt.
func (f *scripted) Offer(a hive.Assignment) {
	behavior, name := Behavior{Kind: Succeed}, a.Task
	if a.Shard != nil {
		name = hive.ShardName(name, a.Shard.Index)
	}
	if left := f.scripts[name]; len(left) > 0 {
		behavior, f.scripts[name] = left[0], left[1:]
	}
	f.d.taskOf[a.Attempt] = name
	f.behaviors[a.Attempt], f.keys[a.Attempt] = behavior, a.Key
	if behavior.Kind != Silent && behavior.Kind != Busy && behavior.Kind != Refuse {
		f.tell(hive.AttemptEvent{Attempt: a.Attempt, Kind: hive.EventStarted, At: f.d.now})
	}
	if behavior.Instant() {
		f.ready = append(f.ready, a.Attempt)
	}
}

// Kill ends an attempt, if its behavior allows that.
func (f *scripted) Kill(_ string, o hive.KillOrder) {
	f.kills[o.Attempt] = true
	switch f.behaviors[o.Attempt].Kind {
	case Run:
		f.behaviors[o.Attempt] = Behavior{Kind: Killed}
		f.ready = append(f.ready, o.Attempt)
	case Stubborn:
		f.behaviors[o.Attempt] = Behavior{Kind: Succeed}
		f.ready = append(f.ready, o.Attempt)
	}
}

// Ack lets an executor forget.
func (f *scripted) Ack(attempt hive.AttemptRef, _ int64) { f.acked[attempt.ID] = true }

// Adopt tells a new server the events that it may have missed.
func (f *scripted) Adopt(_ time.Time, _ string, h hive.HeldAttempt) {
	id := h.Assignment.Attempt
	behavior, known := f.behaviors[id]
	switch {
	case !known:
		f.d.err = fmt.Errorf("attempt %d is stored as offered, but never was", id)
	case f.keys[id] != h.Assignment.Key:
		f.d.err = fmt.Errorf("attempt %d was offered with key %q, and is stored with %q", id, f.keys[id],
			h.Assignment.Key)
	case !h.Started && behavior.Kind != Silent && behavior.Kind != Busy && behavior.Kind != Refuse:
		f.tell(hive.AttemptEvent{Attempt: id, Kind: hive.EventStarted, At: f.d.now})
	}
	if h.Killing {
		f.Kill("", hive.KillOrder{Attempt: id})
	}
	if ev, ok := f.ended[id]; ok && !f.acked[id] {
		f.tell(ev)
	}
}

func (f *scripted) tell(ev hive.AttemptEvent) {
	ev.Key = f.keys[ev.Attempt]
	f.events = append(f.events, ev)
}

// finish lets an attempt end as its behavior says.
func (f *scripted) finish(id int64) {
	behavior := f.behaviors[id]
	ev := hive.AttemptEvent{
		Attempt: id, Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeSuccess, Outputs: behavior.Outputs,
		FinishedAt: f.d.now,
	}
	switch behavior.Kind {
	case Busy:
		ev = hive.AttemptEvent{Attempt: id, Kind: hive.EventReturned, Words: hive.Plain("busy")}
	case Refuse:
		ev = hive.AttemptEvent{Attempt: id, Kind: hive.EventRefused, Words: hive.Plain("no such handler")}
	case Vanish:
		words := hive.Plain("the executor does not know it any more")
		ev = hive.AttemptEvent{Attempt: id, Kind: hive.EventLost, Words: words}
	case Fail:
		ev.Outcome, ev.ExitCode = hive.OutcomeFailure, behavior.ExitCode()
	case Hopeless:
		ev.Outcome, ev.ExitCode, ev.NoRetry = hive.OutcomeFailure, behavior.ExitCode(), true
	case Timeout:
		ev.Outcome = hive.OutcomeTimeout
	case Killed:
		ev.Outcome = hive.OutcomeKilled
	}
	if ev.Kind == hive.EventEnded {
		f.latest[f.d.taskOf[id]] = ev
	}
	f.ended[id] = ev
	f.tell(ev)
}
