package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
)

// Write stores a chunk and how far it came, together.
func (t *Target) Write(ctx context.Context, c Chunk) error {
	table, err := find(t.tables, c.Table)
	if err != nil {
		return err
	}
	var rows [][]any
	for line := range strings.Lines(string(c.Lines)) {
		values, err := parseRow(table, []byte(line))
		if err != nil {
			return err
		}
		rows = append(rows, values)
	}
	if len(rows) != c.Rows {
		return fmt.Errorf("a part of %s has %d rows, not %d", c.Table, len(rows), c.Rows)
	}
	if len(rows) == 0 {
		return nil
	}
	last, err := json.Marshal(keyOf(table, rows[len(rows)-1]))
	if err != nil {
		return fmt.Errorf("write %s: %w", c.Table, err)
	}
	write := t.writeSQLite
	if isPostgres(t.db) {
		write = t.writePostgres
	}
	if err := write(ctx, table, rows, string(last)); err != nil {
		return fmt.Errorf("write %s: %w", c.Table, err)
	}
	return nil
}

func parseKey(t *Table, text string) ([]any, error) {
	short := &Table{Name: t.Name}
	for _, name := range t.Key {
		for _, c := range t.Columns {
			if c.Name == name {
				short.Columns = append(short.Columns, c)
			}
		}
	}
	return parseRow(short, []byte(text))
}

func (t *Target) writeSQLite(ctx context.Context, table *Table, rows [][]any, last string) error {
	return t.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		columns, places := make([]string, len(table.Columns)), make([]string, len(table.Columns))
		for i, c := range table.Columns {
			columns[i], places[i] = quote(c.Name), "?"
		}
		insert, err := tx.PrepareContext(ctx, "INSERT INTO "+quote(table.Name)+" ("+strings.Join(columns, ", ")+
			") VALUES ("+strings.Join(places, ", ")+")")
		if err != nil {
			return err
		}
		defer insert.Close() //nolint:errcheck // its error is that of the transaction
		for _, row := range rows {
			if _, err := insert.ExecContext(ctx, row...); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, "UPDATE "+tableProgress+" SET tab = ?, last = ?", table.Name, last)
		return err
	})
}

func (t *Target) writePostgres(ctx context.Context, table *Table, rows [][]any, last string) error {
	conn, err := t.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool
	var batch int64
	if table.Name == countersTable {
		rows, batch = withoutBatch(table, rows)
	}
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = c.Name
	}
	return conn.Raw(func(c any) error {
		native, ok := c.(*stdlib.Conn)
		if !ok {
			return errors.New("this is no connection of pgx")
		}
		return pgx.BeginFunc(ctx, native.Conn(), func(tx pgx.Tx) error {
			_, err := tx.CopyFrom(ctx, pgx.Identifier{table.Name}, columns, pgx.CopyFromRows(rows))
			if err != nil {
				return err
			}
			if batch > 0 {
				if _, err := tx.Exec(ctx, "SELECT setval('"+batchSequence+"', $1)", batch); err != nil {
					return err
				}
			}
			_, err = tx.Exec(ctx, "UPDATE "+tableProgress+" SET tab = $1, last = $2", table.Name, last)
			return err
		})
	})
}

// withoutBatch takes the counter of batches out of the counters.
func withoutBatch(table *Table, rows [][]any) (rest [][]any, batch int64) {
	for _, row := range rows {
		var name string
		var value int64
		for i, c := range table.Columns {
			switch v := row[i].(type) {
			case string:
				name = v
			case int64:
				if c.Name == "value" {
					value = v
				}
			}
		}
		if name == counterBatch {
			batch = value
			continue
		}
		rest = append(rest, row)
	}
	return rest, batch
}
