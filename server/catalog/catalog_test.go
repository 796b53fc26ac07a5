package catalog

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

var t0 = time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant, if Go had it

const nightly = `apiVersion: hivego/v1
kind: Schedule
name: nightly
title: Nachtlauf
triggers:
  - cron: "20 3 * * *"
jobs:
  - key: load
    tasks:
      - {key: a, handler: shell, params: {command: "true"}}
`

// store is a database in memory.
type store struct {
	unknown   map[int64]bool // schedules without a usual duration
	live      map[int64][]hive.Batch
	ends      map[int64]time.Time
	schedules []hive.Schedule
	deletions []hive.Deletion
	revisions []hive.Revision
	executors []hive.Executor
	reads     int
	lists     int
	found     int // rows that were read by their ids
	ticks     []string
	released  []string
	drafts    []string
	named     []string // calendars of the last save
	links     map[string][]hive.ScheduleLink
	former    map[string]string // present names by former ones
	more      int               // schedules that are only counted
	texts     map[int64]hive.ScheduleTexts
	ended     []int64 // schedules whose batches have ended

	calendarStore
	chain   chainStore
	changes []hive.PlannedChange
}

func (s *store) at(name string) int {
	for i := range s.schedules {
		if s.schedules[i].Name == name {
			return i
		}
	}
	return -1
}

func (s *store) Schedule(_ context.Context, name string) (hive.Schedule, error) {
	if i := s.at(name); i >= 0 {
		return s.schedules[i], nil
	}
	return hive.Schedule{}, hive.Errorf(hive.CodeNotFound, "there is no schedule %q", name)
}

func (s *store) Schedules(context.Context) ([]hive.Schedule, error) {
	return append([]hive.Schedule{}, s.schedules...), nil
}

func (s *store) SaveSchedule(ctx context.Context, in hive.SaveSchedule) (
	hive.Schedule, hive.Revision, bool, error,
) {
	s.named = in.Calendars
	if s.links == nil {
		s.links = map[string][]hive.ScheduleLink{}
	}
	s.links[in.Name] = in.Links
	i := s.at(in.Name)
	if i < 0 {
		i = len(s.schedules)
		s.schedules = append(s.schedules,
			hive.Schedule{ID: int64(i + 1), Name: in.Name, Enabled: true, CreatedAt: in.Now})
	}
	h := &s.schedules[i]
	for _, r := range s.revisions {
		if r.ScheduleID == h.ID && r.Number == h.Revision && r.Hash == in.Hash {
			return *h, r, false, nil
		}
	}
	if in.Base != 0 && in.Base != h.Revision {
		return *h, hive.Revision{}, false, hive.Errorf(hive.CodeConflict, "revision %d is the newest", h.Revision)
	}
	h.Revision++
	if in.Texts != nil {
		texts := *in.Texts
		texts.ScheduleID, texts.Revision = h.ID, h.Revision
		if err := s.DescribeSchedules(ctx, []hive.ScheduleTexts{texts}); err != nil {
			return *h, hive.Revision{}, false, err
		}
	}
	r := hive.Revision{
		ID: int64(len(s.revisions) + 1), ScheduleID: h.ID, Number: h.Revision, Document: in.Document,
		Hash: in.Hash, CreatedBy: in.By,
	}
	s.revisions = append(s.revisions, r)
	return *h, r, true, nil
}

func (s *store) SetEnabled(_ context.Context, name string, on bool, _ time.Time) error {
	i := s.at(name)
	if i < 0 {
		return hive.Errorf(hive.CodeNotFound, "there is no schedule %q", name)
	}
	s.schedules[i].Enabled = on
	return nil
}

func (s *store) RevisionAt(_ context.Context, schedule, number int64) (hive.Revision, error) {
	s.reads++
	for _, r := range s.revisions {
		if r.ScheduleID == schedule && r.Number == number {
			return r, nil
		}
	}
	return hive.Revision{}, hive.Errorf(hive.CodeNotFound, "there is no revision %d", number)
}

func (s *store) Revisions(_ context.Context, schedule int64) ([]hive.Revision, error) {
	var out []hive.Revision
	for _, r := range s.revisions {
		if r.ScheduleID == schedule {
			out = append(out, r)
		}
	}
	return out, nil
}

func (s *store) Ticks(_ context.Context, schedule int64, before time.Time, limit int) ([]hive.Tick, error) {
	s.ticks = append(s.ticks, fmt.Sprint(schedule, before.IsZero(), limit))
	return nil, nil
}

func (s *store) ReleaseTick(_ context.Context, schedule int64, at time.Time, r hive.Release) error {
	s.released = append(s.released, fmt.Sprint(schedule, " ", at.Unix(), " ", r.By, ": ", r.Reason))
	return nil
}

func (s *store) Executors(context.Context) ([]hive.Executor, error) { return s.executors, nil }

