package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type alertDocumentRow struct {
	bun.BaseModel `bun:"table:alert_documents,alias:d"`

	ID        int64  `bun:"id,pk,autoincrement"`
	Kind      string `bun:"kind"`
	Name      string `bun:"name"`
	Revision  int64  `bun:"revision"`
	Deleted   bool   `bun:"deleted"`
	CreatedAt int64  `bun:"created_at"`
	UpdatedAt int64  `bun:"updated_at"`
}

func (r *alertDocumentRow) hive() hive.AlertDocument {
	return hive.AlertDocument{
		ID: r.ID, Kind: r.Kind, Name: r.Name, Revision: r.Revision, Deleted: r.Deleted, CreatedAt: at(r.CreatedAt),
		UpdatedAt: at(r.UpdatedAt),
	}
}

type alertRevisionRow struct {
	bun.BaseModel `bun:"table:alert_revisions,alias:r"`

	ID         int64  `bun:"id,pk,autoincrement"`
	DocumentID int64  `bun:"document_id"`
	Number     int64  `bun:"number"`
	Document   string `bun:"document"`
	Hash       string `bun:"hash"`
	CreatedAt  int64  `bun:"created_at"`
	CreatedBy  string `bun:"created_by"`
	Note       string `bun:"note"`
}

func (r *alertRevisionRow) hive() hive.AlertRevision {
	return hive.AlertRevision{
		ID: r.ID, DocumentID: r.DocumentID, Number: r.Number, Document: r.Document, Hash: r.Hash,
		CreatedAt: at(r.CreatedAt), CreatedBy: r.CreatedBy, Note: r.Note,
	}
}

// SaveAlertDocument stores a document as the newest revision of a rule or a channel. One that does not exist is
// created; a deleted one exists again, with its history. A document with the newest revision's hash changes nothing.
// hive.CodeConflict if in.Base is not the newest revision, or if it exists and in.Fresh is set.
func (s *Store) SaveAlertDocument(ctx context.Context, in hive.SaveAlertDocument) (
	doc hive.AlertDocument, rev hive.AlertRevision, changed bool, err error,
) {
	err = s.write(ctx, "save "+in.Kind+" "+in.Name, func(ctx context.Context, tx bun.Tx) error {
		doc, rev, changed = hive.AlertDocument{}, hive.AlertRevision{}, false
		row, err := s.lockAlertDocument(ctx, tx, in)
		if err != nil {
			return err
		}
		newest := new(alertRevisionRow)
		if row.Revision > 0 {
			err := tx.NewSelect().Model(newest).Where("document_id = ?", row.ID).Where("number = ?", row.Revision).
				Scan(ctx)
			if err != nil {
				return err
			}
		}
		doc, rev = row.hive(), newest.hive()
		there := row.Revision > 0 && !row.Deleted
		if there && newest.Hash == text(in.Hash) && !in.Fresh {
			return nil
		}
		if err := checkAlertBase(row, in, there); err != nil {
			return err
		}
		changed = true
		next := &alertRevisionRow{
			DocumentID: row.ID, Number: row.Revision + 1, Document: text(in.Document), Hash: text(in.Hash),
			CreatedAt: max(ms(in.Now), newest.CreatedAt), CreatedBy: text(in.By), Note: text(in.Note),
		}
		if _, err := tx.NewInsert().Model(next).Returning("id").Exec(ctx); err != nil {
			return err
		}
		row.Revision, row.UpdatedAt, row.Deleted = next.Number, ms(in.Now), false
		_, err = tx.NewUpdate().Model(row).Column("revision", "updated_at", "deleted").WherePK().Exec(ctx)
		doc, rev = row.hive(), next.hive()
		return err
	})
	return doc, rev, changed, err
}

// checkAlertBase returns a conflict if the new revision was not made from the newest one.
func checkAlertBase(row *alertDocumentRow, in hive.SaveAlertDocument, there bool) error {
	switch {
	case in.Fresh && there:
		return hive.Errorf(hive.CodeConflict,
			"there is a document %s %q already, whose newest revision is %d; choose another name, "+
				"or save it as the next revision", in.Kind, in.Name, row.Revision).
			WithReason(hive.ErrorDocumentExists, "kind", in.Kind, "name", in.Name, "newest", row.Revision)
	case in.Base != 0 && in.Base != row.Revision:
		return hive.Errorf(hive.CodeConflict,
			"%s %q was changed meanwhile: its newest revision is %d, yours was made from %d; "+
				"look at the newest and save again", in.Kind, in.Name, row.Revision, in.Base).
			WithReason(hive.ErrorDocumentMoved, "kind", in.Kind, "name", in.Name, "newest", row.Revision,
				"base", in.Base)
	default:
		return nil
	}
}

// lockAlertDocument finds or makes the row of a document, and locks it.
func (s *Store) lockAlertDocument(ctx context.Context, tx bun.Tx, in hive.SaveAlertDocument) (
	*alertDocumentRow, error,
) {
	row, err := s.findAlertDocument(ctx, tx, in.Kind, in.Name)
	if !errors.Is(err, sql.ErrNoRows) {
		return row, err
	}
	fresh := &alertDocumentRow{Kind: in.Kind, Name: text(in.Name), CreatedAt: ms(in.Now), UpdatedAt: ms(in.Now)}
	_, err = tx.NewInsert().Model(fresh).On("CONFLICT (kind, name) DO NOTHING").Returning("NULL").Exec(ctx)
	if err != nil {
		return nil, err
	}
	return s.findAlertDocument(ctx, tx, in.Kind, in.Name)
}

