package schedule

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// simulatedResults is the results that simulations expect, laid over the stored ones. It reads each stored day of a
// schedule once.
type simulatedResults struct {
	Results // the stored ones

	now      time.Time // the begin of the simulations
	moments  map[int64][]hive.MomentResult
	expected map[int64][]expectedTick // simulated ticks that were to make a batch, in the order of their ids
	last     map[triggerKey]time.Time
	ended    map[int64]hive.BatchState // stored batches that have ended in a simulation
	days     map[storedDay][]hive.MomentResult
	before   map[storedDay]hive.MomentResult
	lastTick int64

	names      map[int64]string
	dependants map[string][]int64 // by the name of the schedule that they wait for
}

type expectedTick struct {
	id     int64
	moment time.Time
}

type triggerKey struct {
	schedule int64
	trigger  string
}

// storedDay is a moment of a schedule: the begin of a day in UTC, or the moment that another one is looked for before.
type storedDay struct{ schedule, at int64 }

// firstSimulated is above the ids of all stored ticks.
const firstSimulated = int64(1) << 62

func newSimulatedResults(stored Results, now time.Time) *simulatedResults {
	return &simulatedResults{
		Results: stored, now: now, moments: map[int64][]hive.MomentResult{}, expected: map[int64][]expectedTick{},
		last: map[triggerKey]time.Time{}, ended: map[int64]hive.BatchState{},
		days: map[storedDay][]hive.MomentResult{}, before: map[storedDay]hive.MomentResult{}, lastTick: firstSimulated,
		names: map[int64]string{}, dependants: map[string][]int64{},
	}
}

// link notes what a simulated schedule waits for.
func (r *simulatedResults) link(s *Simulation, judged bool) {
	row := &s.view.Schedule
	r.names[row.ID] = row.Name
	for _, name := range s.upstreams() {
		r.dependants[name] = append(r.dependants[name], row.ID)
	}
	if judged {
		r.dependants[row.Name] = append(r.dependants[row.Name], row.ID)
	}
}

// Dependants lists which simulated schedules wait for which of the given ones.
func (r *simulatedResults) Dependants(_ context.Context, ids []int64) ([]hive.Dependant, error) {
	var out []hive.Dependant
	for _, of := range ids {
		for _, id := range r.dependants[r.names[of]] {
			out = append(out, hive.Dependant{ScheduleID: id, Of: of})
		}
	}
	return out, nil
}

// note adds a decision. batch is 0 if it makes none.
func (r *simulatedResults) note(t *hive.Tick, batch int64) {
	id := t.ScheduleID
	m := hive.MomentResult{Moment: t.Moment, Decision: t.Decision, Batch: batch}
	if batch != 0 {
		m.State = hive.BatchQueued
	}
	i, found := r.find(id, t.Moment)
	if found {
		r.moments[id][i] = m
	} else {
		r.moments[id] = slices.Insert(r.moments[id], i, m)
	}
	if !found && m.Expected() {
		r.lastTick++
		r.expected[id] = append(r.expected[id], expectedTick{r.lastTick, t.Moment})
	}
	key := triggerKey{id, t.Trigger}
	r.last[key] = later(r.last[key], t.Moment)
}

// end notes how a batch ends. Simulated batches have ids below 0.
func (r *simulatedResults) end(b *hive.Batch, state hive.BatchState) {
	if b.ID > 0 {
		r.ended[b.ID] = state
		return
	}
	if i, found := r.find(b.ScheduleID, b.Moment); found && r.moments[b.ScheduleID][i].Batch == b.ID {
		r.moments[b.ScheduleID][i].State = state
	}
}

func (r *simulatedResults) find(id int64, at time.Time) (int, bool) {
	return slices.BinarySearchFunc(r.moments[id], at,
		func(m hive.MomentResult, at time.Time) int { return m.Moment.Compare(at) })
}

// MomentResults is of Results.
func (r *simulatedResults) MomentResults(ctx context.Context, id int64, after, until time.Time, limit int) (
	[]hive.MomentResult, error,
) {
	stored, err := r.stored(ctx, id, after, until)
	if err != nil {
		return nil, err
	}
	i, found := r.find(id, after)
	if found {
		i++
	}
	for ; i < len(r.moments[id]) && !r.moments[id][i].Moment.After(until); i++ {
		stored = append(stored, r.moments[id][i])
	}
	slices.SortStableFunc(stored, func(a, b hive.MomentResult) int { return a.Moment.Compare(b.Moment) })
	return stored[:min(limit, len(stored))], nil
}

