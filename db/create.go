package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// CreateBatch stores a batch with its runs. The session of server is checked as in Commit; it owns the batch, unless
// b.Batch.Owner names another one. hive.CodeNotFound if its schedule or revision does not exist. If a batch has the
// same key already, nothing is stored, and the result is that batch. hive.CodeNotFound if it is one of hooks, and what
// they follow is deleted or its schedule is being deleted.
func (s *Store) CreateBatch(ctx context.Context, server hive.Server, b hive.NewBatch) (hive.Batch, error) {
	if b.Key != "" {
		if old, err := s.batchOfKey(ctx, b.Key); err == nil || hive.CodeOf(err) != hive.CodeNotFound {
			return old, err
		}
	}
	made, err := s.CreateBatches(ctx, server, []hive.NewBatch{b})
	if err != nil && b.Key != "" && s.sortOf(err) == failureUnique { // another call stored the same key first
		return s.batchOfKey(ctx, b.Key)
	}
	if err != nil {
		return hive.Batch{}, err
	}
	return made[0], nil
}

func (s *Store) batchOfKey(ctx context.Context, key string) (hive.Batch, error) {
	row := new(batchRow)
	if err := s.r.NewSelect().Model(row).Column("id").Where("key = ?", text(key)).Scan(ctx); err != nil {
		return hive.Batch{}, s.fault("read batch", missing(err, "there is no batch with the key %q", key))
	}
	return s.Batch(ctx, row.ID)
}

// CreateBatches is CreateBatch for many batches. It stores all or none of them; a known key is an error.
// hive.CodeConflict if a schedule is archived.
func (s *Store) CreateBatches(ctx context.Context, server hive.Server, batches []hive.NewBatch) ([]hive.Batch, error) {
	runs := countRuns(batches)
	var first int64
	if runs > 0 { // before the transaction, so that no other caller waits for its end to get ids
		var err error
		if first, err = s.NextIDs(ctx, CounterRun, runs); err != nil {
			return nil, err
		}
	}
	var made []hive.Batch
	err := s.write(ctx, "create batches", func(ctx context.Context, tx bun.Tx) error {
		if err := s.sessionHolds(ctx, tx, server.ID, server.Epoch, "SHARE"); err != nil {
			return err
		}
		if err := s.refuseArchived(ctx, tx, schedulesOf(batches)...); err != nil {
			return err
		}
		if err := s.holdFollowed(ctx, tx, batches); err != nil {
			return err
		}
		ids, err := s.kind.batchIDs(ctx, tx, len(batches))
		if err != nil {
			return err
		}
		if made, err = insertBatches(ctx, tx, server.ID, ids, first, batches); err != nil {
			return err
		}
		return countBatches(ctx, tx, made)
	})
	if err != nil && s.sortOf(err) == failureReference {
		return nil, hive.Errorf(hive.CodeNotFound, "there is no such schedule or revision any more")
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

// schedulesOf lists the schedules of batches. Adhoc batches have none.
func schedulesOf(batches []hive.NewBatch) []int64 {
	var ids []int64
	for i := range batches {
		if id := batches[i].Batch.ScheduleID; id != 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func countRuns(batches []hive.NewBatch) int {
	n := 0
	for i := range batches {
		n += len(batches[i].Runs)
	}
	return n
}

// insertBatches stores batches under these ids and their runs under the ids from firstRun on.
func insertBatches(ctx context.Context, tx bun.Tx, owner string, ids []int64, firstRun int64, batches []hive.NewBatch) (
	[]hive.Batch, error,
) {
	made := make([]hive.Batch, len(batches))
	rows := make([]*batchRow, len(batches))
	runs := make([]hive.Run, 0, countRuns(batches))
	for i := range batches {
		b := complete(batches[i].Batch, ids[i], owner)
		row, err := batchOf(&b)
		if err != nil {
			return nil, err
		}
		row.Key = text(batches[i].Key)
		made[i], rows[i] = b, &row
		for _, r := range batches[i].Runs {
			r.BatchID = b.ID
			r.ID = firstRun + int64(len(runs))
			r.Round = max(r.Round, 1)
			runs = append(runs, r)
		}
	}
	if err := insertAll(ctx, tx, rows); err != nil {
		return nil, err
	}
	return made, insertRows(ctx, tx, runTable(runsTable), runs)
}

// complete fills in the fields that a new batch may leave out.
func complete(b hive.Batch, id int64, owner string) hive.Batch {
	b.ID = id
	if b.Owner == "" {
		b.Owner = owner
	}
	if b.State == "" {
		b.State = hive.BatchQueued
	}
	if b.Wish == "" {
		b.Wish = hive.WishRun
	}
	b.Live = !b.State.Final()
	b.Round = max(b.Round, 1)
	return b
}

// insertAll stores rows of bun in chunks, as insertRows does.
func insertAll[R any](ctx context.Context, tx bun.Tx, rows []*R) error {
	for chunk := range slices.Chunk(rows, insertChunk) {
		if _, err := tx.NewInsert().Model(&chunk).Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// countBatches adds new batches to the counters of their schedules for maxBatches.
func countBatches(ctx context.Context, tx bun.Tx, made []hive.Batch) error {
	more := map[int64]int{}
	for i := range made {
		if k := made[i].Kind; k == hive.KindScheduled || k == hive.KindDependent {
			more[made[i].ScheduleID]++
		}
	}
	byCount := map[int][]int64{}
	for id, n := range more {
		byCount[n] = append(byCount[n], id)
	}
	for n, ids := range byCount {
		slices.Sort(ids)
		_, err := tx.NewRaw("UPDATE schedules SET counted = counted + ? WHERE id IN (?)", n, bun.List(ids)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
