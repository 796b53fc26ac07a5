package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"
)

// The sizes of the measure of many schedules.
const (
	fewSchedules  = 1_000
	manySchedules = 100_000
	pagesRead     = 20 // of the list, for each start
	oftenDue      = 20 // of the schedules, which are due every five seconds; all others once a day
	watched       = 20 * time.Second
)

// copied is the schedule whose copies are measured.
const copied = "apiVersion: hivego/v1\nkind: Schedule\nname: copy\ntriggers: [{cron: \"7 3 * * *\"}]\njobs:\n" +
	"  - {key: one, tasks: [{key: a, handler: shell, params: {command: \"true\"}}]}\n"

// many is what is measured of a server with so many schedules.
type many struct {
	first             float64 // s until it is ready with schedules that no ticker knows, as after an upgrade
	ready, page, over stat    // s, ms, ms
	late              stat    // ms from a moment until its tick is decided
	memory            stat    // MB
}

// manyOf measures starts and pages with few and with many schedules.
func (b *bench) manyOf(ctx context.Context) error {
	if !b.asked("schedules") {
		return nil
	}
	few, err := b.measureMany(ctx, fewSchedules)
	if err != nil {
		return fmt.Errorf("schedules: %w", err)
	}
	all, err := b.measureMany(ctx, manySchedules)
	if err != nil {
		return fmt.Errorf("schedules: %w", err)
	}
	for _, m := range []struct {
		name, unit string
		few, all   stat
	}{
		{"a start until it is ready", "s", few.ready, all.ready},
		{"a page of 50 of the list", "ms", few.page, all.page},
		{"the overview of the home page", "ms", few.over, all.over},
	} {
		b.rep.Measures = append(b.rep.Measures,
			row{Name: fmt.Sprintf("%d schedules: %s", fewSchedules, m.name), Unit: m.unit, Stat: m.few},
			row{
				Name: fmt.Sprintf("  with %d", manySchedules), Unit: m.unit, Stat: m.all,
				Ratio: m.all.Median / m.few.Median, By: "few", Floor: "2 few", Goal: "1.5 few",
			})
	}
	const late = "from a moment until its tick is decided"
	b.rep.Measures = append(b.rep.Measures,
		row{Name: fmt.Sprintf("%d schedules: %s", fewSchedules, late), Unit: "ms", Stat: few.late},
		row{Name: fmt.Sprintf("  with %d", manySchedules), Unit: "ms", Stat: all.late})
	const kb = 1024. / (manySchedules - fewSchedules)
	b.rep.Measures = append(b.rep.Measures,
		row{
			Name: "  memory of a schedule (RSS)", Unit: "KB", Floor: "4 KB", Goal: "1 KB",
			Stat: stat{
				Median: (all.memory.Median - few.memory.Median) * kb, N: b.reps,
				Min: (all.memory.Min - few.memory.Max) * kb, Max: (all.memory.Max - few.memory.Min) * kb,
			},
		},
		row{
			Name: fmt.Sprintf("  the first start after an upgrade, with %d", manySchedules), Unit: "s",
			Stat: stat{Median: all.first, Min: all.first, Max: all.first, N: 1},
		})
	return nil
}

