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

// waitingTicks reads the waiting ticks of schedules, by schedule and in the order of their moments.
func waitingTicks(ctx context.Context, tx bun.IDB, ids []int64) (map[int64][]hive.Tick, error) {
	var rows []*tickRow
	err := tx.NewSelect().Model(&rows).Where("schedule_id IN (?)", bun.List(ids)).Where("decision = 'waiting'").
		Order("moment").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the waiting ticks: %w", err)
	}
	list, err := hiveTicks(rows)
	if err != nil {
		return nil, err
	}
	out := map[int64][]hive.Tick{}
	for i := range list {
		out[list[i].ScheduleID] = append(out[list[i].ScheduleID], list[i])
	}
	return out, nil
}

// endWaits changes the rows of waiting ticks, and adds them to fresh unless they wait no longer.
func endWaits(ctx context.Context, tx bun.Tx, rows []*tickRow, fresh map[tickKey]int64) error {
	for _, row := range rows {
		if row.ID == 0 {
			continue
		}
		keep := []string{"id", "schedule_id", "moment", "released_by", "release_reason", "released_at", "release_skips"}
		if row.Decision == string(hive.DecisionWaiting) {
			keep = append(keep, "decided_at") // since when it waits
		}
		res, err := tx.NewUpdate().Model(row).ExcludeColumn(keep...).WherePK().Where("decision = 'waiting'").Exec(ctx)
		if err != nil {
			return fmt.Errorf("change a waiting tick: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			if err != nil {
				return fmt.Errorf("change a waiting tick: %w", err)
			}
			continue
		}
		fresh[tickKey{row.ScheduleID, row.Moment}] = row.ID
	}
	return nil
}

type causeRow struct {
	bun.BaseModel `bun:"table:batch_causes"`

	BatchID int64 `bun:"batch_id"`
	CauseID int64 `bun:"cause_id"`
}

// storeCauses links the batches of new decisions to those that let them start.
func storeCauses(ctx context.Context, tx bun.Tx, rows []*tickRow, all []decided, fresh map[tickKey]int64) error {
	var causes []*causeRow
	taken := map[tickKey]bool{}
	for i, row := range rows {
		if !takeFresh(fresh, taken, row) || all[i].write.Batch == nil {
			continue
		}
		ids := slices.Clone(all[i].write.Causes)
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			causes = append(causes, &causeRow{BatchID: row.BatchID, CauseID: id})
		}
	}
	return insertAll(ctx, tx, causes)
}

// WaitingTicks reads the waiting ticks of schedules, by schedule and in the order of their moments.
func (s *Store) WaitingTicks(ctx context.Context, ids []int64) (map[int64][]hive.Tick, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := waitingTicks(ctx, s.r, ids)
	return out, s.fault("read waiting ticks", err)
}

// WaitingSchedules lists the schedules that have waiting ticks, planned changes to come, or calls of webhooks without a
// tick, and those that have a trigger without moments of its own.
func (s *Store) WaitingSchedules(ctx context.Context) ([]int64, error) {
	var ids []int64
	err := s.r.NewRaw("SELECT schedule_id FROM ticks WHERE decision = 'waiting' UNION "+
		"SELECT schedule_id FROM webhook_calls WHERE pending UNION "+
		"SELECT p.schedule_id FROM planned_changes AS p JOIN schedules AS s ON s.id = p.schedule_id "+
		"WHERE p.moment > s.mark UNION SELECT schedule_id FROM schedule_links WHERE follows").Scan(ctx, &ids)
	return ids, s.fault("list waiting schedules", err)
}

