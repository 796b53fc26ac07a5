package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type deletionRow struct {
	bun.BaseModel `bun:"table:deletions,alias:d"`

	ID         int64  `bun:"id,pk,autoincrement"`
	ScheduleID int64  `bun:"schedule_id"`
	Schedule   string `bun:"schedule"`
	DeletedBy  string `bun:"deleted_by"`
	BegunAt    int64  `bun:"begun_at"`
	FinishedAt int64  `bun:"finished_at"`
	Total      int    `bun:"total"`
	Batches    int    `bun:"batches"`
	Runs       int    `bun:"runs"`
	Attempts   int    `bun:"attempts"`
	Ticks      int    `bun:"ticks"`
	Revisions  int    `bun:"revisions"`
}

func (r *deletionRow) hive() hive.Deletion {
	return hive.Deletion{
		ID: r.ID, ScheduleID: r.ScheduleID, Schedule: r.Schedule, By: r.DeletedBy, BegunAt: at(r.BegunAt),
		FinishedAt: at(r.FinishedAt), Total: r.Total, Deleted: hive.DeletionCounts{
			Batches: r.Batches, Runs: r.Runs, Attempts: r.Attempts, Ticks: r.Ticks, Revisions: r.Revisions,
		},
	}
}

// BeginDeletion marks an archived schedule for deletion, which DeleteChunk carries out. If it is marked already, the
// result is that deletion. hive.CodeConflict if the schedule is not archived, or if it has live batches or backfills,
// or commands that are not applied yet.
func (s *Store) BeginDeletion(ctx context.Context, name, by string, now time.Time) (hive.Deletion, error) {
	row := new(deletionRow)
	err := s.write(ctx, "begin to delete schedule "+name, func(ctx context.Context, tx bun.Tx) error {
		sched := new(scheduleRow)
		err := tx.NewRaw("SELECT * FROM schedules WHERE name = ?"+s.kind.lock("NO KEY UPDATE"), text(name)).
			Scan(ctx, sched)
		if err != nil {
			return missingSchedule(ctx, tx, err, name)
		}
		if sched.Deleting {
			return tx.NewSelect().Model(row).Where("schedule_id = ?", sched.ID).Where("finished_at = 0").Scan(ctx)
		}
		if err := checkDeletable(ctx, tx, sched); err != nil {
			return err
		}
		*row = deletionRow{ScheduleID: sched.ID, Schedule: sched.Name, DeletedBy: text(by), BegunAt: ms(now)}
		err = tx.NewRaw("SELECT (SELECT count(*) FROM batches WHERE schedule_id = ?0) + (SELECT count(*) FROM ("+
			hooksOf("SELECT id FROM batches WHERE schedule_id = ?0")+") AS h)", sched.ID).Scan(ctx, &row.Total)
		if err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(row).Returning("id").Exec(ctx); err != nil {
			return err
		}
		sched.Deleting, sched.UpdatedAt = true, ms(now)
		_, err = tx.NewUpdate().Model(sched).Column("deleting", "updated_at").WherePK().Exec(ctx)
		return err
	})
	return row.hive(), err
}

