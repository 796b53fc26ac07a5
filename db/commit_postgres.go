package db

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/rprp/hivego/server/hive"
)

// postgresWriter sends a whole group in one round trip, and the commit in a second.
type postgresWriter struct {
	pool *sql.DB
}

func (w *postgresWriter) commit(ctx context.Context, clock string, who session, set *writeSet) error {
	conn, err := w.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it only goes back to the pool
	return conn.Raw(func(driver any) error {
		std, ok := driver.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the driver's connection is a %T", driver)
		}
		c := std.Conn()
		err := pipeline(ctx, c, pgStatements(clock, who, set))
		if err != nil {
			// Without a transaction this does nothing. On a broken connection it fails, and the pool drops it.
			_, _ = c.Exec(context.WithoutCancel(ctx), "rollback")
		}
		return err
	})
}

// pgStatement is one statement of the pipeline, and the rows that it must touch.
type pgStatement struct {
	sql  string
	args []any
	what string
	want []rowRef // expected in RETURNING id
	free bool     // any result is good: it only locks
}

// pipeline runs the statements (begin and the session check first) and commits, unless one of them failed.
func pipeline(ctx context.Context, c *pgx.Conn, statements []pgStatement) error {
	for i := range statements {
		// There are only a few texts. Each is prepared once for each connection, which saves a third of the time.
		if _, err := c.Prepare(ctx, statements[i].sql, statements[i].sql); err != nil {
			return err
		}
	}
	batch := new(pgx.Batch)
	batch.Queue("begin isolation level read committed")
	for i := range statements {
		batch.Queue(statements[i].sql, statements[i].args...)
	}
	results := c.SendBatch(ctx, batch)
	failed, lost, err := readResults(results, statements)
	if closing := results.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	if lost {
		return hive.ErrSessionLost
	}
	if err := failed.err(); err != nil {
		return err
	}
	tag, err := c.Exec(ctx, "commit")
	if err == nil && tag.String() != "COMMIT" {
		err = fmt.Errorf("the database answered %s to a commit", tag)
	}
	return err
}

func readResults(results pgx.BatchResults, statements []pgStatement) (failed guardFailures, lost bool, err error) {
	if _, err := results.Exec(); err != nil { // begin
		return failed, false, err
	}
	for i := range statements {
		st := &statements[i]
		rows, err := results.Query()
		if err != nil {
			return failed, false, err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return failed, false, err
		}
		if i < pgChecks {
			lost = lost || len(ids) == 0
			continue
		}
		if st.free || len(ids) == len(st.want) {
			continue
		}
		hit := make(map[int64]bool, len(ids))
		for _, id := range ids {
			hit[id] = true
		}
		for _, w := range st.want {
			if !hit[w.id] {
				failed.add(w.batch, w.id, st.what)
			}
		}
	}
	return failed, lost, nil
}

// pgChecks is how many statements check the session.
const pgChecks = 2

// pgStatements makes the statements of a write set. The first pgChecks of them check the session.
func pgStatements(clock string, who session, set *writeSet) []pgStatement {
	attempts := attemptTable()
	out := make([]pgStatement, pgChecks, 8+len(set.batches)+len(set.commands))
	out[0] = pgStatement{
		sql:  "SELECT 1::bigint FROM servers WHERE id = $1 AND epoch = $2 AND lease_until > " + clock + " FOR SHARE",
		args: []any{who.server, who.epoch},
	}
	out[1] = pgStatement{
		sql: "UPDATE session_commits SET number = $2 " +
			"WHERE server = $1 AND number BETWEEN $2::bigint - 1 AND $2 RETURNING 1::bigint",
		args: []any{who.server, who.number},
	}
	out = append(out, pgInsert(runTable(runsTable), set.newRuns)...)
	out = append(out, pgInsert(runTable(historyTable), set.history)...)
	out = append(out, pgUpdates(runTable(runsTable), "state = $2", set.runs)...)
	out = append(out, pgInsert(attempts, set.offers)...)
	for _, u := range set.attempts {
		u.from = string(hive.AttemptEnded)
	}
	out = append(out, pgUpdates(attempts, "state <> $2", set.attempts)...)
	out = append(out, pgBatches(who, set.batches)...)
	for _, u := range set.commands {
		out = append(out, pgUpdateOne("commands", "command", "batch_id", commandColumns(), u, u.batch))
	}
	out = append(out, pgInsert(factTable(), set.facts)...)
	out = append(out, pgInsert(hookTable(), set.hooks)...)
	return append(out, pgLimits(set.limits)...)
}

// pgInsert stores all rows by one statement.
func pgInsert[R any](t *table[R], rows []*R) []pgStatement {
	if len(rows) == 0 {
		return nil
	}
	columns := t.all()
	st := pgStatement{what: t.what}
	arrays := make([]string, len(columns))
	for i := range columns {
		arrays[i] = fmt.Sprintf("$%d::%s", i+1, columns[i].arrayType())
		st.args = append(st.args, columns[i].array(rows))
	}
	st.sql = fmt.Sprintf("INSERT INTO %s (%s) SELECT * FROM unnest(%s) ON CONFLICT DO NOTHING RETURNING id",
		t.name, names("", columns), strings.Join(arrays, ", "))
	for _, r := range rows {
		st.want = append(st.want, t.ref(r))
	}
	return []pgStatement{st}
}

