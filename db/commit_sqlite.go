package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rprp/hivego/server/hive"
)

// sqliteWriter stores a group row by row with prepared statements, in one transaction: a call costs microseconds
// here, and there are no round trips to save.
type sqliteWriter struct {
	pool    *sql.DB // of one connection
	queries sqliteQueries

	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

func newSQLiteWriter(pool *sql.DB) *sqliteWriter {
	return &sqliteWriter{pool: pool, queries: newSQLiteQueries(), prepared: map[string]*sql.Stmt{}}
}

// statement prepares a query once for the life of the pool. It is called before the transaction begins, because a
// transaction takes the only connection.
func (w *sqliteWriter) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if st := w.prepared[query]; st != nil {
		return st, nil
	}
	st, err := w.pool.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	w.prepared[query] = st
	return st, nil
}

// sqliteStep is one prepared statement with the rows it is run for.
type sqliteStep struct {
	query string
	what  string
	rows  int
	args  func(i int) []any
	ref   func(i int) rowRef
}

func (w *sqliteWriter) commit(ctx context.Context, clock string, who session, set *writeSet) error {
	check, err := w.statement(ctx, "SELECT 1 FROM servers WHERE id = ? AND epoch = ? AND lease_until > "+clock)
	if err != nil {
		return err
	}
	count, err := w.statement(ctx,
		"UPDATE session_commits SET number = ?2 WHERE server = ?1 AND number BETWEEN ?2 - 1 AND ?2")
	if err != nil {
		return err
	}
	steps := w.queries.steps(who, set)
	statements := make([]*sql.Stmt, len(steps))
	for i := range steps {
		if statements[i], err = w.statement(ctx, steps[i].query); err != nil {
			return err
		}
	}
	conn, err := w.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it only goes back to the pool
	// From here on nothing waits long. The driver would start a goroutine for each call that can be canceled.
	quick := context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(quick, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after the commit it does nothing
	if err := sqliteSession(quick, tx.StmtContext(quick, check), tx.StmtContext(quick, count), who); err != nil {
		return err
	}
	var failed guardFailures
	bound := make(map[*sql.Stmt]*sql.Stmt, len(steps)) // to the transaction
	for i, st := range statements {
		if bound[st] == nil {
			bound[st] = tx.StmtContext(quick, st)
		}
		if err := steps[i].run(ctx, bound[st], &failed); err != nil {
			return err
		}
	}
	if err := sqliteLimits(quick, tx, set.limits, &failed); err != nil {
		return err
	}
	if err := failed.err(); err != nil {
		return err
	}
	return tx.Commit()
}

func sqliteSession(ctx context.Context, check, count *sql.Stmt, who session) error {
	var one int
	err := check.QueryRowContext(ctx, who.server, who.epoch).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return hive.ErrSessionLost
	}
	if err != nil {
		return err
	}
	result, err := count.ExecContext(ctx, who.server, who.number)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return hive.ErrSessionLost
}

func (s *sqliteStep) run(ctx context.Context, st *sql.Stmt, failed *guardFailures) error {
	quick := context.WithoutCancel(ctx)
	for i := range s.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		result, err := st.ExecContext(quick, s.args(i)...)
		if err != nil {
			return err
		}
		changed, err := result.RowsAffected()
		if err != nil {
			return err
		}
		if changed == 0 {
			ref := s.ref(i)
			failed.add(ref.batch, ref.id, s.what)
		}
	}
	return nil
}

// sqliteQueries are the statements of the writer, one for each part of a write set.
type sqliteQueries struct {
	newRuns, history, runs *sqliteQuery[hive.Run]
	offers, attempts       *sqliteQuery[hive.Attempt]
	batches, alone         *sqliteQuery[batchRow]
	commands               *sqliteQuery[commandRow]
	facts                  *sqliteQuery[hive.AlertFact]
	hooks                  *sqliteQuery[hive.HookCall]
}

// sqliteQuery is a statement and the columns that it sets.
type sqliteQuery[R any] struct {
	what    string
	columns []column[R]
	// write makes the statement's text with a value for each column: a placeholder, or the SQL of a blank value.
	write func(values []string) string

	mu    sync.Mutex
	texts map[uint64]string // by the mask of the columns without a placeholder
}

// maxTexts is how many masks of one query may be prepared.
const maxTexts = 16

// text returns the statement for rows in which the columns of the mask are blank, and the mask that the statement has.
// That is 0 if too many are prepared already. Most columns of most rows are blank, and the bind is a third of what it
// costs to store a value.
func (q *sqliteQuery[R]) text(mask uint64, row *R) (string, uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t, ok := q.texts[mask]; ok {
		return t, mask
	}
	if len(q.texts) >= maxTexts {
		mask = 0
	}
	marks := make([]string, len(q.columns))
	for i := range marks {
		marks[i] = "?"
		if mask&(1<<i) != 0 {
			marks[i] = q.columns[i].blank(row)
		}
	}
	q.texts[mask] = q.write(marks)
	return q.texts[mask], mask
}

