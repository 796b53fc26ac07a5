package waits

import (
	"log/slog"
	"time"

	"github.com/rprp/hivego/server/backfill"
	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/hive"
)

// fill is a backfill that a story makes and sees to its end.
type fill struct {
	Schedule    string
	Moments     []string
	Alone       bool // without dependants
	TickerFirst bool `yaml:"tickerFirst"` // the ticker hears of each end before the backfill goes on
}

// fill makes a backfill and lets all its batches succeed.
func (p *player) fill(f *fill) {
	p.t.Helper()
	ctx := p.t.Context()
	var made []int64
	driver := backfill.NewDriver(backfill.DriverConfig{
		Store: p.store, Server: func() hive.Server { return p.server }, NewRuns: batch.NewRuns,
		Now: func() time.Time { return p.now }, Graphs: &p.graphs, Log: slog.New(slog.DiscardHandler),
		Made: func(ids []int64) { made = append(made, ids...) }, Notify: func(int64) {},
	})
	service := backfill.New(backfill.Config{
		Schedules: p.store, Store: p.store, Graphs: &p.graphs, Now: func() time.Time { return p.now },
		Changed: func() {}, Notify: func(int64) {}, Dependants: p.catalog.FillMembers,
	})
	r := hive.BackfillRequest{Schedule: f.Schedule, By: "ada", WithDependants: !f.Alone}
	for _, at := range f.Moments {
		r.Moments = append(r.Moments, p.moment(at).Format(time.RFC3339))
	}
	b, err := service.Create(ctx, r)
	for steps := 0; err == nil && b.State != hive.BackfillDone && steps < 100; steps++ {
		driver.RunOnce(ctx)
		for _, id := range made {
			b := p.batch(id)
			p.change(b, hive.BatchSucceeded)
			p.ticker.Ended(b.ScheduleID)
			if f.TickerFirst {
				p.settle()
			}
		}
		made = nil
		b, err = p.store.Backfill(ctx, b.ID)
	}
	if err != nil || b.State != hive.BackfillDone {
		p.t.Fatalf("%s: the backfill is %+v, %v", p.step, b, err)
	}
	p.settle()
}

// count compares how many batches "schedule moment" has.
func (p *player) count(what string, want int) {
	p.t.Helper()
	h, at := p.of(what)
	list, err := p.store.Batches(p.t.Context(), hive.BatchFilter{Schedule: h.Name, Limit: 500})
	if err != nil {
		p.t.Fatal(err)
	}
	n := 0
	for i := range list {
		if list[i].Moment.Equal(at) {
			n++
		}
	}
	if n != want {
		p.t.Fatalf("%s: %s has %d batches, want %d", p.step, what, n, want)
	}
}