func (s *store) RecentBatches(_ context.Context, schedules []int64, limit int) (map[int64][]hive.Batch, error) {
	s.lists++
	out := map[int64][]hive.Batch{}
	for _, id := range schedules {
		for n := range min(int64(limit), 2) {
			out[id] = append(out[id], hive.Batch{ID: 10*id + n, ScheduleID: id, State: hive.BatchSucceeded})
		}
	}
	return out, nil
}

func (s *store) Overlapping(_ context.Context, schedules []int64) (map[int64][]hive.Batch, error) {
	out := map[int64][]hive.Batch{}
	for _, id := range schedules {
		out[id] = s.live[id]
	}
	return out, nil
}

func (s *store) LastEnds(context.Context, []int64) (map[int64]time.Time, error) { return s.ends, nil }

func (s *store) UsualDurations(_ context.Context, schedules []int64) (map[int64]time.Duration, error) {
	s.lists++
	out := map[int64]time.Duration{}
	for _, id := range schedules {
		if !s.unknown[id] {
			out[id] = time.Duration(id) * time.Minute
		}
	}
	return out, nil
}

func (s *store) Drafts(_ context.Context, user int64) ([]hive.Draft, error) {
	s.drafts = append(s.drafts, fmt.Sprint("list ", user))
	return nil, nil
}

func (s *store) Draft(_ context.Context, user int64, name string) (hive.Draft, error) {
	s.drafts = append(s.drafts, fmt.Sprint("get ", user, " ", name))
	return hive.Draft{}, nil
}

func (s *store) PutDraft(_ context.Context, d hive.Draft, most int) (hive.Draft, error) {
	s.drafts = append(s.drafts, fmt.Sprint("put ", d, " ", most))
	return d, nil
}

func (s *store) DeleteDraft(_ context.Context, user int64, name string, version int64) error {
	s.drafts = append(s.drafts, fmt.Sprint("delete ", user, " ", name, " ", version))
	return nil
}

type world struct {
	*testing.T
	*Service

	db      *store
	changed []int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, db: &store{}}
	w.Service = New(Config{
		Schedules: w.db, Directory: w.db, Lists: w.db, Archive: w.db, Drafts: w.db, Batches: w.db, Executors: w.db,
		Now:       func() time.Time { return t0 },
		Changed:   func(id int64) { w.changed = append(w.changed, id) },
		Calendars: w.db, Results: noResults{}, Chains: &w.db.chain, Changes: w.db,
		Count: func(_ context.Context, list []hive.Batch) error {
			for i := range list {
				list[i].Counts = hive.Counts{hive.RunSucceeded: int(list[i].ID)}
			}
			return nil
		},
	})
	return w
}

func (w *world) save(name string) hive.Saved {
	w.Helper()
	s, err := w.Save(w.Context(), hive.SaveRequest{
		Name: name, Document: []byte(strings.Replace(nightly, "nightly", name, 1)), By: "ada",
	})
	if err != nil {
		w.Fatal(err)
	}
	return s
}

func refused(t *testing.T, err error, code hive.Code, words string) {
	t.Helper()
	if err == nil || hive.CodeOf(err) != code || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("error %v, want %s with %q", err, code, words)
	}
}

