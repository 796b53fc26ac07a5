package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// prunable is the condition that a batch b may be deleted: nothing is left to do for it, no person has to see it,
// nothing reads it, and no hook that follows it runs. ?0 is the latest end, ?1 the floor of its schedule. An older
// batch of the same moment goes first, because the newest one is the result of the moment.
const prunable = "NOT b.live AND b.finished_at > 0 AND b.finished_at < ?0 AND b.moment <= ?1 " +
	"AND (b.state <> 'failed' OR b.closed_note <> '') " +
	"AND NOT EXISTS (SELECT 1 FROM batches AS o WHERE o.schedule_id = b.schedule_id AND o.moment = b.moment " +
	"AND o.id < b.id) " +
	"AND NOT EXISTS (SELECT 1 FROM commands AS c WHERE c.batch_id = b.id AND c.state = 'pending') " +
	"AND NOT EXISTS (SELECT 1 FROM chain_repair_steps AS p JOIN chain_repairs AS r ON r.id = p.repair_id " +
	"WHERE p.batch_id = b.id AND r.state NOT IN ('done', 'canceled')) " +
	"AND NOT EXISTS (SELECT 1 FROM backfill_schedules AS p JOIN backfills AS f ON f.id = p.backfill_id " +
	"WHERE f.state NOT IN ('done', 'canceled') AND p.schedule_id = b.schedule_id " +
	"AND b.moment BETWEEN p.first AND p.last) " +
	"AND NOT EXISTS (SELECT 1 FROM batches AS h WHERE h.hook_of > 0 AND h.hook_of = b.id AND (h.live OR EXISTS " +
	"(SELECT 1 FROM commands AS c WHERE c.batch_id = h.id AND c.state = 'pending'))) " +
	"AND b.id NOT IN (?2)"

// overLimit is the condition that a batch b exceeds a limit: ?3 is the end before which batches go, ?4 the id.
const overLimit = "(b.finished_at < ?3 OR b.id < ?4)"

// ruleArgs returns the arguments of prunable and overLimit. stay are batches that stay in any case.
func ruleArgs(r *hive.PruneRule, stay []int64) []any {
	return []any{
		r.Now.Add(-hive.PruneQuiet).UnixMilli(), r.Floor.UnixMilli(), bun.List(append([]int64{0}, stay...)),
		ms(r.EndedBefore), r.Below,
	}
}

// ofRule is the condition that a batch b is one of the rule's schedule. Hooks go with the batch that they follow.
func ofRule(r *hive.PruneRule) string {
	if r.ScheduleID == 0 {
		return "b.schedule_id IS NULL AND b.hook_of = 0"
	}
	return fmt.Sprintf("b.schedule_id = %d", r.ScheduleID)
}

// staying lists the batches of a schedule that always stay: the newest one, the newest one that succeeded, and the last
// one that ended and counts for triggers.
func staying(ctx context.Context, q bun.IDB, schedule int64) ([]int64, error) {
	if schedule == 0 {
		return nil, nil
	}
	var ids []int64
	err := q.NewRaw("SELECT id FROM (SELECT id FROM batches WHERE schedule_id = ?0 ORDER BY id DESC LIMIT 1) AS a "+
		"UNION SELECT id FROM (SELECT id FROM batches WHERE schedule_id = ?0 AND state = 'succeeded' "+
		"ORDER BY id DESC LIMIT 1) AS b "+
		"UNION SELECT id FROM (SELECT id FROM batches WHERE schedule_id = ?0 AND finished_at > 0 "+
		"AND (kind <> 'backfill' OR round > 1) ORDER BY finished_at DESC LIMIT 1) AS c", schedule).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("read the newest batches: %w", err)
	}
	return ids, nil
}

// PruneSchedules lists all schedules with what retention must know of them.
func (s *Store) PruneSchedules(ctx context.Context) ([]hive.PruneSchedule, error) {
	var rows []struct {
		scheduleRow `bun:",extend"`

		Waiting  int64 `bun:"waiting"`
		MayLimit bool  `bun:"may_limit"`
	}
	err := s.r.NewRaw("SELECT s.*, coalesce((SELECT min(t.moment) FROM ticks AS t WHERE t.schedule_id = s.id "+
		"AND t.decision = 'waiting'), 0) AS waiting, EXISTS (SELECT 1 FROM revisions AS r WHERE r.schedule_id = s.id "+
		"AND r.number = s.revision AND r.document LIKE '%keep%') AS may_limit FROM schedules AS s ORDER BY s.id").
		Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list schedules", err)
	}
	var former []struct {
		Name       string
		ScheduleID int64
	}
	err = s.r.NewRaw("SELECT name, schedule_id FROM former_names ORDER BY name").Scan(ctx, &former)
	if err != nil {
		return nil, s.fault("list former names", err)
	}
	names := map[int64][]string{}
	for _, f := range former {
		names[f.ScheduleID] = append(names[f.ScheduleID], f.Name)
	}
	out := make([]hive.PruneSchedule, len(rows))
	for i := range rows {
		row := rows[i].hive()
		out[i] = hive.PruneSchedule{
			ID: row.ID, Name: row.Name, Former: names[row.ID], Revision: row.Revision, CreatedAt: row.CreatedAt,
			Mark: row.Mark, Active: row.Active(), Waiting: at(rows[i].Waiting), MayLimit: rows[i].MayLimit,
		}
	}
	return out, nil
}

