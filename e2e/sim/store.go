package sim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/session"
)

// store is the database. It follows the rules of package db's Commit (guards, sessions, all or nothing), and its
// content survives all crashes.
type store struct {
	w *world
	tables
	age int // number of times that it went back to an earlier state

	// Facts that outlive a return to an earlier state.
	ever map[ledger.Ref]string // the executor of each attempt that was ever stored
	over map[ledger.Ref]bool   // attempts that had ended before the store went back

	outageUntil time.Duration
	poisoned    map[int64]time.Duration // batches that cannot be stored until this time
	doubted     map[string]bool         // servers that may find their own rows of an earlier try
}

// contents are the ids of the rows of a batch.
type contents struct {
	runs     []int64 // by number
	attempts []int64
	history  []hive.Run
	past     map[int]map[hive.RunState]bool // all states in which each run was stored
	ended    map[hive.BatchState]bool       // all final states in which the batch was stored
	called   map[string]bool                // the ends whose hooks were called, by the key of their batch
	repaired bool                           // a plan has changed it, so that the oracle checks only its offers
}

type sessionRow struct {
	id     string
	epoch  int64
	until  time.Duration
	taken  bool
	number int64 // number of its latest commit
}

func newStore(w *world) *store {
	return &store{
		w: w, tables: newTables(), ever: map[ledger.Ref]string{}, over: map[ledger.Ref]bool{},
		poisoned: map[int64]time.Duration{}, doubted: map[string]bool{},
	}
}

// attempt returns the stored row of an attempt.
func (s *store) attempt(ref ledger.Ref) *hive.Attempt {
	if a := s.attempts[ref.ID]; a != nil && a.Key == ref.Key {
		return a
	}
	return nil
}

// draw takes n ids of a counter.
func (s *store) draw(kind string, n int) int64 {
	first := s.counters[kind] + 1
	s.counters[kind] += int64(n)
	return first
}

// heal ends all faults of the database.
func (s *store) heal() {
	s.outageUntil = 0
	clear(s.poisoned)
}

// opCommit is the operation that may find its own rows when it is repeated.
const opCommit = "commit"

// call sends a request of a server to the database. do runs at the database; then runs later, in the server's current
// life. If the answer is lost or comes after the server's timeout, then gets hive.ErrConnection, even if do has run.
func (s *store) call(from *server, what string, within time.Duration, do func() error, then func(err error)) {
	w, r := s.w, s.w.cfg.rates
	life, age := from.life, s.age
	gone := fmt.Errorf("%s: %w", what, hive.ErrConnection)
	limit := from.clock.world(within)
	answer := func(d time.Duration, err error) {
		w.after(d, func() {
			if s.age != age {
				err = gone
			}
			from.run(life, func() { then(err) })
		})
	}
	wait := w.between(200*time.Microsecond, 6*time.Millisecond)
	if !w.calm && w.chance(r.laggard) {
		wait = w.between(50*time.Millisecond, 5*time.Second)
	}
	if wait >= limit {
		answer(limit, gone)
		answer = func(time.Duration, error) {}
	}
	w.after(wait, func() {
		if s.age != age || w.now < s.outageUntil || !w.calm && w.chance(r.lost) {
			w.tracef(from.name, "store: %s is lost", what)
			answer(min(w.between(0, time.Second), limit-wait), gone)
			return
		}
		err := do()
		if err == nil && !w.calm && w.chance(r.doubt) {
			w.tracef(from.name, "store: %s is done, the answer is lost", what)
			s.doubted[from.name] = s.doubted[from.name] || what == opCommit
			err = gone
		}
		answer(w.between(100*time.Microsecond, 2*time.Millisecond), err)
	})
}

// startSession begins a session, ending an earlier one of the same id.
func (s *store) startSession(id string, lease time.Duration) int64 {
	e := s.draw("epoch", 1)
	s.sessions[id] = &sessionRow{id: id, epoch: e, until: s.w.now + lease}
	return e
}

func (s *store) heartbeat(id string, epoch, stored int64, lease time.Duration) error {
	x := s.sessions[id]
	if x == nil || x.epoch != epoch || x.taken || x.number < stored {
		return hive.ErrSessionLost
	}
	x.until = s.w.now + lease
	return nil
}

func (s *store) holds(id string, epoch int64) error {
	x := s.sessions[id]
	if x == nil || x.epoch != epoch || x.until <= s.w.now {
		return hive.ErrSessionLost
	}
	return nil
}

// raiseEpoch gives a session an epoch above the one that an executor has seen.
func (s *store) raiseEpoch(me string, epoch int64, lease time.Duration, later hive.Later) (fresh int64, err error) {
	if err := s.holds(me, epoch); err != nil {
		return 0, err
	}
	s.counters["epoch"] = max(s.counters["epoch"], later.Epoch)
	fresh = s.draw("epoch", 1)
	s.sessions[me].epoch, s.sessions[me].until = fresh, s.w.now+lease
	s.w.stats.Raises++
	return fresh, nil
}

// dead lists the other servers with an expired session that no server has taken over.
func (s *store) dead(me string) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		if x := s.sessions[id]; id != me && !x.taken && x.until <= s.w.now {
			ids = append(ids, id)
		}
	}
	return ids
}

