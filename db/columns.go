package db

import (
	"strconv"
	"strings"
)

// column is one column of a row R as the lean writers see it. Exactly one of the functions is set.
type column[R any] struct {
	name string
	num  func(*R) int64
	str  func(*R) string
	opt  func(*R) *int // nil is NULL
	flag func(*R) bool
}

// value is the column's bind value.
func (c *column[R]) value(r *R) any {
	switch {
	case c.num != nil:
		return c.num(r)
	case c.str != nil:
		return c.str(r)
	case c.flag != nil:
		return c.flag(r)
	default:
		return nullable(c.opt(r))
	}
}

// blank is the SQL of the column's value if that says nothing: an empty text, 0 or NULL. Else it is empty.
func (c *column[R]) blank(r *R) string {
	switch {
	case c.num != nil && c.num(r) == 0:
		return "0"
	case c.str != nil && c.str(r) == "":
		return "''"
	case c.opt != nil && c.opt(r) == nil:
		return "NULL"
	default:
		return ""
	}
}

func nullable(v *int) any {
	if v == nil {
		return nil
	}
	return int64(*v)
}

// array is the column of all rows as one PostgreSQL array.
func (c *column[R]) array(rows []*R) any {
	switch {
	case c.num != nil:
		out := make([]int64, len(rows))
		for i, r := range rows {
			out[i] = c.num(r)
		}
		return out
	case c.str != nil:
		out := make([]string, len(rows))
		for i, r := range rows {
			out[i] = c.str(r)
		}
		return out
	case c.flag != nil:
		out := make([]bool, len(rows))
		for i, r := range rows {
			out[i] = c.flag(r)
		}
		return out
	default:
		out := make([]*int64, len(rows))
		for i, r := range rows {
			if v := c.opt(r); v != nil {
				wide := int64(*v)
				out[i] = &wide
			}
		}
		return out
	}
}

// arrayType is the PostgreSQL type of array.
func (c *column[R]) arrayType() string {
	switch {
	case c.str != nil:
		return "text[]"
	case c.flag != nil:
		return "boolean[]"
	default:
		return "bigint[]"
	}
}

// key tells rows apart that differ in any of the columns.
func key[R any](b *strings.Builder, columns []column[R], r *R) {
	for i := range columns {
		c := &columns[i]
		switch {
		case c.num != nil:
			b.WriteString(strconv.FormatInt(c.num(r), 10))
		case c.str != nil:
			b.WriteString(c.str(r)) // without NUL, see text
		case c.flag != nil:
			b.WriteString(strconv.FormatBool(c.flag(r)))
		default:
			if v := c.opt(r); v != nil {
				b.WriteString(strconv.Itoa(*v))
			}
		}
		b.WriteByte(0)
	}
}

// table is how the lean writers see a table. Columns in same have few values, so that many rows of a group agree in
// all of them and change in one statement; those in each differ from row to row and are all numbers.
type table[R any] struct {
	name string
	what string      // one row, for people
	keep []column[R] // never changed; the first is the id
	same []column[R]
	each []column[R]
}

// all lists the columns in the order of an INSERT.
func (t *table[R]) all() []column[R] {
	out := make([]column[R], 0, len(t.keep)+len(t.same)+len(t.each))
	out = append(out, t.keep...)
	out = append(out, t.same...)
	return append(out, t.each...)
}

func names[R any](columns []column[R]) string {
	out := make([]string, len(columns))
	for i := range columns {
		out[i] = columns[i].name
	}
	return strings.Join(out, ", ")
}

