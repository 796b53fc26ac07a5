package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// chainStore is what the schedules of a chain wait for, in memory.
type chainStore struct {
	results map[int64][]hive.MomentResult
	waiting map[int64][]hive.Tick
	batches map[int64]hive.Batch
	reads   []string
	caused  map[string][]hive.ScheduleMoment // by schedule and moment
}

func (s *chainStore) CausedMoments(_ context.Context, id int64, at time.Time, _ int) ([]hive.ScheduleMoment, error) {
	return s.caused[fmt.Sprint(id, " ", at.Format("01-02 15:04"))], nil
}

func (s *chainStore) MomentResults(_ context.Context, id int64, after, until time.Time, limit int) (
	[]hive.MomentResult, error,
) {
	s.reads = append(s.reads, fmt.Sprint(id, " ", after.Format("01-02 15:04")))
	var out []hive.MomentResult
	for _, r := range s.results[id] {
		if r.Moment.After(after) && !r.Moment.After(until) && len(out) < limit {
			out = append(out, r)
		}
	}
	return out, nil
}

func (s *chainStore) LastOfTrigger(context.Context, int64, string) (time.Time, error) {
	return time.Time{}, nil
}

func (s *chainStore) WaitingTicks(_ context.Context, ids []int64) (map[int64][]hive.Tick, error) {
	out := map[int64][]hive.Tick{}
	for _, id := range ids {
		out[id] = s.waiting[id]
	}
	return out, nil
}

func (s *chainStore) Batch(_ context.Context, id int64) (hive.Batch, error) {
	b, ok := s.batches[id]
	if !ok {
		return b, hive.Errorf(hive.CodeNotFound, "there is no batch %d", id)
	}
	return b, nil
}

// saveAfter saves a schedule that waits for others.
func (w *world) saveAfter(name string, after ...string) {
	w.Helper()
	trigger := "{cron: 20 3 * * *}"
	if len(after) > 0 {
		var list []string
		for _, one := range after {
			list = append(list, "{schedule: "+one+", window: same_day}")
		}
		trigger = "{after: [" + strings.Join(list, ", ") + "]}"
	}
	document := "apiVersion: hivego/v1\nkind: Schedule\nname: " + name + "\ntriggers: [" + trigger + "]\n" +
		"jobs:\n  - key: all\n    tasks: [{key: a, handler: shell, params: {command: 'true'}}]\n"
	if _, err := w.Save(w.Context(), hive.SaveRequest{Name: name, Document: []byte(document), By: "ada"}); err != nil {
		w.Fatal(err)
	}
}

func TestChainPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveAfter("raw")
	w.saveAfter("side")
	w.saveAfter("other")
	w.saveAfter("clean", "raw", "gone")
	w.saveAfter("mart", "clean", "side")
	w.saveAfter("mail", "mart")
	at := t0.Truncate(24 * time.Hour)
	w.db.chain.results = map[int64][]hive.MomentResult{
		1: {{Moment: t0.Add(-time.Hour), Decision: hive.DecisionFired, Batch: 77, State: hive.BatchFailed}},
		4: {{Moment: at, Decision: hive.DecisionWaiting}},
	}
	w.db.chain.waiting = map[int64][]hive.Tick{4: {{ScheduleID: 4, Moment: at, Decision: hive.DecisionWaiting}}}
	w.db.chain.batches = map[int64]hive.Batch{77: {
		ID: 77, ScheduleID: 1, State: hive.BatchFailed, StartedAt: t0.Add(-time.Hour), FinishedAt: t0,
	}}
	c, err := w.Chain(t.Context(), hive.ChainRequest{Schedule: "clean", ResumeAt: t0.Add(-time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for i := range c.Links {
		places = append(places, fmt.Sprintf("%s %s %v", c.Links[i].Schedule, c.Links[i].Place, c.Links[i].Missing))
	}
	want := []string{
		"raw before false", "gone before true", "clean subject false", "side beside false", "mart after false",
		"mail after false",
	}
	slices.Sort(places)
	slices.Sort(want)
	if !slices.Equal(places, want) || c.Cut || !c.ResumeAt.Equal(t0) {
		t.Errorf("%q, %v, %s", places, c.Cut, c.ResumeAt)
	}
	if len(c.Failures) != 1 || c.Failures[0].Batch != 77 || c.Failures[0].Of != 77 {
		t.Errorf("%+v", c.Failures)
	}
}

// A chain with too many moments in a window shows the latest, and says that it is not complete.
func TestChainOfManyMoments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveAfter("raw")
	w.saveAfter("mart", "raw")
	at := t0.AddDate(0, 0, -30)
	w.db.chain.waiting = map[int64][]hive.Tick{2: {{ScheduleID: 2, Moment: at, Decision: hive.DecisionWaiting}}}
	w.db.chain.results = map[int64][]hive.MomentResult{}
	for ; !at.After(t0); at = at.Add(time.Minute) {
		w.db.chain.results[1] = append(w.db.chain.results[1], hive.MomentResult{
			Moment: at, Decision: hive.DecisionFired, Batch: at.Unix(), State: hive.BatchSucceeded,
		})
	}
	c, err := w.Chain(t.Context(), hive.ChainRequest{Schedule: "raw"})
	if err != nil {
		t.Fatal(err)
	}
	bars := c.Links[0].Bars
	if !c.Cut || len(bars) == 0 || !bars[len(bars)-1].Moment.After(t0.Add(-time.Hour)) {
		t.Errorf("cut %v, %d bars: %+v", c.Cut, len(bars), bars)
	}
}

func TestChainLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveAfter("raw")
	for n := range hive.MaxChain {
		w.saveAfter(fmt.Sprint("mart-", n), "raw")
	}
	c, err := w.Chain(t.Context(), hive.ChainRequest{Schedule: "raw"})
	if err != nil || len(c.Links) != hive.MaxChain || !c.Cut || !c.ResumeAt.IsZero() {
		t.Errorf("%d links, cut %v: %v", len(c.Links), c.Cut, err)
	}
	_, err = w.Chain(t.Context(), hive.ChainRequest{Schedule: "raw", ResumeAt: t0.AddDate(0, 0, 8)})
	var refused *hive.Error
	if !errors.As(err, &refused) || refused.Reason != hive.ErrorChainResume {
		t.Errorf("a resume in eight days: %v", err)
	}
	if _, err = w.Chain(t.Context(), hive.ChainRequest{Schedule: "nobody"}); hive.CodeOf(err) != hive.CodeNotFound {
		t.Errorf("an unknown schedule: %v", err)
	}
}
