package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type calendarRow struct {
	bun.BaseModel `bun:"table:calendars,alias:c"`

	ID        int64  `bun:"id,pk,autoincrement"`
	Name      string `bun:"name"`
	Revision  int64  `bun:"revision"`
	Deleted   bool   `bun:"deleted"`
	CreatedAt int64  `bun:"created_at"`
	UpdatedAt int64  `bun:"updated_at"`
}

func (r *calendarRow) hive() hive.Calendar {
	return hive.Calendar{
		ID: r.ID, Name: r.Name, Revision: r.Revision, Deleted: r.Deleted, CreatedAt: at(r.CreatedAt),
		UpdatedAt: at(r.UpdatedAt),
	}
}

type calendarRevisionRow struct {
	bun.BaseModel `bun:"table:calendar_revisions,alias:cr"`

	ID         int64  `bun:"id,pk,autoincrement"`
	CalendarID int64  `bun:"calendar_id"`
	Number     int64  `bun:"number"`
	Document   string `bun:"document"`
	Hash       string `bun:"hash"`
	CreatedAt  int64  `bun:"created_at"`
	CreatedBy  string `bun:"created_by"`
	Note       string `bun:"note"`
}

func (r *calendarRevisionRow) hive() hive.CalendarRevision {
	return hive.CalendarRevision{
		ID: r.ID, CalendarID: r.CalendarID, Number: r.Number, Document: r.Document, Hash: r.Hash,
		CreatedAt: at(r.CreatedAt), CreatedBy: r.CreatedBy, Note: r.Note,
	}
}

type scheduleCalendarRow struct {
	bun.BaseModel `bun:"table:schedule_calendars,alias:sc"`

	ScheduleID int64 `bun:"schedule_id,pk"`
	CalendarID int64 `bun:"calendar_id,pk"`
}

// SaveCalendar stores a document as the newest revision of the calendar of that name. A calendar that does not exist is
// created; a deleted one exists again, with its history. A document with the newest revision's hash changes nothing.
// hive.CodeConflict if in.Base is not the newest revision, or if the calendar exists and in.Fresh is set.
func (s *Store) SaveCalendar(ctx context.Context, in hive.SaveCalendar) (
	cal hive.Calendar, rev hive.CalendarRevision, changed bool, err error,
) {
	err = s.write(ctx, "save calendar "+in.Name, func(ctx context.Context, tx bun.Tx) error {
		row, err := s.lockCalendar(ctx, tx, in)
		if err != nil {
			return err
		}
		newest := new(calendarRevisionRow)
		if row.Revision > 0 {
			err := tx.NewSelect().Model(newest).Where("calendar_id = ?", row.ID).Where("number = ?", row.Revision).
				Scan(ctx)
			if err != nil {
				return err
			}
		}
		cal, rev = row.hive(), newest.hive()
		there := row.Revision > 0 && !row.Deleted
		if there && newest.Hash == text(in.Hash) && !in.Fresh {
			return nil
		}
		if err := checkCalendarBase(row, in, there); err != nil {
			return err
		}
		changed = true
		next := &calendarRevisionRow{
			CalendarID: row.ID, Number: row.Revision + 1, Document: text(in.Document), Hash: text(in.Hash),
			// Revisions stay in order even when a clock goes back.
			CreatedAt: max(ms(in.Now), newest.CreatedAt), CreatedBy: text(in.By), Note: text(in.Note),
		}
		if _, err := tx.NewInsert().Model(next).Returning("id").Exec(ctx); err != nil {
			return err
		}
		row.Revision, row.UpdatedAt, row.Deleted = next.Number, ms(in.Now), false
		_, err = tx.NewUpdate().Model(row).Column("revision", "updated_at", "deleted").WherePK().Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("UPDATE schedules SET next_at = 0, version = version + 1 WHERE id IN "+
			"(SELECT schedule_id FROM schedule_calendars WHERE calendar_id = ?)", row.ID).Exec(ctx)
		cal, rev = row.hive(), next.hive()
		return err
	})
	if err != nil {
		return hive.Calendar{}, hive.CalendarRevision{}, false, err
	}
	return cal, rev, changed, nil
}

