package sql

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/rprp/hivego/executor/internal/mask"
	"github.com/rprp/hivego/executor/internal/message"
)

// bindValues are the bind values of the params, in their order. Numbers stay as they are written.
type bindValues []any

// UnmarshalJSON reads a list.
func (v *bindValues) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode((*[]any)(v))
}

// check returns an error for a value that no database can bind.
func (v bindValues) check() error {
	for i, value := range v {
		switch value.(type) {
		case nil, string, bool, json.Number:
		default:
			return message.Errorf(message.SQLArgKind,
				"params: value ‹number› of args is a list or a mapping; give a text, a number, true, false or null",
				"number", i+1)
		}
	}
	return nil
}

// next is the number of a placeholder without one: it stands for the value after those before it.
const next = -1

// placeholder returns a ?, ?1 or $1 of the database at the start of rest, and the number of its value. Its length is
// 0 if there is none.
func (x *splitter) placeholder(rest string) (number, length int) {
	n := 1
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	switch {
	case rest[0] == '?' && x.dialect == sqlite && n > 1, rest[0] == '$' && x.dialect == postgres && n > 1:
		number, err := strconv.Atoi(rest[1:n])
		if err != nil {
			number = 0 // no value has it
		}
		return number, n
	case rest[0] == '?' && x.dialect != postgres:
		return next, 1
	default:
		return 0, 0
	}
}

// addPlaceholder records a placeholder. Those in the body of a function, and in a statement that PREPARE stores, are
// not for this task.
func (x *splitter) addPlaceholder(number, length int) {
	if x.hasBody() || len(x.words) > 0 && x.words[0] == "PREPARE" {
		return
	}
	x.binds = append(x.binds, bind{number: number, from: x.pos, to: x.pos + length})
}

// number gives each placeholder of the statements the number of its value. It returns an error if a value is missing,
// or has no placeholder.
func (r *runner) number(list []statement) error {
	given := len(r.params.Args)
	used := make([]bool, given)
	last := 0
	for i, s := range list {
		for at := range s.binds {
			b := &s.binds[at]
			if b.name != "" {
				continue
			}
			if b.number == next {
				b.number = last + 1
			}
			last = max(last, b.number)
			if b.number < 1 || b.number > given {
				return r.fault(i, s, message.Errorf(message.SQLArgMissing,
					"‹place› stands for value ‹number› of args, but args has ‹count›",
					"place", s.text[b.from:b.to], "number", b.number, "count", given))
			}
			used[b.number-1] = true
		}
	}
	for i, found := range used {
		if !found {
			place := "?"
			if r.target.dialect == postgres {
				place = "$" + strconv.Itoa(i+1)
			}
			return message.Errorf(message.SQLArgUnused,
				"no statement uses value ‹number› of args; write ‹place› where it belongs, or leave the value out",
				"number", i+1, "place", place)
		}
	}
	return nil
}

// maskedBeginning is how many bytes of a secret are enough to find it where a database has cut it.
const maskedBeginning = 16

// hide masks the secrets of the task in an error of a database.
func (r *runner) hide(t message.Text) message.Text {
	t.Words = withoutBeginnings(t.Words, r.task.Secrets)
	for name, value := range t.Params {
		t.Params[name] = withoutBeginnings(value, r.task.Secrets)
	}
	return t
}

// withoutBeginnings masks secrets that a database shows only the beginning of: PostgreSQL cuts the values of a row in
// its errors. A mask of whole values would not find them.
func withoutBeginnings(text string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) <= maskedBeginning {
			continue
		}
		var out strings.Builder
		rest := text
		for {
			before, after, found := strings.Cut(rest, secret[:maskedBeginning])
			out.WriteString(before)
			if !found {
				break
			}
			n, hidden := 0, secret[maskedBeginning:]
			for n < len(after) && n < len(hidden) && after[n] == hidden[n] {
				n++
			}
			out.WriteString(mask.Text)
			rest = after[n:]
		}
		text = out.String()
	}
	return text
}