// findAlertDocument finds the row of a document and locks it against other changes.
func (s *Store) findAlertDocument(ctx context.Context, tx bun.Tx, kind, name string) (*alertDocumentRow, error) {
	row := new(alertDocumentRow)
	err := tx.NewRaw("SELECT * FROM alert_documents WHERE kind = ? AND name = ?"+s.kind.lock("NO KEY UPDATE"),
		kind, text(name)).Scan(ctx, row)
	return row, err
}

// noDocument returns the error of a document that does not exist.
func noDocument(kind, name string) error {
	return hive.Errorf(hive.CodeNotFound, "there is no document %s %.80q", kind, name).
		WithReason(hive.ErrorNoDocument, "kind", kind, "name", hive.Clean(name, 80))
}

// DeleteAlertDocument deletes a rule, or a channel with its secrets. Its revisions stay.
func (s *Store) DeleteAlertDocument(ctx context.Context, kind, name string, now time.Time) error {
	return s.erasing(ctx, func() error {
		return s.write(ctx, "delete "+kind+" "+name, func(ctx context.Context, tx bun.Tx) error {
			row, err := s.findAlertDocument(ctx, tx, kind, name)
			if errors.Is(err, sql.ErrNoRows) || err == nil && row.Deleted {
				return noDocument(kind, name)
			}
			if err != nil {
				return err
			}
			row.Deleted, row.UpdatedAt = true, ms(now)
			_, err = tx.NewUpdate().Model(row).Column("deleted", "updated_at").WherePK().Exec(ctx)
			if err != nil {
				return err
			}
			_, err = tx.NewRaw("DELETE FROM channel_secrets WHERE document_id = ?", row.ID).Exec(ctx)
			return err
		})
	})
}

// AlertDocuments lists the rules or the channels with their newest revisions, by name, without the deleted ones.
func (s *Store) AlertDocuments(ctx context.Context, kind string) ([]hive.CurrentAlertDocument, error) {
	var rows []struct {
		alertDocumentRow `bun:",extend"`

		RevisionID int64  `bun:"revision_id"`
		Document   string `bun:"document"`
		Hash       string `bun:"hash"`
		RevisedAt  int64  `bun:"revised_at"`
		CreatedBy  string `bun:"created_by"`
		Note       string `bun:"note"`
	}
	err := s.r.NewRaw("SELECT d.*, r.id AS revision_id, r.document, r.hash, r.created_at AS revised_at, r.created_by, "+
		"r.note FROM alert_documents AS d JOIN alert_revisions AS r ON r.document_id = d.id AND r.number = d.revision "+
		"WHERE d.kind = ? AND NOT d.deleted ORDER BY d.name", kind).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list documents of alerts", err)
	}
	out := make([]hive.CurrentAlertDocument, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = hive.CurrentAlertDocument{AlertDocument: r.hive(), Current: hive.AlertRevision{
			ID: r.RevisionID, DocumentID: r.ID, Number: r.Revision, Document: r.Document, Hash: r.Hash,
			CreatedAt: at(r.RevisedAt), CreatedBy: r.CreatedBy, Note: r.Note,
		}}
	}
	return out, nil
}

// AlertDocument finds a rule or a channel by its name. hive.CodeNotFound if it does not exist or is deleted.
func (s *Store) AlertDocument(ctx context.Context, kind, name string) (hive.AlertDocument, error) {
	row := new(alertDocumentRow)
	err := s.r.NewSelect().Model(row).Where("kind = ?", kind).Where("name = ?", text(name)).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) || err == nil && row.Deleted {
		return hive.AlertDocument{}, noDocument(kind, name)
	}
	return row.hive(), s.fault("read a document of alerts", err)
}

// AlertRevisionAt finds a revision of a rule or a channel by its number.
func (s *Store) AlertRevisionAt(ctx context.Context, document, number int64) (hive.AlertRevision, error) {
	row := new(alertRevisionRow)
	err := s.r.NewSelect().Model(row).Where("document_id = ?", document).Where("number = ?", number).Scan(ctx)
	return row.hive(), s.fault("read a revision", missingFor(err, noRevision(), "there is no revision %d", number))
}

// AlertRevisions lists the revisions of a rule or a channel, newest first, without their documents.
func (s *Store) AlertRevisions(ctx context.Context, document int64) ([]hive.AlertRevision, error) {
	var rows []*alertRevisionRow
	err := s.r.NewSelect().Model(&rows).ExcludeColumn("document").Where("document_id = ?", document).
		OrderExpr("number DESC").Scan(ctx)
	if err != nil {
		return nil, s.fault("list revisions", err)
	}
	out := make([]hive.AlertRevision, len(rows))
	for i, r := range rows {
		out[i] = r.hive()
	}
	return out, nil
}
