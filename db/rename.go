package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type formerNameRow struct {
	bun.BaseModel `bun:"table:former_names"`

	Name       string `bun:"name,pk"`
	ScheduleID int64  `bun:"schedule_id"`
	RenamedAt  int64  `bun:"renamed_at"`
	RenamedBy  string `bun:"renamed_by"`
}

// scheduleNamed selects the id of a schedule by its name, or by a former one.
const scheduleNamed = "(SELECT coalesce((SELECT id FROM schedules WHERE name = ?0), " +
	"(SELECT schedule_id FROM former_names WHERE name = ?0)))"

// presentName returns the name of the schedule that once had another one; empty if none had it.
func presentName(ctx context.Context, q bun.IDB, former string) (string, error) {
	var name string
	err := q.NewRaw("SELECT s.name FROM former_names AS f JOIN schedules AS s ON s.id = f.schedule_id WHERE f.name = ?",
		text(former)).Scan(ctx, &name)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return name, err
}

// missingSchedule turns sql.ErrNoRows into the error of a name that no schedule has.
func missingSchedule(ctx context.Context, q bun.IDB, err error, name string) error {
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	to, former := presentName(ctx, q, name)
	switch {
	case former != nil:
		return former
	case to != "":
		return hive.WasRenamed(name, to)
	default:
		return missingFor(err, noSchedule(), "there is no schedule %.80q", name)
	}
}

// formerNames reads the former names of a schedule, or of all for 0, by schedule and sorted.
func formerNames(ctx context.Context, q bun.IDB, schedule int64) (map[int64][]string, error) {
	var rows []*formerNameRow
	sel := q.NewSelect().Model(&rows).Order("name")
	if schedule != 0 {
		sel.Where("schedule_id = ?", schedule)
	}
	if err := sel.Scan(ctx); err != nil {
		return nil, err
	}
	out := map[int64][]string{}
	for _, r := range rows {
		out[r.ScheduleID] = append(out[r.ScheduleID], r.Name)
	}
	return out, nil
}

// withFormer adds its former names to a schedule.
func (s *Store) withFormer(ctx context.Context, row *scheduleRow) (hive.Schedule, error) {
	former, err := formerNames(ctx, s.r, row.ID)
	if err != nil {
		return hive.Schedule{}, s.fault("read former names", err)
	}
	out := row.hive()
	out.Former = former[row.ID]
	return out, nil
}

// ScheduleEverNamed finds a schedule by its name, or by a former one.
func (s *Store) ScheduleEverNamed(ctx context.Context, name string) (hive.Schedule, error) {
	h, err := s.Schedule(ctx, name)
	if to := hive.RenamedTo(err); to != "" {
		return s.Schedule(ctx, to)
	}
	return h, err
}

// FormerNames returns the present names of schedules by their former ones.
func (s *Store) FormerNames(ctx context.Context) (map[string]string, error) {
	var rows []struct{ Former, Name string }
	err := s.r.NewRaw("SELECT f.name AS former, s.name FROM former_names AS f JOIN schedules AS s "+
		"ON s.id = f.schedule_id").Scan(ctx, &rows)
	out := make(map[string]string, len(rows))
	for _, r := range rows {
		out[r.Former] = r.Name
	}
	return out, s.fault("list former names", err)
}

// ReleaseName frees a former name: another schedule may have it. hive.CodeNotFound if it is no former name.
func (s *Store) ReleaseName(ctx context.Context, former string) (scheduleID int64, err error) {
	err = s.write(ctx, "release a former name", func(ctx context.Context, tx bun.Tx) error {
		err := tx.NewRaw("DELETE FROM former_names WHERE name = ? RETURNING schedule_id", text(former)).
			Scan(ctx, &scheduleID)
		return missingFor(err, because(hive.ErrorNoFormerName, "name"), "%.80q is no former name of a schedule", former)
	})
	return scheduleID, err
}

