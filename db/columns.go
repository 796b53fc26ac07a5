package db

import (
	"strconv"
	"strings"
	"time"
)

// column declares one column of the rows R: its name, how its value is read from a row, and where a value that was
// read from the database goes. Exactly one of num, str, opt and flag is set; it says which kind of column it is.
type column[R any] struct {
	name string
	num  func(*R) int64
	str  func(*R) string
	opt  func(*R) *int // nil is NULL
	flag func(*R) bool
	// empty reports whether a text is empty, without making it: a packed column encodes its value only to store it.
	empty func(*R) bool
	// place returns the destination of a scan; nil for a row that is read by bun.
	place func(*R) any
}

// whole declares a column of whole numbers.
func whole[R any, N ~int | ~int64](name string, field func(*R) *N) column[R] {
	return column[R]{
		name: name, num: func(r *R) int64 { return int64(*field(r)) },
		place: func(r *R) any { return wholePlace[N]{field(r)} },
	}
}

// word declares a column of texts. They are stored as text makes them.
func word[R any, S ~string](name string, field func(*R) *S) column[R] {
	return column[R]{
		name: name, str: func(r *R) string { return text(string(*field(r))) },
		empty: func(r *R) bool { return *field(r) == "" },
		place: func(r *R) any { return wordPlace[S]{field(r)} },
	}
}

// instant declares a column of times, stored in UTC milliseconds; 0 is the zero time.
func instant[R any](name string, field func(*R) *time.Time) column[R] {
	return column[R]{
		name: name, num: func(r *R) int64 { return ms(*field(r)) },
		place: func(r *R) any { return instantPlace{field(r)} },
	}
}

// optional declares a column of whole numbers that may be NULL, which is nil.
func optional[R any](name string, field func(*R) **int) column[R] {
	return column[R]{
		name: name, opt: func(r *R) *int { return *field(r) },
		place: func(r *R) any { return optionalPlace{field(r)} },
	}
}

// boolean declares a column of truth values.
func boolean[R any](name string, field func(*R) *bool) column[R] {
	return column[R]{name: name, flag: func(r *R) bool { return *field(r) }}
}

// packed declares a column that holds a map or list of texts as JSON; the empty text is nil. clean is texts or lines.
func packed[R any, T map[string]string | []string](name string, field func(*R) *T, clean func(T) T) column[R] {
	return column[R]{
		name: name, str: func(r *R) string { return packTexts(clean(*field(r))) },
		empty: func(r *R) bool { return *field(r) == nil },
		place: func(r *R) any { return packedPlace[T]{field(r)} },
	}
}

// object declares a column that holds a struct as JSON; the empty text is nil.
func object[R, T any](name string, field func(*R) **T) column[R] {
	return column[R]{
		name: name, str: func(r *R) string { return packObject(*field(r)) },
		empty: func(r *R) bool { return *field(r) == nil },
		place: func(r *R) any { return objectPlace[T]{field(r)} },
	}
}

// value returns the column's bind value.
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

// blank returns the SQL of the column's value if that is an empty text, 0 or NULL. Otherwise it is empty.
func (c *column[R]) blank(r *R) string {
	switch {
	case c.num != nil && c.num(r) == 0:
		return "0"
	case c.str != nil && c.empty(r):
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

// array returns the column of all rows as one PostgreSQL array.
func (c *column[R]) array(rows []*R) any {
	switch {
	case c.num != nil:
		return collect(rows, c.num)
	case c.str != nil:
		return collect(rows, c.str)
	case c.flag != nil:
		return collect(rows, c.flag)
	default:
		return collect(rows, func(r *R) *int64 {
			v := c.opt(r)
			if v == nil {
				return nil
			}
			wide := int64(*v)
			return &wide
		})
	}
}

func collect[R, V any](rows []*R, value func(*R) V) []V {
	out := make([]V, len(rows))
	for i, r := range rows {
		out[i] = value(r)
	}
	return out
}

// arrayType returns the PostgreSQL type of array.
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

// key writes a text that is equal for two rows only if they agree in all of the columns.
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

// table declares the columns of a table, in three parts by how a commit writes them.
type table[R any] struct {
	name string
	what string // one row, for people
	// fixed columns never change once the row is stored. The first is the id, the second the batch.
	fixed []column[R]
	// common columns have few values: many rows of a group agree in all of them, and change in one statement.
	common []column[R]
	// varying columns differ from row to row.
	varying []column[R]
}

// all lists the columns in the order of an INSERT and of a read.
func (t *table[R]) all() []column[R] {
	out := make([]column[R], 0, len(t.fixed)+len(t.common)+len(t.varying))
	out = append(out, t.fixed...)
	out = append(out, t.common...)
	return append(out, t.varying...)
}

// ref names a row in a GuardError.
func (t *table[R]) ref(r *R) rowRef { return rowRef{id: t.fixed[0].num(r), batch: t.fixed[1].num(r)} }

// rowRef is a row by its id, with the batch that it belongs to.
type rowRef struct{ id, batch int64 }

// names lists columns for an INSERT or SELECT, each after a prefix: empty, or a table's alias and a dot.
func names[R any](prefix string, columns []column[R]) string {
	out := make([]string, len(columns))
	for i := range columns {
		out[i] = prefix + columns[i].name
	}
	return strings.Join(out, ", ")
}
