// Package night tells what ran, runs and will run in a window of time, and which failed batches nobody has settled. All
// that it reads is bounded, however many schedules there are.
package night

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// The bounds of one answer.
const (
	mostEnds       = 1_500  // latest ends that are looked at to find the schedules that ran
	mostFailures   = 500    // latest failures that are looked at
	mostSoon       = 200    // schedules whose ticks are forecast, because they are due the soonest
	mostForecast   = 300    // schedules whose ticks are forecast
	mostCandidates = 1_000  // schedules that a row may be made of
	mostTicks      = 4_000  // of the forecast
	mostBars       = 20_000 // batches that are read for the rows
	mostBarsOfRow  = 1_000
	mostRuns       = 10_000 // task runs that are read for the slots in use
	mostLive       = 100    // live batches whose task runs are read for them
	someRuns       = 100    // of a batch that ended before its counts were stored
	mostParts      = 1_000
)

// keptFor is how long an answer is kept, so that many browsers that follow the same changes cost one.
const keptFor = 3 * time.Second

// Store reads batches and schedules by time.
type Store interface {
	AllLive(ctx context.Context) ([]hive.Batch, error)
	// LatestEnds lists the batches that ended in a span, the latest ends first; with failed, only those that failed.
	LatestEnds(ctx context.Context, in hive.Span, failed bool, limit int) ([]hive.NightBatch, error)
	// EndedWithin lists by schedule the batches that ran in a span and have ended, latest first.
	EndedWithin(ctx context.Context, schedules []int64, in hive.Span, limit int) (map[int64][]hive.NightBatch, error)
	// SoonSchedules lists the schedules whose ticks wait, and those that are due the soonest.
	SoonSchedules(ctx context.Context, until time.Time, limit int) (waiting, soon []int64, err error)
	// RunTimes returns when the tasks of batches ran. The end of a task that runs is zero.
	RunTimes(ctx context.Context, batches []int64) ([]hive.Span, error)
	UsualDurations(ctx context.Context, schedules []int64) (map[int64]time.Duration, error)
	UsualTasks(ctx context.Context, schedules []int64) (map[int64][]hive.TaskTime, error)
}

// OpenStore reads the failed batches that nobody has settled, and what waits for them.
type OpenStore interface {
	CountOpen(ctx context.Context) (int, error)
	OpenBatches(ctx context.Context, before int64, limit int) ([]hive.OpenBatch, error)
	SchedulesByID(ctx context.Context, ids []int64) ([]hive.Schedule, error)
	// Dependants lists which schedules wait for which of the given ones.
	Dependants(ctx context.Context, ids []int64) ([]hive.Dependant, error)
	WaitingTicks(ctx context.Context, schedules []int64) (map[int64][]hive.Tick, error)
	// NamedSchedules lists the schedules that are not archived and whose names have a text, by name.
	NamedSchedules(ctx context.Context, find string) ([]hive.NamedSchedule, error)
}

// Forecasts tells what schedules will do.
type Forecasts interface {
	Coming(ctx context.Context, ids []int64, until time.Time, most int) (hive.TickForecast, error)
}

// Config holds the dependencies of a Service.
type Config struct {
	Store     Store
	Open      OpenStore
	Forecasts Forecasts
	Now       func() time.Time
}

// Service implements the use cases of the home page.
type Service struct {
	store     Store
	open      OpenStore
	forecasts Forecasts
	now       func() time.Time

	mu   sync.Mutex // one answer is made at a time
	kept map[hive.NightRequest]hive.Night
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{
		store: c.Store, open: c.Open, forecasts: c.Forecasts, now: c.Now, kept: map[hive.NightRequest]hive.Night{},
	}
}

// aroundNow is how far a window reaches from now if the request names no time.
const aroundNow = 12 * time.Hour

