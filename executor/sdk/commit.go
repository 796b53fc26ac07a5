package sdk

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/rprp/hivego/executor/ledger"
)

// compactAbove is the size in bytes from which the journal is compacted while the executor runs, once it has grown to
// four times what it was after the last time.
const compactAbove = 32 << 20

// commit journals a step and, once it is durable, does what it asks for. The channel is closed then: only now may a
// reply leave. tasks has those of Starts. The caller holds the lock.
func (e *Executor) commit(st ledger.Step, tasks map[Ref]*Task) <-chan struct{} {
	payloads := ledger.Encode(st.Records)
	for _, r := range st.Starts {
		e.tasks[r] = tasks[r]
	}
	done := make(chan struct{})
	acts := len(st.Starts)+len(st.Kills)+len(st.Moves)+len(st.Drops) > 0
	if !acts && e.journal.Durable(st.After) { // nothing to wait for, not even for a sync that is under way
		e.journal.Add(payloads, 0, nil)
		e.tell(st.Wakes)
		close(done)
	} else {
		e.journal.Add(payloads, st.After, func() {
			if acts {
				e.effects.add(func() { e.perform(st) })
			}
			e.mu.Lock()
			e.tell(st.Wakes)
			e.mu.Unlock()
			close(done)
		})
	}
	if len(payloads) > 0 && e.journal.Size() > max(compactAbove, 4*e.fresh) {
		e.compact()
	}
	return done
}

// compact replaces the journal by the shortest one that says the same. The caller holds the lock.
func (e *Executor) compact() {
	payloads := ledger.Encode(e.ledger.Snapshot())
	e.fresh = 0
	for _, p := range payloads {
		e.fresh += int64(len(p))
	}
	e.journal.Rewrite(payloads)
}

// perform does the outward part of a step, on the goroutine of effects.
func (e *Executor) perform(st ledger.Step) {
	for _, m := range st.Moves {
		e.pushLease(m.Session, true)
		e.eachDurable(func(h Durable) { h.Move(m) })
	}
	for _, r := range st.Starts {
		e.begin(r)
	}
	for _, k := range st.Kills {
		e.killOne(k)
	}
	for _, r := range st.Drops {
		e.eachDurable(func(h Durable) { h.Drop(r) })
		e.remove(e.folder(r))
	}
}

func (e *Executor) eachDurable(f func(h Durable)) {
	for _, h := range e.durables {
		f(h)
	}
}

func (e *Executor) folder(attempt Ref) string { return AttemptFolder(e.cfg.Data, attempt) }

// AttemptFolder is the folder of an attempt within the data folder of an executor.
func AttemptFolder(data string, attempt Ref) string {
	return filepath.Join(data, "attempts", attempt.String())
}

// tell lets the long polls of servers look again. The caller holds the lock.
func (e *Executor) tell(servers []string) {
	for _, id := range servers {
		if ch := e.wakes[id]; ch != nil {
			close(ch)
			delete(e.wakes, id)
		}
	}
}

// waker is closed at the next wake of a server. The caller holds the lock.
func (e *Executor) waker(server string) <-chan struct{} {
	ch := e.wakes[server]
	if ch == nil {
		ch = make(chan struct{})
		e.wakes[server] = ch
	}
	return ch
}

// Ended implements Ends.
func (e *Executor) Ended(attempt Ref, o Outcome, kept bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		return
	}
	delete(e.tasks, attempt)
	delete(e.jobs, attempt)
	done := e.commit(e.ledger.Ended(clock(), attempt, o, kept), nil)
	if ch := e.ends[attempt]; ch != nil {
		delete(e.ends, attempt)
		go func() {
			<-done
			close(ch)
		}()
	}
	level := slog.LevelDebug
	if o.Kind != Success {
		level = slog.LevelInfo
	}
	e.log.Log(context.Background(), level, "attempt ended", "attempt", attempt.String(), "outcome", string(o.Kind),
		"error", o.Error)
}

// Progress implements Ends.
func (e *Executor) Progress(attempt Ref, fraction float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.stopped {
		e.commit(e.ledger.Progress(attempt, fraction), nil)
	}
}

func lostOutcome(words string) Outcome {
	return Outcome{Kind: Lost, Error: words}
}

// watchLeases kills what runs out of lease.
func (e *Executor) watchLeases() {
	for {
		e.mu.Lock()
		if st := e.ledger.LeaseDue(clock()); len(st.Records) > 0 {
			for _, k := range st.Kills {
				e.log.Warn("attempt killed: no word from its server", "attempt", k.Attempt.String())
			}
			e.commit(st, nil)
		}
		next, some := e.ledger.NextLease()
		e.mu.Unlock()
		wait := time.Hour
		if some {
			// At most a second: the timer does not count while the machine sleeps, BootTime does.
			wait = min(max(next-BootTime(), time.Millisecond), time.Second)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-e.leases:
		case <-e.quit:
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// leaseChanged has the lease of a session looked at again, and told to what enforces it.
func (e *Executor) leaseChanged(session string) {
	select {
	case e.leases <- struct{}{}:
	default:
	}
	if len(e.durables) > 0 {
		e.effects.add(func() { e.pushLease(session, false) })
	}
}

// pushLease tells the durable handlers a lease, unless what they know is nearly as good. It runs on the goroutine of
// effects.
func (e *Executor) pushLease(session string, now bool) {
	e.mu.Lock()
	lease := e.ledger.Lease(session)
	old, known := e.leased[session]
	// A lease that is told late ends early: up to a second, or a tenth of what is left.
	slack := min(time.Second, (lease.Deadline-BootTime())/10)
	near := known && old.Forever == lease.Forever && old.Deadline <= lease.Deadline &&
		lease.Deadline-old.Deadline <= slack
	push := lease != old && (now || !near)
	if push {
		e.leased[session] = lease
	}
	e.mu.Unlock()
	if push {
		e.eachDurable(func(h Durable) { h.Lease(lease) })
	}
}