// checkDeletable returns a conflict if a schedule cannot be deleted. Its row is locked, and what makes new batches or
// commands locks it too.
func checkDeletable(ctx context.Context, tx bun.Tx, sched *scheduleRow) error {
	if sched.ArchivedAt == 0 {
		return hive.Errorf(hive.CodeConflict, "schedule %s is not archived; archive it first", sched.Name).
			WithReason(hive.ErrorScheduleActive, "schedule", sched.Name)
	}
	var batches, backfills, commands, steps int
	err := tx.NewRaw("SELECT (SELECT count(*) FROM batches WHERE live AND schedule_id = ?0) + "+
		"(SELECT count(*) FROM batches AS h JOIN batches AS b ON b.id = h.hook_of WHERE h.live AND h.hook_of > 0 "+
		"AND b.schedule_id = ?0), "+
		"(SELECT count(*) FROM backfills WHERE state NOT IN ('done', 'canceled') AND id IN "+
		"(SELECT backfill_id FROM backfill_schedules WHERE schedule_id = ?0)), "+
		"(SELECT count(*) FROM commands AS c JOIN batches AS b ON b.id = c.batch_id "+
		"LEFT JOIN batches AS f ON f.id = b.hook_of "+
		"WHERE c.state = 'pending' AND coalesce(b.schedule_id, f.schedule_id) = ?0), "+
		"(SELECT count(*) FROM chain_repair_steps AS p JOIN batches AS b ON b.id = p.batch_id "+
		"WHERE p.open AND b.schedule_id = ?0)", sched.ID).Scan(ctx, &batches, &backfills, &commands, &steps)
	if err != nil {
		return err
	}
	if batches+backfills+commands+steps == 0 {
		return nil
	}
	batches = max(batches, commands, steps)
	return hive.Errorf(hive.CodeConflict, "schedule %s has %d live batches and %d live backfills; "+
		"wait for their end, or cancel them", sched.Name, batches, backfills).
		WithReason(hive.ErrorScheduleLive, "schedule", sched.Name, "batches", batches,
			"backfills", backfills)
}

// Deletions lists the deletions of schedules, latest first, at most limit (1 to 500; 50 when 0).
func (s *Store) Deletions(ctx context.Context, limit int) ([]hive.Deletion, error) {
	var rows []deletionRow
	if err := s.r.NewSelect().Model(&rows).OrderExpr("id DESC").Limit(pageSize(limit)).Scan(ctx); err != nil {
		return nil, s.fault("list deletions", err)
	}
	out := make([]hive.Deletion, len(rows))
	for i := range rows {
		out[i] = rows[i].hive()
	}
	return out, nil
}

// ActiveDeletions lists the ids of the deletions that are not finished, oldest first.
func (s *Store) ActiveDeletions(ctx context.Context) ([]int64, error) {
	var ids []int64
	err := s.r.NewRaw("SELECT id FROM deletions WHERE finished_at = 0 ORDER BY id").Scan(ctx, &ids)
	return ids, s.fault("list deletions", err)
}

// firstBatches selects the oldest batches of the schedule of a deletion, and firstHooks the hooks that follow them.
// These are the next ones to be deleted, the hooks first.
const firstBatches = "(SELECT b.id FROM batches AS b JOIN deletions AS d ON d.schedule_id = b.schedule_id " +
	"WHERE d.id = ?0 ORDER BY b.id LIMIT 50)"

func firstHooks() string { return "(" + hooksOf(firstBatches) + " ORDER BY h.id LIMIT 50)" }

// DeletionAttempts lists attempts that the next chunk of a deletion may delete, at most limit, so that their logs are
// deleted first.
func (s *Store) DeletionAttempts(ctx context.Context, deletion int64, limit int) ([]hive.AttemptRef, error) {
	var refs []hive.AttemptRef
	err := s.r.NewRaw("SELECT id, key FROM attempts WHERE batch_id IN "+firstBatches+" OR batch_id IN "+firstHooks()+
		" ORDER BY id LIMIT ?1", deletion, limit).Scan(ctx, &refs)
	return refs, s.fault("list attempts of a deletion", err)
}

// DeleteChunk deletes at most limit rows of a deletion, and of the attempts only those whose logs were deleted. It is
// one short transaction: what it deletes does not come back, and the next one goes on from there, on any server. The
// session of server is checked as in Commit. The last chunk deletes the schedule itself; then done is true.
func (s *Store) DeleteChunk(ctx context.Context, server hive.Server, deletion int64, attempts []int64, limit int,
	now time.Time,
) (done bool, err error) {
	err = s.write(ctx, "delete rows of a schedule", func(ctx context.Context, tx bun.Tx) error {
		done = false
		if err := s.sessionHolds(ctx, tx, server.ID, server.Epoch, "SHARE"); err != nil {
			return err
		}
		row := new(deletionRow)
		err := tx.NewRaw("SELECT * FROM deletions WHERE id = ?"+s.kind.lock("UPDATE"), deletion).Scan(ctx, row)
		if errors.Is(err, sql.ErrNoRows) || err == nil && row.FinishedAt != 0 {
			done = true
			return nil
		}
		if err != nil {
			return err
		}
		c := chunk{tx: tx, row: row, left: limit}
		if err := c.attempts(ctx, attempts); err != nil {
			return err
		}
		if err := c.batches(ctx); err != nil {
			return err
		}
		if c.left > 0 {
			if err := c.others(ctx); err != nil {
				return err
			}
		}
		if done = c.left > 0; done {
			if err := c.schedule(ctx); err != nil {
				return err
			}
			row.FinishedAt = ms(now)
		}
		_, err = tx.NewUpdate().Model(row).WherePK().Exec(ctx)
		return err
	})
	return done, err
}

