package db

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type revisionRow struct {
	bun.BaseModel `bun:"table:revisions,alias:v"`

	ID         int64  `bun:"id,pk,autoincrement"`
	ScheduleID int64  `bun:"schedule_id,nullzero"`
	Number     int64  `bun:"number"`
	Document   string `bun:"document"`
	Hash       string `bun:"hash"`
	CreatedAt  int64  `bun:"created_at"`
	CreatedBy  string `bun:"created_by"`
	Note       string `bun:"note"`

	RenamedFrom string `bun:"renamed_from"`
}

func (r *revisionRow) hive() hive.Revision {
	return hive.Revision{
		ID: r.ID, ScheduleID: r.ScheduleID, Number: r.Number, Document: r.Document, Hash: r.Hash,
		CreatedAt: at(r.CreatedAt), CreatedBy: r.CreatedBy, Note: r.Note, RenamedFrom: r.RenamedFrom,
	}
}

// Revision finds a revision by its id, also one of adhoc batches.
func (s *Store) Revision(ctx context.Context, id int64) (hive.Revision, error) {
	row := new(revisionRow)
	err := s.r.NewSelect().Model(row).Where("id = ?", id).Scan(ctx)
	return row.hive(), s.fault("read revision", missingFor(err, noRevision(), "there is no revision with id %d", id))
}

// Revisions lists a schedule's revisions, newest first.
func (s *Store) Revisions(ctx context.Context, scheduleID int64) ([]hive.Revision, error) {
	var rows []*revisionRow
	err := s.r.NewSelect().Model(&rows).Where("schedule_id = ?", scheduleID).OrderExpr("number DESC").Scan(ctx)
	if err != nil {
		return nil, s.fault("list revisions", err)
	}
	out := make([]hive.Revision, len(rows))
	for i, r := range rows {
		out[i] = r.hive()
	}
	return out, nil
}

// RevisionAt finds a schedule's revision by its number.
func (s *Store) RevisionAt(ctx context.Context, scheduleID, number int64) (hive.Revision, error) {
	row := new(revisionRow)
	err := s.r.NewSelect().Model(row).
		Where("schedule_id = ?", scheduleID).Where("number = ?", number).Scan(ctx)
	return row.hive(), s.fault("read revision",
		missingFor(err, noRevision(), "the schedule has no revision %d", number))
}

// RevisionInForce finds the revision that was the schedule's newest at a moment; hive.CodeNotFound before its first.
func (s *Store) RevisionInForce(ctx context.Context, scheduleID int64, moment time.Time) (hive.Revision, error) {
	row := new(revisionRow)
	err := s.r.NewSelect().Model(row).
		Where("schedule_id = ?", scheduleID).Where("created_at <= ?", moment.UnixMilli()).
		OrderExpr("number DESC").Limit(1).Scan(ctx)
	return row.hive(), s.fault("read revision",
		missing(err, "the schedule had no revision yet at %s", moment.UTC().Format(time.RFC3339)))
}

// AdhocRevision stores the definition of adhoc batches, which belongs to no schedule, or finds the one with the same
// hash.
func (s *Store) AdhocRevision(ctx context.Context, document, hash, by string, now time.Time) (hive.Revision, error) {
	row := new(revisionRow)
	err := s.write(ctx, "store adhoc revision", func(ctx context.Context, tx bun.Tx) error {
		fresh := &revisionRow{Document: text(document), Hash: text(hash), CreatedAt: ms(now), CreatedBy: text(by)}
		_, err := tx.NewInsert().Model(fresh).
			On("CONFLICT (hash) WHERE schedule_id IS NULL DO NOTHING").Returning("NULL").Exec(ctx)
		if err != nil {
			return err
		}
		return tx.NewSelect().Model(row).Where("schedule_id IS NULL").Where("hash = ?", text(hash)).Scan(ctx)
	})
	if err != nil {
		return hive.Revision{}, err
	}
	return row.hive(), nil
}

// needOne returns err, or hive.CodeNotFound in these words if res has changed no row.
func needOne(res sql.Result, err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("count the changed rows: %w", err)
	}
	if n == 0 {
		return hive.Errorf(hive.CodeNotFound, format, args...)
	}
	return nil
}

func noRevision() reason { return because(hive.ErrorNoRevision, "revision") }
