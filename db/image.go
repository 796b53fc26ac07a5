package db

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// BatchImage reads everything that a batch's owner needs, as of one moment.
func (s *Store) BatchImage(ctx context.Context, id int64) (hive.BatchImage, error) {
	var img hive.BatchImage
	// A snapshot: else an offer that is committed meanwhile would show its attempt and not its run, or the reverse.
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	if s.r != s.w { // SQLite's read transactions always are snapshots, and its driver knows no levels
		options = &sql.TxOptions{ReadOnly: true}
	}
	err := s.r.RunInTx(ctx, options, func(ctx context.Context, tx bun.Tx) (err error) {
		if img.Batch, err = readBatch(ctx, tx, id); err != nil {
			return err
		}
		revision := new(revisionRow)
		query := tx.NewSelect().Model(revision).Where("id = ?", img.Batch.RevisionID)
		if err := query.Scan(ctx); err != nil {
			return err
		}
		img.Revision = revision.hive()
		if img.Runs, err = readRuns(ctx, tx, id); err != nil {
			return err
		}
		if img.Attempts, err = readAttempts(ctx, tx, id, true); err != nil {
			return err
		}
		img.Commands, err = readCommands(ctx, tx.NewSelect().
			Where("c.batch_id = ?", id).Where("c.state = 'pending'"))
		return err
	})
	if err != nil {
		return hive.BatchImage{}, s.fault("read batch", err)
	}
	return img, nil
}

func readRuns(ctx context.Context, q bun.IDB, batchID int64) ([]hive.Run, error) {
	var rows []runRow
	if err := q.NewSelect().Model(&rows).Where("batch_id = ?", batchID).Order("number").Scan(ctx); err != nil {
		return nil, err
	}
	out := make([]hive.Run, len(rows))
	for i := range rows {
		r, err := rows[i].hive()
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

func readAttempts(ctx context.Context, q bun.IDB, batchID int64, open bool) ([]hive.Attempt, error) {
	var rows []attemptRow
	query := q.NewSelect().Model(&rows).Where("batch_id = ?", batchID).Order("id")
	if open {
		query.Where("state <> 'ended'")
	}
	if err := query.Scan(ctx); err != nil {
		return nil, err
	}
	out := make([]hive.Attempt, len(rows))
	for i := range rows {
		a, err := rows[i].hive()
		if err != nil {
			return nil, err
		}
		out[i] = a
	}
	return out, nil
}

// Runs lists a batch's runs by number.
func (s *Store) Runs(ctx context.Context, batchID int64) ([]hive.Run, error) {
	runs, err := readRuns(ctx, s.r, batchID)
	return runs, s.fault("read runs", err)
}

// Attempts lists all attempts of a batch in the order of their ids.
func (s *Store) Attempts(ctx context.Context, batchID int64) ([]hive.Attempt, error) {
	attempts, err := readAttempts(ctx, s.r, batchID, false)
	return attempts, s.fault("read attempts", err)
}

// Attempt finds an attempt by its id.
func (s *Store) Attempt(ctx context.Context, id int64) (hive.Attempt, error) {
	row := new(attemptRow)
	if err := s.r.NewSelect().Model(row).Where("id = ?", id).Scan(ctx); err != nil {
		return hive.Attempt{}, s.fault("read attempt", missing(err, "there is no attempt %d", id))
	}
	return row.hive()
}

// History lists the rows of runs as they were when a repair plan opened the next round, oldest first.
func (s *Store) History(ctx context.Context, batchID int64) ([]hive.Run, error) {
	var rows []historyRow
	if err := s.r.NewSelect().Model(&rows).Where("batch_id = ?", batchID).Order("seq").Scan(ctx); err != nil {
		return nil, s.fault("read history", err)
	}
	out := make([]hive.Run, len(rows))
	for i := range rows {
		r, err := rows[i].hive()
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}
