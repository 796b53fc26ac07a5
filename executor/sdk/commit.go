package sdk

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"github.com/rprp/hivego/executor/ledger"
)

// compactAbove is the size in bytes above which the journal is compacted while the executor runs, once it has grown to
// four times its size after the last compaction.
const compactAbove = 32 << 20

// commit journals a step and, once it is durable, performs its actions. The returned channel is closed then; no reply
// may be sent before. tasks has the tasks of Starts. The caller holds the lock.
func (e *Executor) commit(st ledger.Step, tasks map[ledger.Ref]*Task) <-chan struct{} {
	payloads := ledger.Encode(st.Records)
	for _, r := range st.Starts {
		e.tasks[r] = tasks[r]
	}
	done := make(chan struct{})
	acts := len(st.Starts)+len(st.Kills)+len(st.Moves)+len(st.Drops) > 0
	if !acts && e.journal.Durable(st.After) { // nothing to wait for, not even for a sync that is under way
		e.journal.Add(payloads, 0, nil)
		e.wakePolls(st.Wakes)
		close(done)
	} else {
		e.journal.Add(payloads, st.After, func() {
			if acts {
				e.effects.add(func() { e.perform(st) })
			}
			e.mu.Lock()
			e.wakePolls(st.Wakes)
			e.mu.Unlock()
			close(done)
		})
	}
	if len(payloads) > 0 && e.journal.Size() > max(compactAbove, 4*e.compacted) {
		e.compact()
	}
	return done
}

// compact replaces the journal by the shortest one with the same state. The caller holds the lock.
func (e *Executor) compact() {
	e.journal.Rewrite(ledger.Encode(e.ledger.Snapshot()))
	e.compacted = e.journal.Size()
}

// perform performs the actions of a step, on the goroutine of effects.
func (e *Executor) perform(st ledger.Step) {
	for _, m := range st.Moves {
		e.pushLease(m.Lease, true)
		e.eachDurable(func(h Durable) { h.Move(Ref(m.Attempt), m.Lease) })
	}
	for _, r := range st.Starts {
		e.begin(r)
	}
	for _, k := range st.Kills {
		e.killOne(k)
	}
	for _, r := range st.Drops {
		e.eachDurable(func(h Durable) { h.Drop(Ref(r)) })
		e.remove(e.folder(r))
	}
}

// eachDurable calls f for all durable handlers.
func (e *Executor) eachDurable(f func(h Durable)) {
	for _, h := range e.durables {
		f(h)
	}
}

// folder returns the folder of an attempt.
func (e *Executor) folder(attempt ledger.Ref) string { return AttemptFolder(e.cfg.Data, Ref(attempt)) }

// wakePolls makes the long polls of servers check again whether there is something to report. The caller holds the
// lock.
func (e *Executor) wakePolls(servers []string) {
	for _, id := range servers {
		if ch := e.wakeups[id]; ch != nil {
			close(ch)
			delete(e.wakeups, id)
		}
	}
}

// wakeup returns a channel that is closed when the polls of a server are woken. The caller holds the lock.
func (e *Executor) wakeup(server string) <-chan struct{} {
	ch := e.wakeups[server]
	if ch == nil {
		ch = make(chan struct{})
		e.wakeups[server] = ch
	}
	return ch
}

// reporter implements Reporter for durable handlers.
type reporter struct{ e *Executor }

// Ended implements Reporter.
func (r reporter) Ended(attempt Ref, o Outcome, kept bool) { r.e.ended(ledger.Ref(attempt), o, kept) }

// Progress implements Reporter.
func (r reporter) Progress(attempt Ref, fraction float64) {
	r.e.progress(ledger.Ref(attempt), fraction)
}

// ended records how an attempt ended.
func (e *Executor) ended(attempt ledger.Ref, o Outcome, kept bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		return
	}
	o = e.tasks[attempt].masked(o)
	delete(e.tasks, attempt)
	delete(e.jobs, attempt)
	done := e.commit(e.ledger.Ended(clock(), attempt, o.recorded(), kept), nil)
	switch ch := e.ends[attempt]; {
	case ch != nil:
		delete(e.ends, attempt)
		go func() {
			<-done
			close(ch)
		}()
	case e.isRun(attempt): // its caller has gone
		e.abandon(attempt, 0)
	}
	level := slog.LevelDebug
	if o.Kind != Success {
		level = slog.LevelInfo
	}
	e.log.Log(context.Background(), level, "attempt ended", "attempt", attempt.String(), "outcome", string(o.Kind),
		"error", o.Error)
}

// progress records the progress of an attempt.
func (e *Executor) progress(attempt ledger.Ref, fraction float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.stopped {
		e.commit(e.ledger.Progress(attempt, fraction), nil)
	}
}

// watchLeases kills the attempts whose lease passes, until the executor stops.
func (e *Executor) watchLeases() {
	for {
		e.mu.Lock()
		if st := e.ledger.LeaseDue(clock()); len(st.Records) > 0 {
			for _, k := range st.Kills {
				e.log.Warn("attempt killed: its server was silent for too long", "attempt", k.Attempt.String())
			}
			e.commit(st, nil)
		}
		next, some := e.ledger.NextLease()
		e.mu.Unlock()
		wait := time.Hour
		if some {
			// At most a second, because the timer does not count while the machine sleeps, but BootTime does.
			wait = min(max(next-BootTime(), time.Millisecond), time.Second)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-e.leasesChanged:
		case <-e.quit:
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// leaseChanged makes watchLeases check the deadline of a lease again, and passes the lease to the durable handlers.
func (e *Executor) leaseChanged(name string) {
	select {
	case e.leasesChanged <- struct{}{}:
	default:
	}
	if len(e.durables) > 0 {
		e.effects.add(func() { e.pushLease(name, false) })
	}
}

// pushLease passes a lease to the durable handlers. Without always, it skips a lease that hardly differs from the
// previous one. It runs on the goroutine of effects.
func (e *Executor) pushLease(name string, always bool) {
	e.mu.Lock()
	lease := Lease(e.ledger.Lease(name))
	old, known := e.pushedLeases[name]
	// A handler with the previous lease may end work too early by a second, or by a tenth of the remaining time, at
	// most.
	slack := min(time.Second, (lease.Deadline-BootTime())/10)
	near := known && old.Forever == lease.Forever && old.Deadline <= lease.Deadline &&
		lease.Deadline-old.Deadline <= slack
	push := lease != old && (always || !near)
	if push {
		e.pushedLeases[name] = lease
		if !known { // a session has begun: forget the sessions that are over
			maps.DeleteFunc(e.pushedLeases, func(other string, _ Lease) bool { return !e.ledger.HasLease(other) })
		}
	}
	e.mu.Unlock()
	if push {
		e.eachDurable(func(h Durable) { h.SetLease(lease) })
	}
}
