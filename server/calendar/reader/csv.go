package reader

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

const csvHelp = "begin with a line of the names date, name and kind; or from and to instead of date"

// CSV reads a table with a line of names: date, or from and to; name; kind (holiday or workday, 休 or 班; holiday when
// it is empty). Fields are separated by commas, semicolons or tabs.
func CSV(src []byte) (Days, error) {
	text, err := checkText(src)
	if err != nil {
		return Days{}, err
	}
	head, _, _ := strings.Cut(text, "\n")
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	for _, comma := range []rune{';', '\t'} {
		if strings.ContainsRune(head, comma) {
			r.Comma = comma
		}
	}
	r.TrimLeadingSpace = r.Comma != '\t' // a tab is space too
	t := table{reader: r, collector: collector{days: map[string]collected{}}}
	if err := t.read(); err != nil {
		return Days{}, err
	}
	return t.entries(), nil
}

// table reads the lines of one file.
type table struct {
	collector
	reader  *csv.Reader
	columns []string
}

func (t *table) read() error {
	for {
		fields, err := t.reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			return wrong(bad.Line, hive.FaultCSVLine, "the line is not CSV: ‹words›", "correct the quotes of the line",
				"words", bad.Err.Error())
		}
		if err != nil {
			return wrong(0, hive.FaultCSVLine, "the line is not CSV: ‹words›", "correct the quotes of the line",
				"words", err.Error())
		}
		line, _ := t.reader.FieldPos(0)
		if t.columns == nil {
			err = t.head(line, fields)
		} else {
			err = t.row(line, fields)
		}
		if err != nil {
			return err
		}
	}
	if t.columns == nil {
		return wrong(0, hive.FaultCSVEmpty, "the file is empty", csvHelp)
	}
	return nil
}

func (t *table) head(line int, fields []string) error {
	for _, f := range fields {
		name := strings.ToLower(strings.TrimSpace(f))
		if !slices.Contains([]string{"date", "from", "to", "name", "kind"}, name) {
			return wrong(line, hive.FaultCSVColumn, "‹value› is not the name of a column", csvHelp,
				"value", quoted(name))
		}
		t.columns = append(t.columns, name)
	}
	date := slices.Contains(t.columns, "date")
	if date == (slices.Contains(t.columns, "from") && slices.Contains(t.columns, "to")) {
		return wrong(line, hive.FaultCSVDays, "the table has no column for days", csvHelp)
	}
	return nil
}

func (t *table) row(line int, fields []string) error {
	if len(fields) > len(t.columns) {
		return wrong(line, hive.FaultCSVFields, "the line has ‹value› fields, and the first line ‹most›",
			"put a text with a comma in quotes", "value", len(fields), "most", len(t.columns))
	}
	cells := map[string]string{}
	for i, f := range fields {
		cells[t.columns[i]] = strings.TrimSpace(f)
	}
	first, last := cells["from"], cells["to"]
	if cells["date"] != "" {
		first, last = cells["date"], cells["date"]
	}
	from, err := csvDate(line, first)
	if err != nil {
		return err
	}
	to, err := csvDate(line, last)
	if err != nil {
		return err
	}
	count := int(to.Sub(from)/(24*time.Hour)) + 1
	if count < 1 || count > calendar.MaxSpan {
		return wrong(line, hive.FaultCSVRange, "‹from› to ‹to› is not a range of days",
			"write the first and the last day, at most a year apart", "from", first, "to", last)
	}
	workday := false
	switch kind := strings.ToLower(cells["kind"]); kind {
	case "", "holiday", "休", "假":
	case "workday", "班":
		workday = true
	default:
		return wrong(line, hive.FaultCSVKind, "‹value› is not a kind of day", "write holiday or workday",
			"value", quoted(kind))
	}
	return t.add(line, from, count, workday, cells["name"])
}

func csvDate(line int, text string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, "2006/1/2", "20060102"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, wrong(line, hive.FaultDate, "‹value› is not a date", "write one such as 2026-10-01",
		"value", quoted(text))
}
