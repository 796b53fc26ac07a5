package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type backfillRow struct {
	bun.BaseModel `bun:"table:backfills,alias:f"`

	ID         int64  `bun:"id,pk,autoincrement"`
	ScheduleID int64  `bun:"schedule_id"`
	Schedule   string `bun:"schedule,scanonly"` // joined
	RevisionID int64  `bun:"revision_id"`
	Revision   int64  `bun:"revision"`
	State      string `bun:"state"`
	First      int64  `bun:"first"`
	Last       int64  `bun:"last"`
	Sequence   string `bun:"sequence"`
	Parallel   int    `bun:"parallel"`
	Existing   string `bun:"existing"`
	OnFailure  string `bun:"on_failure"`
	Params     string `bun:"params"`
	Note       string `bun:"note"`
	CreatedAt  int64  `bun:"created_at"`
	CreatedBy  string `bun:"created_by"`
	ChangedAt  int64  `bun:"changed_at"`
	ChangedBy  string `bun:"changed_by"`
	FinishedAt int64  `bun:"finished_at"`
	StoppedBy  int64  `bun:"stopped_by"`
	Key        string `bun:"key,nullzero"`
	Dependants bool   `bun:"dependants"`
}

func backfillOf(b *hive.Backfill) (*backfillRow, error) {
	params, err := pack(b.Params, b.Params == nil)
	return &backfillRow{
		ScheduleID: b.ScheduleID, RevisionID: b.RevisionID, Revision: b.Revision, State: text(string(b.State)),
		First: ms(b.First), Last: ms(b.Last), Sequence: text(string(b.Order)), Parallel: b.Parallel,
		Existing: text(string(b.Existing)), OnFailure: text(string(b.OnFailure)), Params: text(params),
		Note: text(b.Note), CreatedAt: ms(b.CreatedAt), CreatedBy: text(b.CreatedBy), ChangedAt: ms(b.ChangedAt),
		ChangedBy: text(b.ChangedBy), FinishedAt: ms(b.FinishedAt), StoppedBy: b.StoppedBy,
		Dependants: b.WithDependants,
	}, err
}

func (r *backfillRow) hive() (hive.Backfill, error) {
	params, err := unpackParams(r.Params)
	if err != nil {
		return hive.Backfill{}, fmt.Errorf("backfill %d: %w", r.ID, err)
	}
	return hive.Backfill{
		ID: r.ID, ScheduleID: r.ScheduleID, Schedule: r.Schedule, RevisionID: r.RevisionID, Revision: r.Revision,
		State: hive.BackfillState(r.State), First: moment(r.First), Last: moment(r.Last),
		Order: hive.BackfillOrder(r.Sequence), Parallel: r.Parallel, Existing: hive.BackfillExisting(r.Existing),
		OnFailure: hive.BackfillOnFailure(r.OnFailure), Params: params, Note: r.Note, CreatedAt: at(r.CreatedAt),
		CreatedBy: r.CreatedBy, ChangedAt: at(r.ChangedAt), ChangedBy: r.ChangedBy, FinishedAt: at(r.FinishedAt),
		StoppedBy: r.StoppedBy, WithDependants: r.Dependants,
	}, nil
}

type backfillMomentRow struct {
	bun.BaseModel `bun:"table:backfill_moments,alias:m"`

	BackfillID int64  `bun:"backfill_id,pk"`
	Position   int    `bun:"position,pk"`
	Moment     int64  `bun:"moment"`
	Act        string `bun:"act"`
	BatchID    int64  `bun:"batch_id"`
	CommandID  int64  `bun:"command_id"`
	Passed     bool   `bun:"passed"`
	ScheduleID int64  `bun:"schedule_id"`
	Needs      string `bun:"needs"`
	SkippedFor int    `bun:"skipped_for"`
}

// progressOf is the progress of a moment m, by its batch b and its command c. A repair that the owner refused counts as
// a failure: the batch was not run again.
const progressOf = "CASE WHEN m.act = 'waiting' AND m.skipped_for >= 0 THEN 'skipped' " +
	"WHEN m.act IN ('waiting', 'kept') THEN m.act WHEN c.state = 'refused' THEN 'failed' " +
	"WHEN b.live OR c.state = 'pending' THEN 'running' ELSE b.state END"

const progressJoins = " LEFT JOIN batches AS b ON b.id = m.batch_id LEFT JOIN commands AS c ON c.id = m.command_id "

