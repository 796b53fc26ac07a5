// Package retention deletes what is old: batches with their runs, attempts and logs, and ticks. It keeps within the
// limits of schedules and of the server, and never deletes what a person has to see or what a decision may still read.
package retention

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// The sizes of one transaction.
const (
	mostBatches = 20
	mostRows    = 100
	mostLogs    = 100 // batches whose logs are deleted before the mark moves
)

// Schedules reads what limits and floors are computed from.
type Schedules interface {
	PruneSchedules(ctx context.Context) ([]hive.PruneSchedule, error)
	RevisionAt(ctx context.Context, scheduleID, number int64) (hive.Revision, error)
	// MomentBefore finds the last moment before a time whose tick was to make a batch.
	MomentBefore(ctx context.Context, scheduleID int64, before time.Time) (m hive.MomentResult, found bool, err error)
	// NthBatch finds the n-th newest batch of a schedule; id 0 if it has fewer.
	NthBatch(ctx context.Context, schedule int64, n int) (id int64, moment time.Time, err error)
}

// Batches deletes batches and what belongs to them. Each change is one short transaction that checks the session.
type Batches interface {
	Prunable(ctx context.Context, r hive.PruneRule, from hive.PruneCursor, limit int) ([]hive.EndedBatch, error)
	PruneTotals(ctx context.Context, r hive.PruneRule) (hive.PruneCounts, error)
	// PruneBatches deletes batches, after the hooks that follow them; more: some remain. Their rows elsewhere are left
	// for PruneRows.
	PruneBatches(ctx context.Context, server hive.Server, r hive.PruneRule, ids []int64) (n int, more bool, err error)
	// PruningAttempts lists attempts of deleted batches, whose logs go before their rows.
	PruningAttempts(ctx context.Context, limit int) ([]hive.AttemptRef, error)
	PruneRows(ctx context.Context, server hive.Server, attempts []int64, limit int) (hive.PruneCounts, bool, error)
	PrunableTicks(ctx context.Context, schedule int64, before time.Time) (int, error)
	PruneTicks(ctx context.Context, server hive.Server, schedule int64, before time.Time, limit int) (ticks, n int,
		err error)
}

// Drafts deletes drafts that nobody has changed for long. The empty name stands for schedules that do not exist.
type Drafts interface {
	OldDrafts(ctx context.Context, schedule string, before time.Time) (int, error)
	PruneDrafts(ctx context.Context, server hive.Server, schedule string, before time.Time, limit int) (int, error)
}

// OldLogs finds logs that go before their batches.
type OldLogs interface {
	OldLogs(ctx context.Context, r hive.PruneRule, from hive.PruneCursor, limit int) (batches []hive.EndedBatch,
		attempts []hive.AttemptRef, bytes int64, err error)
	LogMark(ctx context.Context, schedule int64) (time.Time, error)
	SetLogMark(ctx context.Context, schedule int64, until time.Time) error
}

// Lease lets one server prune at a time.
type Lease interface {
	HoldPruning(ctx context.Context, server string, lease time.Duration) (held bool, err error)
}

// Config holds the dependencies of a Service.
type Config struct {
	Schedules Schedules
	Batches   Batches
	Logs      OldLogs
	Drafts    Drafts
	Lease     Lease
	Disk      Disk
	Stored    StoredLogs
	Attempts  Attempts
	Parse     func(document string) (*hive.Definition, error)
	Limits    Limits // of schedules that say nothing
	Server    func() hive.Server
	// RemoveLogs deletes logs, as far as this server has them.
	RemoveLogs func(ctx context.Context, attempts []hive.AttemptRef) error
	Folder     Folder
	Doubt      func() bool // reports that the clock may be wrong: nothing goes by it then
	Now        func() time.Time
	Log        *slog.Logger
}

// Service deletes what is old. It is safe for concurrent use: passes find what is left, so two at once do no harm.
type Service struct {
	config Config

	mu    sync.Mutex      // protects known
	known map[int64]known // by schedule
}

// New makes a Service.
func New(c Config) *Service { return &Service{config: c} }

func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Millisecond) }

// turn is how long one request deletes. A caller asks again until nothing is left.
const turn = 2 * time.Second

