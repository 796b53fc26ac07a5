package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// SetArchived archives or unarchives a schedule, and returns it. One that is archived already keeps who did it and
// when. The time in which it was archived counts as decided, so that no moment of it is late. hive.CodeConflict if the
// schedule is being deleted.
func (s *Store) SetArchived(ctx context.Context, name string, on bool, by string, now time.Time) (
	hive.Schedule, error,
) {
	return s.changeSchedule(ctx, "archive schedule", name, func(row *scheduleRow) ([]string, error) {
		old := row.hive()
		if row.Deleting {
			return nil, old.IfArchived()
		}
		if old.Archived() == on {
			return nil, nil
		}
		row.UpdatedAt = ms(now)
		if on {
			row.ArchivedAt, row.ArchivedBy = ms(now), text(by)
			return row.touch("archived_at", "archived_by", "updated_at"), nil
		}
		row.ArchivedAt, row.ArchivedBy, row.UnarchivedAt, row.Mark = 0, "", ms(now), max(row.Mark, ms(now))
		return row.touch("archived_at", "archived_by", "unarchived_at", "mark", "updated_at"), nil
	})
}

// refuseArchived returns hive.CodeConflict if one of the schedules is archived. The rows stay locked, so that none of
// them is archived before the transaction ends.
func (s *Store) refuseArchived(ctx context.Context, tx bun.Tx, ids ...int64) error {
	if len(ids) == 0 {
		return nil
	}
	var rows []*scheduleRow
	err := tx.NewRaw("SELECT * FROM schedules WHERE id IN (?) ORDER BY id"+s.kind.lock("NO KEY UPDATE"), bun.List(ids)).
		Scan(ctx, &rows)
	for _, row := range rows {
		if sched := row.hive(); err == nil {
			err = sched.IfArchived()
		}
	}
	return err
}
