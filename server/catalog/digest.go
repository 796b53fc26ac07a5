package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// digest is the part of a revision that lists show. Revisions never change, so it is made once.
type digest struct {
	view   hive.ScheduleView // only the fields that follow from the definition
	times  *schedule.Timetable
	since  time.Time // when the revision was published
	policy hive.Policy
	after  []string           // the schedules that it waits for
	follow schedule.Following // of its triggers that follow other schedules; empty if none does

	triggers []hive.Trigger

	onCalendar bool  // its triggers name a calendar
	calendars  int64 // version of the calendars when it was made
}

// around is what digests depend on beside their revisions. It is read after the rows of the schedules.
type around struct {
	calendars int64             // their version
	former    map[string]string // present names of schedules by their former ones
}

func (s *Service) around(ctx context.Context) (around, error) {
	var a around
	var err error
	if a.calendars, err = s.calendars.CalendarsVersion(ctx); err != nil || s.renames == nil {
		return a, err
	}
	a.former, err = s.renames.FormerNames(ctx)
	return a, err
}

// present returns the present name of a schedule.
func (a *around) present(name string) string { return cmp.Or(a.former[name], name) }

// named returns a digest with the present names of the schedules that it waits for.
func (a *around) named(d digest) digest {
	if !slices.ContainsFunc(d.after, func(name string) bool { return a.former[name] != "" }) {
		return d
	}
	d.times, d.triggers = d.times.Renamed(a.former), slices.Clone(d.triggers)
	d.after = slices.Clone(d.after)
	for i := range d.after {
		d.after[i] = a.present(d.after[i])
	}
	slices.Sort(d.after)
	d.after = slices.Compact(d.after)
	for i := range d.triggers {
		after := slices.Clone(d.triggers[i].After)
		for j := range after {
			after[j].Schedule = a.present(after[j].Schedule)
		}
		d.triggers[i].After = after
	}
	return d
}

type revisionKey struct{ schedule, number int64 }

// maxDigests bounds the memory. A longer list makes some digests again.
const maxDigests = 20_000

// digestOf returns the digest of a schedule's newest revision, with the present names of others. A timetable that
// follows a calendar is made again when one has changed.
func (s *Service) digestOf(ctx context.Context, h *hive.Schedule, a around) (digest, error) {
	d, err := s.storedDigest(ctx, h, &a)
	if err != nil {
		return d, err
	}
	return a.named(d), nil
}

func (s *Service) storedDigest(ctx context.Context, h *hive.Schedule, a *around) (digest, error) {
	key := revisionKey{h.ID, h.Revision}
	s.mu.Lock()
	d, ok := s.digests[key]
	s.mu.Unlock()
	if ok && (!d.onCalendar || d.calendars == a.calendars) {
		return d, nil
	}
	rev, err := s.schedules.RevisionAt(ctx, h.ID, h.Revision)
	if err != nil {
		return d, err
	}
	doc, err := s.stored(ctx, rev)
	if err != nil {
		return d, err
	}
	d.view, d.since, d.triggers = viewOf(doc.Definition), rev.CreatedAt, doc.Definition.Triggers
	d.policy, d.after = doc.Definition.Policy, upstreamsOf(doc.Definition)
	d.onCalendar, d.calendars = len(schedule.CalendarNames(doc.Definition)) > 0, a.calendars
	if d.times, err = s.timetable(ctx, doc.Definition, h.CreatedAt); err != nil {
		return d, fmt.Errorf("triggers of revision %d: %w", rev.ID, err)
	}
	if d.times.Follows() {
		if d.follow, err = s.followsSince(ctx, h, &rev, doc.Definition, a); err != nil {
			return d, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.digests) >= maxDigests {
		clear(s.digests)
	}
	s.digests[key] = d
	return d, nil
}

// followsSince returns since when a revision follows moments of other schedules.
func (s *Service) followsSince(
	ctx context.Context, h *hive.Schedule, rev *hive.Revision, def *hive.Definition, a *around,
) (schedule.Following, error) {
	newest := schedule.Period{From: rev.CreatedAt, Revision: rev.Number, Definition: def}
	return schedule.FollowsSince(&newest, a.present, func(number int64) (*hive.Definition, time.Time, error) {
		older, err := s.schedules.RevisionAt(ctx, h.ID, number)
		if err != nil {
			return nil, time.Time{}, err
		}
		doc, err := s.stored(ctx, older)
		if err != nil {
			return nil, older.CreatedAt, nil //nolint:nilerr // what cannot be read follows nothing
		}
		return doc.Definition, older.CreatedAt, nil
	})
}

// timetable makes the timetable of a stored definition, by the newest revisions of the calendars.
func (s *Service) timetable(ctx context.Context, def *hive.Definition, created time.Time) (*schedule.Timetable, error) {
	l := s.lookup(ctx)
	l.stored = true
	times, err := schedule.NewTimetable(def, created, l.find)
	if l.err != nil {
		return nil, l.err
	}
	return times, err
}

// addTimes adds what the timetable of a schedule says: when up to n of its next moments are due, or that it is
// finished.
func (d *digest) addTimes(v *hive.ScheduleView, now time.Time, n int) {
	if v.Schedule.Archived() {
		return
	}
	if most := d.policy.MaxBatches; most > 0 && v.Schedule.Counted >= most {
		v.Finished = hive.FinishedMaxBatches
		return
	}
	for _, m := range d.times.Forecast(d.since, now, n) {
		v.NextAt = append(v.NextAt, m.Due)
	}
	if len(v.NextAt) == 0 && len(v.Triggers) > 0 && !d.times.Unplanned(now) {
		v.Finished = hive.FinishedEnded
	}
}

// addDelayed adds the next moment of the schedules in whose timetable one counts from the end of the last batch, if it
// is known yet. Up to n moments stay.
func (s *Service) addDelayed(ctx context.Context, views []hive.ScheduleView, times map[int64]digest, n int) error {
	var ids []int64
	for id, d := range times {
		if d.times.Delayed() {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	live, err := s.batches.Overlapping(ctx, ids)
	if err != nil {
		return err
	}
	ends, err := s.batches.LastEnds(ctx, ids)
	if err != nil {
		return err
	}
	for i := range views {
		v := &views[i]
		d, ok := times[v.Schedule.ID]
		if !ok || v.Finished != "" {
			continue
		}
		tick := hive.TickView{Schedule: v.Schedule, Live: live[v.Schedule.ID], EndedAt: ends[v.Schedule.ID]}
		if m, known := d.times.NextDelayed(&tick, d.since); known {
			v.NextAt = append(v.NextAt, m.Due)
			slices.SortFunc(v.NextAt, time.Time.Compare)
			v.NextAt = v.NextAt[:min(n, len(v.NextAt))]
		}
	}
	return nil
}

// viewOf makes a view with the fields that follow from a definition.
func viewOf(def *hive.Definition) hive.ScheduleView {
	v := hive.ScheduleView{Title: def.Title, Tags: def.Tags, Owners: def.Owners, Timezone: def.Timezone}
	for i := range def.Triggers {
		v.Triggers = append(v.Triggers, def.Triggers[i].String())
	}
	for i := range def.Jobs {
		v.Tasks += len(def.Jobs[i].Tasks)
	}
	return v
}
