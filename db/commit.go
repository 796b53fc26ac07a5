package db

import (
	"context"
	"fmt"
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// commitWriter stores groups in the fewest and cheapest statements that its database knows. Bun is too slow for it.
type commitWriter interface {
	// commit checks the session (clock is the SQL of the database's time) and stores the write set in one transaction.
	commit(ctx context.Context, clock string, session session, set *writeSet) error
}

// session names the session that writes.
type session struct {
	server string
	epoch  int64
	number int64 // of the commit
}

// Commit stores a group as one transaction, or nothing of it:
//   - hive.ErrSessionLost: the server's lease has ended, or it was taken over. Drop everything.
//   - *hive.GuardError: rows of the batches that it names are not in the state that the group expects, or exist
//     already. Load these batches again.
//   - hive.ErrConnection (wrapped): the group may be stored or not. Try the same again; if it was stored, the second
//     try is a *hive.GuardError.
//   - any other error: the database refuses a row.
//
// Several changes of one row count as one, from the first's From to the last's To.
func (s *Store) Commit(ctx context.Context, g hive.Group) error {
	set, err := newWriteSet(&g, s.transitions.Load())
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return s.fault("commit",
		s.writer.commit(ctx, s.kind.now(), session{server: g.Server, epoch: g.Epoch, number: g.Number}, set))
}

// writeSet is a group ordered by statement instead of by batch, with at most one change for each row. Its parts are
// stored in the order of the fields.
type writeSet struct {
	newRuns  []*hive.Run
	history  []*hive.Run
	runs     []*update[hive.Run]
	offers   []*hive.Attempt
	attempts []*update[hive.Attempt]
	batches  []*update[batchRow]
	commands []*update[commandRow]
	facts    []*hive.AlertFact
	hooks    []*hive.HookCall
	limits   []hive.LimitGuard
}

// update is a guarded change: the stored row must be in state from.
type update[R any] struct {
	id, batch int64
	from      string
	alone     bool // see hive.BatchChange; of batches only
	row       R
}

// newWriteSet makes the rows of a group; with transitions, also the facts of all transitions of batches.
func newWriteSet(g *hive.Group, transitions bool) (*writeSet, error) {
	set := &writeSet{limits: g.Limits}
	for i := range g.Batches {
		w := &g.Batches[i]
		set.addRuns(w)
		set.addAttempts(w)
		if w.Batch != nil {
			row, err := batchOf(&w.Batch.To)
			if err != nil {
				return nil, fmt.Errorf("batch %d: %w", w.BatchID, err)
			}
			set.batches = append(set.batches,
				&update[batchRow]{
					id: w.BatchID, batch: w.BatchID, from: string(w.Batch.From), alone: w.Batch.Alone, row: row,
				})
		}
		for _, c := range w.Hooks {
			c.Event.Batch = w.BatchID
			set.hooks = append(set.hooks, &c)
		}
		for _, c := range w.Commands {
			row := commandRow{State: string(c.State), Answer: text(string(c.Answer)), DoneAt: ms(c.At)}
			set.commands = append(set.commands,
				&update[commandRow]{id: c.ID, batch: w.BatchID, from: string(hive.CommandPending), row: row})
		}
	}
	set.runs = merge(set.runs)
	set.attempts = merge(set.attempts)
	set.batches = merge(set.batches)
	set.findFacts(transitions)
	return set, nil
}

func (set *writeSet) addRuns(w *hive.BatchWrite) {
	for _, r := range w.NewRuns {
		r.BatchID = w.BatchID
		set.newRuns = append(set.newRuns, &r)
	}
	for _, r := range w.History {
		r.BatchID = w.BatchID
		set.history = append(set.history, &r)
	}
	for i := range w.Runs {
		c := &w.Runs[i]
		set.runs = append(set.runs,
			&update[hive.Run]{id: c.To.ID, batch: w.BatchID, from: string(c.From), row: c.To})
	}
}

func (set *writeSet) addAttempts(w *hive.BatchWrite) {
	for _, a := range w.Offers {
		a.BatchID = w.BatchID
		set.offers = append(set.offers, &a)
	}
	for i := range w.Attempts {
		a := &w.Attempts[i].To
		set.attempts = append(set.attempts, &update[hive.Attempt]{id: a.ID, batch: w.BatchID, row: *a})
	}
}

// merge makes one change of all changes of a row, with the guard of the first and the values of the last.
func merge[R any](all []*update[R]) []*update[R] {
	seen := make(map[int64]*update[R], len(all))
	return slices.DeleteFunc(all, func(u *update[R]) bool {
		first := seen[u.id]
		if first == nil {
			seen[u.id] = u
			return false
		}
		first.row, first.alone = u.row, first.alone || u.alone
		return true
	})
}

// guardFailures gathers the batches of rows that were not in the state that the group expects.
type guardFailures struct {
	batches []int64
	detail  string
	limited bool
}

func (f *guardFailures) add(batch, id int64, what string) {
	if f.detail == "" {
		f.detail = fmt.Sprintf("%s %d", what, id)
	}
	f.batches = append(f.batches, batch)
	f.limited = f.limited || what == limitWhat
}

// err returns a *hive.GuardError, or nil if there were none.
func (f *guardFailures) err() error {
	if len(f.batches) == 0 {
		return nil
	}
	slices.Sort(f.batches)
	return &hive.GuardError{Batches: slices.Compact(f.batches), Detail: f.detail, Limited: f.limited}
}