// Night tells what ran, runs and will run in a window. Without From or To, it reaches twelve hours from now.
func (s *Service) Night(ctx context.Context, r hive.NightRequest) (hive.Night, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now().UTC().Truncate(time.Millisecond)
	for key := range s.kept {
		if age := now.Sub(s.kept[key].Now); age < 0 || age >= keptFor {
			delete(s.kept, key)
		}
	}
	if n, ok := s.kept[r]; ok {
		return n, nil
	}
	window := r
	if window.From.IsZero() {
		window.From = now.Add(-aroundNow)
	}
	if window.To.IsZero() {
		window.To = now.Add(aroundNow)
	}
	if err := check(&window); err != nil {
		return hive.Night{}, err
	}
	n, err := s.read(ctx, window, now)
	if err == nil {
		s.kept[r] = n
	}
	return n, err
}

func check(r *hive.NightRequest) error {
	if !r.From.Before(r.To) || r.To.Sub(r.From) > hive.MostNightTime {
		return hive.Errorf(hive.CodeInvalid, "to must be after from, by at most 14 days").
			WithReason(hive.ErrorRange, "name", "to - from (days)", "least", 0, "most", 14)
	}
	if r.Rows < 1 || r.Rows > hive.MostNightRows {
		return hive.Errorf(hive.CodeInvalid, "rows must be 1 to %d", hive.MostNightRows).
			WithReason(hive.ErrorRange, "name", "rows", "least", 1, "most", hive.MostNightRows)
	}
	if r.Parts < 1 || r.Parts > mostParts {
		return hive.Errorf(hive.CodeInvalid, "parts must be 1 to %d", mostParts).
			WithReason(hive.ErrorRange, "name", "parts", "least", 1, "most", mostParts)
	}
	if r.Skip < 0 {
		return hive.Errorf(hive.CodeInvalid, "skip must not be negative").
			WithReason(hive.ErrorRange, "name", "skip", "least", 0, "most", math.MaxInt32)
	}
	return nil
}

func (s *Service) read(ctx context.Context, r hive.NightRequest, now time.Time) (hive.Night, error) {
	out := hive.Night{Now: now, From: r.From, To: r.To}
	found, err := s.candidates(ctx, &r, now)
	if err != nil {
		return out, err
	}
	if r.All {
		if err := s.all(ctx, &r, found); err != nil {
			return out, err
		}
	}
	out.Schedules, out.More = len(found.list), found.more
	chosen := found.list[min(r.Skip, len(found.list)):]
	chosen = chosen[:min(r.Rows, len(chosen))]
	ids := make([]int64, len(chosen))
	for i := range chosen {
		ids[i] = chosen[i].id
	}
	in, bars := hive.Span{From: r.From, To: r.To}, min(mostBarsOfRow, mostBars/max(1, len(ids)))
	ended, err := s.store.EndedWithin(ctx, ids, in, bars)
	if err != nil {
		return out, err
	}
	usual, err := s.store.UsualDurations(ctx, ids)
	if err != nil {
		return out, err
	}
	coming, err := s.coming(ctx, found, ids, r.To)
	if err != nil {
		return out, err
	}
	part := r.To.Sub(r.From) / time.Duration(r.Parts)
	ticks := ticksOf(coming.Ticks, in, part, now)
	for i := range chosen {
		c := &chosen[i]
		row := hive.NightRow{
			Schedule: c.name, State: c.state, Usual: usual[c.id], Ticks: ticks[c.name],
			Bars: barsOf(ended[c.id], found.live[c.id], window{in, part, now}, usual[c.id]),
			Cut:  len(ended[c.id]) >= bars,
		}
		if len(row.Bars) == 0 && len(row.Ticks) == 0 && !r.All {
			out.Schedules-- // the ticker looks at it, and it does nothing
			continue
		}
		out.Rows = append(out.Rows, row)
	}
	sortRows(out.Rows)
	if r.All {
		out.Slots.UsedFrom, out.Slots.WantedUntil = now, now
		return out, nil
	}
	out.Slots, err = s.slots(ctx, &r, found, &coming, now)
	return out, err
}