// checkCalendarBase returns a conflict if the new revision was not made from the newest one.
func checkCalendarBase(row *calendarRow, in hive.SaveCalendar, there bool) error {
	switch {
	case in.Fresh && there:
		return hive.Errorf(hive.CodeConflict,
			"there is a calendar %q already, whose newest revision is %d; choose another name, "+
				"or save it as the next revision", in.Name, row.Revision).
			WithReason(hive.ErrorCalendarExists, "calendar", in.Name, "newest", row.Revision)
	case in.Base != 0 && in.Base != row.Revision:
		return hive.Errorf(hive.CodeConflict,
			"calendar %q was changed meanwhile: its newest revision is %d, yours was made from %d; "+
				"look at the newest and save again", in.Name, row.Revision, in.Base).
			WithReason(hive.ErrorCalendarMoved, "calendar", in.Name, "newest", row.Revision, "base", in.Base)
	default:
		return nil
	}
}

// lockCalendar finds or makes the calendar's row, and locks it.
func (s *Store) lockCalendar(ctx context.Context, tx bun.Tx, in hive.SaveCalendar) (*calendarRow, error) {
	row, err := s.findCalendar(ctx, tx, in.Name)
	if !errors.Is(err, sql.ErrNoRows) {
		return row, err
	}
	fresh := &calendarRow{Name: text(in.Name), CreatedAt: ms(in.Now), UpdatedAt: ms(in.Now)}
	_, err = tx.NewInsert().Model(fresh).On("CONFLICT (name) DO NOTHING").Returning("NULL").Exec(ctx)
	if err != nil {
		return nil, err
	}
	return s.findCalendar(ctx, tx, in.Name)
}

// findCalendar finds a calendar's row and locks it against other changes.
func (s *Store) findCalendar(ctx context.Context, tx bun.Tx, name string) (*calendarRow, error) {
	row := new(calendarRow)
	err := tx.NewRaw("SELECT * FROM calendars WHERE name = ?"+s.kind.lock("NO KEY UPDATE"), text(name)).Scan(ctx, row)
	return row, err
}

// DeleteCalendar deletes a calendar. Its revisions stay. hive.CodeConflict if the newest revision of a schedule names
// it; the error lists these schedules.
func (s *Store) DeleteCalendar(ctx context.Context, name string, now time.Time) error {
	return s.write(ctx, "delete calendar "+name, func(ctx context.Context, tx bun.Tx) error {
		row, err := s.findCalendar(ctx, tx, name)
		if err == nil && row.Deleted {
			err = sql.ErrNoRows
		}
		if err != nil {
			return missingFor(err, noCalendar(), "there is no calendar %.80q", name)
		}
		used, err := calendarUsers(ctx, tx, row.ID)
		if err != nil {
			return err
		}
		if len(used) > 0 {
			return hive.Errorf(
				hive.CodeConflict,
				"calendar %q is used by %s; take it out of their triggers first",
				name,
				strings.Join(used, ", "),
			).
				WithReason(
					hive.ErrorCalendarUsed,
					"calendar",
					name,
					"schedules",
					strings.Join(used, ", "),
				)
		}
		row.Deleted, row.UpdatedAt = true, ms(now)
		_, err = tx.NewUpdate().Model(row).Column("deleted", "updated_at").WherePK().Exec(ctx)
		return err
	})
}

func calendarUsers(ctx context.Context, tx bun.IDB, id int64) ([]string, error) {
	var names []string
	err := tx.NewRaw("SELECT s.name FROM schedules AS s JOIN schedule_calendars AS sc ON sc.schedule_id = s.id "+
		"WHERE sc.calendar_id = ? ORDER BY s.name", id).Scan(ctx, &names)
	return names, err
}

