package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type alertEventRow struct {
	bun.BaseModel `bun:"table:alert_events,alias:e"`

	ID         int64  `bun:"id,pk,autoincrement"`
	Key        string `bun:"key"`
	Kind       string `bun:"kind"`
	Problem    string `bun:"problem"`
	Open       bool   `bun:"open"`
	ScheduleID int64  `bun:"schedule_id"`
	BatchID    int64  `bun:"batch_id"`
	At         int64  `bun:"at"`
	StoredAt   int64  `bun:"stored_at"`
	OverAt     int64  `bun:"over_at"`
	TakenBy    string `bun:"taken_by"`
	TakenAt    int64  `bun:"taken_at"`
	TakenNote  string `bun:"taken_note"`
	Facets     string `bun:"facets"`
}

func alertEventOf(e *hive.AlertEvent) (*alertEventRow, error) {
	facets, err := json.Marshal(&e.AlertFacets)
	if err != nil {
		return nil, fmt.Errorf("write the details of an event: %w", err)
	}
	return &alertEventRow{
		Key: text(e.Key), Kind: string(e.Kind), Problem: text(e.Problem), Open: e.Problem != "",
		ScheduleID: e.ScheduleID, BatchID: e.BatchID, At: ms(e.At), StoredAt: ms(e.StoredAt),
		Facets: text(string(facets)),
	}, nil
}

func (r *alertEventRow) hive() (hive.AlertEvent, error) {
	e := hive.AlertEvent{
		ID: r.ID, Key: r.Key, Kind: hive.AlertKind(r.Kind), Problem: r.Problem, Open: r.Open, ScheduleID: r.ScheduleID,
		BatchID: r.BatchID, At: at(r.At), StoredAt: at(r.StoredAt), OverAt: at(r.OverAt),
		TakenBy: r.TakenBy, TakenAt: at(r.TakenAt), TakenNote: r.TakenNote,
	}
	var err error
	e.AlertFacets, err = unpack[hive.AlertFacets](r.Facets)
	return e, err
}

// StoreAlertEvent stores an event with its deliveries. It deletes the fact that the event was made of, and ends the
// problem that is over, in the same transaction. It stores nothing and returns false if another server was first: if
// the fact is gone, the problem is over already, the key is taken, or another event of the problem is open.
func (s *Store) StoreAlertEvent(ctx context.Context, in hive.NewAlertEvent) (stored bool, err error) {
	row, err := alertEventOf(&in.Event)
	if err != nil {
		return false, err
	}
	err = s.write(ctx, "store an event", func(ctx context.Context, tx bun.Tx) error {
		stored = false
		if in.Fact != 0 {
			mine, err := deleteFact(ctx, tx, in.Fact)
			if err != nil || !mine {
				return err
			}
		}
		if in.Over != 0 {
			mine, err := s.endProblem(ctx, tx, in.Over, in.Event.StoredAt)
			if err != nil || !mine {
				return err
			}
		}
		err := tx.NewInsert().Model(row).On("CONFLICT DO NOTHING").Returning("id").Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		stored = true
		return insertDeliveries(ctx, tx, row.ID, in.Deliveries)
	})
	return stored && err == nil, err
}

// DropAlertFact deletes a fact that becomes no event.
func (s *Store) DropAlertFact(ctx context.Context, id int64) error {
	return s.write(ctx, "delete a fact", func(ctx context.Context, tx bun.Tx) error {
		_, err := deleteFact(ctx, tx, id)
		return err
	})
}

// EndAlertProblem notes that a problem is over, if it is not yet, and that nobody is notified of it.
func (s *Store) EndAlertProblem(ctx context.Context, event int64, now time.Time) error {
	return s.write(ctx, "end a problem", func(ctx context.Context, tx bun.Tx) error {
		_, err := s.endProblem(ctx, tx, event, now)
		return err
	})
}

func (s *Store) endProblem(ctx context.Context, tx bun.Tx, event int64, now time.Time) (bool, error) {
	res, err := tx.NewRaw("UPDATE alert_events SET open = ?, over_at = ? WHERE id = ? AND open", false, ms(now),
		event).Exec(ctx)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	return true, cancelEscalations(ctx, tx, now, "leased_until <= "+s.kind.now()+" AND event_id = ?", event)
}