// NthBatch finds the n-th newest batch of a schedule and its moment; id 0 if it has fewer. Batches of backfills do not
// count, so that filling the past takes nothing from the present.
func (s *Store) NthBatch(ctx context.Context, schedule int64, n int) (id int64, moment time.Time, err error) {
	var row struct{ ID, Moment int64 }
	err = s.r.NewRaw("SELECT id, moment FROM batches WHERE schedule_id = ? AND kind <> 'backfill' "+
		"ORDER BY id DESC LIMIT 1 OFFSET ?",
		schedule, n-1).Scan(ctx, &row)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, time.Time{}, nil
	}
	return row.ID, time.UnixMilli(row.Moment).UTC(), s.fault("find the newest batches", err)
}

// Prunable lists batches that a rule lets go, at most limit. With EndedBefore they come in the order of their ends,
// after the cursor; with Below in that of their ids. A rule with both is two lists.
func (s *Store) Prunable(ctx context.Context, r hive.PruneRule, from hive.PruneCursor, limit int) ([]hive.EndedBatch,
	error,
) {
	stay, err := staying(ctx, s.r, r.ScheduleID)
	if err != nil {
		return nil, s.fault("list batches to prune", err)
	}
	order := "b.id > ?6 AND b.id < ?4 AND " + prunable + " ORDER BY b.id"
	if !r.EndedBefore.IsZero() {
		order = "b.finished_at >= ?5 AND b.finished_at < ?3 AND (b.finished_at > ?5 OR b.id > ?6) AND " + prunable +
			" ORDER BY b.finished_at, b.id"
	}
	var rows []struct{ ID, FinishedAt int64 }
	err = s.r.NewRaw("SELECT b.id, b.finished_at FROM batches AS b WHERE "+ofRule(&r)+" AND "+order+" LIMIT ?7",
		append(ruleArgs(&r, stay), ms(from.EndedAt), from.ID, limit)...).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list batches to prune", err)
	}
	out := make([]hive.EndedBatch, len(rows))
	for i, row := range rows {
		out[i] = hive.EndedBatch{ID: row.ID, EndedAt: at(row.FinishedAt)}
	}
	return out, nil
}

// PruneTotals counts what a rule lets go, with the hooks that follow. Of batches with the same moment it counts the
// oldest one only.
func (s *Store) PruneTotals(ctx context.Context, r hive.PruneRule) (out hive.PruneCounts, err error) {
	stay, err := staying(ctx, s.r, r.ScheduleID)
	if err != nil {
		return out, s.fault("count batches to prune", err)
	}
	chosen := "SELECT b.id FROM batches AS b WHERE " + ofRule(&r) + " AND " + prunable + " AND " + overLimit
	chosen += " UNION ALL " + hooksOf(chosen)
	args := ruleArgs(&r, stay)
	err = s.r.NewRaw("SELECT (SELECT count(*) FROM ("+chosen+") AS b), "+
		"(SELECT count(*) FROM runs WHERE batch_id IN ("+chosen+")), "+
		"(SELECT count(*) FROM attempts WHERE batch_id IN ("+chosen+")), "+
		"(SELECT coalesce(sum(log_bytes), 0) FROM attempts WHERE batch_id IN ("+chosen+"))", args...).
		Scan(ctx, &out.Batches, &out.Runs, &out.Attempts, &out.LogBytes)
	return out, s.fault("count batches to prune", err)
}

// prunedRow is a batch that goes.
type prunedRow struct {
	ID         int64
	State      string
	Kind       string
	Round      int
	FinishedAt int64
	Took       int64
}

// hooksAtOnce is how many batches of hooks one transaction deletes.
const hooksAtOnce = 100

