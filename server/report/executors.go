package report

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// hourlyDays is the number of days up to which a report of executors is by hour.
const hourlyDays = 8

// busy gathers the time that an executor worked, in milliseconds.
type busy struct {
	total int64
	parts []int64
}

// Executors tells how the slots of executors were used; of one executor if the request names it.
func (s *Service) Executors(ctx context.Context, r hive.ReportRequest) (hive.ExecutorReport, error) {
	sc, err := s.scope(ctx, r)
	if err != nil {
		return hive.ExecutorReport{}, err
	}
	out := hive.ExecutorReport{
		From: sc.first.Format(time.DateOnly), To: sc.last.Format(time.DateOnly), Hourly: sc.days <= hourlyDays,
	}
	bounds := sc.bounds(out.Hourly)
	for _, b := range bounds[:len(bounds)-1] {
		out.Parts = append(out.Parts, time.UnixMilli(b).UTC())
	}
	now := s.config.Now().UnixMilli()
	used := map[string]*busy{}
	f := sc.filter(mostSampled)
	f.Hooks = true
	out.Complete, err = s.sample(ctx, f, hive.MostReportAttempts,
		func(ctx context.Context, chunk []hive.ReportBatch) (int, error) {
			attempts, err := s.config.Store.ReportAttempts(ctx, ids(chunk), r.Executor)
			if err != nil {
				return 0, err
			}
			n := 0
			for _, a := range attempts {
				n += len(a.Executors)
				for i, name := range a.Executors[:min(len(a.Executors), len(a.StartedAt), len(a.EndedAt))] {
					if used[name] == nil {
						used[name] = &busy{parts: make([]int64, len(out.Parts))}
					}
					used[name].add(bounds, a.StartedAt[i], cmp.Or(a.EndedAt[i], now))
				}
			}
			out.Attempts += n
			out.SampleSince = time.UnixMilli(chunk[len(chunk)-1].CreatedAt).UTC()
			return n, nil
		})
	out.Executors = executorRows(used, bounds, now)
	return out, err
}

// bounds returns the beginnings of the hours or days of the scope, and its end, in UTC milliseconds.
func (sc *scope) bounds(hourly bool) []int64 {
	var list []int64
	for day := range sc.days {
		begin, end := sc.begins(day), sc.begins(day+1)
		if !hourly {
			list = append(list, begin)
			continue
		}
		for at := begin; at < end; at += time.Hour.Milliseconds() {
			list = append(list, at)
		}
	}
	return append(list, sc.begins(sc.days))
}

// add distributes the time of an attempt over the parts.
func (b *busy) add(bounds []int64, from, to int64) {
	at, found := slices.BinarySearch(bounds, from)
	if !found {
		at = max(at-1, 0)
	}
	for ; at < len(b.parts) && bounds[at] < to; at++ {
		if within := min(to, bounds[at+1]) - max(from, bounds[at]); within > 0 {
			b.parts[at] += within
			b.total += within
		}
	}
}

// executorRows lists the busiest executors, and adds up the others.
func executorRows(used map[string]*busy, bounds []int64, now int64) []hive.ReportExecutor {
	names := make([]string, 0, len(used))
	for name := range used {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(used[b].total, used[a].total), cmp.Compare(a, b))
	})
	var rows []hive.ReportExecutor
	var others *busy
	for i, name := range names {
		if i < hive.MostReportExecutors {
			rows = append(rows, executorRow(name, used[name], bounds, now))
			continue
		}
		if others == nil {
			others = &busy{parts: make([]int64, len(bounds)-1)}
		}
		others.total += used[name].total
		for p, v := range used[name].parts {
			others.parts[p] += v
		}
	}
	if others != nil {
		rows = append(rows, executorRow("", others, bounds, now))
	}
	return rows
}

func executorRow(name string, b *busy, bounds []int64, now int64) hive.ReportExecutor {
	row := hive.ReportExecutor{Name: name, Busy: time.Duration(b.total) * time.Millisecond}
	for p, v := range b.parts {
		length := bounds[p+1] - bounds[p]
		if now > bounds[p] {
			length = min(length, now-bounds[p])
		}
		row.Slots = append(row.Slots, float64(v)/float64(length))
	}
	return row
}