// OpenAlertEvents lists the events whose problems last, oldest first.
func (s *Store) OpenAlertEvents(ctx context.Context) ([]hive.AlertEvent, error) {
	var rows []*alertEventRow
	if err := s.r.NewSelect().Model(&rows).Where("open").Order("id").Scan(ctx); err != nil {
		return nil, s.fault("list open events", err)
	}
	return alertEvents(ctx, s.r, rows)
}

// AlertEvents lists the events that a filter selects, latest first.
func (s *Store) AlertEvents(ctx context.Context, f hive.AlertFilter) ([]hive.AlertEvent, error) {
	var rows []*alertEventRow
	q := s.r.NewSelect().Model(&rows).OrderExpr("id DESC").Limit(pageSize(f.Limit))
	if f.Before != 0 {
		q = q.Where("id < ?", f.Before)
	}
	if f.Open {
		q = q.Where("open")
	}
	if f.Taken {
		q = q.Where("taken_at <> 0")
	}
	if f.Batch != 0 {
		q = q.Where("batch_id = ?", f.Batch)
	}
	if f.Schedule != "" {
		q = q.Where("schedule_id = "+scheduleNamed, text(f.Schedule))
	}
	if !f.Since.IsZero() {
		q = q.Where("at >= ?", ms(f.Since))
	}
	if !f.Until.IsZero() {
		q = q.Where("at < ?", ms(f.Until))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.fault("list events", err)
	}
	return alertEvents(ctx, s.r, rows)
}

// alertEvents makes the events of rows, and looks which of their batches are gone.
func alertEvents(ctx context.Context, tx bun.IDB, rows []*alertEventRow) ([]hive.AlertEvent, error) {
	out := make([]hive.AlertEvent, len(rows))
	var batches, found []int64
	for i, r := range rows {
		var err error
		if out[i], err = r.hive(); err != nil {
			return nil, err
		}
		if r.BatchID != 0 {
			batches = append(batches, r.BatchID)
		}
	}
	if len(batches) == 0 {
		return out, nil
	}
	if err := tx.NewRaw("SELECT id FROM batches WHERE id IN (?)", bun.List(batches)).Scan(ctx, &found); err != nil {
		return nil, err
	}
	there := make(map[int64]bool, len(found))
	for _, id := range found {
		there[id] = true
	}
	for i := range out {
		out[i].Gone = out[i].BatchID != 0 && !there[out[i].BatchID]
	}
	return out, nil
}

// AlertEventKnown reports whether an event with this key was stored, or one whose problem is open.
func (s *Store) AlertEventKnown(ctx context.Context, key, problem string) (bool, error) {
	var n int
	err := s.r.NewRaw("SELECT count(*) FROM (SELECT 1 FROM alert_events WHERE key = ? UNION ALL "+
		"SELECT 1 FROM alert_events WHERE open AND problem = ?) AS k", text(key), text(problem)).Scan(ctx, &n)
	return n > 0, s.fault("look for an event", err)
}

// PruneAlerts deletes at most limit events that were stored before a moment and are over, with their deliveries and
// tries. Events with a pending delivery stay.
func (s *Store) PruneAlerts(ctx context.Context, before time.Time, limit int) (deleted int, err error) {
	err = s.write(ctx, "delete old events", func(ctx context.Context, tx bun.Tx) error {
		var ids []int64
		err := tx.NewRaw("SELECT id FROM alert_events AS e WHERE NOT open AND stored_at < ? AND NOT EXISTS "+
			"(SELECT 1 FROM alert_deliveries AS d WHERE d.event_id = e.id AND d.state = 'pending') ORDER BY id LIMIT ?",
			ms(before), limit).Scan(ctx, &ids)
		if err != nil || len(ids) == 0 {
			return err
		}
		deleted = len(ids)
		for _, query := range []string{
			"DELETE FROM alert_tries WHERE delivery_id IN (SELECT id FROM alert_deliveries WHERE event_id IN (?))",
			"DELETE FROM alert_deliveries WHERE event_id IN (?)",
			"DELETE FROM alert_events WHERE id IN (?)",
		} {
			if _, err := tx.NewRaw(query, bun.List(ids)).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return deleted, err
}
