package db

import (
	"context"
	"fmt"
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// leanWriter stores groups in the fewest and cheapest statements that its database knows. It is the one place
// where bun is too slow.
type leanWriter interface {
	// commit checks the session (clock is the SQL of the database's time) and stores the sheet in one transaction.
	commit(ctx context.Context, clock string, session session, sh *sheet) error
}

// session is who writes.
type session struct {
	server string
	epoch  int64
	number int64 // of the commit
}

// Commit stores a group as one transaction, or nothing of it:
//   - hive.ErrSessionLost: the server's lease has ended, or it was taken over. Drop everything.
//   - *hive.GuardError: rows of the batches that it names are not in the state that the group expects, or are there
//     already. Load these batches again.
//   - hive.ErrConnection (wrapped): the group may be stored or not. Try the same again; if it was stored, the second
//     try is a *hive.GuardError.
//   - any other error is about a row that the database refuses.
//
// Several changes of one row count as one, from the first's From to the last's To.
func (s *Store) Commit(ctx context.Context, g hive.Group) error {
	sh, err := newSheet(&g)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return s.fault("commit",
		s.lean.commit(ctx, s.kind.now(), session{server: g.Server, epoch: g.Epoch, number: g.Number}, sh))
}

// sheet is a group laid out by statement instead of by batch: at most one change for each row. Its parts are stored
// in the order of the fields.
type sheet struct {
	newRuns  []*runColumns
	history  []*runColumns
	runs     []*update[runColumns]
	offers   []*attemptRow
	attempts []*update[attemptRow]
	batches  []*update[batchRow]
	commands []*update[commandRow]
}

// update is a guarded change: the stored row must be in state from.
type update[R any] struct {
	id, batch int64
	from      string
	row       R
}

func newSheet(g *hive.Group) (*sheet, error) {
	sh := new(sheet)
	for i := range g.Batches {
		w := &g.Batches[i]
		if err := sh.addRuns(w); err != nil {
			return nil, fmt.Errorf("batch %d: %w", w.BatchID, err)
		}
		if err := sh.addAttempts(w); err != nil {
			return nil, fmt.Errorf("batch %d: %w", w.BatchID, err)
		}
		if w.Batch != nil {
			row, err := batchOf(&w.Batch.To)
			if err != nil {
				return nil, fmt.Errorf("batch %d: %w", w.BatchID, err)
			}
			sh.batches = append(sh.batches,
				&update[batchRow]{id: w.BatchID, batch: w.BatchID, from: string(w.Batch.From), row: row})
		}
		for _, c := range w.Commands {
			row := commandRow{State: string(c.State), Answer: text(string(c.Answer)), DoneAt: ms(c.At)}
			sh.commands = append(sh.commands,
				&update[commandRow]{id: c.ID, batch: w.BatchID, from: string(hive.CommandPending), row: row})
		}
	}
	sh.runs = merge(sh.runs)
	sh.attempts = merge(sh.attempts)
	sh.batches = merge(sh.batches)
	return sh, nil
}

func (sh *sheet) addRuns(w *hive.BatchWrite) error {
	for _, part := range []struct {
		from []hive.Run
		to   *[]*runColumns
	}{{w.NewRuns, &sh.newRuns}, {w.History, &sh.history}} {
		for i := range part.from {
			row, err := runOf(&part.from[i])
			if err != nil {
				return err
			}
			row.BatchID = w.BatchID
			*part.to = append(*part.to, &row)
		}
	}
	for i := range w.Runs {
		row, err := runOf(&w.Runs[i].To)
		if err != nil {
			return err
		}
		sh.runs = append(sh.runs,
			&update[runColumns]{id: row.ID, batch: w.BatchID, from: string(w.Runs[i].From), row: row})
	}
	return nil
}

func (sh *sheet) addAttempts(w *hive.BatchWrite) error {
	for i := range w.Offers {
		row, err := attemptOf(&w.Offers[i])
		if err != nil {
			return err
		}
		row.BatchID = w.BatchID
		sh.offers = append(sh.offers, &row)
	}
	for i := range w.Attempts {
		row, err := attemptOf(&w.Attempts[i].To)
		if err != nil {
			return err
		}
		sh.attempts = append(sh.attempts, &update[attemptRow]{id: row.ID, batch: w.BatchID, row: row})
	}
	return nil
}

// merge makes one change of all that concern the same row: the first one's guard, the last one's values.
func merge[R any](all []*update[R]) []*update[R] {
	seen := make(map[int64]*update[R], len(all))
	return slices.DeleteFunc(all, func(u *update[R]) bool {
		first := seen[u.id]
		if first == nil {
			seen[u.id] = u
			return false
		}
		first.row = u.row
		return true
	})
}

// misses gathers the batches of rows that were not as expected.
type misses struct {
	batches []int64
	detail  string
}

func (m *misses) add(batch, id int64, what string) {
	if m.detail == "" {
		m.detail = fmt.Sprintf("%s %d", what, id)
	}
	m.batches = append(m.batches, batch)
}

// err is nil if there were none.
func (m *misses) err() error {
	if len(m.batches) == 0 {
		return nil
	}
	slices.Sort(m.batches)
	return &hive.GuardError{Batches: slices.Compact(m.batches), Detail: m.detail}
}
