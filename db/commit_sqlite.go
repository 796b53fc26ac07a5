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

// statement prepares a query once, for as long as the pool lives. It is called before the transaction begins, as
// that takes the only connection.
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

func (w *sqliteWriter) commit(ctx context.Context, clock string, who session, sh *sheet) error {
	check, err := w.statement(ctx, "SELECT 1 FROM servers WHERE id = ? AND epoch = ? AND lease_until > "+clock)
	if err != nil {
		return err
	}
	steps := w.queries.steps(who, sh)
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
	// From here on nothing waits long. A call that could be canceled would cost a goroutine of the driver's each.
	quick := context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(quick, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after the commit it does nothing
	if err := sqliteSession(quick, tx.StmtContext(quick, check), who); err != nil {
		return err
	}
	var missed misses
	for i := range steps {
		if err := steps[i].run(ctx, tx.StmtContext(quick, statements[i]), &missed); err != nil {
			return err
		}
	}
	if err := missed.err(); err != nil {
		return err
	}
	return tx.Commit()
}

func sqliteSession(ctx context.Context, check *sql.Stmt, who session) error {
	var one int
	err := check.QueryRowContext(ctx, who.server, who.epoch).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return hive.ErrSessionLost
	}
	return err
}

func (s *sqliteStep) run(ctx context.Context, st *sql.Stmt, missed *misses) error {
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
			missed.add(ref.batch, ref.id, s.what)
		}
	}
	return nil
}

// sqliteQueries are the statements of the writer, one for each part of a sheet.
type sqliteQueries struct {
	newRuns, history, runs sqliteQuery[runColumns]
	offers, attempts       sqliteQuery[attemptRow]
	batches                sqliteQuery[batchRow]
	commands               sqliteQuery[commandRow]
}

// sqliteQuery is a statement and the columns that it sets.
type sqliteQuery[R any] struct {
	what    string
	text    string
	columns []column[R]
}

func newSQLiteQueries() sqliteQueries {
	runs, attempts := runTable("runs"), attemptTable()
	return sqliteQueries{
		newRuns:  sqliteInsert(runs),
		history:  sqliteInsert(runTable("run_history")),
		runs:     sqliteUpdate(runs.name, runs.what, "state = ?", slices.Concat(runs.same, runs.each)),
		offers:   sqliteInsert(attempts),
		attempts: sqliteUpdate(attempts.name, attempts.what, "state <> ?", slices.Concat(attempts.same, attempts.each)),
		batches:  sqliteUpdate("batches", "batch", "state = ? AND owner = ?", batchColumns()),
		commands: sqliteUpdate("commands", "command", "state = ? AND batch_id = ?", commandColumns()),
	}
}

func sqliteInsert[R any](t *table[R]) sqliteQuery[R] {
	columns := t.all()
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	return sqliteQuery[R]{
		what: t.what, columns: columns,
		text: fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO NOTHING", t.name, names(columns), marks),
	}
}

// sqliteUpdate changes rows by id, if guard holds.
func sqliteUpdate[R any](name, what, guard string, columns []column[R]) sqliteQuery[R] {
	set := make([]string, len(columns))
	for i := range columns {
		set[i] = columns[i].name + " = ?"
	}
	return sqliteQuery[R]{
		what: what, columns: columns,
		text: fmt.Sprintf("UPDATE %s SET %s WHERE id = ? AND %s", name, strings.Join(set, ", "), guard),
	}
}

// steps lays a sheet out as statements, in the order of its fields.
func (q *sqliteQueries) steps(who session, sh *sheet) []sqliteStep {
	var out []sqliteStep
	add := func(s sqliteStep) {
		if s.rows > 0 {
			out = append(out, s)
		}
	}
	run := func(r *runColumns) rowRef { return rowRef{id: r.ID, batch: r.BatchID} }
	add(q.newRuns.insert(sh.newRuns, run))
	add(q.history.insert(sh.history, run))
	add(q.runs.update(sh.runs, func(u *update[runColumns]) any { return u.from }))
	add(q.offers.insert(sh.offers, func(a *attemptRow) rowRef { return rowRef{id: a.ID, batch: a.BatchID} }))
	add(q.attempts.update(sh.attempts, func(*update[attemptRow]) any { return string(hive.AttemptEnded) }))
	add(q.batches.update(sh.batches,
		func(u *update[batchRow]) any { return u.from }, func(*update[batchRow]) any { return who.server }))
	add(q.commands.update(sh.commands,
		func(u *update[commandRow]) any { return u.from }, func(u *update[commandRow]) any { return u.batch }))
	return out
}

func (q *sqliteQuery[R]) insert(rows []*R, ref func(*R) rowRef) sqliteStep {
	return sqliteStep{
		query: q.text, what: q.what, rows: len(rows),
		args: func(i int) []any { return values(q.columns, rows[i], 0) },
		ref:  func(i int) rowRef { return ref(rows[i]) },
	}
}

// update gives the values of the guard's placeholders by guards.
func (q *sqliteQuery[R]) update(updates []*update[R], guards ...func(*update[R]) any) sqliteStep {
	return sqliteStep{
		query: q.text, what: q.what, rows: len(updates),
		args: func(i int) []any {
			u := updates[i]
			out := append(values(q.columns, &u.row, 1+len(guards)), u.id)
			for _, g := range guards {
				out = append(out, g(u))
			}
			return out
		},
		ref: func(i int) rowRef { return rowRef{id: updates[i].id, batch: updates[i].batch} },
	}
}

// values are the bind values of one row, with room for some more.
func values[R any](columns []column[R], row *R, more int) []any {
	out := make([]any, len(columns), len(columns)+more)
	for i := range columns {
		out[i] = columns[i].value(row)
	}
	return out
}