// useCalendars records the calendars that the newest revision of a schedule names. It locks their rows, so that none of
// them is deleted meanwhile.
func (s *Store) useCalendars(ctx context.Context, tx bun.Tx, schedule int64, names []string) error {
	_, err := tx.NewDelete().Model((*scheduleCalendarRow)(nil)).Where("schedule_id = ?", schedule).Exec(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	var found []*calendarRow
	err = tx.NewRaw("SELECT * FROM calendars WHERE name IN (?) AND NOT deleted ORDER BY id"+s.kind.lock("SHARE"),
		bun.List(names)).Scan(ctx, &found)
	if err != nil {
		return fmt.Errorf("lock the calendars: %w", err)
	}
	uses := make([]*scheduleCalendarRow, 0, len(found))
	for _, row := range found {
		uses = append(uses, &scheduleCalendarRow{ScheduleID: schedule, CalendarID: row.ID})
	}
	for _, name := range names {
		if !slices.ContainsFunc(found, func(r *calendarRow) bool { return r.Name == name }) {
			return hive.Errorf(hive.CodeConflict, "calendar %.80q was deleted meanwhile; name another one", name).
				WithReason(hive.ErrorCalendarGone, "calendar", name)
		}
	}
	return insertAll(ctx, tx, uses)
}

// Calendars lists the calendars by name, without the deleted ones.
func (s *Store) Calendars(ctx context.Context) ([]hive.Calendar, error) {
	var rows []*calendarRow
	if err := s.r.NewSelect().Model(&rows).Where("NOT deleted").Order("name").Scan(ctx); err != nil {
		return nil, s.fault("list calendars", err)
	}
	out := make([]hive.Calendar, len(rows))
	for i, r := range rows {
		out[i] = r.hive()
	}
	return out, nil
}

// Calendar finds a calendar by its name, also a deleted one.
func (s *Store) Calendar(ctx context.Context, name string) (hive.Calendar, error) {
	row := new(calendarRow)
	err := s.r.NewSelect().Model(row).Where("name = ?", text(name)).Scan(ctx)
	return row.hive(), s.fault("read calendar", missingFor(err, noCalendar(), "there is no calendar %.80q", name))
}

// CalendarUsers lists the schedules whose newest revision names a calendar, by name.
func (s *Store) CalendarUsers(ctx context.Context, calendarID int64) ([]string, error) {
	names, err := calendarUsers(ctx, s.r, calendarID)
	return names, s.fault("list the users of a calendar", err)
}

// CalendarRevisionAt finds a calendar's revision by its number.
func (s *Store) CalendarRevisionAt(ctx context.Context, calendarID, number int64) (hive.CalendarRevision, error) {
	row := new(calendarRevisionRow)
	err := s.r.NewSelect().Model(row).
		Where("calendar_id = ?", calendarID).Where("number = ?", number).Scan(ctx)
	return row.hive(), s.fault("read revision of a calendar",
		missingFor(err, noRevision(), "the calendar has no revision %d", number))
}

// CalendarRevisions lists a calendar's revisions, newest first, without their documents.
func (s *Store) CalendarRevisions(ctx context.Context, calendarID int64) ([]hive.CalendarRevision, error) {
	var rows []*calendarRevisionRow
	err := s.r.NewSelect().Model(&rows).ExcludeColumn("document").Where("calendar_id = ?", calendarID).
		OrderExpr("number DESC").Scan(ctx)
	if err != nil {
		return nil, s.fault("list the revisions of a calendar", err)
	}
	out := make([]hive.CalendarRevision, len(rows))
	for i, r := range rows {
		out[i] = r.hive()
	}
	return out, nil
}

// AllCalendarRevisions lists the revisions of all calendars, also of deleted ones, oldest first.
func (s *Store) AllCalendarRevisions(ctx context.Context) ([]hive.NamedCalendarRevision, error) {
	var rows []struct {
		calendarRevisionRow `bun:",extend"`

		Name string `bun:"name"`
	}
	err := s.r.NewRaw("SELECT cr.*, c.name FROM calendar_revisions AS cr JOIN calendars AS c ON c.id = cr.calendar_id "+
		"ORDER BY cr.calendar_id, cr.number").Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list the revisions of all calendars", err)
	}
	out := make([]hive.NamedCalendarRevision, len(rows))
	for i := range rows {
		out[i] = hive.NamedCalendarRevision{CalendarRevision: rows[i].hive(), Name: rows[i].Name}
	}
	return out, nil
}

// CalendarsVersion returns a number that grows with each new revision of any calendar; 0 if there is none.
func (s *Store) CalendarsVersion(ctx context.Context) (int64, error) {
	version, err := calendarsVersion(ctx, s.r)
	return version, s.fault("read the version of the calendars", err)
}

func calendarsVersion(ctx context.Context, tx bun.IDB) (int64, error) {
	var version int64
	err := tx.NewRaw("SELECT COALESCE(MAX(id), 0) FROM calendar_revisions").Scan(ctx, &version)
	return version, err
}

func noCalendar() reason { return because(hive.ErrorNoCalendar, "calendar") }
