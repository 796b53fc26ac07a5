package sim

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/hook"
)

// This file calls hooks: each end of a batch and of its tasks has some. The drivers are the real ones, one on each
// server; the store follows the rules of package db. The batches of hooks are batches like all others.

// endHooks are the hooks of everything that the simulator makes: each end calls them.
func endHooks() []hive.Hook {
	return []hive.Hook{{
		Handler: handlerShell, Params: map[string]any{"mean": 300, "fail": 0.2, "deaf": 0, "never": 0},
	}}
}

// hookCall is a stored end that hooks follow, with the server whose commit has stored it.
type hookCall struct {
	hive.HookCall

	by string
}

// hookLook is how long a driver waits at most until it looks for calls of others.
const hookLook = 5 * time.Second

func (s *server) newHookDriver(k *ticker) *hook.Driver {
	return hook.New(hook.Config{
		Store: k, Server: func() hive.Server { return hive.Server{ID: s.name, Epoch: s.epoch} },
		NewRuns: batch.NewRuns, Adopt: func(id int64) { s.post(func(time.Time) { s.keeper.Adopt(id) }) },
		Now: s.wall, Graphs: new(document.Graphs), Log: s.w.log,
	})
}

// callHooks stores the calls of a group. Each end calls its hooks once a round, whatever died in between.
func (s *store) callHooks(w *hive.BatchWrite) {
	c := s.byBatch[w.BatchID]
	for i := range w.Hooks {
		call := w.Hooks[i]
		call.Event.Batch = w.BatchID
		key := call.Event.BatchKey()
		if c.called[key] {
			s.w.failf("hooks", "batch %d calls %s twice", w.BatchID, key)
		}
		c.called[key] = true
		s.w.stats.Hooks++
		if s.w.cfg.hooks {
			call.ID = s.draw("hook call", 1)
			s.calls[call.ID] = &hookCall{HookCall: call, by: s.batches[w.BatchID].Owner}
		}
	}
	if w.Batch != nil && w.Batch.To.State.Final() {
		s.checkHooks(w.BatchID)
	}
}

// forgetHooks forgets the calls of a server that dies, if it has them only in its memory.
func (s *store) forgetHooks(server string) {
	if s.w.opt.Mutation == MutateHooks {
		maps.DeleteFunc(s.calls, func(_ int64, c *hookCall) bool { return c.by == server })
	}
}

// checkHooks checks that the ends of a batch and of its tasks have called their hooks in the same group as they ended.
// What a person has marked did not end by itself.
func (s *store) checkHooks(id int64) {
	b, c := s.batches[id], s.byBatch[id]
	rev := s.revs[b.RevisionID]
	want := func(hooks hive.Hooks, e hive.HookEvent) {
		e.Batch = id
		if !hooks.Empty() && !c.called[e.BatchKey()] {
			s.w.failf("hooks", "batch %d is %s, and %s was never called", id, b.State, e.BatchKey())
		}
	}
	if !b.StartedAt.IsZero() {
		want(rev.def.Hooks(), hive.HookEvent{Scope: hive.HookOfBatch, Round: b.Round})
	}
	for _, run := range c.runs {
		r := s.runs[run]
		task := rev.tasks[r.Task]
		if task != nil && (r.State == hive.RunSucceeded || r.State == hive.RunFailed) && r.Reason != hive.ReasonPerson {
			want(task.Hooks(), hive.HookEvent{Scope: hive.HookOfTask, Key: r.Task, Round: r.Round})
		}
	}
}

// checkHookBatches checks, at rest, that each end has called its hooks, by one batch for each.
func (s *store) checkHookBatches() {
	if !s.w.cfg.hooks {
		return
	}
	made := map[string]int64{}
	for _, id := range slices.Sorted(maps.Keys(s.batches)) {
		e := s.batches[id].Hook
		if e == nil {
			continue
		}
		if other := made[e.BatchKey()]; other != 0 {
			s.w.failf("hooks", "batches %d and %d are the hooks of %s", other, id, e.BatchKey())
		}
		made[e.BatchKey()] = id
		if s.batches[e.Batch] == nil {
			s.w.failf("deleted", "batch %d is left, the hooks of batch %d", id, e.Batch)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.batches)) {
		for _, key := range slices.Sorted(maps.Keys(s.byBatch[id].called)) {
			if made[key] == 0 {
				s.w.failf("hooks", "no batch has the hooks of %s", key)
			}
		}
	}
}

// HookCalls implements hook.Store.
func (k *ticker) HookCalls(_ context.Context, after int64, limit int) (out []hive.HookCall, err error) {
	if !k.s.w.cfg.hooks {
		return nil, nil // the question takes time
	}
	err = k.query("calls of hooks", func() error {
		calls := k.s.w.store.calls
		for _, id := range slices.Sorted(maps.Keys(calls)) {
			if id > after && len(out) < limit {
				out = append(out, calls[id].HookCall)
			}
		}
		return nil
	})
	return out, err
}

// EndHookCall implements hook.Store.
func (k *ticker) EndHookCall(_ context.Context, id int64) error {
	return k.query("end a call of hooks", func() error { delete(k.s.w.store.calls, id); return nil })
}

// Batch implements hook.Store.
func (k *ticker) Batch(_ context.Context, id int64) (b hive.Batch, err error) {
	err = k.query("batch", func() error {
		row := k.s.w.store.batches[id]
		if row == nil {
			return hive.Errorf(hive.CodeNotFound, "there is no batch %d", id)
		}
		b = *row
		return nil
	})
	return b, err
}

// AdhocRevision implements hook.Store.
func (k *ticker) AdhocRevision(_ context.Context, text, hash, _ string, _ time.Time) (rev hive.Revision, err error) {
	st := k.s.w.store
	err = k.query("adhoc revision", func() error {
		for _, id := range slices.Sorted(maps.Keys(st.revs)) {
			if r := st.revs[id]; r.row.ScheduleID == 0 && r.row.Hash == hash {
				rev = r.row
				return nil
			}
		}
		doc, faults := document.Parse([]byte(text), document.Options{Stored: true})
		if doc == nil {
			k.s.w.failf("document", "the definition of hooks: %v", faults)
		}
		rev = hive.Revision{ID: st.draw("revision", 1), Document: text, Hash: hash}
		st.revs[rev.ID] = newRevision(rev, doc.Definition)
		return nil
	})
	return rev, err
}

// CreateBatch implements hook.Store.
func (k *ticker) CreateBatch(_ context.Context, server hive.Server, n hive.NewBatch) (b hive.Batch, err error) {
	err = k.query("create batch", func() (err error) { b, err = k.s.w.store.createHooks(server, n); return err })
	return b, err
}

func (s *store) createHooks(server hive.Server, n hive.NewBatch) (hive.Batch, error) {
	if err := s.holds(server.ID, server.Epoch); err != nil {
		return hive.Batch{}, err
	}
	for _, b := range s.batches {
		if b.Hook != nil && b.Hook.BatchKey() == n.Key && s.w.opt.Mutation != MutateHookKey {
			return *b, nil
		}
	}
	rev := s.revs[n.Batch.RevisionID]
	if rev == nil || s.batches[n.Batch.Hook.Batch] == nil {
		return hive.Batch{}, hive.Errorf(hive.CodeNotFound, "the batch that the hooks follow is deleted")
	}
	id := s.createBatch(n.Batch, rev)
	s.w.stats.HookBatches++
	s.w.tracef("store", "batch %d has the hooks of %s, by %s", id, n.Key, server.ID)
	return *s.batches[id], nil
}