// takeOver moves the live batches of expired sessions to another session.
func (s *store) takeOver(me string, epoch int64, lease time.Duration) (dead []string, fresh int64, err error) {
	if err := s.holds(me, epoch); err != nil {
		return nil, 0, err
	}
	if dead = s.dead(me); len(dead) == 0 {
		return nil, epoch, nil
	}
	theirs := s.draw("epoch", 1)
	for _, id := range dead {
		s.sessions[id].epoch, s.sessions[id].taken = theirs, true
	}
	for _, b := range s.batches {
		if slices.Contains(dead, b.Owner) && (b.Live || len(s.pending(b.ID)) > 0) {
			b.Owner = me
		}
	}
	fresh = s.draw("epoch", 1)
	s.sessions[me].epoch, s.sessions[me].until = fresh, s.w.now+lease
	s.w.stats.Takeovers++
	return dead, fresh, nil
}

func (s *store) liveBatches(owner string) []int64 {
	var ids []int64
	for id, b := range s.batches {
		if b.Live && b.Owner == owner {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// snapshots reads batches, without those that do not exist.
func (s *store) snapshots(ids []int64) (list []hive.BatchSnapshot) {
	for _, id := range ids {
		if s.batches[id] != nil {
			list = append(list, s.snapshotOf(id))
		}
	}
	return list
}

func (s *store) snapshotOf(id int64) hive.BatchSnapshot {
	snap := hive.BatchSnapshot{Batch: *s.batches[id], Commands: s.pending(id)}
	snap.Revision = s.revs[snap.Batch.RevisionID].row
	c := s.byBatch[id]
	for _, r := range c.runs {
		snap.Runs = append(snap.Runs, *s.runs[r])
	}
	for _, a := range c.attempts {
		if s.attempts[a].State != hive.AttemptEnded {
			snap.Attempts = append(snap.Attempts, *s.attempts[a])
		}
	}
	return snap
}

// revision reads a revision and its graph. A missing one was lost when the store went back.
func (s *store) revision(id int64) (session.Revision, error) {
	stored := s.revs[id]
	if stored == nil {
		return session.Revision{}, hive.Errorf(hive.CodeNotFound, "there is no revision with id %d", id)
	}
	rev := session.Revision{Row: stored.row}
	if rev.Graph, rev.Unreadable = s.w.graphs.Compile(&rev.Row); rev.Unreadable != nil {
		s.w.failf("document", "revision %d: %v", id, rev.Unreadable)
	}
	return rev, nil
}

// pending lists the unanswered commands of a batch, oldest first.
func (s *store) pending(batch int64) []hive.Command {
	return s.waiting(func(c *hive.Command) bool { return c.BatchID == batch })
}

func (s *store) pendingOf(owner string) []hive.Command {
	return s.waiting(func(c *hive.Command) bool { return s.batches[c.BatchID].Owner == owner })
}

func (s *store) waiting(want func(*hive.Command) bool) []hive.Command {
	var out []hive.Command
	for _, c := range s.commands {
		if c.State == hive.CommandPending && want(c) {
			out = append(out, *c)
		}
	}
	slices.SortFunc(out, func(a, b hive.Command) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// addCommand stores a command. A batch that is not live gets a server that is up as its owner.
func (s *store) addCommand(c hive.Command) int64 {
	c.ID, c.State = s.draw("command", 1), hive.CommandPending
	s.commands[c.ID] = &c
	b := s.batches[c.BatchID]
	there := func(id string) bool { x := s.sessions[id]; return x != nil && x.until > s.w.now }
	if !b.Live && !there(b.Owner) {
		for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
			if there(id) {
				b.Owner = id
				break
			}
		}
	}
	return c.ID
}

// createBatch stores a new batch of a revision with its runs.
func (s *store) createBatch(b hive.Batch, rev *revision) int64 {
	b.ID, b.RevisionID, b.Revision = s.draw("batch", 1), rev.row.ID, rev.row.Number
	b.Live, b.Round = true, 1
	c := &contents{
		past: map[int]map[hive.RunState]bool{}, ended: map[hive.BatchState]bool{b.State: true},
		called: map[string]bool{},
	}
	for j := range rev.def.Jobs {
		job := &rev.def.Jobs[j]
		for t := range job.Tasks {
			id, n := s.draw("run", 1), len(c.runs)
			s.runs[id] = &hive.Run{
				ID: id, BatchID: b.ID, Number: n, Job: job.Key, Task: job.Tasks[t].Key,
				State: hive.RunWaiting, Round: 1,
				ChangedAt: b.CreatedAt,
			}
			c.runs = append(c.runs, id)
			c.past[n] = map[hive.RunState]bool{hive.RunWaiting: true}
		}
	}
	s.batches[b.ID], s.byBatch[b.ID] = &b, c
	return b.ID
}

// allFinal reports whether all batches have ended and all commands are answered.
func (s *store) allFinal() bool {
	for _, b := range s.batches {
		if b.Live {
			return false
		}
	}
	return len(s.calls) == 0 && len(s.waiting(func(*hive.Command) bool { return true })) == 0
}

// openWork describes all unfinished work, for error messages.
func (s *store) openWork() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(s.batches)) {
		if x := s.batches[id]; x.Live {
			fmt.Fprintf(&b, " batch %d (%s, wish %s, owner %s):", id, x.State, x.Wish, x.Owner)
			for _, r := range s.byBatch[id].runs {
				if row := s.runs[r]; !row.State.Final() {
					fmt.Fprintf(&b, " %s %s %s attempt %d;", row.Task, row.State, row.Reason, row.Attempt)
				}
			}
		}
	}
	for _, c := range s.waiting(func(*hive.Command) bool { return true }) {
		fmt.Fprintf(&b, " command %d of batch %d waits", c.ID, c.BatchID)
	}
	return b.String()
}
