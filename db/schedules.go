package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type scheduleRow struct {
	bun.BaseModel `bun:"table:schedules,alias:s"`

	ID        int64  `bun:"id,pk,autoincrement"`
	Name      string `bun:"name"`
	Enabled   bool   `bun:"enabled"`
	Revision  int64  `bun:"revision"`
	Mark      int64  `bun:"mark"`
	Counted   int    `bun:"counted"`
	CreatedAt int64  `bun:"created_at"`
	UpdatedAt int64  `bun:"updated_at"`
	EnabledAt int64  `bun:"enabled_at"`

	ArchivedAt   int64  `bun:"archived_at"`
	ArchivedBy   string `bun:"archived_by"`
	UnarchivedAt int64  `bun:"unarchived_at"`
	Deleting     bool   `bun:"deleting"`

	NextAt  int64 `bun:"next_at"`
	Version int64 `bun:"version"`
	Linked  int64 `bun:"linked"`

	Described int64 `bun:"described"`
}

func (r *scheduleRow) hive() hive.Schedule {
	return hive.Schedule{
		ID: r.ID, Name: r.Name, Enabled: r.Enabled, Revision: r.Revision, Mark: at(r.Mark), Counted: r.Counted,
		CreatedAt: at(r.CreatedAt), UpdatedAt: at(r.UpdatedAt), EnabledAt: at(r.EnabledAt),
		ArchivedAt: at(r.ArchivedAt), ArchivedBy: r.ArchivedBy, UnarchivedAt: at(r.UnarchivedAt), Deleting: r.Deleting,
		NextAt: at(r.NextAt), Version: r.Version, Linked: r.Linked,
	}
}

// SaveSchedule stores a document as the newest revision of the schedule of that name. A schedule that does not exist is
// created, enabled. A document with the newest revision's hash changes nothing. hive.CodeConflict if in.Base is not
// the newest revision, if the schedule exists and in.Fresh is set, if it is archived, or if a schedule had the name
// before it was renamed.
func (s *Store) SaveSchedule(ctx context.Context, in hive.SaveSchedule) (
	sched hive.Schedule, rev hive.Revision, changed bool, err error,
) {
	var saved hive.SavedRevision
	err = s.write(ctx, "save schedule "+in.Name, func(ctx context.Context, tx bun.Tx) error {
		row, err := s.lockSchedule(ctx, tx, in)
		if err != nil {
			return err
		}
		saved, err = s.saveRevision(ctx, tx, row, &in)
		return err
	})
	if err != nil {
		return hive.Schedule{}, hive.Revision{}, false, err
	}
	return saved.Schedule, saved.Revision, saved.Changed, nil
}

// saveRevision stores a document as the newest revision of a schedule whose row is locked.
func (s *Store) saveRevision(ctx context.Context, tx bun.Tx, row *scheduleRow, in *hive.SaveSchedule) (
	out hive.SavedRevision, err error,
) {
	old := row.hive()
	if err := old.IfArchived(); err != nil {
		return out, err
	}
	newest, err := newestRevision(ctx, tx, row)
	if err != nil {
		return out, err
	}
	out = hive.SavedRevision{Schedule: old, Revision: newest.hive()}
	if in.Fresh && row.Revision > 0 {
		return out, hive.ScheduleExists(row.Name, row.Revision)
	}
	if row.Revision > 0 && newest.Hash == text(in.Hash) {
		return out, nil
	}
	if in.Base != 0 && in.Base != row.Revision {
		return out, hive.Errorf(hive.CodeConflict,
			"schedule %q was changed meanwhile: its newest revision is %d, yours was made from %d; "+
				"look at the newest and save again",
			row.Name, row.Revision, in.Base).
			WithReason(hive.ErrorRevisionMoved, "schedule", row.Name, "newest", row.Revision, "base", in.Base)
	}
	next := &revisionRow{
		ScheduleID: row.ID, Number: row.Revision + 1, Document: text(in.Document), Hash: text(in.Hash),
		// Revisions stay in order even when a clock goes back.
		CreatedAt: max(ms(in.Now), newest.CreatedAt), CreatedBy: text(in.By), Note: text(in.Note),
		RenamedFrom: text(in.RenamedFrom),
	}
	if _, err := tx.NewInsert().Model(next).Returning("id").Exec(ctx); err != nil {
		return out, err
	}
	if !in.SameCalendars {
		if err := s.useCalendars(ctx, tx, row.ID, in.Calendars); err != nil {
			return out, err
		}
	}
	row.Revision, row.UpdatedAt = next.Number, ms(in.Now)
	if in.Links != nil {
		if err := storeLinks(ctx, tx, row.ID, in.Links); err != nil {
			return out, err
		}
		row.Linked = next.Number
	}
	if in.Texts != nil {
		if err := storeTexts(ctx, tx, row.ID, in.Texts); err != nil {
			return out, err
		}
		row.Described = next.Number
	}
	_, err = tx.NewUpdate().Model(row).Column(row.touch("revision", "updated_at", "linked", "described")...).WherePK().
		Exec(ctx)
	return hive.SavedRevision{Schedule: row.hive(), Revision: next.hive(), Changed: true}, err
}

