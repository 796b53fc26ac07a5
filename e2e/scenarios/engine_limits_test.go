package scenarios

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/limit"
)

var _ LimitDriver = (*fullDriver)(nil)

// otherBatch is the batch of another schedule of a scenario.
type otherBatch struct {
	id, schedule int64
	tags         []string
}

// scheduleName returns the name in the database of a schedule in a file.
func (d *fullDriver) scheduleName(name string) string {
	if name == MainSchedule {
		return d.name
	}
	return d.name + "-" + name
}

// limitService makes the service that sets limits in the database. It finds tags in the definitions of the scenario.
func (d *fullDriver) limitService() *limit.Service {
	return limit.New(limit.Config{
		Store: d.store, Changed: func() {}, Now: func() time.Time { return d.now }, Log: slog.New(slog.DiscardHandler),
		Labeled: func(_ context.Context, tag, _ string) ([]int64, error) {
			var ids []int64
			for _, one := range d.others {
				if slices.Contains(one.tags, tag) {
					ids = append(ids, one.schedule)
				}
			}
			return ids, nil
		},
	})
}

// readLimits gives the owner the limits, as the session does at its begin and after each change.
func (d *fullDriver) readLimits(ctx context.Context) error {
	if !d.limited {
		return nil
	}
	s, err := d.limitService().State(ctx)
	d.owner.SetLimits(s)
	return err
}

func (d *fullDriver) Limit(ctx context.Context, changes []LimitChange) error {
	if err := d.restartIfAsked(ctx); err != nil {
		return err
	}
	d.limited = true
	for _, c := range changes {
		key := c.LimitKey
		var err error
		switch {
		case key.Kind == hive.LimitSchedule:
			key.Name = d.scheduleName(key.Name)
		case key.Kind == hive.LimitGroup && !c.Off:
			err = d.store.SaveExecutor(ctx, hive.Executor{
				ID: executorOf(key.Name), Name: key.Name, Group: key.Name, Address: key.Name + ":1", Slots: 9,
			})
		}
		if err == nil && c.Off {
			err = d.limitService().Delete(ctx, key, "scenario")
		} else if err == nil {
			_, err = d.limitService().Set(ctx, hive.Limit{LimitKey: key, Most: c.Most, SetBy: "scenario"})
		}
		if err != nil {
			return err
		}
	}
	if err := d.readLimits(ctx); err != nil {
		return err
	}
	return d.runToRest(ctx)
}

func (d *fullDriver) Waits(ctx context.Context) (map[string]string, error) {
	if err := d.restartIfAsked(ctx); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, id := range append([]int64{d.batch}, d.otherIDs()...) {
		v, ok := d.owner.View(id)
		for n := 0; ok && n < len(v.Runs); n++ {
			if on := v.WaitFor[n]; v.Runs[n].State == hive.RunReady && v.Runs[n].Attempt == 0 {
				out[runName(&v.Runs[n])] = on
			}
		}
	}
	return out, nil
}

// otherRuns returns the stored runs of the other batches. Those that are ready are stored as waiting.
func (d *fullDriver) otherRuns(ctx context.Context) (runs []hive.Run, err error) {
	for _, id := range d.otherIDs() {
		img, err := d.store.BatchSnapshot(ctx, id)
		if err != nil {
			return nil, err
		}
		v, ok := d.owner.View(id)
		for n := range img.Runs {
			if ok && v.Runs[n].State == hive.RunReady {
				img.Runs[n].State = hive.RunReady
			}
		}
		runs = append(runs, img.Runs...)
	}
	return runs, nil
}

func (d *fullDriver) otherIDs() (ids []int64) {
	for _, one := range d.others {
		if one.id != 0 {
			ids = append(ids, one.id)
		}
	}
	return ids
}

// createLimited sets the limits of a scenario before its first batch.
func (d *fullDriver) createLimited(ctx context.Context, s *Scenario) error {
	if !s.Limited() {
		return nil
	}
	main, err := d.store.Schedule(ctx, d.name)
	if err != nil {
		return err
	}
	d.others = []otherBatch{{schedule: main.ID, tags: s.Definition.Tags}}
	return d.Limit(ctx, s.Limits)
}

// createOthers starts a batch of each other schedule.
func (d *fullDriver) createOthers(ctx context.Context, s *Scenario) error {
	main := d.batch
	defer func() { d.batch = main }()
	for _, name := range slices.Sorted(maps.Keys(s.Others)) {
		def := s.Others[name]
		named := *def
		named.Name = d.scheduleName(name)
		if err := d.save(ctx, &named, named.Name); err != nil {
			return err
		}
		schedule, err := d.store.Schedule(ctx, named.Name)
		if err != nil {
			return err
		}
		d.others = append(d.others, otherBatch{schedule: schedule.ID, tags: def.Tags})
		if err := d.readLimits(ctx); err != nil {
			return err
		}
		id, err := d.create(ctx, &Scenario{Definition: &named}, named.Name, hive.ReasonNone)
		if err != nil {
			return err
		}
		d.others[len(d.others)-1].id = id
	}
	return nil
}

// executorOf returns the id of the only executor of a group.
func executorOf(group string) string {
	if group == hive.DefaultGroup {
		return "executor"
	}
	return "executor-" + group
}

// TestLimitScenarios plays the scenarios with limits on each database, one after another because limits count all
// batches of a database: once as they are, and once losing all memory before every step.
func TestLimitScenarios(t *testing.T) {
	t.Parallel()
	all, err := Load("data")
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(s Scenario) bool { return !s.Limited() })
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		store := open()
		for i := range all {
			for _, restart := range []bool{false, true} {
				limits, err := store.Limits(t.Context())
				for _, l := range limits {
					err = store.DeleteLimit(t.Context(), l.LimitKey)
				}
				if err != nil {
					t.Fatal(err)
				}
				d := newWhole(t, store, fmt.Sprintf("s%d-%t", i, restart), restart, newTally())
				if err := Play(t.Context(), &all[i], d); err != nil {
					t.Errorf("restart %t: %v", restart, err)
				}
				if held, err := store.HeldSlots(t.Context()); err != nil || len(held) > 0 {
					t.Fatalf("%s leaves attempts behind: %v %v", all[i].Name, held, err)
				}
			}
		}
	})
}