// PruneBatches checks the rule again, deletes the batches that may go and all rows that refer to them, and adds these
// batches to the daily counts. The hooks that follow them go first; more reports that some are left, and the batches
// with them. PruneRows deletes runs and attempts. It is one short transaction. The session of server is checked as in
// Commit.
func (s *Store) PruneBatches(ctx context.Context, server hive.Server, r hive.PruneRule, ids []int64) (n int, more bool,
	err error,
) {
	err = s.write(ctx, "prune batches", func(ctx context.Context, tx bun.Tx) error {
		n, more = 0, false
		if err := s.sessionHolds(ctx, tx, server.ID, server.Epoch, "SHARE"); err != nil {
			return err
		}
		// What would give such a batch something to do refers to its row, so it comes before this lock, or fails.
		var locked []int64
		err := tx.NewRaw("SELECT id FROM batches WHERE id IN (?) ORDER BY id"+s.kind.lock("UPDATE"), bun.List(ids)).
			Scan(ctx, &locked)
		if err != nil || len(locked) == 0 {
			return err
		}
		stay, err := staying(ctx, tx, r.ScheduleID)
		if err != nil {
			return err
		}
		var rows []prunedRow
		err = tx.NewRaw("SELECT b.id, b.state, b.kind, b.round, b.finished_at, "+
			"b.finished_at - b.round_at - b.paused_for AS took FROM batches AS b WHERE "+ofRule(&r)+
			" AND b.id IN (?5) AND "+prunable+" AND "+overLimit+" ORDER BY b.id DESC",
			append(ruleArgs(&r, stay), bun.List(locked))...).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return err
		}
		going := make([]int64, len(rows))
		for i := range rows {
			going[i] = rows[i].ID
		}
		var hooks []int64
		err = tx.NewRaw(hooksOf("?0")+" ORDER BY h.id LIMIT ?1", bun.List(going), hooksAtOnce).Scan(ctx, &hooks)
		if err != nil {
			return fmt.Errorf("list the hooks of batches that go: %w", err)
		}
		n, more = len(hooks), len(hooks) == hooksAtOnce
		if len(hooks) > 0 {
			if err := deleteBatches(ctx, tx, hooks); err != nil || more {
				return err
			}
		}
		n += len(rows)
		if err := keepCounts(ctx, tx, r.ScheduleID, rows); err != nil {
			return err
		}
		return deleteBatches(ctx, tx, going)
	})
	return n, more, err
}

// deleteBatches deletes the rows of batches and what refers to them.
func deleteBatches(ctx context.Context, tx bun.Tx, ids []int64) error {
	const repairs = "(SELECT id FROM chain_repairs WHERE batch_id IN (?0))"
	for _, query := range []string{
		"INSERT INTO prunings (batch_id) SELECT id FROM batches WHERE id IN (?0)",
		"DELETE FROM commands WHERE batch_id IN (?0)",
		"DELETE FROM hook_calls WHERE batch_id IN (?0)",
		"DELETE FROM batch_causes WHERE batch_id IN (?0)",
		"DELETE FROM batch_causes WHERE cause_id IN (?0)",
		"DELETE FROM chain_repair_steps WHERE batch_id IN (?0)",
		"DELETE FROM chain_repair_steps WHERE repair_id IN " + repairs,
		"DELETE FROM chain_repairs WHERE batch_id IN (?0)",
		"DELETE FROM backfill_moments WHERE batch_id > 0 AND batch_id IN (?0)",
		"DELETE FROM batches WHERE id IN (?0)",
	} {
		if _, err := tx.NewRaw(query, bun.List(ids)).Exec(ctx); err != nil {
			return fmt.Errorf("delete batches: %w", err)
		}
	}
	return nil
}

// keepCounts adds batches that go to the daily counts and to the durations of their schedule.
func keepCounts(ctx context.Context, tx bun.Tx, schedule int64, rows []prunedRow) error {
	var took []int64
	for _, r := range rows {
		_, err := tx.NewRaw("INSERT INTO daily_counts (schedule_id, day, state, batches, took) VALUES (?, ?, ?, 1, ?) "+
			"ON CONFLICT (schedule_id, day, state) DO UPDATE SET batches = daily_counts.batches + 1, "+
			"took = daily_counts.took + excluded.took",
			schedule, r.FinishedAt/dayMillis, text(r.State), max(r.Took, 0)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("count batches that go: %w", err)
		}
		if r.State == string(hive.BatchSucceeded) && r.Round == 1 && r.Kind != string(hive.KindBackfill) {
			took = append(took, max(r.Took, 0))
		}
	}
	if schedule == 0 || len(took) == 0 {
		return nil
	}
	kept, err := keptDurations(ctx, tx, []int64{schedule})
	if err != nil {
		return err
	}
	took = append(took, kept[schedule]...)
	list, err := pack(took[:min(len(took), hive.UsualOf)], false)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw("INSERT INTO usual_durations (schedule_id, took) VALUES (?, ?) "+
		"ON CONFLICT (schedule_id) DO UPDATE SET took = excluded.took", schedule, list).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep durations: %w", err)
	}
	return nil
}

// keptDurations reads the durations of pruned batches by schedule, newest first, in milliseconds.
func keptDurations(ctx context.Context, q bun.IDB, schedules []int64) (map[int64][]int64, error) {
	out := map[int64][]int64{}
	for chunk := range slices.Chunk(schedules, schedulesAtOnce) {
		var rows []struct {
			ScheduleID int64
			Took       string
		}
		err := q.NewRaw("SELECT schedule_id, took FROM usual_durations WHERE schedule_id IN (?)", bun.List(chunk)).
			Scan(ctx, &rows)
		if err != nil {
			return nil, fmt.Errorf("read kept durations: %w", err)
		}
		for _, r := range rows {
			list, err := unpack[[]int64](r.Took)
			if err != nil {
				return nil, fmt.Errorf("durations of schedule %d: %w", r.ScheduleID, err)
			}
			out[r.ScheduleID] = list
		}
	}
	return out, nil
}