// Prune carries out a request, for a short time.
func (s *Service) Prune(ctx context.Context, r hive.PruneRequest) (out hive.PruneReport, err error) {
	var force *Limits
	if r.Days > 0 {
		force = &Limits{Days: r.Days}
	}
	if r.DryRun && r.Orphans {
		return s.orphans(ctx, r)
	}
	if r.DryRun {
		return s.preview(ctx, r.Schedule, force)
	}
	if s.config.Doubt() {
		return out, hive.Errorf(hive.CodeUnavailable, "the clock of the server has jumped, so nobody knows what is "+
			"old; try again when ticks are decided again").WithReason(hive.ErrorClockJumped)
	}
	if r.Orphans {
		return s.orphans(ctx, r)
	}
	until := s.config.Now().Add(turn)
	out, err = s.pass(ctx, r.Schedule, force, func(context.Context) bool { return s.config.Now().Before(until) })
	if out.PruneCounts != (hive.PruneCounts{}) {
		s.config.Log.InfoContext(ctx, "old data was deleted by hand", "by", r.By, "schedule", r.Schedule,
			"days", r.Days, "batches", out.Batches, "runs", out.Runs, "ticks", out.Ticks,
			"drafts", out.Drafts, "log_bytes", out.LogBytes)
	}
	return out, err
}

// preview counts what a pass would delete.
func (s *Service) preview(ctx context.Context, only string, force *Limits) (out hive.PruneReport, err error) {
	p, err := s.plan(ctx, only, force)
	if err != nil {
		return out, err
	}
	for i := range p.items {
		it := &p.items[i]
		rule, ticks, err := s.rule(ctx, it, p.now)
		if err != nil {
			return out, err
		}
		if !rule.EndedBefore.IsZero() || rule.Below > 0 {
			c, err := s.config.Batches.PruneTotals(ctx, rule)
			if err != nil {
				return out, err
			}
			out.Add(c)
			if c.Ticks, err = s.countTicks(ctx, it, ticks); err != nil {
				return out, err
			}
			out.Ticks += c.Ticks
		}
		if err := s.oldLogs(ctx, it, p.now, &out, nil); err != nil {
			return out, err
		}
		if before := it.draftsBefore(p.now); !before.IsZero() {
			n, err := s.config.Drafts.OldDrafts(ctx, it.Name, before)
			if err != nil {
				return out, err
			}
			out.Drafts += n
		}
	}
	return out, nil
}

func (s *Service) countTicks(ctx context.Context, it *item, before time.Time) (int, error) {
	if it.ID == 0 || before.IsZero() {
		return 0, nil
	}
	return s.config.Batches.PrunableTicks(ctx, it.ID, before)
}

// rule returns what the limits of a schedule mean now, and the moment before which its ticks go; zero for none.
func (s *Service) rule(ctx context.Context, it *item, now time.Time) (r hive.PruneRule, ticks time.Time, err error) {
	r = hive.PruneRule{ScheduleID: it.ID, Floor: it.floor, Now: now}
	if it.limits.Days > 0 {
		r.EndedBefore = now.AddDate(0, 0, -it.limits.Days)
		ticks = r.EndedBefore
	}
	if it.limits.Batches > 0 {
		id, moment, err := s.config.Schedules.NthBatch(ctx, it.ID, it.limits.Batches)
		if err != nil {
			return r, ticks, err
		}
		if r.Below = id; id > 0 && moment.After(ticks) {
			ticks = moment
		}
	}
	if it.floor.Before(ticks) {
		ticks = it.floor
	}
	return r, ticks, nil
}

// pass deletes what exceeds the limits, as long as next says so, and before each chunk.
func (s *Service) pass(ctx context.Context, only string, force *Limits, next func(ctx context.Context) bool) (
	out hive.PruneReport, err error,
) {
	w := &work{Service: s, next: next, out: &out}
	if err := w.rows(ctx); err != nil || out.More { // of a pass that was interrupted
		return out, err
	}
	p, err := s.plan(ctx, only, force)
	if err != nil {
		return out, err
	}
	for i := range p.items {
		it := &p.items[i]
		rule, ticks, err := s.rule(ctx, it, p.now)
		if err != nil {
			return out, err
		}
		if err := w.batches(ctx, rule); err != nil {
			return out, err
		}
		if err := w.ticks(ctx, it, ticks); err != nil {
			return out, err
		}
		if err := w.drafts(ctx, it, p.now); err != nil {
			return out, err
		}
		if err := s.oldLogs(ctx, it, p.now, &out, w); err != nil || out.More {
			return out, err
		}
	}
	return out, nil
}

// work is a pass under way. Once out.More is set, it has stopped before its end.
type work struct {
	*Service

	next func(ctx context.Context) bool
	out  *hive.PruneReport
}

// goes reports whether another chunk may begin.
func (w *work) goes(ctx context.Context) bool {
	if w.out.More || ctx.Err() != nil || !w.next(ctx) {
		w.out.More = true
	}
	return !w.out.More
}

