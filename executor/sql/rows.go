package sql

import (
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// print writes the first rows of a result into the log, and returns the number of all rows.
func (r *runner) print(rows *sql.Rows) (int, error) {
	columns, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	if len(columns) == 0 {
		return 0, exhaust(rows)
	}
	r.result = &firstRow{columns: columns}
	r.task.Printf("%s", r.line(columns))
	count := 0
	cells, pointers := make([]any, len(columns)), make([]any, len(columns))
	for i := range cells {
		pointers[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return count, err
		}
		if count < maxRows {
			texts := make([]string, len(cells))
			for i, c := range cells {
				texts[i] = cell(c)
			}
			if count == 0 {
				r.result.values = values(cells, texts)
			}
			r.task.Printf("%s", r.line(texts))
		}
		count++
		if count == maxRows+1 {
			r.task.Printf("… (only the first %d rows are shown)", maxRows)
		}
	}
	return count, rows.Err()
}

// values makes outputs of cells. NULL becomes an empty string.
func values(cells []any, texts []string) []string {
	out := make([]string, len(texts))
	for i, c := range cells {
		if c != nil {
			out[i] = texts[i]
		}
	}
	return out
}

func exhaust(rows *sql.Rows) error {
	for rows.Next() {
		continue
	}
	return rows.Err()
}

// line joins cells for the log. It cuts long cells, and masks secrets first: half of one would not be found.
func (r *runner) line(cells []string) string {
	short := make([]string, 0, len(cells))
	for i, c := range cells {
		if i == shownColumns {
			short = append(short, "…")
			break
		}
		c = strings.NewReplacer("\n", "↵", "\r", "").Replace(r.task.Mask(c))
		if utf8.RuneCountInString(c) > maxCell {
			c = string([]rune(c)[:maxCell]) + "…"
		}
		short = append(short, c)
	}
	return strings.Join(short, " | ")
}

// cell formats a value for the log.
func cell(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case []byte:
		if utf8.Valid(v) {
			return string(v)
		}
		return fmt.Sprintf("(%d bytes)", len(v))
	case time.Time:
		return v.Format(time.RFC3339Nano)
	default:
		return fmt.Sprint(v)
	}
}

// output sets the task's outputs to the first row of the last query.
func (r *runner) output() error {
	name := r.params.Output
	if name == "" {
		return nil
	}
	if r.result == nil {
		return fmt.Errorf("output %q: no statement was a query", name)
	}
	if r.result.values == nil {
		return fmt.Errorf("output %q: the last query gave no row", name)
	}
	for i, column := range r.result.columns {
		key := name
		switch {
		case name == "*":
			key = column
		case len(r.result.columns) > 1:
			key = name + "_" + column
		}
		if err := r.task.Output(key, r.result.values[i]); err != nil {
			return err
		}
	}
	return nil
}
