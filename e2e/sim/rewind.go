package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/hive"
)

// This file lets the database go back to an earlier state, as after the restore of a backup, the promotion of a standby
// that lagged, or the start of a machine's snapshot. Executors, their journals and their processes do not go back.

// tables is the part of the store that goes back.
type tables struct {
	sessions  map[string]*sessionRow
	counters  map[string]int64
	batches   map[int64]*hive.Batch
	runs      map[int64]*hive.Run
	attempts  map[int64]*hive.Attempt
	commands  map[int64]*hive.Command
	byBatch   map[int64]*contents
	revs      map[int64]*revision
	hosts     map[string]hive.Executor
	schedules map[int64]*scheduled
	ticks     map[tickKey]*hive.Tick
	chains    map[int64]*chain
	calls     map[int64]*hookCall
	offered   map[ledger.Ref]time.Duration // when each attempt was stored, by id and key, since ids repeat
}

func newTables() tables {
	return tables{
		sessions: map[string]*sessionRow{}, counters: map[string]int64{}, batches: map[int64]*hive.Batch{},
		runs: map[int64]*hive.Run{}, attempts: map[int64]*hive.Attempt{}, commands: map[int64]*hive.Command{},
		schedules: map[int64]*scheduled{}, ticks: map[tickKey]*hive.Tick{},
		byBatch: map[int64]*contents{}, revs: map[int64]*revision{}, hosts: map[string]hive.Executor{},
		offered: map[ledger.Ref]time.Duration{}, chains: map[int64]*chain{}, calls: map[int64]*hookCall{},
	}
}

// snapshot returns an unchanging copy. It shares the parts of rows that are never written to.
func (t *tables) snapshot() tables {
	c := tables{
		sessions: rows(t.sessions), counters: maps.Clone(t.counters), batches: rows(t.batches), runs: rows(t.runs),
		attempts: rows(t.attempts), commands: rows(t.commands), byBatch: rows(t.byBatch), revs: maps.Clone(t.revs),
		schedules: rows(t.schedules), ticks: rows(t.ticks), chains: rows(t.chains), calls: rows(t.calls),
		hosts: maps.Clone(t.hosts), offered: maps.Clone(t.offered),
	}
	for _, x := range c.schedules {
		x.revs, x.changes, x.calls = slices.Clone(x.revs), maps.Clone(x.changes), slices.Clone(x.calls)
	}
	for id, r := range c.chains {
		r.Steps = slices.Clone(t.chains[id].Steps)
	}
	for _, b := range c.byBatch {
		b.runs, b.attempts, b.history = slices.Clone(b.runs), slices.Clone(b.attempts), slices.Clone(b.history)
		b.ended, b.called = maps.Clone(b.ended), maps.Clone(b.called)
		past := make(map[int]map[hive.RunState]bool, len(b.past))
		for n, states := range b.past {
			past[n] = maps.Clone(states)
		}
		b.past = past
	}
	return c
}

// rows copies a table.
func rows[K comparable, R any](t map[K]*R) map[K]*R {
	out := make(map[K]*R, len(t))
	for k, r := range t {
		row := *r
		out[k] = &row
	}
	return out
}

// restore replaces all tables by an earlier copy. All open requests lose their connection.
func (s *store) restore(t tables) {
	for _, a := range s.attempts {
		if a.State == hive.AttemptEnded {
			s.over[ledger.Ref(a.Ref())] = true
		}
	}
	s.tables = t
	s.age++
	s.w.stats.Rewinds++
}

// behind reports whether the server's session began before the store went back. Its memory may then differ from the
// store.
func (s *store) behind(server string) bool {
	for _, x := range s.w.servers {
		if x.name == server {
			return x.age < s.age
		}
	}
	return false
}

// rewind lets the database go back, and plans the remaining times.
func (f *faults) rewind(left int) {
	w := f.w
	if left == 0 {
		return
	}
	w.after(w.between(w.cfg.storm/20, w.cfg.storm/2), func() {
		if w.calm {
			return
		}
		w.tracef("world", "a copy of the database is made")
		saved := w.store.snapshot()
		lag := w.between(time.Second, 20*time.Second)
		if w.chance(0.6) {
			lag = w.between(20*time.Second, 4*time.Minute)
		}
		w.after(lag, func() {
			if w.calm {
				return
			}
			f.restore(saved)
			f.rewind(left - 1)
		})
	})
}

// restore lets the database go back. The servers restart, or continue without their connections.
func (f *faults) restore(saved tables) {
	w := f.w
	stay := w.chance(0.5)
	w.tracef("world", "the database goes back to that copy")
	w.store.restore(saved)
	if w.chance(0.5) {
		w.store.outageUntil = max(w.store.outageUntil, w.now+w.between(0, 20*time.Second))
	}
	for _, s := range w.servers {
		if stay && s.up {
			w.tracef(s.name, "stays")
			continue
		}
		s.crash()
		w.after(w.between(10*time.Millisecond, 20*time.Second), s.revive)
	}
}