// coming forecasts the rows, the schedules that are due the soonest, and those that wait for any of these.
func (s *Service) coming(ctx context.Context, f *found, rows []int64, until time.Time) (hive.TickForecast, error) {
	var ids []int64
	seen := map[int64]bool{}
	add := func(list ...int64) {
		for _, id := range list {
			if !seen[id] && len(ids) < mostForecast {
				seen[id], ids = true, append(ids, id)
			}
		}
	}
	add(rows...)
	add(f.waiting...)
	add(f.soon...)
	dependants, err := s.open.Dependants(ctx, ids)
	if err != nil {
		return hive.TickForecast{}, err
	}
	for _, d := range dependants {
		add(d.ScheduleID)
	}
	f.forecast = ids
	if err := s.addNames(ctx, f, ids); err != nil {
		return hive.TickForecast{}, err
	}
	return s.forecasts.Coming(ctx, ids, until, mostTicks)
}

// slots computes how many slots were in use, and how many will be wanted.
func (s *Service) slots(ctx context.Context, r *hive.NightRequest, f *found, coming *hive.TickForecast,
	now time.Time,
) (hive.NightSlots, error) {
	out := hive.NightSlots{UsedFrom: now, WantedUntil: now}
	span := r.To.Sub(r.From)
	parts := func(d time.Duration) int { return max(1, int(int64(r.Parts)*int64(d)/int64(span))) }
	var err error
	if from := s.knownFrom(f, r.From); from.Before(now) && r.From.Before(now) {
		until := earlier(now, r.To)
		if out.Used, err = s.used(ctx, f, hive.Span{From: from, To: until}, parts(until.Sub(from)), now); err != nil {
			return out, err
		}
		out.UsedFrom = from
	}
	if !r.To.After(now) {
		return out, nil
	}
	tasks, err := s.store.UsualTasks(ctx, f.forecast)
	if err != nil {
		return out, err
	}
	begin := later(now, r.From)
	var batches []schedule.BatchTime
	for _, list := range f.live {
		for i := range list {
			if b := &list[i]; b.State == hive.BatchRunning {
				batches = append(batches, schedule.BatchTime{Starts: b.RoundAt, Tasks: tasks[b.ScheduleID]})
			}
		}
	}
	for i := range coming.Ticks {
		t := &coming.Ticks[i]
		if t.StartsAt.IsZero() {
			continue
		}
		usual, ok := tasks[f.ids[t.Schedule]]
		if !ok {
			out.Unknown++
		}
		batches = append(batches, schedule.BatchTime{Starts: t.StartsAt, Tasks: usual})
	}
	until := earlier(coming.Until, r.To)
	out.WantedUntil = until
	if until.After(begin) {
		out.Wanted = schedule.SlotsWanted(batches, begin, until, parts(until.Sub(begin)))
	}
	return out, nil
}

// knownFrom returns since when all batches that have ended are among those that were found, and can be read.
func (s *Service) knownFrom(f *found, from time.Time) time.Time {
	runs := 0
	for i := range f.ended {
		b := &f.ended[i]
		for _, n := range b.Counts {
			runs += n
		}
		if b.Counts == nil {
			runs += someRuns
		}
		if runs > mostRuns {
			return later(from, b.End)
		}
		f.readable = i + 1
	}
	if len(f.ended) >= mostEnds {
		return later(from, f.ended[len(f.ended)-1].End)
	}
	return from
}

func (s *Service) used(ctx context.Context, f *found, in hive.Span, parts int, now time.Time) ([]int, error) {
	ids := make([]int64, 0, f.readable+mostLive)
	for i := range f.ended[:f.readable] {
		ids = append(ids, f.ended[i].ID)
	}
	ids = append(ids, f.running[:min(len(f.running), mostLive)]...)
	times, err := s.store.RunTimes(ctx, ids)
	if err != nil {
		return nil, err
	}
	batches := make([]schedule.BatchTime, len(times))
	for i, t := range times {
		if t.To.Before(t.From) {
			t.To = now
		}
		batches[i] = schedule.BatchTime{Starts: t.From, Tasks: []hive.TaskTime{{End: t.To.Sub(t.From)}}}
	}
	return schedule.SlotsWanted(batches, in.From, in.To, parts), nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
