package db

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// firstPrunings selects the batches that PruneBatches deleted first of those that have rows left.
const firstPrunings = "(SELECT batch_id FROM prunings ORDER BY batch_id LIMIT 50)"

// PruningAttempts lists attempts of deleted batches, at most limit, so that their logs are deleted before their rows.
func (s *Store) PruningAttempts(ctx context.Context, limit int) ([]hive.AttemptRef, error) {
	var refs []hive.AttemptRef
	err := s.r.NewRaw("SELECT id, key FROM attempts WHERE batch_id IN "+firstPrunings+" ORDER BY id LIMIT ?", limit).
		Scan(ctx, &refs)
	return refs, s.fault("list attempts of pruned batches", err)
}

// PruneRows deletes at most limit rows of batches that PruneBatches deleted, and of the attempts only the given ones.
// It is one short transaction; the next one, on any server, goes on. more is false once nothing is left.
func (s *Store) PruneRows(ctx context.Context, server hive.Server, attempts []int64, limit int) (out hive.PruneCounts,
	more bool, err error,
) {
	err = s.write(ctx, "prune rows", func(ctx context.Context, tx bun.Tx) error {
		out, more = hive.PruneCounts{}, true
		if err := s.sessionHolds(ctx, tx, server.ID, server.Epoch, "SHARE"); err != nil {
			return err
		}
		if len(attempts) > 0 {
			err := tx.NewRaw("SELECT coalesce(sum(log_bytes), 0) FROM attempts WHERE id IN (?) AND batch_id IN "+
				firstPrunings, bun.List(attempts)).Scan(ctx, &out.LogBytes)
			if err != nil {
				return fmt.Errorf("measure logs: %w", err)
			}
			out.Attempts, err = execRows(ctx, tx, "DELETE FROM attempts WHERE id IN (?) AND batch_id IN "+
				firstPrunings, bun.List(attempts))
			if err != nil {
				return err
			}
			limit -= out.Attempts
		}
		return s.pruneChunk(ctx, tx, &out, limit, &more)
	})
	return out, more, err
}

