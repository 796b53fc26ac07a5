package fleet

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Register handles the registration of an executor, or its stored row.
func (f *Fleet) Register(now time.Time, e hive.Executor) {
	x := f.executors[e.ID]
	if x == nil {
		x = newExecutorState(e, now)
		x.chosen = f.leastChosen(x.group())
		f.executors[e.ID] = x
		f.order = append(f.order, x)
		slices.SortStableFunc(f.order, func(a, b *executorState) int { return cmp.Compare(a.exec.Name, b.exec.Name) })
		return
	}
	moved := x.exec.Address != e.Address || x.exec.Secret != e.Secret || x.exec.TLS != e.TLS
	rebooted := e.BootID != "" && x.bootID != "" && e.BootID != x.bootID
	left := x.hasStopped()
	f.replace(x, &e)
	if left && !x.hasStopped() {
		x.failures = 0 // these failures were expected; failures of the new process are not
	}
	if moved || rebooted {
		x.processes++
		x.detach()
		x.retryAt = time.Time{}
		x.gone, x.backAt = false, now
	}
}

// Leave notes that a process of an executor, named by its boot id, stops in an orderly way. The executor gets no more
// offers, and nobody is warned when it does not answer. The process may be an earlier one, or one that has not
// registered yet.
func (f *Fleet) Leave(e hive.Executor) {
	x := f.executors[e.ID]
	if x == nil || x.hasStopped() {
		return
	}
	if x.stoppedBoot = e.BootID; x.hasStopped() {
		f.note(Stopping{Executor: x.exec.Name, Attempts: len(x.attempts)})
	}
}

// Learn merges the stored executors, which were read at the time of read. Other servers of the same database register
// executors too, mark them offline and delete them. Anything that an executor reported to this server after read is
// newer than its row.
func (f *Fleet) Learn(now time.Time, stored []hive.Executor, read time.Time) {
	f.learned = true
	there := make(map[string]bool, len(stored))
	for i := range stored {
		e := &stored[i]
		there[e.ID] = true
		if x := f.executors[e.ID]; x == nil || e.SeenAt.After(x.exec.SeenAt) {
			f.Register(now, *e)
		} else {
			x.exec.Offline, x.exec.Drained = e.Offline, e.Drained && e.BootID == x.exec.BootID
		}
	}
	for _, x := range slices.Clone(f.order) {
		if !there[x.exec.ID] && x.exec.SeenAt.Before(read) {
			f.Remove(x.exec.ID)
		}
	}
}

// Remove removes an executor. It returns false, and does nothing, if the executor has attempts.
func (f *Fleet) Remove(id string) bool {
	x := f.executors[id]
	if x == nil {
		return true
	}
	if len(x.attempts) > 0 || x.openRuns > 0 {
		return false
	}
	delete(f.executors, id)
	maps.DeleteFunc(f.turns, func(_ turn, y *executorState) bool { return y == x })
	f.order = slices.DeleteFunc(f.order, func(y *executorState) bool { return y == x })
	return true
}

// replace applies a newer row of an executor. If it was durable and is not any more, its attempts are lost.
func (f *Fleet) replace(x *executorState, e *hive.Executor) {
	wasDurable := x.exec.Durable
	x.exec = *e
	x.readSchemas()
	if !wasDurable || e.Durable {
		return
	}
	x.acks, x.logs, x.releases = nil, nil, nil
	f.each(x, func(a *attemptState) {
		switch {
		case a.phase == reserved || a.phase == offered || a.phase == ended || a.viaRunCall:
		case a.unowned:
			f.forget(x, a.ref)
		default:
			f.end(x, a, hive.AttemptEvent{Kind: hive.EventLost, RunOnly: true, Words: noLongerDurable()})
		}
	})
}

// DuplicateAddress returns the address of another process that uses the identity of this executor and made contact
// lately, or "" if there is none. The connection to the former process of a restarted executor is closed.
func (f *Fleet) DuplicateAddress(now time.Time, e hive.Executor) string {
	x := f.executors[e.ID]
	switch {
	case x == nil, !x.attached, x.silent, x.failures > 0, now.Sub(x.heardAt) >= f.set.SilentAfter:
		return "" // nobody with this identity is in contact
	case x.bootID == "" || x.bootID == e.BootID || x.exec.Address == e.Address:
		return "" // it is the same process, or its successor at the same address
	default:
		return x.exec.Address
	}
}

// TakeChanged returns the executors to store again since the last call: they were added by their address, and their
// descriptions have changed.
func (f *Fleet) TakeChanged() []hive.Executor {
	changed := f.changed
	f.changed = nil
	return changed
}

// updateFrom applies the description of an executor that was added by its address.
func (f *Fleet) updateFrom(now time.Time, x *executorState, d *Description) {
	e := x.exec
	if !d.Fits(&e) || !d.update(&e) {
		return
	}
	e.SeenAt = now
	f.replace(x, &e)
	f.changed = append(f.changed, e)
	f.note(Described{Executor: e.Name, Handlers: len(e.Handlers), Slots: e.Slots})
}