// CreateBackfill stores a backfill with its moments. If a backfill has the same key already, nothing is stored, and the
// result is that backfill.
func (s *Store) CreateBackfill(ctx context.Context, n hive.NewBackfill) (hive.Backfill, error) {
	row, err := backfillOf(&n.Backfill)
	if err != nil {
		return hive.Backfill{}, err
	}
	row.Key = text(n.Key)
	err = s.write(ctx, "create backfill", func(ctx context.Context, tx bun.Tx) error {
		if err := s.refuseArchived(ctx, tx, row.ScheduleID); err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(row).Returning("id").Exec(ctx); err != nil {
			return err
		}
		if err := insertAll(ctx, tx, backfillSchedulesOf(row.ID, n.Backfill.Schedules)); err != nil {
			return err
		}
		moments := make([]*backfillMomentRow, len(n.Moments))
		for i := range n.Moments {
			m := &n.Moments[i]
			needs, err := pack(m.Needs, len(m.Needs) == 0)
			if err != nil {
				return err
			}
			moments[i] = &backfillMomentRow{
				BackfillID: row.ID, Position: i, Moment: m.Moment.UnixMilli(), Act: string(hive.ActWaiting),
				ScheduleID: m.ScheduleID, Needs: text(needs), SkippedFor: -1,
			}
		}
		return insertAll(ctx, tx, moments)
	})
	if err != nil && n.Key != "" && s.sortOf(err) == failureUnique {
		old := new(backfillRow)
		if err := s.r.NewSelect().Model(old).Column("id").Where("key = ?", text(n.Key)).Scan(ctx); err != nil {
			return hive.Backfill{}, s.fault("read backfill", err)
		}
		return s.Backfill(ctx, old.ID)
	}
	if err != nil {
		return hive.Backfill{}, err
	}
	return s.Backfill(ctx, row.ID)
}

// Backfill finds a backfill by its id.
func (s *Store) Backfill(ctx context.Context, id int64) (hive.Backfill, error) {
	row := new(backfillRow)
	if err := selectBackfills(s.r, row).Where("f.id = ?", id).Scan(ctx); err != nil {
		return hive.Backfill{}, s.fault("read backfill",
			missingFor(err, because(hive.ErrorNoBackfill, "backfill"), "there is no backfill %d", id))
	}
	list, err := s.counted(ctx, s.r, []*backfillRow{row})
	if err != nil {
		return hive.Backfill{}, s.fault("read backfill", err)
	}
	return list[0], nil
}

func selectBackfills(q bun.IDB, model any) *bun.SelectQuery {
	return q.NewSelect().Model(model).ColumnExpr("f.*").ColumnExpr("s.name AS schedule").
		Join("JOIN schedules AS s ON s.id = f.schedule_id")
}

// Backfills lists what a filter selects, newest first.
func (s *Store) Backfills(ctx context.Context, f hive.BackfillFilter) ([]hive.Backfill, error) {
	var rows []*backfillRow
	q := selectBackfills(s.r, &rows).OrderExpr("f.id DESC").Limit(pageSize(f.Limit))
	if f.Schedule != "" {
		q.Where("f.id IN (SELECT p.backfill_id FROM backfill_schedules AS p WHERE p.schedule_id = "+scheduleNamed+")",
			text(f.Schedule))
	}
	if f.Live {
		q.Where("f.state NOT IN ('done', 'canceled')")
	}
	if f.By != "" {
		q.Where("f.created_by = ?", text(f.By))
	}
	if !f.Since.IsZero() {
		q.Where("f.created_at >= ?", ms(f.Since))
	}
	if !f.Until.IsZero() {
		q.Where("f.created_at < ?", ms(f.Until))
	}
	if f.Before > 0 {
		q.Where("f.id < ?", f.Before)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.fault("list backfills", err)
	}
	list, err := s.counted(ctx, s.r, rows)
	return list, s.fault("list backfills", err)
}

// ExistingBatches lists the latest batch for each moment of a schedule that has one, from the first to the last moment.
func (s *Store) ExistingBatches(ctx context.Context, schedule int64, first, last time.Time) ([]hive.ExistingBatch,
	error,
) {
	var rows []struct {
		Moment int64  `bun:"moment"`
		State  string `bun:"state"`
	}
	err := s.r.NewRaw("SELECT b.moment, b.state FROM batches AS b "+
		"WHERE b.schedule_id = ? AND b.moment BETWEEN ? AND ? AND NOT EXISTS (SELECT 1 FROM batches AS o "+
		"WHERE o.schedule_id = b.schedule_id AND o.moment = b.moment AND o.id > b.id) ORDER BY b.moment",
		schedule, first.UnixMilli(), last.UnixMilli()).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list the batches of moments", err)
	}
	out := make([]hive.ExistingBatch, len(rows))
	for i, r := range rows {
		out[i] = hive.ExistingBatch{Moment: moment(r.Moment), State: hive.BatchState(r.State)}
	}
	return out, nil
}
