package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// ChainStore reads what the moments of a chain wait for.
type ChainStore interface {
	// MomentResults, LastOfTrigger: as schedule.Results.
	MomentResults(ctx context.Context, scheduleID int64, after, until time.Time, limit int) ([]hive.MomentResult, error)
	LastOfTrigger(ctx context.Context, scheduleID int64, trigger string) (time.Time, error)
	// WaitingTicks lists by schedule the waiting ticks of each, in the order of their moments.
	WaitingTicks(ctx context.Context, schedules []int64) (map[int64][]hive.Tick, error)
	Batch(ctx context.Context, id int64) (hive.Batch, error)
	// CausedMoments lists moments of other schedules at which a batch of one moment of a schedule let one start.
	CausedMoments(ctx context.Context, scheduleID int64, moment time.Time, limit int) ([]hive.ScheduleMoment, error)
}

// Limits of what a chain reads.
const (
	chainBack    = 26 * time.Hour     // bars since this time before now are shown
	chainAhead   = 7 * 24 * time.Hour // a resume may be assumed so late
	chainResults = 10_000             // moments of one schedule
	chainRecent  = 50                 // latest batches of one schedule
	chainBatches = 300                // older batches, of all schedules
)

// Chain shows a schedule with those that it waits for and those that wait for it, and computes how they go on.
func (s *Service) Chain(ctx context.Context, r hive.ChainRequest) (hive.Chain, error) {
	now := s.moment()
	if r.ResumeAt.After(now.Add(chainAhead)) {
		return hive.Chain{}, hive.Errorf(hive.CodeInvalid, "resumeAt must be at most 7 days from now").
			WithReason(hive.ErrorChainResume)
	}
	if _, err := s.schedules.Schedule(ctx, r.Schedule); err != nil {
		return hive.Chain{}, err
	}
	c := &chainRead{Service: s, ctx: ctx, now: now}
	members, unread, err := c.members(r.Schedule)
	if err != nil {
		return hive.Chain{}, err
	}
	if err := c.fill(members); err != nil {
		return hive.Chain{}, err
	}
	out := schedule.ProjectChain(members, schedule.ChainAsk{
		Subject: r.Schedule, Now: now, ResumeAt: r.ResumeAt, Unread: unread,
	})
	out.Cut = out.Cut || c.cut || len(unread) > 0
	return out, nil
}

// chainRead reads one chain.
type chainRead struct {
	*Service

	ctx context.Context //nolint:containedctx // it lives as long as the request
	now time.Time
	cut bool // it has not read all that the chain needs
}

// members finds the schedules of a chain, nearest first, at most hive.MaxChain. unread are the others of the chain.
func (c *chainRead) members(subject string) (members []schedule.ChainMember, unread map[string]bool, err error) {
	known, dependants, err := c.chainSchedules(c.ctx, subject)
	if err != nil {
		return nil, nil, err
	}
	after := func(name string) []string {
		if h := known[name]; h != nil {
			return h.after
		}
		return nil
	}
	places := placesOf(subject, after, func(name string) []string { return dependants[name] })
	unread = map[string]bool{}
	for _, p := range places {
		switch {
		case len(members) == hive.MaxChain:
			unread[p.name] = true
		case known[p.name] == nil:
			members = append(members, schedule.ChainMember{
				Schedule: hive.Schedule{Name: p.name}, Place: p.place, Missing: true,
			})
		default:
			members = append(members, known[p.name].member(p.place))
		}
	}
	return members, unread, nil
}

// chainSchedules reads the schedules that wait for others or for which others wait, the subject, and which of them wait
// for which. One whose triggers cannot be read is left out,
// unless it is the subject.
func (s *Service) chainSchedules(ctx context.Context, subject string) (known map[string]*chainSchedule,
	dependants map[string][]string, err error,
) {
	all, err := s.directory.LinkedSchedules(ctx, subject)
	if err != nil {
		return nil, nil, err
	}
	around, err := s.around(ctx)
	if err != nil {
		return nil, nil, err
	}
	known = map[string]*chainSchedule{}
	dependants = map[string][]string{}
	for i := range all {
		d, err := s.digestOf(ctx, &all[i], around)
		if err != nil {
			if all[i].Name == subject || hive.CodeOf(err) != hive.CodeInvalid {
				return nil, nil, err
			}
			continue // the home page has an alarm
		}
		known[all[i].Name] = &chainSchedule{row: &all[i], digest: d}
		for _, name := range d.after {
			dependants[name] = append(dependants[name], all[i].Name)
		}
	}
	return known, dependants, nil
}

// chainSchedule is a schedule with its digest.
type chainSchedule struct {
	row *hive.Schedule
	digest
}

func (h *chainSchedule) member(place hive.ChainPlace) schedule.ChainMember {
	return schedule.ChainMember{
		Schedule: *h.row, Place: place, Title: h.view.Title, Timezone: h.view.Timezone, Triggers: h.triggers,
		Policy: h.policy, Times: h.times, Following: h.follow, Published: latest(h.since, h.row.UnarchivedAt),
	}
}

