package expression

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"

	"github.com/rprp/hivego/server/hive"
)

// dateError is a wrong argument of date().
type dateError struct {
	reasons explanation
	words   string
	value   string // the argument; empty if it has none to show
}

func (e *dateError) Error() string { return e.words }

func badDateUse(words string) *dateError {
	return &dateError{words: words, reasons: explanation{
		hive.FaultWhenDate, hive.FaultWhenDateAt, `write date(tick, "-1d", "yyyyMMdd")`,
	}}
}

func badOffset(text string) *dateError {
	value := hive.Clean(text, longestDate)
	return &dateError{
		words: fmt.Sprintf("%q is not an offset of date()", value), value: value,
		reasons: explanation{
			hive.FaultWhenOffset, hive.FaultWhenOffsetAt,
			`write a number with one of the units s m h d w M y, such as "-1d", "+2h", "0d" or "-1M+1d"`,
		},
	}
}

func badFormat(text string) *dateError {
	value := hive.Clean(text, longestDate)
	return &dateError{
		words: fmt.Sprintf("%q is not a format of date()", value), value: value,
		reasons: explanation{
			hive.FaultWhenFormat, hive.FaultWhenFormatAt,
			`write it with yyyy MM dd HH mm ss, such as "yyyy-MM-dd", and other letters in '…'`,
		},
	}
}

// longestDate is the limit of an offset and a format, in bytes.
const longestDate = 100

// date is date(time, offset, format): a moment, moved by an offset, as text. The time is tick, a moment, or the text of
// a date or of a moment. Days, weeks, months and years follow the calendar in the zone of the time: the time of day
// stays, and a day that the month does not have becomes its last one. Hours, minutes and seconds are elapsed time.
func date(args ...any) (any, error) {
	if len(args) != 3 {
		return nil, badDateUse("date() needs a time, an offset and a format")
	}
	at, ok := timeOf(args[0])
	if !ok {
		return nil, badDateUse("date() needs a time such as tick, and got " + describe(args[0]))
	}
	offset, okOffset := args[1].(string)
	format, okFormat := args[2].(string)
	if !okOffset || !okFormat {
		return nil, badDateUse("date() needs an offset and a format as texts")
	}
	moved, err := move(at, offset)
	if err != nil {
		return nil, err
	}
	layout, err := layoutOf(format)
	if err != nil {
		return nil, err
	}
	return layout(moved), nil
}

// timeOf reads the first argument of date().
func timeOf(value any) (time.Time, bool) {
	switch v := value.(type) {
	case Tick:
		return v.Moment, true
	case time.Time:
		return v, true
	case string:
		for _, layout := range []string{time.DateOnly, time.RFC3339} {
			if at, err := time.Parse(layout, v); err == nil {
				return at, true
			}
		}
	}
	return time.Time{}, false
}

var (
	offsetForm = regexp.MustCompile(`^[+-]?[0-9]{1,9}[smhdwMy]([+-][0-9]{1,9}[smhdwMy])*$`)
	offsetPart = regexp.MustCompile(`([+-]?[0-9]+)([smhdwMy])`)
)

// move adds the parts of an offset to a time, one after another.
func move(at time.Time, offset string) (time.Time, error) {
	if len(offset) > longestDate || !offsetForm.MatchString(offset) {
		return at, badOffset(offset)
	}
	for _, part := range offsetPart.FindAllStringSubmatch(offset, -1) {
		n, err := strconv.Atoi(part[1])
		if err != nil {
			return at, badOffset(offset)
		}
		at = add(at, n, part[2])
		if y := at.Year(); y < 1 || y > 9999 {
			return at, badOffset(offset)
		}
	}
	return at, nil
}

func add(at time.Time, n int, unit string) time.Time {
	switch unit {
	case "s":
		return at.Add(time.Duration(n) * time.Second)
	case "m":
		return at.Add(time.Duration(n) * time.Minute)
	case "h":
		return at.Add(time.Duration(n) * time.Hour)
	case "d":
		return at.AddDate(0, 0, n)
	case "w":
		return at.AddDate(0, 0, 7*n)
	case "y":
		n *= 12
	}
	first := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, n, 0)
	last := first.AddDate(0, 1, -1).Day()
	return time.Date(first.Year(), first.Month(), min(at.Day(), last), at.Hour(), at.Minute(), at.Second(),
		at.Nanosecond(), at.Location())
}

// layoutOf reads a format.
func layoutOf(format string) (func(time.Time) string, error) {
	fields := map[string]string{"yyyy": "2006", "MM": "01", "dd": "02", "HH": "15", "mm": "04", "ss": "05"}
	if format == "" || len(format) > longestDate {
		return nil, badFormat(format)
	}
	var parts []func(time.Time) string
	plain := func(text string) {
		parts = append(parts, func(time.Time) string { return text })
	}
	for rest := format; rest != ""; {
		c := rest[0]
		switch {
		case c == '\'':
			text, after, closed := strings.Cut(rest[1:], "'")
			if !closed {
				return nil, badFormat(format)
			}
			if text == "" {
				text = "'"
			}
			plain(text)
			rest = after
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			run := rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))]
			layout, known := fields[run]
			if !known {
				return nil, badFormat(format)
			}
			parts = append(parts, func(at time.Time) string { return at.Format(layout) })
			rest = rest[len(run):]
		default:
			plain(rest[:1])
			rest = rest[1:]
		}
	}
	return func(at time.Time) string {
		var b strings.Builder
		for _, part := range parts {
			b.WriteString(part(at))
		}
		return b.String()
	}, nil
}

// dateChecker finds constant arguments of date() that are wrong, before the expression is evaluated.
type dateChecker struct {
	err *dateError
	at  int // character of the argument, from 1
}

// Visit implements ast.Visitor.
func (d *dateChecker) Visit(node *ast.Node) {
	call, ok := (*node).(*ast.CallNode)
	if !ok || d.err != nil {
		return
	}
	if name, ok := call.Callee.(*ast.IdentifierNode); !ok || name.Value != "date" {
		return
	}
	if len(call.Arguments) != 3 {
		d.refuse(call, badDateUse("date() needs a time, an offset and a format"))
		return
	}
	for i, arg := range call.Arguments {
		text, constant := arg.(*ast.StringNode)
		if !constant {
			continue
		}
		var err error
		switch i {
		case 0:
			if _, ok := timeOf(text.Value); !ok {
				d.refuse(arg, badDateUse("date() needs a time such as tick"))
				return
			}
		case 1:
			_, err = move(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), text.Value)
		case 2:
			_, err = layoutOf(text.Value)
		}
		if wrong, ok := err.(*dateError); ok { //nolint:errorlint // move and layoutOf return it as it is
			d.refuse(arg, wrong)
			return
		}
	}
}

func (d *dateChecker) refuse(at ast.Node, err *dateError) { d.err, d.at = err, at.Location().From+1 }

// explain turns the error into one sentence with a remedy. at is the character of the argument; 0 if it is not known.
func (e *dateError) explain(at int) error {
	params := []any{"words", e.words}
	if e.value != "" || e.reasons.reason != hive.FaultWhenDate {
		params = append(params, "value", e.value)
	}
	if at == 0 {
		return refuse(e.reasons.reason, "the expression is wrong: ‹words›", e.reasons.remedy, params...)
	}
	return refuse(e.reasons.reasonAt, "the expression is wrong at character ‹at›: ‹words›", e.reasons.remedy,
		append(params, "at", at)...)
}
