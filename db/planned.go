package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type changeRow struct {
	bun.BaseModel `bun:"table:planned_changes,alias:p"`

	ID         int64  `bun:"id,pk,autoincrement"`
	ScheduleID int64  `bun:"schedule_id"`
	Moment     int64  `bun:"moment"`
	Action     string `bun:"action"`
	MoveTo     int64  `bun:"move_to"`
	Params     string `bun:"params"`
	CreatedBy  string `bun:"created_by"`
	Reason     string `bun:"reason"`
	CreatedAt  int64  `bun:"created_at"`

	Decided bool `bun:"decided,scanonly"`
}

func (r *changeRow) hive() (hive.PlannedChange, error) {
	params, err := unpackParams(r.Params)
	if err != nil {
		return hive.PlannedChange{}, fmt.Errorf("planned change %d: %w", r.ID, err)
	}
	return hive.PlannedChange{
		ScheduleID: r.ScheduleID, Moment: moment(r.Moment), Action: hive.ChangeAction(r.Action), To: at(r.MoveTo),
		Params: params, By: r.CreatedBy, Reason: r.Reason, At: at(r.CreatedAt), Decided: r.Decided,
	}, nil
}

// selectChanges reads planned changes, with whether their moments have ticks.
func selectChanges(tx bun.IDB, rows *[]*changeRow) *bun.SelectQuery {
	return tx.NewSelect().Model(rows).ColumnExpr("p.*").ColumnExpr("EXISTS (SELECT 1 FROM ticks AS t " +
		"WHERE t.schedule_id = p.schedule_id AND t.moment = p.moment) AS decided")
}

// changeToCome is the condition that a planned change may still have an effect. The schedule is s.
const changeToCome = "(p.moment > s.mark OR EXISTS (SELECT 1 FROM ticks AS w WHERE w.schedule_id = p.schedule_id " +
	"AND w.moment = p.moment AND w.decision = 'waiting'))"

// changesToCome reads the planned changes of schedules whose moments are after the mark or have a waiting tick, by
// schedule and in the order of their moments.
func changesToCome(ctx context.Context, tx bun.IDB, ids []int64) (map[int64][]hive.PlannedChange, error) {
	var rows []*changeRow
	err := selectChanges(tx, &rows).Join("JOIN schedules AS s ON s.id = p.schedule_id").
		Where("p.schedule_id IN (?)", bun.List(ids)).Where(changeToCome).Order("p.moment").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read planned changes: %w", err)
	}
	list, err := hiveChanges(rows)
	if err != nil {
		return nil, err
	}
	out := map[int64][]hive.PlannedChange{}
	for i := range list {
		out[list[i].ScheduleID] = append(out[list[i].ScheduleID], list[i])
	}
	return out, nil
}