// ReleaseTick notes that a waiting tick need not wait any longer; the ticker then decides it. hive.CodeNotFound if the
// schedule has no tick of that moment, hive.CodeConflict if it does not wait.
func (s *Store) ReleaseTick(ctx context.Context, scheduleID int64, at time.Time, r hive.Release) error {
	return s.write(ctx, "release a tick", func(ctx context.Context, tx bun.Tx) error {
		row := new(tickRow)
		err := tx.NewRaw("SELECT * FROM ticks WHERE schedule_id = ? AND moment = ?"+s.kind.lock("NO KEY UPDATE"),
			scheduleID, at.UnixMilli()).Scan(ctx, row)
		moment := at.UTC().Format(time.RFC3339)
		if errors.Is(err, sql.ErrNoRows) {
			return hive.Errorf(hive.CodeNotFound, "the schedule has no tick of %s", moment).
				WithReason(hive.ErrorNoTick, "moment", moment)
		}
		if err != nil {
			return err
		}
		if row.Decision != string(hive.DecisionWaiting) {
			return hive.Errorf(hive.CodeConflict, "the tick of %s does not wait: it is %s", moment, row.Decision).
				WithReason(hive.ErrorTickEnded, "moment", moment, "decision", row.Decision)
		}
		row.ReleasedBy, row.ReleaseReason, row.ReleasedAt = text(r.By), text(r.Reason), ms(r.At)
		row.ReleaseSkips = r.Skip
		_, err = tx.NewUpdate().Model(row).
			Column("released_by", "release_reason", "released_at", "release_skips").WherePK().Exec(ctx)
		return err
	})
}

// resultRow is a moment with its tick or its newest batch.
type resultRow struct {
	Moment   int64
	Decision string
	ID       int64
	State    string
	Kind     string
}

// newestOfMoment is the condition that no later batch b has the same schedule and moment.
const newestOfMoment = "NOT EXISTS (SELECT 1 FROM batches AS n WHERE n.schedule_id = b.schedule_id " +
	"AND n.moment = b.moment AND n.id > b.id)"

// expectedTick is the condition that a tick was to make a batch.
const expectedTick = "decision IN ('fired', 'queued', 'waiting')"

// MomentResults lists the moments of a schedule after one time and up to another that have a tick or a batch, oldest
// first, at most limit.
func (s *Store) MomentResults(ctx context.Context, scheduleID int64, after, until time.Time, limit int) (
	[]hive.MomentResult, error,
) {
	from, to := after.UnixMilli(), until.UnixMilli()
	var ticks, batches []resultRow
	err := s.r.NewRaw("SELECT moment, decision FROM ticks WHERE schedule_id = ? AND moment > ? AND moment <= ? "+
		"ORDER BY moment LIMIT ?", scheduleID, from, to, limit).Scan(ctx, &ticks)
	if err != nil {
		return nil, s.fault("read ticks of a window", err)
	}
	err = s.r.NewRaw("SELECT b.moment, b.id, b.state, b.kind FROM batches AS b WHERE b.schedule_id = ? "+
		"AND b.moment > ? AND b.moment <= ? AND "+newestOfMoment+" ORDER BY b.moment LIMIT ?",
		scheduleID, from, to, limit).Scan(ctx, &batches)
	if err != nil {
		return nil, s.fault("read batches of a window", err)
	}
	out := mergeResults(ticks, batches)
	return out[:min(limit, len(out))], nil
}

// mergeResults joins ticks and batches of the same moments.
func mergeResults(ticks, batches []resultRow) []hive.MomentResult {
	out := make([]hive.MomentResult, 0, len(ticks)+len(batches))
	byMoment := make(map[int64]int, len(ticks))
	for _, t := range ticks {
		byMoment[t.Moment] = len(out)
		out = append(out, hive.MomentResult{Moment: moment(t.Moment), Decision: hive.Decision(t.Decision)})
	}
	for _, b := range batches {
		i, ok := byMoment[b.Moment]
		if !ok {
			i = len(out)
			out = append(out, hive.MomentResult{Moment: moment(b.Moment)})
		}
		out[i].Batch, out[i].State = b.ID, hive.BatchState(b.State)
		out[i].Filled = b.Kind == string(hive.KindBackfill)
	}
	slices.SortFunc(out, func(a, b hive.MomentResult) int { return a.Moment.Compare(b.Moment) })
	return out
}

// MomentBefore finds the last moment of a schedule before a time whose tick was to make a batch.
func (s *Store) MomentBefore(ctx context.Context, scheduleID int64, before time.Time) (hive.MomentResult, bool, error) {
	var last resultRow
	err := s.r.NewRaw("SELECT moment FROM ticks WHERE schedule_id = ? AND moment < ? AND "+expectedTick+
		" ORDER BY moment DESC LIMIT 1", scheduleID, before.UnixMilli()).Scan(ctx, &last)
	if errors.Is(err, sql.ErrNoRows) {
		return hive.MomentResult{}, false, nil
	}
	if err != nil {
		return hive.MomentResult{}, false, s.fault("read the tick before", err)
	}
	found, err := s.MomentResults(ctx, scheduleID, moment(last.Moment-1), moment(last.Moment), 1)
	if err != nil || len(found) == 0 {
		return hive.MomentResult{}, false, err
	}
	return found[0], true, nil
}

