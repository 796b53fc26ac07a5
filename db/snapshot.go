package db

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// BatchSnapshot reads everything that a batch's owner needs, as of one moment.
func (s *Store) BatchSnapshot(ctx context.Context, id int64) (hive.BatchSnapshot, error) {
	snapshots, err := s.BatchSnapshots(ctx, []int64{id})
	if err != nil {
		return hive.BatchSnapshot{}, err
	}
	if len(snapshots) == 0 {
		return hive.BatchSnapshot{}, s.fault("read batch",
			missingFor(sql.ErrNoRows, because(hive.ErrorNoBatch, "batch"), "there is no batch %d", id))
	}
	return snapshots[0], nil
}

// BatchSnapshots reads several batches as of one moment, each once, ordered by id. Batches that do not exist are left
// out.
func (s *Store) BatchSnapshots(ctx context.Context, ids []int64) ([]hive.BatchSnapshot, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var snapshots []hive.BatchSnapshot
	// Without a snapshot, an offer that is committed meanwhile could show its attempt without its run, or the reverse.
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	if s.r != s.w { // on SQLite each read transaction is a snapshot, and the driver knows no levels
		options = &sql.TxOptions{ReadOnly: true}
	}
	err := s.r.RunInTx(ctx, options, func(ctx context.Context, tx bun.Tx) (err error) {
		snapshots, err = readSnapshots(ctx, tx, ids)
		return err
	})
	if err != nil {
		return nil, s.fault("read batch", err)
	}
	return snapshots, nil
}

func readSnapshots(ctx context.Context, tx bun.Tx, ids []int64) ([]hive.BatchSnapshot, error) {
	var batches []*batchRow
	if err := selectBatches(tx, &batches).Where("b.id IN (?)", bun.List(ids)).OrderExpr("b.id").Scan(ctx); err != nil ||
		len(batches) == 0 {
		return nil, err
	}
	there, used := make([]int64, len(batches)), make([]int64, len(batches))
	for i, b := range batches {
		there[i], used[i] = b.ID, b.RevisionID
	}
	var rows []*revisionRow
	if err := tx.NewSelect().Model(&rows).Where("id IN (?)", bun.List(used)).Scan(ctx); err != nil {
		return nil, err
	}
	revisions := make(map[int64]hive.Revision, len(rows))
	for _, r := range rows {
		revisions[r.ID] = r.hive()
	}
	runs, err := readRuns(ctx, tx, there...)
	if err != nil {
		return nil, err
	}
	attempts, err := readAttempts(ctx, tx, true, started(batches)...)
	if err != nil {
		return nil, err
	}
	commands, err := readCommands(ctx, tx.NewSelect().
		Where("c.batch_id IN (?)", bun.List(there)).Where("c.state = 'pending'"))
	if err != nil {
		return nil, err
	}
	snapshots, byID := make([]hive.BatchSnapshot, len(batches)), make(map[int64]*hive.BatchSnapshot, len(batches))
	for i, b := range batches {
		snapshot := &snapshots[i]
		if snapshot.Batch, err = b.hive(); err != nil {
			return nil, err
		}
		rev, ok := revisions[b.RevisionID]
		if !ok {
			return nil, sql.ErrNoRows
		}
		snapshot.Revision, snapshot.Runs, snapshot.Attempts = rev, []hive.Run{}, []hive.Attempt{}
		byID[b.ID] = snapshot
	}
	for i := range runs {
		snapshot := byID[runs[i].BatchID]
		snapshot.Runs = append(snapshot.Runs, runs[i])
	}
	for i := range attempts {
		snapshot := byID[attempts[i].BatchID]
		snapshot.Attempts = append(snapshot.Attempts, attempts[i])
	}
	for i := range commands {
		snapshot := byID[commands[i].BatchID]
		snapshot.Commands = append(snapshot.Commands, commands[i])
	}
	return snapshots, nil
}

// started returns the ids of the batches that may have attempts. When many schedules are due at once, most batches have
// just been made.
func started(batches []*batchRow) []int64 {
	var ids []int64
	for _, b := range batches {
		if b.StartedAt != 0 || b.Round > 1 {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// readRuns reads the runs of some batches, ordered by batch and number.
func readRuns(ctx context.Context, q bun.IDB, batches ...int64) ([]hive.Run, error) {
	t := runTable(runsTable)
	return readRows(ctx, selectRows(q, t).Where("batch_id IN (?)", bun.List(batches)).Order("batch_id", "number"), t)
}

// readAttempts reads the attempts of some batches, ordered by id. open leaves out the ended ones.
func readAttempts(ctx context.Context, q bun.IDB, open bool, batches ...int64) ([]hive.Attempt, error) {
	if len(batches) == 0 {
		return nil, nil
	}
	t := attemptTable()
	query := selectRows(q, t).Where("batch_id IN (?)", bun.List(batches)).Order("id")
	if open {
		query.Where("state <> ?", string(hive.AttemptEnded))
	}
	return readRows(ctx, query, t)
}

// Runs lists a batch's runs by number.
func (s *Store) Runs(ctx context.Context, batchID int64) ([]hive.Run, error) {
	runs, err := readRuns(ctx, s.r, batchID)
	return runs, s.fault("read runs", err)
}

// Attempts lists all attempts of a batch in the order of their ids.
func (s *Store) Attempts(ctx context.Context, batchID int64) ([]hive.Attempt, error) {
	attempts, err := readAttempts(ctx, s.r, false, batchID)
	return attempts, s.fault("read attempts", err)
}

// BatchRuns reads a batch, some of its runs by their numbers, and all attempts of these, as of one moment. Runs that do
// not exist are left out.
func (s *Store) BatchRuns(ctx context.Context, id int64, numbers []int) (hive.BatchSnapshot, error) {
	var out hive.BatchSnapshot
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	if s.r != s.w {
		options = &sql.TxOptions{ReadOnly: true}
	}
	err := s.r.RunInTx(ctx, options, func(ctx context.Context, tx bun.Tx) (err error) {
		if out.Batch, err = readBatch(ctx, tx, id); err != nil || len(numbers) == 0 {
			return err
		}
		runs := runTable(runsTable)
		out.Runs, err = readRows(ctx, selectRows(tx, runs).Where("batch_id = ?", id).
			Where("number IN (?)", bun.List(numbers)).Order("number"), runs)
		if err != nil || len(out.Runs) == 0 {
			return err
		}
		ids := make([]int64, len(out.Runs))
		for i := range out.Runs {
			ids[i] = out.Runs[i].ID
		}
		attempts := attemptTable()
		out.Attempts, err = readRows(ctx, selectRows(tx, attempts).Where("batch_id = ?", id).
			Where("run_id IN (?)", bun.List(ids)).Order("id"), attempts)
		return err
	})
	return out, s.fault("read runs", err)
}

// Attempt finds an attempt by its id.
func (s *Store) Attempt(ctx context.Context, id int64) (hive.Attempt, error) {
	t := attemptTable()
	found, err := readRows(ctx, selectRows(s.r, t).Where("id = ?", id), t)
	if err == nil && len(found) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return hive.Attempt{}, s.fault("read attempt", missing(err, "there is no attempt %d", id))
	}
	return found[0], nil
}

// History lists the final rows that runs had in earlier rounds, oldest first.
func (s *Store) History(ctx context.Context, batchID int64) ([]hive.Run, error) {
	t := runTable(historyTable)
	runs, err := readRows(ctx, selectRows(s.r, t).Where("batch_id = ?", batchID).Order("seq"), t)
	return runs, s.fault("read history", err)
}
