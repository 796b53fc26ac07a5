package fleet

import (
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// executorState is the state of one executor: its attempts, and the content of its next calls.
type executorState struct {
	exec       hive.Executor
	renderings map[string]*hive.Rendering // by handler; nil: its params accept no values

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
	backAt      time.Time     // when its latest process registered; zero before the second one
	offset      time.Duration // the server's clock minus the executor's
	offsetKnown bool          // of an executor that only offers run
	bootID      string
	lastAnswer  int64 // number of the last answer to a poll
	attached    bool
	attachRound int    // counts the rounds of attaching, from one detach to the next
	processes   int    // counts the new processes that have registered
	silent      bool   // it was not heard for Settings.SilentAfter
	gone        bool   // it was not heard for as long as a lease lasts, and no new process of it has registered
	stoppedBoot string // boot id of the process that has announced its stop
	draining    bool
	drainReason hive.Sentence // as reported by the executor
	otherSlots  int           // taken by other servers, or by attempts that this server gave up, at its last answer
	chosen      int           // how often Pick has chosen it
	chosenAt    int           // the number of Pick's last choice of it; 0 if there is none
	submitOne   bool          // submit one by one, because the executor could not read a larger call

	controlUsed bool // a call is under way on the control connection
	polling     bool
	failures    int           // of calls in a row
	trouble     hive.Sentence // why the last call failed; empty if it did not
	retryAt     time.Time     // no call before
	submitAt    time.Time     // no submit before, because it was busy
	killAt      time.Time     // no kill before, because the last answer left orders out
	askAt       time.Time     // attach again then, because the last answer left attempts out
	pollAt      time.Time     // no poll before, because acks are on their way

	// Of executors that only offer run.
	openRuns   int       // run calls under way
	occupied   bool      // it works, and answers no other call meanwhile
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

// readSchemas finds out how the params of the handlers accept values.
func (x *executorState) readSchemas() {
	x.renderings = map[string]*hive.Rendering{}
	for _, h := range x.exec.Handlers {
		x.renderings[h.Name] = hive.ReadRendering(h.Schema)
	}
}

// clear removes all attempts.
func (x *executorState) clear() {
	x.attempts = map[hive.AttemptRef]*attemptState{}
	x.ended, x.killing = map[hive.AttemptRef]struct{}{}, map[hive.AttemptRef]struct{}{}
}

// hasStopped reports whether the executor has announced its stop and has not registered with a new boot id since.
func (x *executorState) hasStopped() bool {
	return x.stoppedBoot != "" && x.stoppedBoot == x.exec.BootID
}

// refusesNew reports whether the executor refuses new attempts: it drains or has announced its stop. An answer from
// before the announcement may arrive later.
func (x *executorState) refusesNew() bool { return x.draining || x.hasStopped() }

func (x *executorState) add(a *attemptState) {
	x.attempts[a.ref] = a
	if a.kill != nil {
		x.killing[a.ref] = struct{}{}
	}
}

// requestKill orders the kill of an attempt. The next call that can carry the order sends it.
func (x *executorState) requestKill(a *attemptState, o hive.KillOrder) {
	a.kill = &o
	x.killing[a.ref] = struct{}{}
}

func (x *executorState) slots() int { return max(x.exec.Slots, 1) }

// used counts the slots that this server uses. Every attempt that has not ended uses one, even if its state is unknown.
func (x *executorState) used() int { return max(len(x.attempts)-len(x.ended), x.openRuns) }

// countOtherSlots derives from the reported load how many slots others use.
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

// group returns the group of the executor.
func (x *executorState) group() string {
	if x.exec.Group == "" {
		return hive.DefaultGroup
	}
	return x.exec.Group
}

// whyNot returns why the executor cannot take a task now, or WaitNone.
func (x *executorState) whyNot(req *hive.Requirement) hive.WaitReason {
	if why := x.whyNever(req); why != hive.WaitNone {
		return why
	}
	switch {
	case x.refusesNew():
		return hive.WaitOffline
	case !x.attached || x.silent || x.failures > 0:
		return hive.WaitSilent
	case x.used()+x.otherSlots >= x.slots():
		return hive.WaitBusy
	default:
		return hive.WaitNone
	}
}

// whyNever returns why the executor is no candidate for a task, or WaitNone. Only a person, or a new description of the
// executor, changes that.
func (x *executorState) whyNever(req *hive.Requirement) hive.WaitReason {
	_, offers := x.renderings[req.Handler]
	switch {
	case x.group() != req.Group:
		return hive.WaitNoGroup
	case !offers:
		return hive.WaitNoHandler
	case req.Executor != "" && req.Executor != x.exec.Name, !req.Selector.Matches(x.exec.Labels):
		return hive.WaitNoMatch
	}
	for k, v := range req.Labels {
		if x.exec.Labels[k] != v {
			return hive.WaitNoMatch
		}
	}
	if x.exec.Offline || x.exec.Drained {
		return hive.WaitOffline
	}
	return hive.WaitNone
}

// outOfReach reports whether the executor does not answer or takes nothing new. An executor that this server has just
// begun to call is not out of reach.
func (x *executorState) outOfReach() bool { return x.silent || x.failures > 0 || x.refusesNew() }

// callFailed notes that a call got no answer. The next call waits longer with each failure.
func (x *executorState) callFailed(now time.Time, trouble hive.Sentence) {
	x.failures++
	x.trouble = trouble
	delay := min(100*time.Millisecond<<min(x.failures-1, 6), 5*time.Second)
	x.retryAt = now.Add(delay)
	x.detach()
}

// detach makes an attach the next call to the executor. The answer of an attach under way is then incomplete.
func (x *executorState) detach() {
	x.attached, x.describeAt, x.askAt = false, time.Time{}, time.Time{}
	x.attachRound++
}

// answered notes that the executor is in contact.
func (x *executorState) answered(now time.Time) {
	x.heardAt, x.failures, x.retryAt, x.trouble = now, 0, time.Time{}, hive.Sentence{}
	x.gone = false
}