// RenameSchedule gives a schedule another name and stores the revisions of in.Saves, in one transaction; the result has
// them in the same order. The former name leads to the schedule from then on, and the drafts of the schedule move to
// the new one. hive.CodeConflict if another schedule has or had the new name, and as SaveSchedule.
func (s *Store) RenameSchedule(ctx context.Context, in hive.RenameSchedule) ([]hive.SavedRevision, error) {
	var out []hive.SavedRevision
	self := &in.Saves[0]
	err := s.write(ctx, "rename schedule "+in.Name, func(ctx context.Context, tx bun.Tx) error {
		rows, err := s.lockForRename(ctx, tx, &in)
		if err != nil {
			return err
		}
		row := rows[in.Name]
		old := row.hive()
		if err := old.IfArchived(); err != nil {
			return err
		}
		if err := s.takeName(ctx, tx, row, self); err != nil {
			return err
		}
		out = out[:0]
		for i := range in.Saves {
			of := row
			if i > 0 {
				of = rows[in.Saves[i].Name]
			}
			saved, err := s.saveRevision(ctx, tx, of, &in.Saves[i])
			if err != nil {
				return err
			}
			out = append(out, saved)
		}
		if err := moveLimits(ctx, tx, in.Name, self.Name); err != nil {
			return err
		}
		return s.moveDrafts(ctx, tx, in.Name, self.Name, in.Redraft)
	})
	if err != nil && s.sortOf(err) == failureUnique { // another call took the name first
		if row := new(scheduleRow); s.r.NewSelect().Model(row).Where("name = ?", text(self.Name)).Scan(ctx) == nil {
			err = hive.ScheduleExists(row.Name, row.Revision)
		}
	}
	return out, err
}

// lockForRename locks the rows of the schedules in the order of their ids, and returns them by their names. The lock is
// the one that the update of a name takes.
func (s *Store) lockForRename(ctx context.Context, tx bun.Tx, in *hive.RenameSchedule) (
	map[string]*scheduleRow, error,
) {
	names := append(make([]string, 0, len(in.Saves)), text(in.Name))
	for i := range in.Saves[1:] {
		names = append(names, text(in.Saves[1+i].Name))
	}
	var list []*scheduleRow
	err := tx.NewRaw("SELECT * FROM schedules WHERE name IN (?) ORDER BY id"+s.kind.lock("UPDATE"), bun.List(names)).
		Scan(ctx, &list)
	if err != nil {
		return nil, fmt.Errorf("lock the schedules: %w", err)
	}
	rows := make(map[string]*scheduleRow, len(list))
	for _, row := range list {
		rows[row.Name] = row
	}
	for _, name := range names {
		if rows[name] == nil {
			return nil, missingSchedule(ctx, tx, sql.ErrNoRows, name)
		}
	}
	return rows, nil
}

// takeName gives a schedule its new name, and keeps the former one.
func (s *Store) takeName(ctx context.Context, tx bun.Tx, row *scheduleRow, self *hive.SaveSchedule) error {
	taken := new(scheduleRow)
	err := tx.NewSelect().Model(taken).Where("name = ?", text(self.Name)).Scan(ctx)
	if err == nil {
		return hive.ScheduleExists(taken.Name, taken.Revision)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	kept := new(formerNameRow)
	err = tx.NewSelect().Model(kept).Where("name = ?", text(self.Name)).Scan(ctx)
	switch {
	case err == nil && kept.ScheduleID != row.ID:
		to, err := presentName(ctx, tx, self.Name)
		if err != nil {
			return err
		}
		return hive.FormerName(self.Name, to)
	case err == nil: // it takes an earlier name back
		if _, err = tx.NewDelete().Model(kept).WherePK().Exec(ctx); err != nil {
			return err
		}
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	_, err = tx.NewInsert().Model(&formerNameRow{
		Name: row.Name, ScheduleID: row.ID, RenamedAt: ms(self.Now), RenamedBy: text(self.By),
	}).Exec(ctx)
	if err != nil {
		return err
	}
	row.Name = text(self.Name)
	_, err = tx.NewUpdate().Model(row).Column("name").WherePK().Exec(ctx)
	return err
}

// moveDrafts gives the drafts of a schedule its new name. A user who has a draft of that name already keeps both.
func (s *Store) moveDrafts(ctx context.Context, tx bun.Tx, from, to string, redraft func(string) string) error {
	var users []int64
	err := tx.NewRaw("SELECT user_id FROM drafts WHERE name = ? ORDER BY user_id", text(from)).Scan(ctx, &users)
	if err != nil {
		return fmt.Errorf("list the drafts: %w", err)
	}
	for _, user := range users {
		if err := s.lockBelongings(ctx, tx, user); err != nil {
			return err
		}
		var rows []*draftRow
		err := tx.NewSelect().Model(&rows).Where("user_id = ?", user).
			Where("name IN (?)", bun.List([]string{text(from), text(to)})).Scan(ctx)
		if err != nil {
			return fmt.Errorf("read a draft: %w", err)
		}
		i := slices.IndexFunc(rows, func(r *draftRow) bool { return r.Name == from })
		if len(rows) != 1 || i < 0 {
			continue
		}
		_, err = tx.NewRaw("UPDATE drafts SET name = ?, document = ? WHERE user_id = ? AND name = ?", text(to),
			text(redraft(rows[i].Document)), user, text(from)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("move a draft: %w", err)
		}
	}
	return nil
}