type chainPlaced struct {
	name  string
	place hive.ChainPlace
}

// placesOf lists the schedules of a chain, nearest to the subject first.
func placesOf(subject string, after, dependants func(name string) []string) []chainPlaced {
	places := []chainPlaced{{subject, hive.ChainSubject}}
	seen := map[string]bool{subject: true}
	walk := func(from []string, next func(string) []string, place hive.ChainPlace) []string {
		var found []string
		for queue := slices.Clone(from); len(queue) > 0; queue = queue[1:] {
			for _, name := range next(queue[0]) {
				if !seen[name] {
					seen[name] = true
					places = append(places, chainPlaced{name, place})
					found, queue = append(found, name), append(queue, name)
				}
			}
		}
		return found
	}
	walk([]string{subject}, after, hive.ChainBefore)
	below := walk([]string{subject}, dependants, hive.ChainAfter)
	walk(below, after, hive.ChainBeside)
	return places
}

// fill reads the moments of the members.
func (c *chainRead) fill(members []schedule.ChainMember) error {
	ids := make([]int64, 0, len(members))
	for i := range members {
		if !members[i].Missing {
			ids = append(ids, members[i].Schedule.ID)
		}
	}
	waiting, err := c.chains.WaitingTicks(c.ctx, ids)
	if err != nil {
		return err
	}
	planned, err := c.changes.ChangesToCome(c.ctx, ids)
	if err != nil {
		return err
	}
	usual, err := c.batches.UsualDurations(c.ctx, ids)
	if err != nil {
		return err
	}
	recent, err := c.batches.RecentBatches(c.ctx, ids, chainRecent)
	if err != nil {
		return err
	}
	for i := range members {
		m := &members[i]
		id := m.Schedule.ID
		m.Waiting, m.Batches, m.Changes = waiting[id], recent[id], planned[id]
		m.Usual, m.UsualKnown = usual[id], hasUsual(usual, id)
		if err := c.joins(m); err != nil {
			return err
		}
	}
	reach := schedule.ChainReach(members, c.now, c.now.Add(-chainBack))
	for i := range members {
		if err := c.results(&members[i], reach[members[i].Schedule.Name]); err != nil {
			return err
		}
	}
	if err := c.older(members); err != nil {
		return err
	}
	return c.counts(members)
}

// results reads the moments of a member since a time. If these are too many, it reads the latest and notes that.
func (c *chainRead) results(m *schedule.ChainMember, since time.Time) (err error) {
	if m.Missing {
		return nil
	}
	until := c.now.Add(chainAhead)
	m.Results, err = c.chains.MomentResults(c.ctx, m.Schedule.ID, since, until, chainResults)
	if err == nil && len(m.Results) == chainResults && since.Before(c.now.Add(-chainBack)) {
		c.cut = true
		m.Results, err = c.chains.MomentResults(c.ctx, m.Schedule.ID, c.now.Add(-chainBack), until, chainResults)
	}
	return err
}

func hasUsual(usual map[int64]time.Duration, id int64) bool {
	_, ok := usual[id]
	return ok
}

// joins reads the last moments of the triggers that take those of several schedules.
func (c *chainRead) joins(m *schedule.ChainMember) error {
	if m.Times == nil {
		return nil
	}
	m.Last = map[string]time.Time{}
	for _, trigger := range m.Times.Joins() {
		last, err := m.Following.Last(trigger, func(trigger string) (time.Time, error) {
			return c.chains.LastOfTrigger(c.ctx, m.Schedule.ID, trigger)
		})
		if err != nil {
			return err
		}
		m.Last[trigger] = last
	}
	return nil
}

// older reads the batches of the moments that have not succeeded, and that are not among the latest.
func (c *chainRead) older(members []schedule.ChainMember) error {
	left := chainBatches
	for i := range members {
		m := &members[i]
		there := map[int64]bool{}
		for j := range m.Batches {
			there[m.Batches[j].ID] = true
		}
		for _, r := range slices.Backward(m.Results) {
			if r.Batch == 0 || r.State == hive.BatchSucceeded || there[r.Batch] || left == 0 {
				continue
			}
			left--
			b, err := c.chains.Batch(c.ctx, r.Batch)
			if hive.CodeOf(err) == hive.CodeNotFound {
				continue
			}
			if err != nil {
				return err
			}
			m.Batches = append(m.Batches, b)
		}
	}
	return nil
}

// counts fills in the task runs of the batches.
func (c *chainRead) counts(members []schedule.ChainMember) error {
	var all []hive.Batch
	for i := range members {
		all = append(all, members[i].Batches...)
	}
	if err := c.count(c.ctx, all); err != nil {
		return err
	}
	for i := range members {
		n := copy(members[i].Batches, all)
		all = all[n:]
	}
	return nil
}
