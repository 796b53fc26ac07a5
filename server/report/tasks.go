package report

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

const (
	// batchesFirst and batchesAtOnce are how many batches' runs or attempts are read at once: at first, and at most.
	batchesFirst  = 20
	batchesAtOnce = 1000
	// mostGraphs is the number of revisions whose dependencies are looked at.
	mostGraphs = 200
)

// taskRuns gathers the runs of a task.
type taskRuns struct {
	hive.ReportTask
	took durations
}

// sample calls each with chunks of the newest batches, until it has counted enough. It reports whether all were read.
func (s *Service) sample(ctx context.Context, f hive.ReportFilter, most int,
	each func(ctx context.Context, chunk []hive.ReportBatch) (counted int, err error),
) (complete bool, err error) {
	var batches []hive.ReportBatch
	more, err := s.config.Store.ReportBatches(ctx, f, func(b *hive.ReportBatch) { batches = append(batches, *b) })
	if err != nil {
		return false, err
	}
	counted, size := 0, batchesFirst
	for begin := 0; begin < len(batches); {
		if counted >= most {
			return false, nil
		}
		end := min(begin+size, len(batches))
		n, err := each(ctx, batches[begin:end])
		if err != nil {
			return false, err
		}
		counted, begin = counted+n, end
		// If the following batches are like those before, these are as many as are missing. A thousand batches of
		// thousands of tasks would not fit into the memory.
		size = max(1, min(2*size, batchesAtOnce, (most-counted)*begin/max(counted, 1)))
	}
	return !more, nil
}

// mostSampled is the number of batches that a sample looks at.
const mostSampled = 50_000

// Tasks tells which tasks are slow, fail sometimes, or are waited for.
func (s *Service) Tasks(ctx context.Context, r hive.ReportRequest) (hive.TaskReport, error) {
	sc, err := s.scope(ctx, r)
	if err != nil {
		return hive.TaskReport{}, err
	}
	out := hive.TaskReport{From: sc.first.Format(time.DateOnly), To: sc.last.Format(time.DateOnly)}
	t := tasks{service: s, bySchedule: map[int64]map[string]*taskRuns{}, graphs: map[int64]*graph.Graph{}}
	out.Complete, err = s.sample(ctx, sc.filter(mostSampled), hive.MostReportRuns,
		func(ctx context.Context, chunk []hive.ReportBatch) (int, error) {
			runs, err := s.config.Store.ReportRuns(ctx, ids(chunk))
			if err != nil {
				return 0, err
			}
			n := 0
			for i := range chunk {
				n += t.add(ctx, &chunk[i], runs[chunk[i].ID])
			}
			out.Batches, out.Runs = out.Batches+len(chunk), out.Runs+n
			out.SampleSince = time.UnixMilli(chunk[len(chunk)-1].CreatedAt).UTC()
			return n, nil
		})
	if err != nil {
		return out, err
	}
	rows, err := t.rows(ctx)
	if err != nil {
		return out, err
	}
	out.Slowest = top(rows, func(r *hive.ReportTask) float64 { return float64(r.Took.Median) })
	out.Flakiest = top(rows, func(r *hive.ReportTask) float64 { return float64(r.Retried) / float64(max(r.Runs, 1)) })
	out.WaitedFor = top(rows, func(r *hive.ReportTask) float64 { return float64(r.WaitedFor) })
	return out, nil
}

func ids(chunk []hive.ReportBatch) []int64 {
	list := make([]int64, len(chunk))
	for i := range chunk {
		list[i] = chunk[i].ID
	}
	return list
}

// top returns the rows with the greatest values that are not 0.
func top(rows []hive.ReportTask, value func(*hive.ReportTask) float64) []hive.ReportTask {
	list := slices.DeleteFunc(slices.Clone(rows), func(r hive.ReportTask) bool { return value(&r) <= 0 })
	slices.SortStableFunc(list, func(a, b hive.ReportTask) int { return cmp.Compare(value(&b), value(&a)) })
	return list[:min(len(list), hive.MostReportTasks)]
}

// tasks gathers runs by task.
type tasks struct {
	service    *Service
	bySchedule map[int64]map[string]*taskRuns // by `job/task`
	graphs     map[int64]*graph.Graph         // by revision; nil for one that cannot be read
}