func newSQLiteQueries() sqliteQueries {
	runs, attempts := runTable(runsTable), attemptTable()
	return sqliteQueries{
		newRuns: sqliteInsert(runs, onConflict),
		history: sqliteInsert(runTable(historyTable), onConflict),
		runs:    sqliteUpdate(runs.name, runs.what, "state = ?", slices.Concat(runs.common, runs.varying)),
		offers:  sqliteInsert(attempts, onConflict),
		attempts: sqliteUpdate(attempts.name, attempts.what, "state <> ?",
			slices.Concat(attempts.common, attempts.varying)),
		batches:  sqliteUpdate("batches", "batch", "state = ? AND owner = ?", batchTable().all()),
		alone:    sqliteUpdate("batches", "batch", "state = ? AND owner = ? AND NOT "+occupied, batchTable().all()),
		commands: sqliteUpdate("commands", "command", "state = ? AND batch_id = ?", commandColumns()),
		facts:    sqliteInsert(factTable(), ""),
		hooks:    sqliteInsert(hookTable(), ""),
	}
}

// onConflict makes an INSERT leave out a row that conflicts with a stored one.
const onConflict = " ON CONFLICT DO NOTHING"

func sqliteInsert[R any](t *table[R], tail string) *sqliteQuery[R] {
	columns := t.all()
	head := fmt.Sprintf("INSERT INTO %s (%s) VALUES (", t.name, names("", columns))
	return &sqliteQuery[R]{
		what: t.what, columns: columns, texts: map[uint64]string{},
		write: func(values []string) string { return head + strings.Join(values, ", ") + ")" + tail },
	}
}

// sqliteUpdate changes rows by id, if guard holds.
func sqliteUpdate[R any](name, what, guard string, columns []column[R]) *sqliteQuery[R] {
	return &sqliteQuery[R]{
		what: what, columns: columns, texts: map[uint64]string{},
		write: func(values []string) string {
			set := make([]string, len(columns))
			for i := range columns {
				set[i] = columns[i].name + " = " + values[i]
			}
			return fmt.Sprintf("UPDATE %s SET %s WHERE id = ? AND %s", name, strings.Join(set, ", "), guard)
		},
	}
}

// steps makes the statements of a write set, in the order of its fields.
func (q *sqliteQueries) steps(who session, set *writeSet) []sqliteStep {
	runs, attempts := runTable(runsTable), attemptTable()
	var batches, alone []*update[batchRow]
	for _, u := range set.batches {
		if u.alone {
			alone = append(alone, u)
		} else {
			batches = append(batches, u)
		}
	}
	from, owner := func(u *update[batchRow]) any { return u.from }, func(*update[batchRow]) any { return who.server }
	return slices.Concat(
		q.newRuns.insert(set.newRuns, runs.ref),
		q.history.insert(set.history, runs.ref),
		q.runs.update(set.runs, func(u *update[hive.Run]) any { return u.from }),
		q.offers.insert(set.offers, attempts.ref),
		q.attempts.update(set.attempts, func(*update[hive.Attempt]) any { return string(hive.AttemptEnded) }),
		q.batches.update(batches, from, owner),
		q.alone.update(alone, from, owner),
		q.commands.update(set.commands,
			func(u *update[commandRow]) any { return u.from }, func(u *update[commandRow]) any { return u.batch }),
		q.facts.insert(set.facts, factTable().ref),
		q.hooks.insert(set.hooks, hookTable().ref))
}

func (q *sqliteQuery[R]) insert(rows []*R, ref func(*R) rowRef) []sqliteStep {
	return sameMaskRuns(q, rows, func(r *R) *R { return r }, func(rows []*R, text string, mask uint64) sqliteStep {
		return sqliteStep{
			query: text, what: q.what, rows: len(rows),
			args: func(i int) []any { return values(q.columns, mask, rows[i], 0) },
			ref:  func(i int) rowRef { return ref(rows[i]) },
		}
	})
}

// update makes the steps of guarded changes. guards return the values of the guard's placeholders.
func (q *sqliteQuery[R]) update(updates []*update[R], guards ...func(*update[R]) any) []sqliteStep {
	return sameMaskRuns(q, updates, func(u *update[R]) *R { return &u.row },
		func(rows []*update[R], text string, mask uint64) sqliteStep {
			return sqliteStep{
				query: text, what: q.what, rows: len(rows),
				args: func(i int) []any {
					u := rows[i]
					out := append(values(q.columns, mask, &u.row, 1+len(guards)), u.id)
					for _, g := range guards {
						out = append(out, g(u))
					}
					return out
				},
				ref: func(i int) rowRef { return rowRef{id: rows[i].id, batch: rows[i].batch} },
			}
		})
}

// sameMaskRuns makes one step of successive rows in which the same columns are blank. It keeps the order of the rows.
func sameMaskRuns[R, U any](
	q *sqliteQuery[R], all []*U, row func(*U) *R, step func(rows []*U, text string, mask uint64) sqliteStep,
) []sqliteStep {
	var out []sqliteStep
	for len(all) > 0 {
		mask, n := blanks(q.columns, row(all[0])), 1
		for n < len(all) && blanks(q.columns, row(all[n])) == mask {
			n++
		}
		text, used := q.text(mask, row(all[0]))
		out = append(out, step(all[:n:n], text, used))
		all = all[n:]
	}
	return out
}

// blanks returns the mask of the columns that are blank in a row.
func blanks[R any](columns []column[R], row *R) (mask uint64) {
	for i := range columns {
		if columns[i].blank(row) != "" {
			mask |= 1 << i
		}
	}
	return mask
}

// values returns the bind values of one row without the columns of the mask, with room for some more.
func values[R any](columns []column[R], mask uint64, row *R, more int) []any {
	out := make([]any, 0, len(columns)+more)
	for i := range columns {
		if mask&(1<<i) == 0 {
			out = append(out, columns[i].value(row))
		}
	}
	return out
}
