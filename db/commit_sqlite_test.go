package db

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// A statement leaves out the placeholders of blank columns, and there are only so many of them.
func TestSQLiteStatementsOfBlankColumns(t *testing.T) {
	t.Parallel()
	q := newSQLiteQueries().runs
	guard := 2 // placeholders: id, state
	full := 0
	for i := range 3 * maxTexts {
		row := hive.Run{Reason: "r", Detail: "d", Cause: "c", Outputs: map[string]string{"o": "p"}}
		for bit, blank := range []func(){
			func() { row.Reason = "" }, func() { row.Detail = "" },
			func() { row.Cause = "" }, func() { row.Outputs = nil },
		} {
			if i&(1<<bit) != 0 {
				blank()
			}
		}
		row.Attempt = int64(i & 16)
		row.Round = i & 32
		text, mask := q.text(blanks(q.columns, &row), &row)
		marks, values := strings.Count(text, "?"), values(q.columns, mask, &row, 0)
		if marks != len(values)+guard || len(values) != len(q.columns)-bits.OnesCount64(mask) {
			t.Errorf("%d values for %q", len(values), text)
		}
		if mask == 0 {
			full++
		}
	}
	if full == 0 || len(q.texts) > maxTexts+1 {
		t.Errorf("%d statements are prepared, %d times all columns were bound", len(q.texts), full)
	}
}

func TestSQLiteStepsKeepTheOrder(t *testing.T) {
	t.Parallel()
	rows := []*hive.Run{{ID: 1, Reason: "r"}, {ID: 2, Reason: "r"}, {ID: 3}, {ID: 4, Reason: "r"}}
	steps := newSQLiteQueries().history.insert(rows, runTable(runsTable).ref)
	var ids []int64
	for i := range steps {
		for n := range steps[i].rows {
			ids = append(ids, steps[i].ref(n).id)
			if marks := strings.Count(steps[i].query, "?"); marks != len(steps[i].args(n)) {
				t.Errorf("%d values for %q", len(steps[i].args(n)), steps[i].query)
			}
		}
	}
	if len(steps) != 3 || len(ids) != 4 || ids[0] != 1 || ids[1] != 2 || ids[2] != 3 || ids[3] != 4 {
		t.Errorf("%d steps of rows %v", len(steps), ids)
	}
}
