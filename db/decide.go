package db

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// ReplacedBy is the author of the commands that overlap makes.
const ReplacedBy = "overlap"

// decided is a decision with its schedule.
type decided struct {
	view  hive.TickView
	write hive.TickWrite
}

// tickKey is what makes a tick unique.
type tickKey struct{ schedule, moment int64 }

// storeTicks stores decisions, and the batches and commands of those that were not in the ledger yet.
func (s *Store) storeTicks(ctx context.Context, tx bun.Tx, owner string, now time.Time,
	all []decided,
) ([]int64, error) {
	if len(all) == 0 {
		return nil, nil
	}
	batches := 0
	for i := range all {
		if all[i].write.Batch != nil {
			batches++
		}
	}
	ids, err := s.kind.batchIDs(ctx, tx, batches)
	if err != nil {
		return nil, err
	}
	all, passed := withoutPassed(all)
	rows, err := tickRows(all, ids, now)
	if err != nil {
		return nil, err
	}
	fresh, err := insertTicks(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	if err := endWaits(ctx, tx, rows, fresh); err != nil {
		return nil, err
	}
	made, err := makeBatches(ctx, tx, owner, now, rows, all, fresh)
	if err != nil {
		return nil, err
	}
	if err := replaceBatches(ctx, tx, now, rows, all, fresh); err != nil {
		return nil, err
	}
	if err := storeCauses(ctx, tx, rows, all, fresh); err != nil {
		return nil, err
	}
	if err := endCalls(ctx, tx, rows, all); err != nil {
		return nil, err
	}
	return made, moveMarks(ctx, tx, rows, all, passed)
}

// withoutPassed takes out the moments that have a tick already.
func withoutPassed(all []decided) (left, passed []decided) {
	for i := range all {
		if all[i].write.Passed {
			passed = append(passed, all[i])
		} else {
			left = append(left, all[i])
		}
	}
	return left, passed
}

// tickRows makes the ledger's rows, with the ids of their batches.
func tickRows(all []decided, ids []int64, now time.Time) ([]*tickRow, error) {
	rows := make([]*tickRow, len(all))
	for i := range all {
		t := all[i].write.Tick
		missing, err := pack(t.Wait.Missing, t.Wait.Missing == nil)
		if err != nil {
			return nil, err
		}
		row := &tickRow{
			ID: t.ID, ScheduleID: all[i].view.Schedule.ID, Moment: t.Moment.UnixMilli(), Until: ms(t.Until),
			Count: max(t.Count, 1), Cron: text(t.Trigger), Decision: text(string(t.Decision)), Rule: text(t.Rule),
			Detail: text(t.Detail), BatchID: t.BatchID, RevisionID: t.RevisionID, DecidedAt: ms(t.DecidedAt),
			Missing: text(missing), MissingMore: t.Wait.More, ReleasedBy: text(t.Wait.Released.By),
			ReleaseReason: text(t.Wait.Released.Reason), ReleasedAt: ms(t.Wait.Released.At),
		}
		if row.RevisionID == 0 {
			row.RevisionID = all[i].view.RevisionID
		}
		if row.DecidedAt == 0 {
			row.DecidedAt = ms(now)
		}
		if all[i].write.Batch != nil {
			row.BatchID, ids = ids[0], ids[1:]
		}
		rows[i] = row
	}
	return rows, nil
}

// insertTicks stores rows without an id, and returns those that were not in the ledger yet, with their ids.
func insertTicks(ctx context.Context, tx bun.Tx, all []*tickRow) (map[tickKey]int64, error) {
	fresh := make(map[tickKey]int64, len(all))
	rows := slices.DeleteFunc(slices.Clone(all), func(r *tickRow) bool { return r.ID != 0 })
	for chunk := range slices.Chunk(rows, insertChunk) {
		var stored []struct {
			ID         int64
			ScheduleID int64
			Moment     int64
		}
		err := tx.NewInsert().Model(&chunk).On("CONFLICT (schedule_id, moment) DO NOTHING").
			Returning("id, schedule_id, moment").Scan(ctx, &stored)
		if err != nil {
			return nil, fmt.Errorf("store the ticks: %w", err)
		}
		for _, t := range stored {
			fresh[tickKey{t.ScheduleID, t.Moment}] = t.ID
		}
	}
	return fresh, nil
}

// takeFresh reports whether this transaction has put the row into the ledger. Each key is taken once, so that a
// decision that names one moment twice makes one batch.
func takeFresh(fresh map[tickKey]int64, taken map[tickKey]bool, row *tickRow) bool {
	key := tickKey{row.ScheduleID, row.Moment}
	if _, ok := fresh[key]; !ok || taken[key] {
		return false
	}
	taken[key] = true
	return true
}

func makeBatches(ctx context.Context, tx bun.Tx, owner string, now time.Time, rows []*tickRow, all []decided,
	fresh map[tickKey]int64,
) ([]int64, error) {
	var batches []hive.NewBatch
	var ids []int64
	taken := map[tickKey]bool{}
	for i, row := range rows {
		if !takeFresh(fresh, taken, row) || all[i].write.Batch == nil {
			continue
		}
		b := *all[i].write.Batch
		v := all[i].view
		b.Batch.ScheduleID, b.Batch.Schedule = v.Schedule.ID, v.Schedule.Name
		if b.Batch.RevisionID == 0 {
			b.Batch.RevisionID, b.Batch.Revision = v.RevisionID, v.Revision
		}
		if b.Batch.Kind == "" {
			b.Batch.Kind = hive.KindScheduled
		}
		if b.Batch.Moment.IsZero() {
			b.Batch.Moment = all[i].write.Tick.Moment
		}
		if b.Batch.CreatedAt.IsZero() {
			b.Batch.CreatedAt = now
		}
		batches = append(batches, b)
		ids = append(ids, row.BatchID)
	}
	if len(batches) == 0 {
		return nil, nil
	}
	first := int64(0)
	if n := countRuns(batches); n > 0 {
		// In this transaction, which on SQLite has the only connection that writes.
		var err error
		if first, err = reserve(ctx, tx, CounterRun, n); err != nil {
			return nil, err
		}
	}
	made, err := insertBatches(ctx, tx, owner, ids, first, batches)
	if err != nil {
		return nil, err
	}
	return ids, countBatches(ctx, tx, made)
}

// replaceBatches asks the owners of replaced batches to cancel them.
func replaceBatches(ctx context.Context, tx bun.Tx, now time.Time, rows []*tickRow, all []decided,
	fresh map[tickKey]int64,
) error {
	var commands []*commandRow
	taken := map[tickKey]bool{}
	for i, row := range rows {
		if !takeFresh(fresh, taken, row) || len(all[i].write.Replace) == 0 {
			continue
		}
		payload, err := json.Marshal(hive.WishPayload{
			Wish: hive.WishCancel, Reason: hive.ReasonReplaced, Note: fmt.Sprintf("replaced by batch %d", row.BatchID),
		})
		if err != nil {
			return fmt.Errorf("write the command of a replaced batch: %w", err)
		}
		for _, id := range all[i].write.Replace {
			commands = append(commands, commandOf(&hive.Command{
				BatchID: id, Kind: hive.CommandWish, Key: fmt.Sprintf("replace:%d:%d", id,
					row.BatchID), Payload: payload,
				CreatedAt: now, CreatedBy: ReplacedBy,
			}))
		}
	}
	return insertAll(ctx, tx, commands)
}

// moveMarks sets each schedule's mark to the last of its new ticks, or of those that had passed before. It never moves
// a mark back.
func moveMarks(ctx context.Context, tx bun.Tx, rows []*tickRow, all, passed []decided) error {
	last := map[int64]int64{}
	for i := range passed {
		id := passed[i].view.Schedule.ID
		last[id] = max(last[id], passed[i].write.Tick.Moment.UnixMilli())
	}
	for i, row := range rows {
		if all[i].write.Tick.ID != 0 || all[i].write.Follows {
			continue // the moment does not say up to which time the schedule's own triggers are decided
		}
		last[row.ScheduleID] = max(last[row.ScheduleID], row.Moment, row.Until)
	}
	byMark := map[int64][]int64{}
	for id, mark := range last {
		byMark[mark] = append(byMark[mark], id)
	}
	for mark, ids := range byMark {
		_, err := tx.NewRaw("UPDATE schedules SET mark = ? WHERE id IN (?) AND mark < ?", mark, bun.List(ids),
			mark).Exec(ctx)
		if err != nil {
			return fmt.Errorf("move the marks: %w", err)
		}
	}
	return nil
}