// add gathers the runs of a batch, and returns how many there are.
func (t *tasks) add(ctx context.Context, b *hive.ReportBatch, runs hive.ReportRuns) int {
	if runs.Tasks == "" || b.ScheduleID == 0 {
		return 0
	}
	names := strings.Split(runs.Tasks, ",")
	n := min(len(names), len(runs.Cells), len(runs.StartedAt), len(runs.EndedAt))
	known := t.bySchedule[b.ScheduleID]
	if known == nil {
		known = map[string]*taskRuns{}
		t.bySchedule[b.ScheduleID] = known
	}
	for i, name := range names[:n] {
		row := known[name]
		if row == nil {
			row = &taskRuns{}
			row.Job, row.Task, _ = strings.Cut(name, "/")
			known[name] = row
		}
		switch runs.Cells[i] {
		case 'r':
			row.Retried++
		case 's':
		case 'f':
			row.Failed++
		default:
			continue
		}
		row.Runs++
		if runs.Cells[i] != 'f' && runs.StartedAt[i] > 0 && runs.EndedAt[i] >= runs.StartedAt[i] {
			row.took = append(row.took, runs.EndedAt[i]-runs.StartedAt[i])
		}
	}
	if b.Round == 1 && b.FinishedAt > 0 {
		if g := t.graph(ctx, b.RevisionID); g != nil {
			waits(g, names[:n], runs, known)
		}
	}
	return n
}

// graph returns the graph of a revision; nil if there are too many, or if it cannot be read.
func (t *tasks) graph(ctx context.Context, revision int64) *graph.Graph {
	g, known := t.graphs[revision]
	if known || len(t.graphs) >= mostGraphs {
		return g
	}
	rev, err := t.service.config.Schedules.Revision(ctx, revision)
	if err == nil {
		g, err = t.service.config.Compile(&rev)
	}
	if err != nil {
		g = nil // its batches are reported without waits
	}
	t.graphs[revision] = g
	return g
}

// latest are the two runs of some that ended last.
type latest struct {
	last   int // its place; -1 for none
	second int64
	ended  int64
}

func (l *latest) add(place int, ended int64) {
	switch {
	case ended >= l.ended:
		l.last, l.second, l.ended = place, l.ended, ended
	case ended > l.second:
		l.second = ended
	}
}

// waits adds how long the tasks of a batch waited for one other task alone, while that ran.
func waits(g *graph.Graph, names []string, runs hive.ReportRuns, known map[string]*taskRuns) {
	places := make([]int, len(g.Tasks)) // of the runs, by task; -1: none
	for i := range places {
		places[i] = -1
	}
	for i, name := range names {
		_, task, _ := strings.Cut(name, "/")
		if at, ok := g.Lookup(task); ok && runs.StartedAt[i] > 0 {
			places[at] = i
		}
	}
	before, job := latest{last: -1}, latest{last: -1} // of the jobs before, and of the current one too
	for i := range g.Tasks {
		task := &g.Tasks[i]
		if i == g.Jobs[task.Job].First {
			before = job
		}
		place := places[i]
		if place < 0 {
			continue
		}
		needs := before
		if !task.Implicit {
			needs = latest{last: -1}
			for _, n := range task.Needs {
				if places[n] >= 0 {
					needs.add(places[n], runs.EndedAt[places[n]])
				}
			}
		}
		if needs.last >= 0 && needs.ended <= runs.StartedAt[place] {
			row := known[names[needs.last]]
			if alone := needs.ended - max(needs.second, runs.StartedAt[needs.last]); alone > 0 {
				row.WaitedFor += time.Duration(alone) * time.Millisecond
				row.Waits++
			}
		}
		job.add(place, runs.EndedAt[place])
	}
}

// rows lists the tasks with the names of their schedules.
func (t *tasks) rows(ctx context.Context) ([]hive.ReportTask, error) {
	schedules := make([]int64, 0, len(t.bySchedule))
	for id := range t.bySchedule {
		schedules = append(schedules, id)
	}
	slices.Sort(schedules)
	documents, err := t.service.config.Store.ReportLabels(ctx, "", schedules)
	if err != nil {
		return nil, err
	}
	var rows []hive.ReportTask
	for i := range documents {
		begin := len(rows)
		for _, row := range t.bySchedule[documents[i].ScheduleID] {
			row.Schedule, row.Took = documents[i].Name, row.took.spread()
			rows = append(rows, row.ReportTask)
		}
		slices.SortFunc(rows[begin:], func(a, b hive.ReportTask) int {
			return cmp.Or(strings.Compare(a.Job, b.Job), strings.Compare(a.Task, b.Task))
		})
	}
	return rows, nil
}
