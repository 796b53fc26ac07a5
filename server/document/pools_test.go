package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// pooled is a document with one task that has the fields.
func pooled(fields string) []byte {
	return []byte("apiVersion: hivego/v1\nkind: Schedule\nname: x\njobs:\n  - key: a\n    tasks:\n" +
		"      - {key: t, handler: shell" + fields + "}\n")
}

// A pool of one slot has a short notation. It is the canonical one; JSON always has the fields.
func TestShortPool(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		", pool: dw":                   ", pool: dw",
		", pool: 'd.w'":                ", pool: d.w",
		", pool: {name: dw}":           ", pool: dw",
		", pool: {slots: 1, name: dw}": ", pool: dw",
		", pool: {slots: 2, name: dw}": ", pool: {name: dw, slots: 2}",
		", pool: '007'":                `, pool: "007"`,
		", pool: null":                 "",
	} {
		d := parse(t, pooled(in), options())
		if !bytes.Equal(d.Canonical, pooled(want)) {
			t.Errorf("%s:\n%s", in, d.Canonical)
		}
		if want != "" && !strings.Contains(string(d.JSON()), `"pool":{"name":`) {
			t.Errorf("%s: %s", in, d.JSON())
		}
		for _, again := range [][]byte{d.Canonical, d.JSON()} {
			if same := parse(t, again, options()); !bytes.Equal(same.Canonical, d.Canonical) || same.Hash != d.Hash {
				t.Errorf("%s: not stable:\n%s", in, same.Canonical)
			}
		}
		made, faults := document.FromDefinition(d.Definition, options())
		if made == nil || !bytes.Equal(made.Canonical, d.Canonical) {
			t.Errorf("%s: of its definition: %v", in, faults)
		}
	}
}

// Comments in a pool stay where they are.
func TestShortPoolWithComments(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: hivego/v1\nkind: Schedule\nname: x\njobs:\n  - key: a\n    tasks:\n" +
		"      - key: t\n        handler: shell\n"
	for in, want := range map[string]string{
		"        # why\n        pool: dw # one\n": "        # why\n        pool: dw # one\n",
		"        pool:\n          name: dw # the warehouse\n": "        pool:\n" +
			"          name: dw # the warehouse\n",
		"        pool:\n          name: dw\n          slots: 1 # enough\n": "        pool:\n          name: dw\n" +
			"          slots: 1 # enough\n",
	} {
		d := parse(t, []byte(head+in), options())
		if string(d.Canonical) != head+want {
			t.Errorf("%s:\n%s", in, d.Canonical)
		}
		if same := parse(t, d.JSON(), options()); !bytes.Equal(same.Canonical, d.Canonical) {
			t.Errorf("%s: through JSON:\n%s", in, same.Canonical)
		}
	}
}

// A task whose pool does not exist or is too small gets a warning at the place of the pool.
func TestPoolWarnings(t *testing.T) {
	t.Parallel()
	o := options()
	o.Pools = map[string]int{"dw": 2, "closed": 0}
	for in, want := range map[string]string{
		"":                               "",
		", pool: dw":                     "",
		", pool: {name: dw, slots: 2}":   "",
		", pool: {name: dw, slots: 3}":   "7:58 jobs[0].tasks[0].pool.slots out_of_range as pool_small dw 2",
		", pool: closed":                 "7:40 jobs[0].tasks[0].pool.slots out_of_range as pool_small closed 0",
		", pool: none":                   "7:40 jobs[0].tasks[0].pool.name unknown_pool as unknown_pool none ",
		", pool: {name: none, slots: 4}": "7:47 jobs[0].tasks[0].pool.name unknown_pool as unknown_pool none ",
	} {
		d, faults := document.Parse(pooled(in), o)
		if d == nil || hive.Refused(faults) {
			t.Errorf("%s is refused: %v", in, faults)
		}
		var got string
		for _, f := range faults {
			got += fmt.Sprintf("%d:%d %s %s as %s %s %s", f.Line, f.Column, f.Path, f.Code, f.Reason, f.Params["value"],
				f.Params["most"])
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", in, got, want)
		}
	}
	o.Pools = nil
	if _, faults := document.Parse(pooled(", pool: none"), o); len(faults) > 0 {
		t.Errorf("not asked for: %v", faults)
	}
}

// A wrong pool is named at the place where it is written, in either notation.
func TestWrongPool(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		", pool: a b":                  "jobs[0].tasks[0].pool.name bad_name",
		", pool: {name: a b}":          "jobs[0].tasks[0].pool.name bad_name",
		", pool: 3":                    "jobs[0].tasks[0].pool wrong_type",
		", pool: ''":                   "jobs[0].tasks[0].pool wrong_type",
		", pool: {slots: 2}":           "jobs[0].tasks[0].pool.name missing_field",
		", pool: {name: dw, slots: 0}": "jobs[0].tasks[0].pool.slots out_of_range",
	} {
		d, faults := document.Parse(pooled(in), options())
		if d != nil || len(faults) == 0 || faults[0].Path+" "+faults[0].Code != want {
			t.Errorf("%s: %v, want %s", in, faults, want)
		}
	}
}