// batches deletes the batches that a rule lets go, each chunk with its rows.
func (w *work) batches(ctx context.Context, both hive.PruneRule) error {
	byEnd, byCount := both, both
	byEnd.Below, byCount.EndedBefore = 0, time.Time{}
	for _, r := range []hive.PruneRule{byEnd, byCount} {
		var from hive.PruneCursor
		for r.Below > 0 || !r.EndedBefore.IsZero() {
			if !w.goes(ctx) {
				return nil
			}
			found, err := w.config.Batches.Prunable(ctx, r, from, mostBatches)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				break
			}
			ids := make([]int64, len(found))
			for i, b := range found {
				ids[i] = b.ID
			}
			n, more, err := w.config.Batches.PruneBatches(ctx, w.config.Server(), r, ids)
			if err != nil {
				return err
			}
			w.out.Batches += n
			if last := found[len(found)-1]; !more { // otherwise the same batches come again
				from = hive.PruneCursor{EndedAt: last.EndedAt, ID: last.ID}
			}
			if err := w.rows(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows deletes what is left of deleted batches: the logs of attempts before their rows. Whatever happens in between,
// the next pass finds the rows again.
func (w *work) rows(ctx context.Context) error {
	for w.goes(ctx) {
		attempts, err := w.config.Batches.PruningAttempts(ctx, mostRows)
		if err != nil {
			return err
		}
		ids, err := w.removeLogs(ctx, attempts)
		if err != nil {
			return err
		}
		c, more, err := w.config.Batches.PruneRows(ctx, w.config.Server(), ids, mostRows)
		if err != nil {
			return err
		}
		w.out.Add(c)
		if !more {
			return nil
		}
	}
	return nil
}

func (s *Service) removeLogs(ctx context.Context, attempts []hive.AttemptRef) ([]int64, error) {
	ids := make([]int64, len(attempts))
	for i, a := range attempts {
		ids[i] = a.ID
	}
	if err := s.config.RemoveLogs(ctx, attempts); err != nil {
		return nil, fmt.Errorf("delete logs: %w", err)
	}
	return ids, nil
}

// ticks deletes old ticks, and other rows of the past.
func (w *work) ticks(ctx context.Context, it *item, before time.Time) error {
	if it.ID == 0 || before.IsZero() {
		return nil
	}
	for w.goes(ctx) {
		ticks, n, err := w.config.Batches.PruneTicks(ctx, w.config.Server(), it.ID, before, mostRows)
		if err != nil {
			return err
		}
		w.out.Ticks += ticks
		if n < mostRows {
			return nil
		}
	}
	return nil
}

// draftsBefore returns the time before which the drafts of a schedule must have been changed to go; zero: none goes.
func (it *item) draftsBefore(now time.Time) time.Time {
	if it.limits.Days == 0 {
		return time.Time{}
	}
	return now.AddDate(0, 0, -it.limits.Days)
}

// drafts deletes the old drafts of a schedule.
func (w *work) drafts(ctx context.Context, it *item, now time.Time) error {
	before := it.draftsBefore(now)
	for !before.IsZero() && w.goes(ctx) {
		n, err := w.config.Drafts.PruneDrafts(ctx, w.config.Server(), it.Name, before, mostRows)
		if err != nil {
			return err
		}
		w.out.Drafts += n
		if n < mostRows {
			return nil
		}
	}
	return nil
}

// oldLogs deletes logs that go before their batches, or only measures them if w is nil.
func (s *Service) oldLogs(ctx context.Context, it *item, now time.Time, out *hive.PruneReport, w *work) error {
	days := it.limits.Logs
	if days == 0 || it.limits.Days > 0 && days >= it.limits.Days {
		return nil
	}
	until := now.AddDate(0, 0, -days)
	mark, err := s.config.Logs.LogMark(ctx, it.ID)
	if err != nil || !mark.Before(until) {
		return err
	}
	rule, from := hive.PruneRule{ScheduleID: it.ID, EndedBefore: until}, hive.PruneCursor{EndedAt: mark}
	for w == nil || w.goes(ctx) {
		batches, attempts, bytes, err := s.config.Logs.OldLogs(ctx, rule, from, mostLogs)
		if err != nil {
			return err
		}
		mark = until
		if n := len(batches); n > 0 {
			from = hive.PruneCursor{EndedAt: batches[n-1].EndedAt, ID: batches[n-1].ID}
			mark = from.EndedAt.Add(-time.Millisecond) // others may have ended in the same millisecond
		}
		out.LogBytes += bytes
		if w != nil {
			if _, err := s.removeLogs(ctx, attempts); err != nil {
				return err
			}
			if err := s.config.Logs.SetLogMark(ctx, it.ID, mark); err != nil {
				return err
			}
		}
		if len(batches) == 0 {
			return nil
		}
	}
	return nil
}
