package db

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type tickRow struct {
	bun.BaseModel `bun:"table:ticks,alias:t"`

	ID         int64  `bun:"id,pk,autoincrement"`
	ScheduleID int64  `bun:"schedule_id"`
	Moment     int64  `bun:"moment"`
	Until      int64  `bun:"until"`
	Count      int    `bun:"count"`
	Cron       string `bun:"cron"`
	Decision   string `bun:"decision"`
	Rule       string `bun:"rule"`
	Detail     string `bun:"detail"`
	BatchID    int64  `bun:"batch_id"`
	RevisionID int64  `bun:"revision_id"`
	DecidedAt  int64  `bun:"decided_at"`

	Missing       string `bun:"missing"`
	MissingMore   int    `bun:"missing_more"`
	ReleasedBy    string `bun:"released_by"`
	ReleaseReason string `bun:"release_reason"`
	ReleasedAt    int64  `bun:"released_at"`
	ReleaseSkips  bool   `bun:"release_skips"`
}

func (r *tickRow) hive() (hive.Tick, error) {
	missing, err := unpack[[]hive.Missing](r.Missing)
	if err != nil {
		return hive.Tick{}, fmt.Errorf("tick %d: %w", r.ID, err)
	}
	return hive.Tick{
		ID: r.ID, ScheduleID: r.ScheduleID, Moment: moment(r.Moment), Until: at(r.Until), Count: r.Count,
		Trigger: r.Cron, Decision: hive.Decision(r.Decision), Rule: r.Rule, Detail: r.Detail, BatchID: r.BatchID,
		RevisionID: r.RevisionID, DecidedAt: at(r.DecidedAt),
		Wait: hive.Wait{
			Missing: missing, More: r.MissingMore,
			Released: hive.Release{
				By: r.ReleasedBy, Reason: r.ReleaseReason, At: at(r.ReleasedAt), Skip: r.ReleaseSkips,
			},
		},
	}, nil
}