func runTable(name string) *table[runColumns] {
	type row = runColumns
	return &table[row]{
		name: name,
		what: "task run",
		keep: []column[row]{
			{name: "id", num: func(r *row) int64 { return r.ID }},
			{name: "batch_id", num: func(r *row) int64 { return r.BatchID }},
			{name: "number", num: func(r *row) int64 { return int64(r.Number) }},
			{name: "job", str: func(r *row) string { return r.Job }},
			{name: "task", str: func(r *row) string { return r.Task }},
			{name: "shard", num: func(r *row) int64 { return int64(r.Shard) }},
		},
		same: []column[row]{
			{name: "state", str: func(r *row) string { return r.State }},
			{name: "reason", str: func(r *row) string { return r.Reason }},
			{name: "detail", str: func(r *row) string { return r.Detail }},
			{name: "cause", str: func(r *row) string { return r.Cause }},
			{name: "round", num: func(r *row) int64 { return int64(r.Round) }},
			{name: "attempts", num: func(r *row) int64 { return int64(r.Attempts) }},
			{name: "failures", num: func(r *row) int64 { return int64(r.Failures) }},
			{name: "losses", num: func(r *row) int64 { return int64(r.Losses) }},
			{name: "exit_code", opt: func(r *row) *int { return r.ExitCode }},
			{name: "outputs", str: func(r *row) string { return r.Outputs }},
		},
		each: []column[row]{
			{name: "not_before", num: func(r *row) int64 { return r.NotBefore }},
			{name: "attempt", num: func(r *row) int64 { return r.Attempt }},
			{name: "started_at", num: func(r *row) int64 { return r.StartedAt }},
			{name: "finished_at", num: func(r *row) int64 { return r.FinishedAt }},
			{name: "changed_at", num: func(r *row) int64 { return r.ChangedAt }},
		},
	}
}

func attemptTable() *table[attemptRow] {
	type row = attemptRow
	return &table[row]{
		name: "attempts",
		what: "attempt",
		keep: []column[row]{
			{name: "id", num: func(a *row) int64 { return a.ID }},
			{name: "batch_id", num: func(a *row) int64 { return a.BatchID }},
			{name: "run_id", num: func(a *row) int64 { return a.RunID }},
			{name: "key", str: func(a *row) string { return a.Key }},
			{name: "number", num: func(a *row) int64 { return int64(a.Number) }},
			{name: "round", num: func(a *row) int64 { return int64(a.Round) }},
			{name: "executor", str: func(a *row) string { return a.Executor }},
			{name: "executor_name", str: func(a *row) string { return a.ExecutorName }},
			{name: "offered_at", num: func(a *row) int64 { return a.OfferedAt }},
		},
		same: []column[row]{
			{name: "state", str: func(a *row) string { return a.State }},
			{name: "outcome", str: func(a *row) string { return a.Outcome }},
			{name: "exit_code", opt: func(a *row) *int { return a.ExitCode }},
			{name: "error", str: func(a *row) string { return a.Error }},
			{name: "outputs", str: func(a *row) string { return a.Outputs }},
			{name: "kill_reason", str: func(a *row) string { return a.KillReason }},
			{name: "notes", str: func(a *row) string { return a.Notes }},
		},
		each: []column[row]{
			{name: "killing_at", num: func(a *row) int64 { return a.KillingAt }},
			{name: "started_at", num: func(a *row) int64 { return a.StartedAt }},
			{name: "finished_at", num: func(a *row) int64 { return a.FinishedAt }},
			{name: "log_bytes", num: func(a *row) int64 { return a.LogBytes }},
		},
	}
}

// batchColumns are what an owner changes of a batch.
func batchColumns() []column[batchRow] {
	type row = batchRow
	return []column[row]{
		{name: "revision_id", num: func(b *row) int64 { return b.RevisionID }},
		{name: "revision", num: func(b *row) int64 { return b.Revision }},
		{name: "state", str: func(b *row) string { return b.State }},
		{name: "wish", str: func(b *row) string { return b.Wish }},
		{name: "reason", str: func(b *row) string { return b.Reason }},
		{name: "round", num: func(b *row) int64 { return int64(b.Round) }},
		{name: "started_at", num: func(b *row) int64 { return b.StartedAt }},
		{name: "round_at", num: func(b *row) int64 { return b.RoundAt }},
		{name: "finished_at", num: func(b *row) int64 { return b.FinishedAt }},
		{name: "paused_at", num: func(b *row) int64 { return b.PausedAt }},
		{name: "paused_for", num: func(b *row) int64 { return b.PausedFor }},
		{name: "job_clocks", str: func(b *row) string { return b.JobClocks }},
		{name: "live", flag: func(b *row) bool { return b.Live }},
		{name: "closed_note", str: func(b *row) string { return b.ClosedNote }},
		{name: "counts", str: func(b *row) string { return b.Counts }},
	}
}

// commandColumns are what an owner changes of a command.
func commandColumns() []column[commandRow] {
	return []column[commandRow]{
		{name: "state", str: func(c *commandRow) string { return c.State }},
		{name: "answer", str: func(c *commandRow) string { return c.Answer }},
		{name: "done_at", num: func(c *commandRow) int64 { return c.DoneAt }},
	}
}
