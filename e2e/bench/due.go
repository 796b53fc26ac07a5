package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // to look at the ledger
	"golang.org/x/sync/errgroup"

	"github.com/rprp/hivego/executor/sdk"
)

// The size of the measure of many due schedules.
const (
	dueProbe   = 200              // schedules saved to learn the time that each takes
	dueSavers  = 8                // at once
	dueReserve = 20 * time.Second // between the last one saved and the moment, at least
	dueLook    = 5 * time.Millisecond
)

// due is a handler that records how long after the moment of its batch it was called, and for which schedule.
type due struct {
	mu    sync.Mutex
	late  []float64      // ms
	calls map[string]int // by schedule
	total atomic.Int64
}

// Info describes it.
func (h *due) Info() sdk.Info { return sdk.Info{Name: "due", ParamsSchema: `{"type":"object"}`} }

// Run records the call.
func (h *due) Run(_ context.Context, t *sdk.Task) error {
	late := time.Since(t.Moment)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.late = append(h.late, micros(late)/1000)
	h.calls[t.Schedule]++
	h.total.Add(1)
	return nil
}

// due measures schedules that are all due in the same second: how many of them the ledger and the executor missed or
// did twice; and how long after that second each batch is stored and each task is called.
func (b *bench) due(ctx context.Context, s *system, database string) error {
	ledger, err := s.ledger()
	if err != nil {
		return err
	}
	defer ledger.Close()
	s.due.calls = map[string]int{}
	moment, err := b.saveDue(ctx, s)
	if err != nil {
		return err
	}
	var before int64
	if err := ledger.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM ticks").Scan(&before); err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	if time.Until(moment) <= 0 {
		return errors.New("saving the schedules took longer than it seemed: the moment is over")
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(moment)):
	}
	var stored []float64 // ms after the moment, of each tick with its batch
	for began := time.Now(); len(stored) < b.schedules || s.due.total.Load() < int64(b.schedules); time.Sleep(dueLook) {
		var n int
		err := ledger.QueryRowContext(ctx, "SELECT COUNT(*) FROM ticks WHERE id > "+fmt.Sprint(before)).Scan(&n)
		if err != nil {
			return fmt.Errorf("read the ledger: %w", err)
		}
		for at := micros(time.Since(moment)) / 1000; len(stored) < n; {
			stored = append(stored, at)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Since(began) > patience {
			break // the rest is missed
		}
	}
	err = s.await(ctx, func() (bool, error) {
		var live int
		err := ledger.QueryRowContext(ctx, "SELECT COUNT(*) FROM batches WHERE live").Scan(&live)
		return live == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait for the end of the batches: %w", err)
	}
	missed, double, err := s.doubts(ctx, ledger, moment)
	if err != nil {
		return err
	}
	b.addDue(database, missed, double, stored, s.due.late)
	return nil
}

// saveDue saves the schedules and returns the moment at which all of them are due.
func (b *bench) saveDue(ctx context.Context, s *system) (time.Time, error) {
	save := func(prefix string, n int, moment time.Time) error {
		var all errgroup.Group
		all.SetLimit(dueSavers)
		for i := range n {
			all.Go(func() error {
				name := fmt.Sprintf("%s%d", prefix, i)
				return s.save(ctx, name,
					fmt.Sprintf("apiVersion: hivego/v1\nkind: Schedule\nname: %s\ntriggers: [{cron: \"%s\"}]\n"+
						"jobs:\n  - {key: one, tasks: [{key: a, handler: due}]}\n", name, moment.Format("4 15 2 1 *")))
			})
		}
		return all.Wait()
	}
	began := time.Now()
	if err := save("probe", dueProbe, began.UTC().Add(-24*time.Hour)); err != nil { // due in a year
		return time.Time{}, err
	}
	all := time.Since(began) * time.Duration(b.schedules) / dueProbe
	moment := time.Now().Add(all + all/2 + dueReserve + time.Minute).Truncate(time.Minute).UTC()
	return moment, save("due", b.schedules, moment)
}

// ledger opens the system's database beside it.
func (s *system) ledger() (*sql.DB, error) {
	if s.database != "" {
		return sql.Open("pgx", s.database)
	}
	return sql.Open("sqlite", "file:"+filepath.Join(s.data, "hivego.db")+"?mode=ro&_pragma=busy_timeout(10000)")
}

// doubts counts the schedules that lack a fired tick, a succeeded batch or a call of their task, and the schedules that
// have one of these twice.
func (s *system) doubts(ctx context.Context, ledger *sql.DB, moment time.Time) (missed, double int, err error) {
	rows, err := ledger.QueryContext(ctx, "SELECT s.name, "+
		"(SELECT COUNT(*) FROM ticks t WHERE t.schedule_id = s.id AND t.decision = 'fired' AND t.moment = "+
		fmt.Sprint(moment.UnixMilli())+"), "+
		"(SELECT COUNT(*) FROM batches b WHERE b.schedule_id = s.id), "+
		"(SELECT COUNT(*) FROM batches b WHERE b.schedule_id = s.id AND b.state = 'succeeded') FROM schedules s")
	if err != nil {
		return 0, 0, fmt.Errorf("read the ledger: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var ticks, batches, succeeded int
		if err := rows.Scan(&name, &ticks, &batches, &succeeded); err != nil {
			return 0, 0, fmt.Errorf("read the ledger: %w", err)
		}
		if !strings.HasPrefix(name, "due") {
			continue
		}
		counts := []int{ticks, batches, succeeded, s.due.calls[name]}
		if slices.Min(counts) < 1 {
			missed++
		}
		if slices.Max(counts) > 1 {
			double++
		}
	}
	return missed, double, rows.Err()
}

func (b *bench) addDue(database string, missed, double int, stored, called []float64) {
	one := func(v float64) stat { return stat{Median: v, Min: v, Max: v, N: 1} }
	b.rep.Measures = append(b.rep.Measures,
		row{
			Name: fmt.Sprintf("%d schedules due in one second, missed, %s", b.schedules, database),
			Stat: one(float64(missed)), Floor: "0", Goal: "0",
		},
		row{Name: "  done twice", Stat: one(float64(double)), Floor: "0", Goal: "0"})
	for _, m := range []struct {
		name string
		ms   []float64
	}{{"its batch is stored", stored}, {"its task is called", called}} {
		slices.Sort(m.ms)
		b.rep.Measures = append(b.rep.Measures,
			row{Name: "  from the second until " + m.name, Unit: "ms", Stat: statOf(m.ms)},
			row{Name: "  p99 of it", Unit: "ms", Stat: one(part(m.ms, 0.99)), Floor: "2000 ms", Goal: "500 ms"})
	}
}

// part returns the value below which a share of the sorted values lies.
func part(sorted []float64, of float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(float64(len(sorted))*of), len(sorted)-1)]
}