func hiveTicks(rows []*tickRow) ([]hive.Tick, error) {
	out := make([]hive.Tick, len(rows))
	for i, r := range rows {
		t, err := r.hive()
		if err != nil {
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}

// Decide returns the decisions about a schedule's due ticks. It is called within the transaction that stores them: it
// may read the store (as of before the transaction), must not write to it, and must be quick.
type Decide = func(hive.TickView) ([]hive.TickWrite, error)

// DecideTicks is DecideManyTicks for one schedule; hive.CodeNotFound if it does not exist.
func (s *Store) DecideTicks(ctx context.Context, server hive.Server, scheduleID int64, now time.Time, decide Decide) (
	[]int64, error,
) {
	found := false
	made, err := s.DecideManyTicks(ctx, server, []int64{scheduleID}, now,
		func(v hive.TickView) ([]hive.TickWrite, error) {
			found = true
			return decide(v)
		})
	if err == nil && !found {
		return nil, hive.Errorf(hive.CodeNotFound, "there is no schedule with id %d", scheduleID)
	}
	return made, err
}

// DecideManyTicks decides due ticks of several schedules in one transaction that locks their rows. It calls decide for
// each schedule, stores the ticks and batches of the result, and moves the schedules' marks to the last of their ticks.
// A tick that is in the ledger already stays, and the new decision about it makes nothing; only a waiting tick changes,
// by a decision with its id. After an error of decide
// nothing is stored at all. Schedules without a revision are left out.
//
// Batches belong to the session of server, which is checked as in Commit. Batches that overlap replaces get a pending
// CommandWish. The ids of the new batches come in the order of the schedules' ids.
func (s *Store) DecideManyTicks(ctx context.Context, server hive.Server, scheduleIDs []int64, now time.Time,
	decide Decide,
) ([]int64, error) {
	if len(scheduleIDs) == 0 {
		return nil, nil
	}
	var made []int64
	err := s.write(ctx, "decide ticks", func(ctx context.Context, tx bun.Tx) error {
		if err := s.sessionHolds(ctx, tx, server.ID, server.Epoch, "SHARE"); err != nil {
			return err
		}
		views, err := s.tickViews(ctx, tx, scheduleIDs)
		if err != nil {
			return err
		}
		var all []decided
		for _, v := range views {
			writes, err := decide(v)
			if err != nil {
				return err
			}
			for _, w := range writes {
				all = append(all, decided{view: v, write: w})
			}
		}
		made, err = s.storeTicks(ctx, tx, server.ID, now, all)
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// tickViews locks the schedules, in the order of their ids, and reads the views for their decisions.
func (s *Store) tickViews(ctx context.Context, tx bun.Tx, ids []int64) ([]hive.TickView, error) {
	var schedules []*scheduleRow
	err := tx.NewRaw("SELECT * FROM schedules WHERE id IN (?) AND revision > 0 ORDER BY id"+
		s.kind.lock("NO KEY UPDATE"), bun.List(ids)).Scan(ctx, &schedules)
	if err != nil {
		return nil, fmt.Errorf("lock the schedules: %w", err)
	}
	var revisions []*revisionRow
	err = tx.NewSelect().Model(&revisions).ColumnExpr("v.*").
		Join("JOIN schedules AS s ON s.id = v.schedule_id AND s.revision = v.number").
		Where("s.id IN (?)", bun.List(ids)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the revisions: %w", err)
	}
	newest := make(map[int64]*revisionRow, len(revisions))
	for _, r := range revisions {
		newest[r.ScheduleID] = r
	}
	live, err := overlapping(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	waiting, err := waitingTicks(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	planned, err := changesToCome(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	version, err := calendarsVersion(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("read the version of the calendars: %w", err)
	}
	views := make([]hive.TickView, 0, len(schedules))
	for _, row := range schedules {
		r := newest[row.ID]
		v := hive.TickView{
			Schedule: row.hive(), Document: r.Document, RevisionID: r.ID, Revision: r.Number,
			Live: live[row.ID], Counted: row.Counted, Waiting: waiting[row.ID],
			Calendars: version, Changes: planned[row.ID],
		}
		views = append(views, v)
	}
	return views, nil
}

// Overlapping lists by schedule the live batches that count for overlap, oldest first.
func (s *Store) Overlapping(ctx context.Context, schedules []int64) (map[int64][]hive.Batch, error) {
	out := map[int64][]hive.Batch{}
	for chunk := range slices.Chunk(schedules, insertChunk) {
		found, err := overlapping(ctx, s.r, chunk)
		if err != nil {
			return nil, s.fault("read the live batches", err)
		}
		maps.Copy(out, found)
	}
	return out, nil
}

// overlapping reads the live batches that count for overlap, by schedule and oldest first. These are all but backfills
// that nobody has resumed.
func overlapping(ctx context.Context, tx bun.IDB, scheduleIDs []int64) (map[int64][]hive.Batch, error) {
	var rows []*batchRow
	err := selectBatches(tx, &rows).Where("b.live").Where("b.schedule_id IN (?)", bun.List(scheduleIDs)).
		Where("b.kind <> 'backfill' OR b.round > 1").Order("b.id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the live batches: %w", err)
	}
	batches, err := hiveBatches(rows)
	if err != nil {
		return nil, err
	}
	out := map[int64][]hive.Batch{}
	for _, b := range batches {
		out[b.ScheduleID] = append(out[b.ScheduleID], b)
	}
	return out, nil
}

// Ticks lists a page of a schedule's ledger, newest first: moments below before (zero: all), at most limit (1 to
// 500; 50 when 0).
func (s *Store) Ticks(ctx context.Context, scheduleID int64, before time.Time, limit int) ([]hive.Tick, error) {
	var rows []*tickRow
	q := s.r.NewSelect().Model(&rows).Where("schedule_id = ?", scheduleID).
		OrderExpr("moment DESC").Limit(pageSize(limit))
	if !before.IsZero() {
		q.Where("moment < ?", before.UnixMilli())
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.fault("list ticks", err)
	}
	out, err := hiveTicks(rows)
	if err == nil {
		err = s.changesOfTicks(ctx, scheduleID, out)
	}
	return out, s.fault("list ticks", err)
}
