package report

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// group gathers the batches of a day or of a schedule.
type group struct {
	hive.ReportCounts
	took, wait   durations
	older, newer durations // of took, in the two halves of the time
}

// durations are milliseconds.
type durations []int64

// spread computes what is usual. It sorts the list.
func (d durations) spread() hive.Spread {
	if len(d) == 0 {
		return hive.Spread{}
	}
	slices.Sort(d)
	return hive.Spread{Count: len(d), Median: d.at(50), P95: d.at(95)}
}

// at returns a percentile of the sorted list: the smallest duration that is not exceeded by so many of a hundred.
func (d durations) at(percent int) time.Duration {
	return time.Duration(d[(len(d)*percent+99)/100-1]) * time.Millisecond
}

// add counts a batch.
func (g *group) add(b *hive.ReportBatch, late, newer bool) {
	g.Add(b.State, 1)
	if late {
		g.Late++
	}
	if b.State == hive.BatchSucceeded && b.Kind != hive.KindBackfill {
		g.took = append(g.took, b.Took)
		if newer {
			g.newer = append(g.newer, b.Took)
		} else {
			g.older = append(g.older, b.Took)
		}
	}
	if b.StartedAt > 0 && (b.Kind == hive.KindScheduled || b.Kind == hive.KindDependent) {
		g.wait = append(g.wait, max(b.StartedAt-b.Moment, 0))
	}
}

// deleted counts batches that are gone.
func (g *group) deleted(state hive.BatchState, n int) {
	g.Add(state, n)
	g.Deleted += n
}

func (g *group) report() hive.ReportGroup {
	return hive.ReportGroup{ReportCounts: g.ReportCounts, Took: g.took.spread(), Wait: g.wait.spread()}
}

// Batches tells how batches went, by day and by schedule.
func (s *Service) Batches(ctx context.Context, r hive.ReportRequest) (hive.BatchReport, error) {
	sc, err := s.scope(ctx, r)
	if err != nil {
		return hive.BatchReport{}, err
	}
	late, err := s.config.Store.LateBatches(ctx, sc.begins(0))
	if err != nil {
		return hive.BatchReport{}, err
	}
	out := hive.BatchReport{From: sc.first.Format(time.DateOnly), To: sc.last.Format(time.DateOnly)}
	var total group
	days := make([]group, sc.days)
	schedules := map[int64]*group{}
	of := func(id int64) *group {
		if schedules[id] == nil {
			schedules[id] = &group{}
		}
		return schedules[id]
	}
	first, at := dayNumber(sc.first), len(days)-1
	begin, half := sc.begins(at), (sc.begins(0)+sc.begins(sc.days))/2
	more, err := s.config.Store.ReportBatches(ctx, sc.filter(hive.MostReportBatches), func(b *hive.ReportBatch) {
		for at > 0 && b.CreatedAt < begin {
			at--
			begin = sc.begins(at)
		}
		for _, g := range []*group{&total, &days[at], of(b.ScheduleID)} {
			g.add(b, late[b.ID], b.CreatedAt > half)
		}
	})
	if err != nil {
		return out, err
	}
	gone := 0
	if more { // the oldest day is not whole
		gone = at
		out.Since = sc.first.AddDate(0, 0, at).Format(time.DateOnly)
	}
	if sc.batches.All() { // nobody knows the executors, starters and parameters of deleted batches
		byDay, bySchedule, err := s.config.Store.ReportDeleted(ctx, sc.schedules, first+int64(gone), dayNumber(sc.last))
		if err != nil {
			return out, err
		}
		for _, d := range byDay {
			days[d.Day-first].deleted(d.State, d.Batches)
			total.deleted(d.State, d.Batches)
		}
		for _, d := range bySchedule {
			of(d.ScheduleID).deleted(d.State, d.Batches)
		}
	}
	out.Total = total.report()
	for i := range days {
		out.Days = append(out.Days, hive.ReportDay{
			Day: sc.first.AddDate(0, 0, i).Format(time.DateOnly), ReportGroup: days[i].report(),
		})
	}
	out.Schedules, out.More, err = s.rows(ctx, schedules)
	return out, err
}

// begins returns the beginning of a day of the scope, in UTC milliseconds.
func (sc *scope) begins(day int) int64 { return sc.starts(day).UnixMilli() }

// rows lists the schedules with most failures first.
func (s *Service) rows(ctx context.Context, groups map[int64]*group) (rows []hive.ReportSchedule, more int, err error) {
	ids := make([]int64, 0, len(groups))
	for id := range groups {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int64) int {
		x, y := groups[a], groups[b]
		return cmp.Or(cmp.Compare(y.Failed, x.Failed), cmp.Compare(y.All(), x.All()), cmp.Compare(a, b))
	})
	more = max(0, len(ids)-hive.MostReportSchedules)
	ids = ids[:len(ids)-more]
	documents, err := s.config.Store.ReportLabels(ctx, "", ids)
	if err != nil {
		return nil, 0, err
	}
	known := map[int64]*hive.ReportLabels{0: {}}
	for i := range documents {
		known[documents[i].ScheduleID] = &documents[i]
	}
	for _, id := range ids {
		d := known[id]
		if d == nil { // its schedule was deleted just now
			continue
		}
		g := groups[id]
		row := hive.ReportSchedule{Name: d.Name, ReportGroup: g.report()}
		row.Before, row.After = g.older.spread().Median, g.newer.spread().Median
		if id > 0 {
			l := s.labels.of(d, s.config.Parse)
			row.Tags, row.Owners = l.tags, l.owners
		}
		rows = append(rows, row)
	}
	return rows, more, nil
}