// stored lists the stored moments after one time and up to another that have no simulated result.
func (r *simulatedResults) stored(ctx context.Context, id int64, after, until time.Time) ([]hive.MomentResult, error) {
	const day = 24 * time.Hour
	var out []hive.MomentResult
	today := r.now.Truncate(day)
	at := after.Truncate(day)
	if at.After(today) {
		at = today
	}
	for ; !at.After(today) && !at.After(until); at = at.Add(day) {
		key := storedDay{id, at.Unix()}
		list, known := r.days[key]
		if !known {
			end := justBefore(at.Add(day))
			if at.Equal(today) { // batches by hand may have moments to come
				end = time.Date(lastYear, time.December, 31, 0, 0, 0, 0, time.UTC)
			}
			var err error
			if list, err = r.Results.MomentResults(ctx, id, justBefore(at), end, mostMoments); err != nil {
				return nil, err
			}
			r.days[key] = list
		}
		for i := range list {
			m := list[i]
			if _, simulated := r.find(id, m.Moment); simulated || !m.Moment.After(after) || m.Moment.After(until) {
				continue
			}
			if state := r.ended[m.Batch]; state != "" {
				m.State = state
			}
			out = append(out, m)
		}
	}
	return out, nil
}

// MomentBefore is of Results.
func (r *simulatedResults) MomentBefore(ctx context.Context, id int64, before time.Time) (
	mine hive.MomentResult, found bool, err error,
) {
	for i, _ := r.find(id, before); i > 0 && !found; i-- {
		if m := &r.moments[id][i-1]; m.Expected() {
			mine, found = *m, true
		}
	}
	if found && mine.Moment.After(r.now) {
		return mine, true, nil
	}
	if before.After(r.now) {
		before = r.now.Add(precision)
	}
	for {
		m, err := r.storedBefore(ctx, id, before)
		if err != nil || m.Moment.IsZero() || found && m.Moment.Before(mine.Moment) {
			return mine, found, err
		}
		if _, simulated := r.find(id, m.Moment); !simulated {
			if state := r.ended[m.Batch]; state != "" {
				m.State = state
			}
			return m, true, nil
		}
		before = m.Moment
	}
}

func (r *simulatedResults) storedBefore(ctx context.Context, id int64, before time.Time) (hive.MomentResult, error) {
	key := storedDay{id, before.UnixMilli()}
	m, known := r.before[key]
	if !known {
		var err error
		if m, _, err = r.Results.MomentBefore(ctx, id, before); err != nil {
			return m, err
		}
		r.before[key] = m
	}
	return m, nil
}

// LastOfTrigger is of Results.
func (r *simulatedResults) LastOfTrigger(ctx context.Context, id int64, trigger string) (time.Time, error) {
	if at := r.last[triggerKey{id, trigger}]; !at.IsZero() {
		return at, nil
	}
	at, err := r.Results.LastOfTrigger(ctx, id, trigger)
	if err == nil && !at.IsZero() {
		r.last[triggerKey{id, trigger}] = at
	}
	return at, err
}

// ExpectedTicks is of Results. Stored ticks are left out: the ticker has followed them already.
func (r *simulatedResults) ExpectedTicks(_ context.Context, id int64, since time.Time, above int64, limit int) (
	moments []time.Time, last int64, err error,
) {
	list := r.expected[id]
	i, _ := slices.BinarySearchFunc(list, above+1, func(t expectedTick, id int64) int { return int(t.id - id) })
	last = above
	for ; i < len(list) && len(moments) < limit; i++ {
		if list[i].moment.After(since) {
			moments = append(moments, list[i].moment)
		}
		last = list[i].id
	}
	return moments, last, nil
}

// Successes is of Results.
func (r *simulatedResults) Successes(ctx context.Context, id int64, since time.Time, manual bool, limit int) (
	[]hive.MomentResult, error,
) {
	end := time.Date(lastYear, time.December, 31, 0, 0, 0, 0, time.UTC)
	all, err := r.MomentResults(ctx, id, since, end, maxSimulated)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(m hive.MomentResult) bool {
		return m.Batch == 0 || m.State != hive.BatchSucceeded || !manual && m.Decision == ""
	})
	slices.Reverse(all)
	return all[:min(limit, len(all))], nil
}
