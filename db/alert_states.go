package db

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// inOneQuery is how many ids one query of the watcher has.
const inOneQuery = 500

// BatchesByID reads batches by their ids. Those that do not exist are left out.
func (s *Store) BatchesByID(ctx context.Context, ids []int64) ([]hive.Batch, error) {
	out := make([]hive.Batch, 0, len(ids))
	for some := range slices.Chunk(ids, inOneQuery) {
		var rows []*batchRow
		if err := selectBatches(s.r, &rows).Where("b.id IN (?)", bun.List(some)).Order("b.id").Scan(ctx); err != nil {
			return nil, s.fault("read batches", err)
		}
		for _, r := range rows {
			b, err := r.hive()
			if err != nil {
				return nil, err
			}
			out = append(out, b)
		}
	}
	return out, nil
}

// NextSuccess returns the first batch of a schedule after one that has succeeded, without backfills; 0 if there is
// none.
func (s *Store) NextSuccess(ctx context.Context, schedule, after int64) (int64, error) {
	var id int64
	err := s.r.NewRaw("SELECT id FROM batches WHERE schedule_id = ? AND id > ? AND state = 'succeeded' AND "+
		"kind <> 'backfill' ORDER BY id LIMIT 1", schedule, after).Scan(ctx, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, s.fault("look for a success", err)
}

// LastSuccesses returns the last batches of schedules that have succeeded, without backfills, by schedule. Schedules
// without one are left out.
func (s *Store) LastSuccesses(ctx context.Context, schedules []int64) (map[int64]int64, error) {
	out := make(map[int64]int64, len(schedules))
	for ids := range slices.Chunk(schedules, inOneQuery) {
		var rows []struct {
			ID   int64 `bun:"id"`
			Last int64 `bun:"last"`
		}
		err := s.r.NewRaw("SELECT s.id, COALESCE((SELECT b.id FROM batches AS b WHERE b.schedule_id = s.id AND "+
			"b.state = 'succeeded' AND b.kind <> 'backfill' ORDER BY b.id DESC LIMIT 1), 0) AS last "+
			"FROM schedules AS s WHERE s.id IN (?)", bun.List(ids)).Scan(ctx, &rows)
		if err != nil {
			return nil, s.fault("look for successes", err)
		}
		for _, r := range rows {
			if r.Last != 0 {
				out[r.ID] = r.Last
			}
		}
	}
	return out, nil
}

// RunIsHeld reports whether a task of a batch is held for a person.
func (s *Store) RunIsHeld(ctx context.Context, batch int64, task string) (bool, error) {
	var n int
	err := s.r.NewRaw("SELECT count(*) FROM runs WHERE batch_id = ? AND task = ? AND state = 'unknown' AND reason = ?",
		batch, text(task), string(hive.ReasonHeld)).Scan(ctx, &n)
	return n > 0, s.fault("read a task", err)
}

// StartOf returns what became of the batch of a moment: its id, its state, and whether its tick still waits. The state
// is empty if the moment has no batch.
func (s *Store) StartOf(ctx context.Context, schedule int64, moment time.Time) (hive.MomentStart, error) {
	var rows []struct {
		Decision string `bun:"decision"`
		BatchID  int64  `bun:"batch_id"`
		State    string `bun:"state"`
	}
	err := s.r.NewRaw("SELECT t.decision, t.batch_id, COALESCE(b.state, '') AS state FROM ticks AS t "+
		"LEFT JOIN batches AS b ON b.id = t.batch_id WHERE t.schedule_id = ? AND t.moment = ?", schedule, ms(moment)).
		Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return hive.MomentStart{}, s.fault("read what became of a moment", err)
	}
	return hive.MomentStart{
		Waits: rows[0].Decision == string(hive.DecisionWaiting), Batch: rows[0].BatchID,
		State: hive.BatchState(rows[0].State),
	}, nil
}

// SkippingSchedules lists the schedules with ticks that were skipped because of overlap, among those with an id above
// after, and returns the greatest id of all ticks.
func (s *Store) SkippingSchedules(ctx context.Context, after int64) (schedules []int64, last int64, err error) {
	if err := s.r.NewRaw("SELECT COALESCE(MAX(id), 0) FROM ticks").Scan(ctx, &last); err != nil {
		return nil, 0, s.fault("read the newest tick", err)
	}
	err = s.r.NewRaw("SELECT DISTINCT schedule_id FROM ticks WHERE id > ? AND decision = 'skipped' AND "+
		"rule = 'overlap' ORDER BY schedule_id", after).Scan(ctx, &schedules)
	return schedules, last, s.fault("list skipped ticks", err)
}

// FailedChannels lists, for each channel whose last message was not delivered, the last such delivery, if it was given
// up at a moment or later.
func (s *Store) FailedChannels(ctx context.Context, since time.Time) ([]hive.AlertDelivery, error) {
	var rows []*alertDeliveryRow
	err := s.r.NewRaw("SELECT d.* FROM alert_deliveries AS d WHERE d.state = 'failed' AND d.done_at >= ? AND "+
		"NOT EXISTS (SELECT 1 FROM alert_deliveries AS o WHERE o.channel = d.channel AND "+
		"o.state IN ('sent', 'failed') AND "+
		"(o.done_at > d.done_at OR o.done_at = d.done_at AND o.id > d.id)) ORDER BY d.id", ms(since)).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list channels that fail", err)
	}
	out := make([]hive.AlertDelivery, len(rows))
	for i, r := range rows {
		out[i] = r.hive()
	}
	return out, nil
}

// AliveServers lists the ids of the servers whose sessions last.
func (s *Store) AliveServers(ctx context.Context) ([]string, error) {
	var ids []string
	err := s.r.NewRaw("SELECT id FROM servers WHERE lease_until > "+s.kind.now()+" ORDER BY id").Scan(ctx, &ids)
	return ids, s.fault("list servers", err)
}