func (b *bench) measureMany(ctx context.Context, n int) (m many, err error) {
	r, err := b.startReal(ctx, fmt.Sprintf("schedules%d", n))
	if r != nil {
		defer func() {
			if r.cmd.Process != nil {
				err = errors.Join(err, r.stop())
			}
		}()
	}
	if err != nil {
		return m, err
	}
	if err := r.save(ctx, "copy", copied); err != nil {
		return m, err
	}
	if err := r.stop(); err != nil {
		return m, err
	}
	if err := copySchedules(ctx, filepath.Join(r.data, "hivego.db"), n); err != nil {
		return m, err
	}
	began := time.Now()
	if err := r.start(ctx); err != nil {
		return m, err
	}
	m.first = time.Since(began).Seconds()
	time.Sleep(settle)
	var ready, memory, pages, overs, late []float64
	for range b.reps {
		if err := r.stop(); err != nil {
			return m, err
		}
		began := time.Now()
		if err := r.start(ctx); err != nil {
			return m, err
		}
		ready = append(ready, time.Since(began).Seconds())
		time.Sleep(settle)
		memory = append(memory, residentMB(strconv.Itoa(r.cmd.Process.Pid)))
		for i := range pagesRead {
			page, err := r.get(ctx, fmt.Sprintf("/api/v1/schedules?limit=50&after=copy%06d", i*n/pagesRead))
			if err != nil {
				return m, err
			}
			over, err := r.get(ctx, "/api/v1/overview")
			if err != nil {
				return m, err
			}
			pages, overs = append(pages, page), append(overs, over)
		}
		some, err := r.lateTicks(ctx)
		if err != nil {
			return m, err
		}
		late = append(late, some...)
	}
	m.ready, m.memory, m.page, m.over = statOf(ready), statOf(memory), statOf(pages), statOf(overs)
	m.late = statOf(late)
	return m, nil
}

// lateTicks watches the schedules that are due often for a while, and returns how many ms after its moment each of
// their ticks was decided.
func (r *program) lateTicks(ctx context.Context) ([]float64, error) {
	began := time.Now()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(watched):
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(r.data, "hivego.db")+"?mode=ro&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SELECT t.decided_at - t.moment FROM ticks AS t JOIN schedules AS s "+
		"ON s.id = t.schedule_id WHERE t.moment > ? AND s.name <= ?", began.UnixMilli(),
		fmt.Sprintf("copy%06d", oftenDue))
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	defer rows.Close()
	var late []float64
	for rows.Next() {
		var one float64
		if err := rows.Scan(&one); err != nil {
			return nil, fmt.Errorf("read the ledger: %w", err)
		}
		late = append(late, one)
	}
	if want := oftenDue * int(watched/(5*time.Second)-1); len(late) < want {
		return nil, fmt.Errorf("the ledger has %d ticks, expected %d", len(late), want)
	}
	return late, rows.Err()
}

// get reads an address and returns how many ms that took.
func (r *program) get(ctx context.Context, address string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.addr+address, http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	began := time.Now()
	a, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	took := micros(time.Since(began)) / 1000
	if a.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", address, a.Status)
	}
	return took, errors.Join(err, a.Body.Close())
}

// copySchedules copies the only schedule of a stopped server, as often as wanted. The first copies are due every five
// seconds, the others once a day, at different minutes.
func copySchedules(ctx context.Context, file string, n int) error {
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		return err
	}
	const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
	const named = "printf('copy%06d', i)"
	for _, query := range []string{
		numbers + "INSERT INTO schedules (name, enabled, revision, mark, counted, created_at, updated_at) " +
			"SELECT " + named + ", enabled, 1, mark, 0, created_at, updated_at FROM schedules, n WHERE name = 'copy'",
		numbers + "INSERT INTO revisions (schedule_id, number, document, hash, created_at, created_by) " +
			"SELECT c.id, 1, replace(replace(r.document, 'copy', c.name), '7 3 * * *', " +
			"CASE WHEN i <= " + strconv.Itoa(oftenDue) + " THEN '*/5 * * * * *' " +
			"ELSE (i % 60) || ' ' || (i % 24) || ' * * *' END), r.hash || i, r.created_at, r.created_by " +
			"FROM n JOIN schedules AS c ON c.name = " + named + ", revisions AS r JOIN schedules AS s " +
			"ON s.id = r.schedule_id WHERE s.name = 'copy'",
	} {
		if _, err := db.ExecContext(ctx, query, n); err != nil {
			return errors.Join(fmt.Errorf("copy the schedule: %w", err), db.Close())
		}
	}
	return db.Close()
}