func hiveChanges(rows []*changeRow) ([]hive.PlannedChange, error) {
	out := make([]hive.PlannedChange, len(rows))
	for i, r := range rows {
		c, err := r.hive()
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

// ChangesToCome lists the planned changes of schedules that may still have an effect, by schedule and in the order of
// their moments.
func (s *Store) ChangesToCome(ctx context.Context, ids []int64) (map[int64][]hive.PlannedChange, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := changesToCome(ctx, s.r, ids)
	return out, s.fault("read planned changes", err)
}

// PlannedChanges lists the planned changes of a schedule, the latest moment first, at most limit.
func (s *Store) PlannedChanges(ctx context.Context, scheduleID int64, limit int) ([]hive.PlannedChange, error) {
	var rows []*changeRow
	err := selectChanges(s.r, &rows).Where("p.schedule_id = ?", scheduleID).Order("p.moment DESC").Limit(int64(limit)).
		Scan(ctx)
	if err != nil {
		return nil, s.fault("list planned changes", err)
	}
	out, err := hiveChanges(rows)
	return out, s.fault("list planned changes", err)
}

// changesOfTicks adds to ticks, latest first, the planned changes of their moments.
func (s *Store) changesOfTicks(ctx context.Context, scheduleID int64, ticks []hive.Tick) error {
	if len(ticks) == 0 {
		return nil
	}
	var rows []*changeRow
	err := s.r.NewSelect().Model(&rows).Where("schedule_id = ?", scheduleID).
		Where("moment BETWEEN ? AND ?", ticks[len(ticks)-1].Moment.UnixMilli(), ticks[0].Moment.UnixMilli()).Scan(ctx)
	if err != nil {
		return err
	}
	byMoment := make(map[int64]*hive.PlannedChange, len(rows))
	for _, r := range rows {
		c, err := r.hive()
		if err != nil {
			return err
		}
		c.Decided = true
		byMoment[r.Moment] = &c
	}
	for i := range ticks {
		ticks[i].Change = byMoment[ticks[i].Moment.UnixMilli()]
	}
	return nil
}

// PlanChange stores a planned change, in place of an earlier one of its moment. hive.CodeConflict if the moment is
// decided already, hive.CodeTooMany if the schedule has too many changes to come.
func (s *Store) PlanChange(ctx context.Context, c hive.PlannedChange) error {
	params, err := pack(c.Params, len(c.Params) == 0)
	if err != nil {
		return err
	}
	row := &changeRow{
		ScheduleID: c.ScheduleID, Moment: c.Moment.UnixMilli(), Action: string(c.Action), MoveTo: ms(c.To),
		Params: text(params), CreatedBy: text(c.By), Reason: text(c.Reason), CreatedAt: ms(c.At),
	}
	return s.write(ctx, "plan a change", func(ctx context.Context, tx bun.Tx) error {
		mark, err := s.lockUndecided(ctx, tx, c.ScheduleID, c.Moment)
		if err != nil {
			return err
		}
		n, err := tx.NewSelect().Model((*changeRow)(nil)).Where("schedule_id = ?", c.ScheduleID).
			Where("moment > ?", mark).Where("moment <> ?", row.Moment).Count(ctx)
		if err != nil {
			return err
		}
		if n >= hive.MaxPlannedChanges {
			const words = "%d moments of the schedule have planned changes; undo some of them"
			return hive.Errorf(hive.CodeTooMany, words, n).
				WithReason(hive.ErrorChangeMany, "changes", fmt.Sprint(n))
		}
		_, err = tx.NewInsert().Model(row).On("CONFLICT (schedule_id, moment) DO UPDATE").
			Set("action = EXCLUDED.action").Set("move_to = EXCLUDED.move_to").Set("params = EXCLUDED.params").
			Set("created_by = EXCLUDED.created_by").Set("reason = EXCLUDED.reason").
			Set("created_at = EXCLUDED.created_at").Exec(ctx)
		if err != nil {
			return err
		}
		return touch(ctx, tx, c.ScheduleID)
	})
}

// UndoChange removes the planned change of a moment. hive.CodeNotFound if it has none, hive.CodeConflict if the moment
// is decided already.
func (s *Store) UndoChange(ctx context.Context, scheduleID int64, at time.Time) error {
	return s.write(ctx, "undo a planned change", func(ctx context.Context, tx bun.Tx) error {
		n, err := tx.NewSelect().Model((*changeRow)(nil)).Where("schedule_id = ?", scheduleID).
			Where("moment = ?", at.UnixMilli()).Count(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			name := at.UTC().Format(time.RFC3339)
			return hive.Errorf(hive.CodeNotFound, "there is no planned change of %s", name).
				WithReason(hive.ErrorNoChange, "moment", name)
		}
		if _, err := s.lockUndecided(ctx, tx, scheduleID, at); err != nil {
			return err
		}
		_, err = tx.NewRaw("DELETE FROM planned_changes WHERE schedule_id = ? AND moment = ?", scheduleID,
			at.UnixMilli()).Exec(ctx)
		if err != nil {
			return err
		}
		return touch(ctx, tx, scheduleID)
	})
}

// lockUndecided locks a schedule, so that no tick of it is decided meanwhile, and returns its mark. hive.CodeConflict
// if a moment of it has a tick.
func (s *Store) lockUndecided(ctx context.Context, tx bun.Tx, scheduleID int64, at time.Time) (mark int64, err error) {
	err = tx.NewRaw("SELECT mark FROM schedules WHERE id = ?"+s.kind.lock("NO KEY UPDATE"), scheduleID).Scan(ctx, &mark)
	if err != nil {
		return 0, err
	}
	var decision string
	err = tx.NewRaw("SELECT decision FROM ticks WHERE schedule_id = ? AND moment = ?", scheduleID, at.UnixMilli()).
		Scan(ctx, &decision)
	if errors.Is(err, sql.ErrNoRows) {
		return mark, nil
	}
	if err != nil {
		return 0, err
	}
	name := at.UTC().Format(time.RFC3339)
	return 0, hive.Errorf(hive.CodeConflict, "%s is decided already: it is %s", name, decision).
		WithReason(hive.ErrorChangeDecided, "moment", name, "decision", decision)
}
