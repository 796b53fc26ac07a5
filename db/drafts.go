package db

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type draftRow struct {
	bun.BaseModel `bun:"table:drafts,alias:d"`

	UserID    int64  `bun:"user_id,pk"`
	Name      string `bun:"name,pk"`
	Base      int64  `bun:"base"`
	Version   int64  `bun:"version"`
	Document  string `bun:"document"`
	UpdatedAt int64  `bun:"updated_at"`
}

func (r *draftRow) hive() hive.Draft {
	return hive.Draft{
		User: r.UserID, Name: r.Name, Base: r.Base, Version: r.Version, Document: r.Document,
		UpdatedAt: at(r.UpdatedAt),
	}
}

// Drafts lists a user's drafts by name, without their documents.
func (s *Store) Drafts(ctx context.Context, user int64) ([]hive.Draft, error) {
	var rows []*draftRow
	err := s.r.NewSelect().Model(&rows).ExcludeColumn("document").Where("user_id = ?", user).Order("name").Scan(ctx)
	if err != nil {
		return nil, s.fault("list drafts", err)
	}
	out := make([]hive.Draft, len(rows))
	for i, r := range rows {
		out[i] = r.hive()
	}
	return out, nil
}

// Draft finds a user's draft of a schedule.
func (s *Store) Draft(ctx context.Context, user int64, name string) (hive.Draft, error) {
	row := new(draftRow)
	err := s.r.NewSelect().Model(row).Where("user_id = ?", user).Where("name = ?", text(name)).Scan(ctx)
	return row.hive(), s.fault("read draft",
		missingFor(err, because(hive.ErrorNoDraft, "schedule"), "you have no draft of %.80q", name))
}

// PutDraft stores d in the place of the user's draft of that name whose version is d.Version, or of none for 0. It
// returns the draft with its new version. hive.CodeConflict if another version is stored by now, if the user has most
// drafts already, or if a schedule had the name before it was renamed.
func (s *Store) PutDraft(ctx context.Context, d hive.Draft, most int) (hive.Draft, error) {
	var row *draftRow
	err := s.write(ctx, "store draft", func(ctx context.Context, tx bun.Tx) error {
		if err := s.lockBelongings(ctx, tx, d.User); err != nil {
			return err
		}
		to, err := presentName(ctx, tx, d.Name)
		if err != nil {
			return err
		}
		if to != "" {
			return hive.FormerName(d.Name, to)
		}
		stored, err := draftVersion(ctx, tx, d.User, d.Name)
		if err != nil {
			return err
		}
		if stored != d.Version {
			return draftMoved(d.Name, stored, d.Version)
		}
		row = &draftRow{
			UserID: d.User, Name: text(d.Name), Base: d.Base, Document: text(d.Document), UpdatedAt: ms(d.UpdatedAt),
			// At least the time, so that a new draft has a higher version than a deleted one of the same name.
			Version: max(stored+1, ms(d.UpdatedAt)),
		}
		if stored > 0 {
			_, err = tx.NewUpdate().Model(row).WherePK().Exec(ctx)
			return err
		}
		n, err := tx.NewSelect().Model((*draftRow)(nil)).Where("user_id = ?", d.User).Count(ctx)
		if err != nil {
			return err
		}
		if n >= int64(most) {
			return hive.Errorf(hive.CodeConflict,
				"you have %d drafts, and no more are kept; publish some or throw them away", n).
				WithReason(hive.ErrorDraftsFull, "most", most)
		}
		_, err = tx.NewInsert().Model(row).Exec(ctx)
		return err
	})
	if err != nil {
		return hive.Draft{}, err
	}
	return row.hive(), nil
}

// DeleteDraft removes a user's draft of a schedule, if there is one. hive.CodeConflict if version is neither 0 nor the
// draft's own.
func (s *Store) DeleteDraft(ctx context.Context, user int64, name string, version int64) error {
	return s.write(ctx, "delete draft", func(ctx context.Context, tx bun.Tx) error {
		if err := s.lockBelongings(ctx, tx, user); err != nil {
			return err
		}
		stored, err := draftVersion(ctx, tx, user, name)
		if err != nil || stored == 0 {
			return err
		}
		if version != 0 && version != stored {
			return draftMoved(name, stored, version)
		}
		_, err = tx.NewDelete().Model((*draftRow)(nil)).Where("user_id = ?", user).Where("name = ?",
			text(name)).Exec(ctx)
		return err
	})
}

// draftVersion returns the version of a stored draft; 0 if there is none.
func draftVersion(ctx context.Context, tx bun.Tx, user int64, name string) (int64, error) {
	var version int64
	err := tx.NewSelect().Model((*draftRow)(nil)).Column("version").
		Where("user_id = ?", user).Where("name = ?", text(name)).Scan(ctx, &version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return version, err
}

func draftMoved(name string, stored, version int64) error {
	words := "the draft of %q was changed meanwhile, in another window perhaps; look at it before you keep yours"
	if stored == 0 {
		words = "the draft of %q was published or thrown away meanwhile; keep yours as a new one"
	}
	return hive.Errorf(hive.CodeConflict, words, name).
		WithReason(hive.ErrorDraftMoved, "schedule", name, "version", stored, "base", version)
}