// chunk is a running DeleteChunk. It has deleted all that it may once left is 0.
type chunk struct {
	tx   bun.Tx
	row  *deletionRow
	left int
}

// attempts deletes attempts whose logs were deleted.
func (c *chunk) attempts(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	return c.run(ctx, &c.row.Attempts, "DELETE FROM attempts WHERE id IN (?1) AND (batch_id IN "+firstBatches+
		" OR batch_id IN "+firstHooks()+")", bun.List(ids))
}

// batches deletes batches, each after all that belongs to it and after the hooks that follow it.
func (c *chunk) batches(ctx context.Context) error {
	for c.left > 0 {
		hooks, err := c.some(ctx, firstHooks())
		if err != nil || c.left == 0 {
			return err
		}
		if hooks > 0 {
			continue
		}
		if n, err := c.some(ctx, firstBatches); err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// some deletes the batches that a query selects, and returns how many.
func (c *chunk) some(ctx context.Context, first string) (int, error) {
	var kept int
	err := c.tx.NewRaw("SELECT count(*) FROM (SELECT 1 FROM attempts WHERE batch_id IN "+first+" LIMIT 1) AS a",
		c.row.ID).Scan(ctx, &kept)
	if err != nil {
		return 0, fmt.Errorf("look for attempts: %w", err)
	}
	if kept > 0 { // their logs are deleted first
		c.left = 0
		return 0, nil
	}
	if err := c.all(ctx, first, []part{
		{table: "runs", key: "id", of: "batch_id", count: &c.row.Runs},
		{table: "run_history", key: "seq", of: "batch_id"},
		{table: "commands", key: "id", of: "batch_id"},
		{table: "chain_repair_steps", key: "repair_id, position", of: "batch_id"},
		{table: "alert_facts", key: "id", of: "batch_id"},
		{table: "hook_calls", key: "id", of: "batch_id"},
		{table: "batch_causes", key: "batch_id, cause_id", of: "batch_id"},
		{table: "batch_causes", key: "batch_id, cause_id", of: "cause_id"},
	}); err != nil || c.left == 0 {
		return 0, err
	}
	repairs := "(SELECT id FROM chain_repairs WHERE batch_id IN " + first + ")"
	if err := c.all(ctx, repairs, []part{
		{table: "chain_repair_steps", key: "repair_id, position", of: "repair_id"},
	}); err != nil || c.left == 0 {
		return 0, err
	}
	err = c.all(ctx, first, []part{{table: "chain_repairs", key: "id", of: "batch_id"}})
	if err != nil || c.left == 0 {
		return 0, err
	}
	before := c.row.Batches
	err = c.run(ctx, &c.row.Batches, "DELETE FROM batches WHERE id IN "+first)
	return c.row.Batches - before, err
}

// others deletes what belongs to the schedule itself.
func (c *chunk) others(ctx context.Context) error {
	const schedule = "(SELECT schedule_id FROM deletions WHERE id = ?0)"
	const backfills = "(SELECT f.id FROM backfills AS f JOIN deletions AS d ON d.schedule_id = f.schedule_id " +
		"WHERE d.id = ?0)"
	err := c.all(ctx, backfills, []part{
		{table: "backfill_moments", key: "backfill_id, position", of: "backfill_id"},
		{table: "backfill_schedules", key: "backfill_id, position", of: "backfill_id"},
	})
	if err != nil {
		return err
	}
	const events = "(SELECT e.id FROM alert_events AS e JOIN deletions AS d ON d.schedule_id = e.schedule_id " +
		"WHERE d.id = ?0)"
	const deliveries = "(SELECT id FROM alert_deliveries WHERE event_id IN " + events + ")"
	if err := c.all(ctx, deliveries, []part{{table: "alert_tries", key: "id", of: "delivery_id"}}); err != nil {
		return err
	}
	if err := c.all(ctx, events, []part{{table: "alert_deliveries", key: "id", of: "event_id"}}); err != nil {
		return err
	}
	return c.all(ctx, schedule, []part{
		{table: "alert_events", key: "id", of: "schedule_id"},
		{table: "backfill_moments", key: "backfill_id, position", of: "schedule_id"}, // of backfills of other schedules
		{table: "backfill_schedules", key: "backfill_id, position", of: "schedule_id"},
		{table: "backfills", key: "id", of: "schedule_id"},
		{table: "ticks", key: "id", of: "schedule_id", count: &c.row.Ticks},
		{table: "planned_changes", key: "id", of: "schedule_id"},
		{table: "webhook_calls", key: "id", of: "schedule_id"},
		{table: "webhook_secrets", key: "id", of: "schedule_id"},
		{table: "former_names", key: "name", of: "schedule_id"},
		{table: "daily_counts", key: "day, state, schedule_id", of: "schedule_id"},
		{table: "usual_durations", key: "schedule_id", of: "schedule_id"},
		{table: "log_marks", key: "schedule_id", of: "schedule_id"},
		{table: "schedule_calendars", key: "schedule_id, calendar_id", of: "schedule_id"},
		{table: "schedule_links", key: "schedule_id, upstream", of: "schedule_id"},
		{table: "schedule_texts", key: "schedule_id", of: "schedule_id"},
		{table: "schedule_labels", key: "kind, label, schedule_id", of: "schedule_id"},
		{table: "revisions", key: "id", of: "schedule_id", count: &c.row.Revisions},
	})
}

// schedule deletes the row of the schedule, and the drafts and the limit of its name.
func (c *chunk) schedule(ctx context.Context) error {
	if _, err := c.tx.NewRaw("DELETE FROM drafts WHERE name = ?", c.row.Schedule).Exec(ctx); err != nil {
		return fmt.Errorf("delete the drafts: %w", err)
	}
	_, err := c.tx.NewRaw("DELETE FROM limits WHERE kind = 'schedule' AND name = ?", c.row.Schedule).Exec(ctx)
	if err != nil {
		return fmt.Errorf("delete the limit: %w", err)
	}
	if _, err := c.tx.NewRaw("DELETE FROM schedules WHERE id = ?", c.row.ScheduleID).Exec(ctx); err != nil {
		return fmt.Errorf("delete the schedule: %w", err)
	}
	return nil
}

// part is the rows of a table that belong to what a query selects.
type part struct {
	table, key, of string
	count          *int // nil if they are not counted
}

// all deletes the rows of the parts, in their order, as long as c.left allows.
func (c *chunk) all(ctx context.Context, of string, parts []part) error {
	for _, p := range parts {
		if c.left == 0 {
			return nil
		}
		n := new(int)
		if p.count != nil {
			n = p.count
		}
		err := c.run(ctx, n, "DELETE FROM "+p.table+" WHERE ("+p.key+") IN (SELECT "+p.key+" FROM "+p.table+
			" WHERE "+p.of+" IN "+of+" LIMIT ?1)", c.left)
		if err != nil {
			return err
		}
	}
	return nil
}

// run deletes rows, and counts them.
func (c *chunk) run(ctx context.Context, count *int, query string, args ...any) error {
	res, err := c.tx.NewRaw(query, append([]any{c.row.ID}, args...)...).Exec(ctx)
	if err != nil {
		return fmt.Errorf("delete rows: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("count the deleted rows: %w", err)
	}
	*count += int(n)
	c.left = max(c.left-int(n), 0)
	return nil
}