func (s *Store) pruneChunk(ctx context.Context, tx bun.Tx, out *hive.PruneCounts, left int, more *bool) error {
	for left > 0 {
		var there, attempts int
		err := tx.NewRaw("SELECT count(*), (SELECT count(*) FROM (SELECT 1 FROM attempts WHERE batch_id IN "+
			firstPrunings+" LIMIT 1) AS a) FROM "+firstPrunings+" AS p").Scan(ctx, &there, &attempts)
		if err != nil {
			return fmt.Errorf("look for rows to prune: %w", err)
		}
		if there == 0 {
			*more = false
			return nil
		}
		if attempts > 0 { // their logs are deleted first
			return nil
		}
		var history int
		for _, p := range []struct {
			table, key string
			count      *int
		}{{"runs", "id", &out.Runs}, {"run_history", "seq", &history}} {
			n, err := execRows(ctx, tx, "DELETE FROM "+p.table+" WHERE "+p.key+" IN (SELECT "+p.key+" FROM "+p.table+
				" WHERE batch_id IN "+firstPrunings+" LIMIT ?)", left)
			if err != nil {
				return err
			}
			*p.count += n
			if left -= n; left <= 0 {
				return nil
			}
		}
		n, err := execRows(ctx, tx, "DELETE FROM prunings WHERE batch_id IN "+firstPrunings)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// KnownAttempts returns the given attempts that exist.
func (s *Store) KnownAttempts(ctx context.Context, attempts []hive.AttemptRef) (map[hive.AttemptRef]bool, error) {
	known := make(map[hive.AttemptRef]bool, len(attempts))
	for chunk := range slices.Chunk(attempts, attemptsAtOnce) {
		ids := make([]int64, len(chunk))
		for i, a := range chunk {
			ids[i] = a.ID
		}
		var rows []hive.AttemptRef
		err := s.r.NewRaw("SELECT id, key FROM attempts WHERE id IN (?)", bun.List(ids)).Scan(ctx, &rows)
		if err != nil {
			return nil, s.fault("look for attempts", err)
		}
		for _, r := range rows {
			known[r] = true
		}
	}
	return known, nil
}

// attemptsAtOnce is the number of attempts in one question.
const attemptsAtOnce = 500

// execRows runs a statement, and returns how many rows it changed.
func execRows(ctx context.Context, tx bun.Tx, query string, args ...any) (int, error) {
	res, err := tx.NewRaw(query, args...).Exec(ctx)
	if err != nil {
		return 0, fmt.Errorf("change rows: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("count the changed rows: %w", err)
	}
	return int(n), nil
}

// prunableTick is the condition that a tick t may go: its moment is before ?1, it does not wait, and its moment has no
// batch any more.
const prunableTick = "t.schedule_id = ?0 AND t.moment < ?1 AND t.until < ?1 AND t.decision <> 'waiting' " +
	"AND NOT EXISTS (SELECT 1 FROM batches AS b WHERE b.schedule_id = t.schedule_id AND b.moment = t.moment)"

// PrunableTicks counts the ticks of a schedule that PruneTicks would delete.
func (s *Store) PrunableTicks(ctx context.Context, schedule int64, before time.Time) (n int, err error) {
	err = s.r.NewRaw("SELECT count(*) FROM ticks AS t WHERE "+prunableTick, schedule, before.UnixMilli()).Scan(ctx, &n)
	return n, s.fault("count ticks to prune", err)
}

// PruneTicks deletes at most limit rows of a schedule whose moments are before a time: ticks whose batch is gone, calls
// of webhooks, planned changes, and backfills that have ended and whose batches are gone. It returns how many ticks and
// how many rows in all it has deleted. If n is less than limit, nothing is left.
func (s *Store) PruneTicks(ctx context.Context, server hive.Server, schedule int64, before time.Time, limit int) (
	ticks, n int, err error,
) {
	const old = "(SELECT f.id FROM backfills AS f WHERE f.schedule_id = ?0 AND f.state IN ('done', 'canceled') " +
		"AND f.finished_at < ?1 AND NOT EXISTS (SELECT 1 FROM backfill_moments AS m WHERE m.backfill_id = f.id " +
		"AND m.batch_id > 0) ORDER BY f.id LIMIT 10)"
	err = s.write(ctx, "prune ticks", func(ctx context.Context, tx bun.Tx) error {
		ticks, n = 0, 0
		if err := s.sessionHolds(ctx, tx, server.ID, server.Epoch, "SHARE"); err != nil {
			return err
		}
		for i, query := range []string{
			"DELETE FROM ticks WHERE id IN (SELECT t.id FROM ticks AS t WHERE " + prunableTick +
				" ORDER BY t.moment LIMIT ?2)",
			"DELETE FROM webhook_calls WHERE id IN (SELECT id FROM webhook_calls WHERE schedule_id = ?0 " +
				"AND moment < ?1 AND NOT pending LIMIT ?2)",
			"DELETE FROM planned_changes WHERE id IN (SELECT p.id FROM planned_changes AS p " +
				"JOIN schedules AS s ON s.id = p.schedule_id WHERE p.schedule_id = ?0 AND p.moment < ?1 " +
				"AND NOT " + changeToCome + " LIMIT ?2)",
			"DELETE FROM backfill_moments WHERE (backfill_id, position) IN (SELECT backfill_id, position " +
				"FROM backfill_moments WHERE backfill_id IN " + old + " LIMIT ?2)",
			"DELETE FROM backfill_schedules WHERE backfill_id IN " + old + " AND NOT EXISTS (SELECT 1 " +
				"FROM backfill_moments AS m WHERE m.backfill_id = backfill_schedules.backfill_id)",
			"DELETE FROM backfills WHERE id IN " + old + " AND NOT EXISTS (SELECT 1 FROM backfill_schedules AS p " +
				"WHERE p.backfill_id = backfills.id)",
		} {
			if n >= limit {
				return nil
			}
			deleted, err := execRows(ctx, tx, query, schedule, before.UnixMilli(), limit-n)
			if err != nil {
				return err
			}
			n += deleted
			if i == 0 {
				ticks = deleted
			}
		}
		return nil
	})
	return ticks, n, err
}

// oldDraft is the condition that a draft d was last changed before ?1 and is of the schedule named ?0. The empty name
// stands for all drafts of schedules that do not exist.
const oldDraft = "d.updated_at < ?1 AND (d.name = ?0 OR ?0 = '' AND NOT EXISTS " +
	"(SELECT 1 FROM schedules AS s WHERE s.name = d.name))"

// OldDrafts counts the drafts of a schedule that were last changed before a time. The empty name stands for the drafts
// of schedules that do not exist.
func (s *Store) OldDrafts(ctx context.Context, schedule string, before time.Time) (n int, err error) {
	err = s.r.NewRaw("SELECT count(*) FROM drafts AS d WHERE "+oldDraft, text(schedule), ms(before)).Scan(ctx, &n)
	return n, s.fault("count old drafts", err)
}

// PruneDrafts deletes at most limit drafts that OldDrafts counts.
func (s *Store) PruneDrafts(ctx context.Context, server hive.Server, schedule string, before time.Time, limit int) (
	n int, err error,
) {
	err = s.write(ctx, "prune drafts", func(ctx context.Context, tx bun.Tx) error {
		if err := s.sessionHolds(ctx, tx, server.ID, server.Epoch, "SHARE"); err != nil {
			return err
		}
		n, err = execRows(ctx, tx, "DELETE FROM drafts WHERE (user_id, name) IN (SELECT d.user_id, d.name "+
			"FROM drafts AS d WHERE "+oldDraft+" ORDER BY d.user_id, d.name LIMIT ?2) AND updated_at < ?1",
			text(schedule), ms(before), limit)
		return err
	})
	return n, err
}

// LogMark returns the time up to whose ends of batches the logs of a schedule are deleted; zero if there is none.
func (s *Store) LogMark(ctx context.Context, schedule int64) (time.Time, error) {
	var until int64
	err := s.r.NewRaw("SELECT coalesce((SELECT until FROM log_marks WHERE schedule_id = ?), 0)", schedule).
		Scan(ctx, &until)
	return at(until), s.fault("read the mark of deleted logs", err)
}

// SetLogMark stores it.
func (s *Store) SetLogMark(ctx context.Context, schedule int64, until time.Time) error {
	return s.write(ctx, "note deleted logs", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("INSERT INTO log_marks (schedule_id, until) VALUES (?, ?) "+
			"ON CONFLICT (schedule_id) DO UPDATE SET until = excluded.until", schedule, ms(until)).Exec(ctx)
		return err
	})
}

// OldLogs lists batches of the rule's schedule whose logs may go, in the order of their ends, after the cursor and
// before EndedBefore, with the attempts of each and of the hooks that follow it. Failed batches that nobody has closed
// keep their logs.
func (s *Store) OldLogs(ctx context.Context, r hive.PruneRule, from hive.PruneCursor, limit int) (
	batches []hive.EndedBatch, attempts []hive.AttemptRef, bytes int64, err error,
) {
	var rows []struct{ ID, FinishedAt int64 }
	err = s.r.NewRaw("SELECT b.id, b.finished_at FROM batches AS b WHERE "+ofRule(&r)+" AND b.finished_at > 0 "+
		"AND b.finished_at >= ?0 AND b.finished_at < ?2 AND (b.finished_at > ?0 OR b.id > ?1) AND NOT b.live "+
		"AND (b.state <> 'failed' OR b.closed_note <> '') ORDER BY b.finished_at, b.id LIMIT ?3",
		ms(from.EndedAt), from.ID, ms(r.EndedBefore), limit).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return nil, nil, 0, s.fault("list old logs", err)
	}
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
		batches = append(batches, hive.EndedBatch{ID: row.ID, EndedAt: at(row.FinishedAt)})
	}
	var refs []struct {
		ID       int64
		Key      string
		LogBytes int64
	}
	err = s.r.NewRaw("SELECT id, key, log_bytes FROM attempts WHERE batch_id IN (?0) OR batch_id IN ("+hooksOf("?0")+
		" AND NOT h.live)", bun.List(ids)).Scan(ctx, &refs)
	for _, a := range refs {
		attempts = append(attempts, hive.AttemptRef{ID: a.ID, Key: a.Key})
		bytes += a.LogBytes
	}
	return batches, attempts, bytes, s.fault("list old logs", err)
}

// HoldPruning takes or renews the right of a server to prune, for a time. It reports whether the server has it.
func (s *Store) HoldPruning(ctx context.Context, server string, lease time.Duration) (held bool, err error) {
	err = s.write(ctx, "take the lease of pruning", func(ctx context.Context, tx bun.Tx) error {
		n, err := execRows(ctx, tx, "INSERT INTO prune_lease (id, server, until) VALUES (1, ?0, "+s.kind.now()+
			" + ?1) ON CONFLICT (id) DO UPDATE SET server = excluded.server, until = excluded.until "+
			"WHERE prune_lease.server = excluded.server OR prune_lease.until < "+s.kind.now(),
			text(server), lease.Milliseconds())
		held = n > 0
		return err
	})
	return held, err
}
