package batch

import (
	"context"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// gridChunk is the number of batches whose runs are read at once.
const gridChunk = 50

// Grid selects batches of a schedule with the runs of their tasks in short. It shows stored states.
func (s *Service) Grid(ctx context.Context, f hive.BatchFilter) (hive.RunGrid, error) {
	list, err := s.List(ctx, f)
	if err != nil {
		return hive.RunGrid{}, err
	}
	var b gridBuilder
	for chunk := range slices.Chunk(list, gridChunk) {
		ids := make([]int64, len(chunk))
		for i := range chunk {
			ids[i] = chunk[i].ID
		}
		columns, err := s.statistics.RunColumns(ctx, ids)
		if err != nil {
			return hive.RunGrid{}, err
		}
		for i := range chunk {
			if !b.add(columns[chunk[i].ID]) {
				n := len(b.columns)
				return hive.RunGrid{Batches: list[:n], Rows: b.rows(), Cut: true}, nil
			}
		}
	}
	return hive.RunGrid{Batches: list, Rows: b.rows()}, nil
}

// gridBuilder joins columns of runs to rows of tasks.
type gridBuilder struct {
	columns []hive.RunColumn
	places  [][]int          // by column: the row of each of its runs
	known   map[string][]int // places by the tasks of a column
	tasks   []taskName       // of the rows
	byTask  map[string]int
}

type taskName struct{ job, task string }

// add adds the next older batch. It returns false, and adds nothing, if there would be too many cells.
func (b *gridBuilder) add(c hive.RunColumn) bool {
	if b.known == nil {
		b.known, b.byTask = map[string][]int{}, map[string]int{}
	}
	places, seen := b.known[c.Tasks]
	var fresh []taskName
	if !seen {
		places, fresh = b.place(c.Tasks)
	}
	rows, columns := len(b.tasks)+len(fresh), len(b.columns)+1
	if rows*columns > hive.MostGridCells && columns > 1 {
		return false
	}
	for _, t := range fresh {
		b.byTask[t.task] = len(b.tasks)
		b.tasks = append(b.tasks, t)
	}
	b.known[c.Tasks] = places
	b.columns, b.places = append(b.columns, c), append(b.places, places)
	return true
}

// place finds the rows of a batch's tasks. Tasks that have no row yet get the next ones.
func (b *gridBuilder) place(tasks string) (places []int, fresh []taskName) {
	if tasks == "" {
		return nil, nil
	}
	added := map[string]int{}
	for name := range strings.SplitSeq(tasks, ",") {
		job, task, _ := strings.Cut(name, "/")
		row, ok := b.byTask[task]
		if !ok {
			row, ok = added[task]
		}
		if !ok {
			row = len(b.tasks) + len(fresh)
			added[task] = row
			fresh = append(fresh, taskName{job: job, task: task})
		}
		places = append(places, row)
	}
	return places, fresh
}

// rows makes the rows. Those of a job stand together, in the order in which they were found.
func (b *gridBuilder) rows() []hive.GridRow {
	rows := make([]hive.GridRow, len(b.tasks))
	n := len(b.columns)
	for i, t := range b.tasks {
		rows[i] = hive.GridRow{Job: t.job, Task: t.task, Took: make([]int64, n), Cells: make([]byte, n)}
		for x := range rows[i].Cells {
			rows[i].Cells[x] = byte(hive.CellNone)
		}
	}
	for x, c := range b.columns {
		for i, row := range b.places[x][:min(len(b.places[x]), len(c.Cells), len(c.Took))] {
			rows[row].Cells[x], rows[row].Took[x] = c.Cells[i], c.Took[i]
		}
	}
	jobs := map[string]int{}
	for _, t := range b.tasks {
		if _, ok := jobs[t.job]; !ok {
			jobs[t.job] = len(jobs)
		}
	}
	slices.SortStableFunc(rows, func(x, y hive.GridRow) int { return jobs[x.Job] - jobs[y.Job] })
	return rows
}
