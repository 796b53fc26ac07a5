package db

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// insertChunk is how many rows one INSERT carries: few enough that the database parses it quickly.
const insertChunk = 500

// insertRows stores rows. SQLite takes longer to parse a row's literals than to bind its values, so it gets the rows
// one by one. PostgreSQL gets them in chunks, which saves round trips. Bun writes literals there, so no limit of bind
// values applies.
func insertRows[R any](ctx context.Context, tx bun.Tx, t *table[R], rows []R) error {
	if tx.Dialect().Name() == dialect.SQLite {
		return insertOneByOne(ctx, tx, t, rows)
	}
	columns := t.all()
	head := fmt.Sprintf("INSERT INTO %s (%s) VALUES ", t.name, names("", columns))
	one := "(" + strings.Repeat("?, ", len(columns)-1) + "?)"
	for chunk := range slices.Chunk(rows, insertChunk) {
		values := make([]any, 0, len(chunk)*len(columns))
		for i := range chunk {
			for c := range columns {
				values = append(values, columns[c].value(&chunk[i]))
			}
		}
		query := head + strings.Repeat(one+", ", len(chunk)-1) + one
		if _, err := tx.NewRaw(query, values...).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// insertOneByOne stores rows by statements that are prepared once for all rows with the same blank columns.
func insertOneByOne[R any](ctx context.Context, tx bun.Tx, t *table[R], rows []R) error {
	q := sqliteInsert(t, "")
	prepared := map[string]*sql.Stmt{}
	// Nothing here waits long. The driver would start a goroutine for each call that can be canceled.
	quick := context.WithoutCancel(ctx)
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		query, mask := q.text(blanks(q.columns, &rows[i]), &rows[i])
		st := prepared[query]
		if st == nil {
			var err error
			if st, err = tx.PrepareContext(quick, query); err != nil {
				return err
			}
			prepared[query] = st // the end of the transaction closes it
		}
		if _, err := st.ExecContext(quick, values(q.columns, mask, &rows[i], 0)...); err != nil {
			return err
		}
	}
	return nil
}

// selectRows begins a query of a table's rows. The alias of the table is its name.
func selectRows[R any](q bun.IDB, t *table[R]) *bun.SelectQuery {
	return q.NewSelect().TableExpr(t.name).ColumnExpr(names("", t.all()))
}

// readRows reads what selectRows selects, in the query's order.
func readRows[R any](ctx context.Context, q *bun.SelectQuery, t *table[R]) ([]R, error) {
	columns := t.all()
	return scanRows(ctx, q, func(r *R) []any { return places(columns, r) })
}

// places lists where the values of the columns go.
func places[R any](columns []column[R], r *R) []any {
	out := make([]any, len(columns))
	for i := range columns {
		out[i] = columns[i].place(r)
	}
	return out
}

// scanRows reads the rows of a query. into lists where the values of one row go.
func scanRows[R any](ctx context.Context, q *bun.SelectQuery, into func(*R) []any) ([]R, error) {
	rows, err := q.Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []R{}
	for rows.Next() {
		var r R
		if err := rows.Scan(into(&r)...); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// The places below take a driver's value without the detour over text that package sql takes for most types.

type wholePlace[N ~int | ~int64] struct{ to *N }

// Scan takes a whole number.
func (p wholePlace[N]) Scan(v any) error {
	n, err := wholeOf(v)
	*p.to = N(n)
	return err
}

type instantPlace struct{ to *time.Time }

// Scan takes UTC milliseconds.
func (p instantPlace) Scan(v any) error {
	n, err := wholeOf(v)
	*p.to = at(n)
	return err
}

type optionalPlace struct{ to **int }

// Scan takes a whole number or NULL.
func (p optionalPlace) Scan(v any) error {
	if v == nil {
		*p.to = nil
		return nil
	}
	n, err := wholeOf(v)
	small := int(n)
	*p.to = &small
	return err
}

type wordPlace[S ~string] struct{ to *S }

// Scan takes a text.
func (p wordPlace[S]) Scan(v any) error {
	s, err := wordOf(v)
	*p.to = S(s)
	return err
}

type packedPlace[T map[string]string | []string] struct{ to *T }

// Scan takes a text that holds JSON.
func (p packedPlace[T]) Scan(v any) error {
	s, err := wordOf(v)
	if err != nil {
		return err
	}
	*p.to, err = unpack[T](s)
	return err
}

type objectPlace[T any] struct{ to **T }

// Scan takes a text that holds JSON.
func (p objectPlace[T]) Scan(v any) error {
	s, err := wordOf(v)
	if err != nil {
		return err
	}
	*p.to, err = unpack[*T](s)
	return err
}

func wholeOf(v any) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case []byte:
		return strconv.ParseInt(string(v), 10, 64)
	default:
		return 0, fmt.Errorf("a whole number is stored as %T", v)
	}
}

func wordOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	default:
		return "", fmt.Errorf("a text is stored as %T", v)
	}
}

// packTexts returns a map or list of texts as JSON; "" for nil.
func packTexts[T map[string]string | []string](v T) string {
	s, err := pack(v, v == nil)
	if err != nil {
		panic(err) // texts can always be written
	}
	return s
}

// packObject returns a struct of texts as JSON; "" for nil. JSON escapes what a database does not take.
func packObject[T any](v *T) string {
	s, err := pack(v, v == nil)
	if err != nil {
		panic(err) // texts can always be written
	}
	return s
}