// pgUpdates changes rows with one statement for each set of values in t.common and each former state. It finds the rows
// by WHERE id = ANY: a join with the values would cost a hundred times as much. The values of t.varying are arrays, and
// each row picks its value by its place among the sorted ids. width_bucket finds that place by binary search.
//
// The guard is a condition with $2 for the former state and one %s for each value of also.
func pgUpdates[R any](t *table[R], guard string, updates []*update[R], also ...any) []pgStatement {
	if len(updates) == 0 {
		return nil
	}
	var set []string
	for i := range t.common {
		set = append(set, fmt.Sprintf("%s = $%d", t.common[i].name, len(set)+3))
	}
	for i := range t.varying {
		c := &t.varying[i]
		set = append(set, fmt.Sprintf("%s = ($%d::%s)[width_bucket(id, $1::bigint[])]", c.name, len(set)+3,
			c.arrayType()))
	}
	places := make([]any, len(also))
	for i := range also {
		places[i] = fmt.Sprintf("$%d", len(set)+3+i)
	}
	query := fmt.Sprintf("UPDATE %s SET %s WHERE id = ANY($1::bigint[]) AND %s RETURNING id",
		t.name, strings.Join(set, ", "), fmt.Sprintf(guard, places...))
	var out []pgStatement
	for _, all := range groupByValues(t, updates) {
		for group := range slices.Chunk(all, pgUpdateRows) {
			out = append(out, pgUpdateGroup(t, query, group, also))
		}
	}
	return out
}

// pgUpdateRows is how many rows one statement changes. PostgreSQL reads a text array from its begin to each place.
const pgUpdateRows = 500

func pgUpdateGroup[R any](t *table[R], query string, group []*update[R], also []any) pgStatement {
	st := pgStatement{sql: query, what: t.what}
	ids := make([]int64, len(group))
	rows := make([]*R, len(group))
	for i, u := range group {
		ids[i], rows[i] = u.id, &u.row
		st.want = append(st.want, rowRef{id: u.id, batch: u.batch})
	}
	st.args = append(st.args, ids, group[0].from)
	for i := range t.common {
		st.args = append(st.args, t.common[i].value(rows[0]))
	}
	for i := range t.varying {
		st.args = append(st.args, t.varying[i].array(rows))
	}
	st.args = append(st.args, also...)
	return st
}

// groupByValues sorts updates by id, and groups those that agree in their guard and in all common columns. So all
// commits touch rows in the same order.
func groupByValues[R any](t *table[R], updates []*update[R]) [][]*update[R] {
	slices.SortFunc(updates, func(a, b *update[R]) int { return cmp.Compare(a.id, b.id) })
	index := map[string]int{}
	var out [][]*update[R]
	var b strings.Builder
	for _, u := range updates {
		b.Reset()
		b.WriteString(u.from)
		b.WriteByte(0)
		key(&b, t.common, &u.row)
		k := b.String()
		at, ok := index[k]
		if !ok {
			at = len(out)
			index[k] = at
			out = append(out, nil)
		}
		out[at] = append(out[at], u)
	}
	return out
}

// pgBatches changes the rows of batches. Before batches that must be alone, it locks their schedules, so that of two
// servers only one starts a batch, and the other one sees it: each statement reads what was committed before it. They
// have a statement each, after all others, so that each sees what the group has changed before it.
func pgBatches(who session, batches []*update[batchRow]) []pgStatement {
	var alone []int64
	var single, free []*update[batchRow]
	for _, u := range batches {
		if u.alone {
			alone = append(alone, u.id)
			single = append(single, u)
		} else {
			free = append(free, u)
		}
	}
	out := pgUpdates(batchTable(), "state = $2 AND owner = %s", free, who.server)
	if len(alone) > 0 {
		out = slices.Insert(out, 0, pgStatement{
			sql: "SELECT id FROM schedules WHERE id IN " +
				"(SELECT schedule_id FROM batches WHERE id = ANY($1::bigint[])) ORDER BY id FOR NO KEY UPDATE",
			args: []any{alone},
		})
	}
	for _, u := range single {
		st := pgUpdateOne("batches", "batch", "owner", batchTable().all(), u, who.server)
		st.sql = strings.Replace(st.sql, " RETURNING ", " AND NOT "+occupied+" RETURNING ", 1)
		out = append(out, st)
	}
	return out
}

// pgUpdateOne changes one row, guarded by its state and by one more column.
func pgUpdateOne[R any](name, what, also string, columns []column[R], u *update[R], alsoIs any) pgStatement {
	st := pgStatement{what: what, want: []rowRef{{id: u.id, batch: u.batch}}, args: []any{u.id, u.from, alsoIs}}
	set := make([]string, len(columns))
	for i := range columns {
		set[i] = fmt.Sprintf("%s = $%d", columns[i].name, i+4)
		st.args = append(st.args, columns[i].value(&u.row))
	}
	st.sql = fmt.Sprintf("UPDATE %s SET %s WHERE id = $1 AND state = $2 AND %s = $3 RETURNING id",
		name, strings.Join(set, ", "), also)
	return st
}