// lockSchedule finds or makes the schedule's row, and locks it.
func (s *Store) lockSchedule(ctx context.Context, tx bun.Tx, in hive.SaveSchedule) (*scheduleRow, error) {
	find := func() (*scheduleRow, error) {
		row := new(scheduleRow)
		err := tx.NewRaw("SELECT * FROM schedules WHERE name = ?"+s.kind.lock("NO KEY UPDATE"), text(in.Name)).Scan(ctx,
			row)
		return row, err
	}
	row, err := find()
	if !errors.Is(err, sql.ErrNoRows) {
		return row, err
	}
	fresh := &scheduleRow{Name: text(in.Name), Enabled: true, CreatedAt: ms(in.Now), UpdatedAt: ms(in.Now)}
	_, err = tx.NewInsert().Model(fresh).On("CONFLICT (name) DO NOTHING").Returning("NULL").Exec(ctx)
	if err != nil {
		return nil, err
	}
	if row, err = find(); err != nil {
		return nil, err
	}
	// Until here, a rename may have given the name up.
	if to, err := presentName(ctx, tx, in.Name); err != nil || to != "" {
		return nil, cmp.Or(err, error(hive.FormerName(in.Name, to)))
	}
	return row, nil
}

// newestRevision returns the newest revision of a schedule; an empty row if it has none yet.
func newestRevision(ctx context.Context, tx bun.IDB, row *scheduleRow) (*revisionRow, error) {
	rev := new(revisionRow)
	if row.Revision == 0 {
		return rev, nil
	}
	err := tx.NewSelect().Model(rev).Where("schedule_id = ?", row.ID).Where("number = ?", row.Revision).Scan(ctx)
	return rev, err
}

// Schedule finds a schedule by its name. The error of a former name is hive.WasRenamed.
func (s *Store) Schedule(ctx context.Context, name string) (hive.Schedule, error) {
	row := new(scheduleRow)
	err := s.r.NewSelect().Model(row).Where("name = ?", text(name)).Scan(ctx)
	if err != nil {
		return hive.Schedule{}, s.fault("read schedule", missingSchedule(ctx, s.r, err, name))
	}
	return s.withFormer(ctx, row)
}

// ScheduleByID finds a schedule by its id.
func (s *Store) ScheduleByID(ctx context.Context, id int64) (hive.Schedule, error) {
	row := new(scheduleRow)
	err := s.r.NewSelect().Model(row).Where("id = ?", id).Scan(ctx)
	if err != nil {
		return hive.Schedule{}, s.fault("read schedule",
			missingFor(err, noSchedule(), "there is no schedule with id %d", id))
	}
	return s.withFormer(ctx, row)
}

// Schedules lists all schedules by name.
func (s *Store) Schedules(ctx context.Context) ([]hive.Schedule, error) {
	var rows []*scheduleRow
	if err := s.r.NewSelect().Model(&rows).Order("name").Scan(ctx); err != nil {
		return nil, s.fault("list schedules", err)
	}
	out := hiveSchedules(rows)
	return out, s.fault("read former names", addFormer(ctx, s.r, out))
}

// SetEnabled enables or disables a schedule. Enabling one that is enabled does not count as enabling.
// hive.CodeConflict if it is archived.
func (s *Store) SetEnabled(ctx context.Context, name string, on bool, now time.Time) error {
	_, err := s.changeSchedule(ctx, "switch schedule", name, func(row *scheduleRow) ([]string, error) {
		old := row.hive()
		if on && !row.Enabled {
			row.EnabledAt = ms(now)
		}
		row.Enabled, row.UpdatedAt = on, ms(now)
		return row.touch("enabled", "enabled_at", "updated_at"), old.IfArchived()
	})
	return err
}

// changeSchedule locks the row of a schedule, calls change with it, and stores the columns that change returns, if any.
func (s *Store) changeSchedule(ctx context.Context, what, name string,
	change func(row *scheduleRow) (columns []string, err error),
) (hive.Schedule, error) {
	row := new(scheduleRow)
	err := s.write(ctx, what, func(ctx context.Context, tx bun.Tx) error {
		err := tx.NewRaw("SELECT * FROM schedules WHERE name = ?"+s.kind.lock("NO KEY UPDATE"), text(name)).
			Scan(ctx, row)
		if err != nil {
			return missingSchedule(ctx, tx, err, name)
		}
		columns, err := change(row)
		if err != nil || len(columns) == 0 {
			return err
		}
		_, err = tx.NewUpdate().Model(row).Column(columns...).WherePK().Exec(ctx)
		return err
	})
	return row.hive(), err
}

func noSchedule() reason { return because(hive.ErrorNoSchedule, "schedule") }
