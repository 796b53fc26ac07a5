package fleet

import (
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// executorState is what the fleet knows of one executor, which attempts it has, and what the next calls must carry.
type executorState struct {
	exec       hive.Executor
	renderings map[string]*hive.Rendering // by handler; nil: its params take no values

	attempts map[hive.AttemptRef]*attemptState
	queue    []hive.AttemptRef            // to submit, in order
	ended    map[hive.AttemptRef]struct{} // their ends were reported to the owner and are not durable yet
	killing  map[hive.AttemptRef]struct{} // they have a kill order that was not answered
	acks     []ack
	logs     []hive.AttemptRef        // they ended durably: the log is to be copied, then the attempt is released
	releases []hive.AttemptRef        // the executor may delete their logs and folders
	lookups  map[hive.AttemptRef]bool // untracked attempts that are being looked up in the database
	noted    map[hive.AttemptRef]bool // untracked attempts that the database does not have; true: they were released

	heardAt     time.Time     // when the last answer came; before the first: when the server began to call
	offset      time.Duration // the server's clock minus the executor's
	offsetKnown bool          // of an executor that only offers run
	bootID      string
	lastAnswer  int64 // number of the last answer to a poll
	attached    bool
	attachRound int    // counts the rounds of attaching, from one detach to the next
	silent      bool   // it was not heard for Settings.SilentAfter
	leftBoot    string // boot id of the life that has said that it stops
	draining    bool
	drainReason hive.Sentence // as the executor gives it
	otherSlots  int           // taken by other servers, or by attempts that this server gave up, at its last answer
	submitOne   bool          // submit one by one, because the executor could not read a larger call

	controlUsed bool // a call is under way on the control connection
	polling     bool
	failures    int           // of calls in a row
	trouble     hive.Sentence // why the last call failed; empty if it did not
	retryAt     time.Time     // no call before
	submitAt    time.Time     // no submit before, because it was busy
	pollAt      time.Time     // no poll before, because acks are on their way

	// Of executors that only offer run.
	openRuns   int       // run calls under way
	occupied   bool      // it is at work and answers no other call meanwhile
	describeAt time.Time // no describe before
}

func newExecutorState(e hive.Executor, now time.Time) *executorState {
	x := &executorState{
		exec: e, lookups: map[hive.AttemptRef]bool{}, noted: map[hive.AttemptRef]bool{}, heardAt: now, attachRound: 1,
	}
	x.clear()
	x.readSchemas()
	return x
}

// readSchemas finds out how the params of the handlers take values.
func (x *executorState) readSchemas() {
	x.renderings = map[string]*hive.Rendering{}
	for _, h := range x.exec.Handlers {
		x.renderings[h.Name] = hive.ReadRendering(h.Schema)
	}
}

// clear forgets all attempts.
func (x *executorState) clear() {
	x.attempts = map[hive.AttemptRef]*attemptState{}
	x.ended, x.killing = map[hive.AttemptRef]struct{}{}, map[hive.AttemptRef]struct{}{}
}

// left says whether the executor has said that it stops and, as far as is known, was not started again since.
func (x *executorState) left() bool { return x.leftBoot != "" && x.leftBoot == x.exec.BootID }

// refusesNew says whether the executor takes nothing new by its own word. An answer that it gave before it said that it
// stops may arrive later.
func (x *executorState) refusesNew() bool { return x.draining || x.left() }

func (x *executorState) add(a *attemptState) {
	x.attempts[a.ref] = a
	if a.kill != nil {
		x.killing[a.ref] = struct{}{}
	}
}

// requestKill has an attempt killed by the next call that can carry the order.
func (x *executorState) requestKill(a *attemptState, o hive.KillOrder) {
	a.kill = &o
	x.killing[a.ref] = struct{}{}
}

func (x *executorState) slots() int { return max(x.exec.Slots, 1) }

// used counts the slots that this server uses: of every attempt that has not ended, whether its state is known or not.
func (x *executorState) used() int { return max(len(x.attempts)-len(x.ended), x.openRuns) }

// countOtherSlots notes how many slots others use, by the load that the executor reports.
func (x *executorState) countOtherSlots(l *Load) {
	if l == nil {
		return
	}
	mine := 0
	for _, a := range x.attempts {
		if a.sent() {
			mine++
		}
	}
	x.otherSlots = max(l.Running-mine, 0)
}

// refs returns the attempts in the order of their ids.
func (x *executorState) refs() []hive.AttemptRef { return sortedRefs(x.attempts) }

func sortedRefs[T any](m map[hive.AttemptRef]T) []hive.AttemptRef {
	return slices.SortedFunc(maps.Keys(m), hive.AttemptRef.Compare)
}

// whyNot returns why the executor cannot take a task now, or WaitNone.
func (x *executorState) whyNot(req hive.Requirement) hive.WaitReason {
	group := x.exec.Group
	if group == "" {
		group = hive.DefaultGroup
	}
	_, offers := x.renderings[req.Handler]
	switch {
	case group != req.Group:
		return hive.WaitNoGroup
	case !offers:
		return hive.WaitNoHandler
	case req.Executor != "" && req.Executor != x.exec.Name:
		return hive.WaitNoMatch
	}
	for k, v := range req.Labels {
		if x.exec.Labels[k] != v {
			return hive.WaitNoMatch
		}
	}
	switch {
	case x.exec.Offline || x.exec.Drained || x.refusesNew():
		return hive.WaitOffline
	case !x.attached || x.silent || x.failures > 0:
		return hive.WaitSilent
	case x.used()+x.otherSlots >= x.slots():
		return hive.WaitBusy
	default:
		return hive.WaitNone
	}
}

// callFailed notes that a call got no answer. The next call waits longer with each failure.
func (x *executorState) callFailed(now time.Time, trouble hive.Sentence) {
	x.failures++
	x.trouble = trouble
	delay := min(100*time.Millisecond<<min(x.failures-1, 6), 5*time.Second)
	x.retryAt = now.Add(delay)
	x.detach()
}

// detach has the executor asked which attempts it has before any other call. The answer to an attach that is under way
// is then not complete any more.
func (x *executorState) detach() {
	x.attached, x.describeAt = false, time.Time{}
	x.attachRound++
}

// answered notes that the executor is in contact.
func (x *executorState) answered(now time.Time) {
	x.heardAt, x.failures, x.retryAt, x.trouble = now, 0, time.Time{}, hive.Sentence{}
}
