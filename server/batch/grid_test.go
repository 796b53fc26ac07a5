package batch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestGrid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.create(hive.RunRequest{}).Batch.ID
	w.running(old)
	w.set(old, "a", func(r *hive.Run) { r.State = hive.RunFailed })
	img := &w.db.batches[old-1]
	img.Runs = append(img.Runs, hive.Run{
		Number: len(img.Runs), Job: "extract", Task: "gone", State: hive.RunSucceeded, FinishedAt: t0,
	})
	w.create(hive.RunRequest{})
	g, err := w.Grid(w.Context(), hive.BatchFilter{Schedule: "warehouse"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range g.Rows {
		got = append(got, fmt.Sprintf("%s/%s %s %d", r.Job, r.Task, r.Cells, len(r.Took)))
	}
	want := "extract/a wf 2, extract/b ww 2, extract/gone .s 2, load/c ww 2, publish/d ww 2"
	if text := strings.Join(got, ", "); text != want || len(g.Batches) != 2 || g.Batches[1].ID != old || g.Cut {
		t.Errorf("the grid is %s of %d batches, cut %v; want %s", text, len(g.Batches), g.Cut, want)
	}
	if _, err := w.Grid(w.Context(), hive.BatchFilter{Schedule: "other"}); hive.CodeOf(err) != hive.CodeNotFound {
		t.Errorf("the grid of an unknown schedule: %v", err)
	}
}

// A grid has at most so many cells, but always one batch.
func TestGridIsBounded(t *testing.T) {
	t.Parallel()
	column := func(tasks int, prefix string) hive.RunColumn {
		names := make([]string, tasks)
		for i := range names {
			names[i] = fmt.Sprintf("j/%s%d", prefix, i)
		}
		return hive.RunColumn{
			Tasks: strings.Join(names, ","), Cells: strings.Repeat("s", tasks), Took: make([]int64, tasks),
		}
	}
	most := hive.MostGridCells
	for name, tc := range map[string]struct {
		columns []hive.RunColumn
		want    int
	}{
		"one that is too large":   {[]hive.RunColumn{column(most+1, "a"), column(1, "a")}, 1},
		"the same tasks":          {[]hive.RunColumn{column(most/2, "a"), column(most/2, "a"), column(1, "a")}, 2},
		"each with its own tasks": {[]hive.RunColumn{column(most/4, "a"), column(most/4, "b"), column(1, "c")}, 2},
		"without runs":            {[]hive.RunColumn{{}, column(2, "a"), {}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b gridBuilder
			n := 0
			for _, c := range tc.columns {
				if !b.add(c) {
					break
				}
				n++
			}
			rows := b.rows()
			if n != tc.want || len(rows) > 0 && len(rows[0].Cells) != n {
				t.Errorf("%d columns, want %d", n, tc.want)
			}
		})
	}
}
