package fleet

import (
	"cmp"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Register takes the registration of an executor, or its stored row.
func (f *Fleet) Register(now time.Time, e hive.Executor) {
	x := f.executors[e.ID]
	if x == nil {
		x = newExecutorState(e, now)
		f.executors[e.ID] = x
		f.order = append(f.order, x)
		slices.SortStableFunc(f.order, func(a, b *executorState) int { return cmp.Compare(a.exec.Name, b.exec.Name) })
		return
	}
	moved := x.exec.Address != e.Address || x.exec.Secret != e.Secret || x.exec.TLS != e.TLS
	rebooted := e.BootID != "" && x.bootID != "" && e.BootID != x.bootID
	left := x.left()
	f.replace(x, &e)
	if left && !x.left() {
		x.failures = 0 // they were expected; those of the new life are not
	}
	if moved || rebooted {
		x.detach()
		x.retryAt = time.Time{}
	}
}

// Leave notes that a life of an executor, named by its boot id, stops in an orderly way. It is offered nothing more,
// and nobody is warned when it does not answer. It may be an earlier life, or one that has not registered yet.
func (f *Fleet) Leave(e hive.Executor) {
	x := f.executors[e.ID]
	if x == nil || x.left() {
		return
	}
	if x.leftBoot = e.BootID; x.left() {
		f.note(Stopping{Executor: x.exec.Name, Attempts: len(x.attempts)})
	}
}

// Learn takes the stored executors as they were at the time of read. Other servers of the same database register
// executors too, take them offline and delete them. What this server has heard since read is newer than its row.
func (f *Fleet) Learn(now time.Time, stored []hive.Executor, read time.Time) {
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

// Remove forgets an executor. It returns false, and does nothing, if the executor has attempts.
func (f *Fleet) Remove(id string) bool {
	x := f.executors[id]
	if x == nil {
		return true
	}
	if len(x.attempts) > 0 || x.openRuns > 0 {
		return false
	}
	delete(f.executors, id)
	f.order = slices.DeleteFunc(f.order, func(y *executorState) bool { return y == x })
	return true
}

// replace takes a newer row of an executor. If it was durable and is not any more, it has lost what it ran.
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

// DuplicateAddress returns the address of another process that uses the identity of this executor and was heard lately,
// or "" if there is none. The connection to the former process of an executor that was started again is closed.
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

// TakeChanged returns the executors that are to be stored again since the last call: they were added by their address,
// and describe themselves otherwise now.
func (f *Fleet) TakeChanged() []hive.Executor {
	changed := f.changed
	f.changed = nil
	return changed
}

// updateFrom takes the description of an executor that was added by its address.
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