// LastOfTrigger returns the last moment of a schedule that a trigger gave; a zero time if there is none.
func (s *Store) LastOfTrigger(ctx context.Context, scheduleID int64, trigger string) (time.Time, error) {
	var last int64
	err := s.r.NewRaw("SELECT moment FROM ticks WHERE schedule_id = ? AND cron = ? ORDER BY moment DESC LIMIT 1",
		scheduleID, text(trigger)).Scan(ctx, &last)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return moment(last), s.fault("read the last tick", err)
}

// ExpectedTicks lists the moments of a schedule after a time whose tick was to make a batch and whose row has an id
// above another one, in the order of the ids, at most limit. last is the id of the last one.
func (s *Store) ExpectedTicks(ctx context.Context, scheduleID int64, since time.Time, above int64, limit int) (
	moments []time.Time, last int64, err error,
) {
	var rows []resultRow
	err = s.r.NewRaw("SELECT id, moment FROM ticks WHERE schedule_id = ? AND moment > ? AND id > ? AND "+expectedTick+
		" ORDER BY id LIMIT ?", scheduleID, since.UnixMilli(), above, limit).Scan(ctx, &rows)
	if err != nil {
		return nil, above, s.fault("list ticks to follow", err)
	}
	last = above
	for _, r := range rows {
		moments, last = append(moments, moment(r.Moment)), r.ID
	}
	return moments, last, nil
}

// Successes lists the moments of a schedule after a time whose newest batch has succeeded, latest first, at most limit.
// Without manual it leaves out moments without a tick.
func (s *Store) Successes(ctx context.Context, scheduleID int64, since time.Time, manual bool, limit int) (
	[]hive.MomentResult, error,
) {
	query := "SELECT b.moment, b.id, b.state FROM batches AS b WHERE b.schedule_id = ? AND b.moment > ? " +
		"AND b.state = 'succeeded' AND " + newestOfMoment
	if !manual {
		query += " AND EXISTS (SELECT 1 FROM ticks AS t WHERE t.schedule_id = b.schedule_id AND t.moment = b.moment)"
	}
	var rows []resultRow
	err := s.r.NewRaw(query+" ORDER BY b.moment DESC LIMIT ?", scheduleID, since.UnixMilli(), limit).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list successes", err)
	}
	out := mergeResults(nil, rows)
	slices.Reverse(out)
	return out, nil
}

// Causes lists the batches whose success let a batch start, and those that it let start, oldest first, at most limit of
// each.
func (s *Store) Causes(ctx context.Context, batch int64, limit int) (causes, effects []hive.BatchLink, err error) {
	if causes, err = s.links(ctx, "c.cause_id", "c.batch_id", batch, limit); err == nil {
		effects, err = s.links(ctx, "c.batch_id", "c.cause_id", batch, limit)
	}
	return causes, effects, s.fault("read the links of a batch", err)
}

func (s *Store) links(ctx context.Context, to, from string, batch int64, limit int) ([]hive.BatchLink, error) {
	var rows []struct {
		ID       int64
		Schedule string
		Moment   int64
		State    string
	}
	err := s.r.NewRaw("SELECT b.id, coalesce(s.name, '') AS schedule, b.moment, b.state FROM batch_causes AS c "+
		"JOIN batches AS b ON b.id = "+to+" LEFT JOIN schedules AS s ON s.id = b.schedule_id WHERE "+from+
		" = ? ORDER BY b.id LIMIT ?", batch, limit).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	out := make([]hive.BatchLink, len(rows))
	for i, r := range rows {
		out[i] = hive.BatchLink{
			ID: r.ID, Schedule: r.Schedule, Moment: moment(r.Moment), State: hive.BatchState(r.State),
		}
	}
	return out, nil
}
