package sim

import (
	"errors"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/session"
)

// keeperConfig returns the configuration of a server's keeper. Its limits are low, so that reads and draws of ids take
// several requests. A single server uses the database exclusively.
func (w *world) keeperConfig(s *server) session.Config {
	return session.Config{
		Server: s.name, Fleet: s.fleet, Chooser: s.fleet, Driver: s.fleet, Graphs: w.graphs, Shared: w.cfg.servers > 1,
		Sweep:  5 * time.Second,
		NewKey: w.attemptKey, NewSession: w.newSession, TraceDecisions: w.trace != nil,
		Limits: session.Limits{
			ReadTogether: 3, LoadTogether: 12, IDsAhead: w.cfg.ahead, IDsLow: int64(w.cfg.ahead * 2 / 3),
		},
	}
}

// startSession executes a request of the keeper. In the first session of a life, failed is not nil: then a failure
// calls it instead of the keeper, and a success starts the ticker.
func (s *server) startSession(r session.StartSession, failed func()) {
	st, k := s.w.store, s.keeper
	var epoch int64
	var age int
	ids := map[string]int64{}
	start := func() error {
		age, epoch = st.age, st.startSession(s.name, r.Lease)
		for _, kind := range session.IDKinds() {
			ids[kind] = st.draw(kind, r.IDs)
		}
		return nil
	}
	st.call(s, "start session", r.Within(), start, func(err error) {
		if err != nil && failed != nil {
			failed()
			return
		}
		s.post(func(now time.Time) {
			if err == nil {
				s.age = age
			}
			k.SessionStarted(now, r, epoch, ids, err)
			if failed != nil {
				s.startTicker()
			}
		})
	})
}

// do executes a request of the keeper at the store, and posts the answer to the loop.
func (s *server) do(r session.Request) {
	st, k, me := s.w.store, s.keeper, s.name
	switch r := r.(type) {
	case session.StartSession:
		s.startSession(r, nil)
	case session.Heartbeat:
		beat := func() error { return st.heartbeat(me, r.Epoch, r.Stored, r.Lease) }
		s.ask("heartbeat", r, beat, func(now time.Time, err error) { k.Renewed(now, r, err) })
	case session.AnyDead:
		var dead bool
		look := func() error { dead = len(st.dead(me)) > 0; return nil }
		s.ask("look", r, look, func(now time.Time, err error) { k.LookedForDead(now, r, dead, err) })
	case session.TakeOver:
		var dead []string
		var epoch int64
		take := func() (err error) { dead, epoch, err = st.takeOver(me, r.Epoch, r.Lease); return err }
		s.ask("take over", r, take, func(_ time.Time, err error) { k.TakenOver(r, dead, epoch, err) })
	case session.RaiseEpoch:
		var epoch int64
		raise := func() (err error) { epoch, err = st.raiseEpoch(me, r.Epoch, r.Lease, r.Later); return err }
		s.ask("raise the epoch", r, raise, func(_ time.Time, err error) { k.EpochRaised(r, epoch, err) })
	case session.DrawIDs:
		var first int64
		draw := func() error { first = st.draw(r.Kind, r.Count); return nil }
		s.ask("ids", r, draw, func(now time.Time, err error) { k.IDsDrawn(now, r, first, err) })
	case session.CheckQueued:
		var waiting []int64
		check := func() error { waiting = st.queuedBehind(r.Batches); return nil }
		s.ask("queued batches", r, check, func(now time.Time, err error) { k.QueuedChecked(now, r, waiting, err) })
	case session.ReadLimits: // nothing is limited here
		s.ask("limits", r, func() error { return nil }, func(_ time.Time, err error) {
			k.LimitsRead(r, hive.LimitState{}, err)
		})
	case session.Commit:
		s.commit(r)
	default:
		s.read(r)
	}
}

// ask sends a request to the store, and posts the answer to the loop.
func (s *server) ask(what string, r session.Request, do func() error, then func(now time.Time, err error)) {
	s.w.store.call(s, what, r.Within(), do, func(err error) {
		s.post(func(now time.Time) { then(now, err) })
	})
}

// read executes a request of the keeper's loader.
func (s *server) read(r session.Request) {
	st, k := s.w.store, s.keeper
	switch r := r.(type) {
	case session.ListOwned:
		var ids []int64
		var hosts []hive.Executor
		list := func() error {
			ids = st.liveBatches(s.name)
			for _, h := range s.w.hosts {
				hosts = append(hosts, st.hosts[h.id])
			}
			return nil
		}
		s.ask("live batches", r, list, func(now time.Time, err error) { k.OwnedListed(now, r, hosts, ids, err) })
	case session.ReadBatches:
		var list []hive.BatchSnapshot
		read := func() error { list = st.snapshots(r.IDs); return nil }
		s.ask("batches", r, read, func(now time.Time, err error) { k.BatchesRead(now, r, list, err) })
	case session.CompileGraphs: // the loop compiles missing graphs itself
		s.after(s.w.between(0, 5*time.Millisecond), func() {
			s.post(func(now time.Time) { k.GraphsCompiled(now, r) })
		})
	case session.ReadCommands:
		var list []hive.Command
		read := func() error {
			if list = st.pendingOf(s.name); r.Batch != 0 {
				list = st.pending(r.Batch)
			}
			return nil
		}
		s.ask("commands", r, read, func(_ time.Time, err error) { k.CommandsRead(r, list, err) })
	case session.ReadRevision:
		var rev session.Revision
		read := func() (err error) { rev, err = st.revision(r.ID); return err }
		s.ask("revision", r, read, func(_ time.Time, err error) { k.RevisionRead(r, rev, err) })
	default:
		s.w.failf("request", "nobody does a %T", r)
	}
}

// commit stores a group.
func (s *server) commit(r session.Commit) {
	w, st, k := s.w, s.w.store, s.keeper
	s.commitAge = st.age
	commit := func() error { return st.commit(r.Group) }
	// the answer comes before the rows are durable, which they may never be
	if w.opt.Mutation == MutateStore && w.chance(0.3) {
		life := s.life
		w.after(2*time.Second, func() {
			if s.life == life {
				_ = st.commit(r.Group)
			}
		})
		commit = func() error { return nil }
	}
	s.ask(opCommit, r, commit, func(now time.Time, err error) {
		if err != nil {
			w.tracef(s.name, "commit: %v", err)
		}
		if errors.Is(err, hive.ErrConnection) {
			w.stats.Retries++
		}
		k.Committed(now, r, err)
	})
}