func TestSave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.save("nightly")
	if !s.Changed || s.Revision.Number != 1 || s.Revision.CreatedBy != "ada" || len(s.Faults) != 0 {
		t.Errorf("%+v", s)
	}
	if s = w.save("nightly"); s.Changed || s.Revision.Number != 1 {
		t.Errorf("the same again: %+v", s)
	}
	other := []byte(strings.Replace(nightly, "Nachtlauf", "Nacht", 1))
	if s, err := w.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: other, Base: 1}); err != nil ||
		s.Revision.Number != 2 {
		t.Errorf("%+v %v", s, err)
	}
	if !reflect.DeepEqual(w.changed, []int64{1, 1}) {
		t.Errorf("told of %v", w.changed)
	}
	_, err := w.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte(nightly), Base: 1})
	refused(t, err, hive.CodeConflict, "2")
	_, err = w.Save(t.Context(), hive.SaveRequest{Name: "weekly", Document: []byte(nightly)})
	refused(t, err, hive.CodeInvalid, `of schedule "nightly", not of "weekly"`)
	_, err = w.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte("kind: [")})
	refused(t, err, hive.CodeInvalid, "line 1")
	bad := strings.NewReplacer("20 3", "99 3", "handler: shell", "handler: shell, needs: [z]").Replace(nightly)
	_, err = w.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte(bad)})
	refused(t, err, hive.CodeInvalid, "triggers[0].cron")
	refused(t, err, hive.CodeInvalid, "needs[0]")
	if len(w.changed) != 2 {
		t.Errorf("told of %v", w.changed)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v, err := w.Validate(t.Context(), []byte(nightly))
	if err != nil || !v.Valid || v.Name != "nightly" || len(v.Hash) != 64 ||
		!strings.Contains(v.Canonical, "Nachtlauf") || len(v.Faults) != 0 {
		t.Errorf("%+v %v", v, err)
	}
	again, err := w.Validate(t.Context(), []byte(v.Canonical))
	if err != nil || again.Canonical != v.Canonical || again.Hash != v.Hash {
		t.Errorf("%+v %v", again, err)
	}
	v, err = w.Validate(t.Context(), []byte("{}"))
	if err != nil || v.Valid || v.Canonical != "" || !hive.Refused(v.Faults) {
		t.Errorf("%+v %v", v, err)
	}
	// A handler that no executor offers is a warning, as soon as there is an executor.
	w.db.executors = []hive.Executor{
		{Handlers: []hive.Handler{{Name: "sql"}, {Name: "http"}}}, {Handlers: []hive.Handler{{Name: "sql"}}},
	}
	v, err = w.Validate(t.Context(), []byte(nightly))
	if err != nil || !v.Valid || len(v.Faults) != 1 || !v.Faults[0].Warning {
		t.Errorf("%+v %v", v, err)
	}
	if s := w.save("nightly"); len(s.Faults) != 1 {
		t.Errorf("%+v", s)
	}
	if len(w.db.schedules) != 1 {
		t.Error("checking saved something")
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, n := range []string{"c", "a", "d", "b"} {
		w.save(n)
	}
	list := func(after string, limit int) string {
		t.Helper()
		page, err := w.List(t.Context(), hive.ScheduleFilter{After: after, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, v := range page.Views {
			names = append(names, v.Schedule.Name)
			if v.Tasks != 1 || len(v.Triggers) != 1 || v.Usual != time.Duration(v.Schedule.ID)*time.Minute ||
				len(v.Recent) != 2 ||
				v.Recent[1].ID != 10*v.Schedule.ID+1 || v.Recent[1].Schedule != v.Schedule.Name ||
				v.Recent[1].Counts[hive.RunSucceeded] != int(v.Recent[1].ID) {
				t.Errorf("%+v", v)
			}
			if v.Title != "Nachtlauf" || v.Open != openOf[v.Schedule.ID] ||
				len(v.NextAt) != 1 || !v.NextAt[0].Equal(t0.Add(20*time.Minute)) {
				t.Errorf("%+v", v)
			}
		}
		return strings.Join(names, "")
	}
	for _, tc := range []struct {
		after string
		limit int
		want  string
	}{{"", 10, "abcd"}, {"", 2, "ab"}, {"b", 2, "cd"}, {"bb", 1, "c"}, {"d", 5, ""}, {"z", 5, ""}} {
		if got := list(tc.after, tc.limit); got != tc.want {
			t.Errorf("after %q: %s, want %s", tc.after, got, tc.want)
		}
	}
	reads := w.db.reads
	if list("", 10); w.db.reads != reads {
		t.Error("revisions that never change were read again")
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save("nightly")
	v, err := w.Get(t.Context(), "nightly")
	if err != nil || v.Title != "Nachtlauf" || len(v.NextAt) != 5 ||
		!strings.Contains(string(v.Definition), `"name":"nightly"`) {
		t.Errorf("%+v %v", v, err)
	}
	for _, number := range []int64{0, 1} {
		if r, err := w.Revision(t.Context(), "nightly", number); err != nil || r.Number != 1 {
			t.Errorf("%+v %v", r, err)
		}
	}
	_, err = w.Revision(t.Context(), "nightly", 2)
	refused(t, err, hive.CodeNotFound, "2")
	if list, err := w.Revisions(t.Context(), "nightly"); err != nil || len(list) != 1 {
		t.Errorf("%+v %v", list, err)
	}
	if err := w.SetEnabled(t.Context(), "nightly", false); err != nil || w.db.schedules[0].Enabled ||
		len(w.changed) != 2 {
		t.Errorf("%+v %v %v", w.db.schedules, w.changed, err)
	}
	if _, err := w.Ticks(t.Context(), "nightly", time.Time{}, 7); err != nil || w.db.ticks[0] != "1 true 7" {
		t.Errorf("%v %v", w.db.ticks, err)
	}
	for name, call := range map[string]func() error{
		"get":       func() error { _, err := w.Get(t.Context(), "no"); return err },
		"revision":  func() error { _, err := w.Revision(t.Context(), "no", 0); return err },
		"revisions": func() error { _, err := w.Revisions(t.Context(), "no"); return err },
		"ticks":     func() error { _, err := w.Ticks(t.Context(), "no", t0, 1); return err },
		"enable":    func() error { return w.SetEnabled(t.Context(), "no", true) },
	} {
		if err := call(); hive.CodeOf(err) != hive.CodeNotFound {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
}
