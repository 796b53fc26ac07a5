package db

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// The sizes of a page of batches.
const (
	defaultPage = 50
	maxPage     = 500
)

func pageSize(limit int) int64 {
	if limit <= 0 {
		return defaultPage
	}
	return int64(min(limit, maxPage))
}

// Batches lists what a filter selects, newest first.
func (s *Store) Batches(ctx context.Context, f hive.BatchFilter) ([]hive.Batch, error) {
	if f.Labeled() && len(f.Schedules) == 0 {
		return nil, nil
	}
	var rows []*batchRow
	if err := s.batchesQuery(&rows, &f).Scan(ctx); err != nil {
		return nil, s.fault("list batches", err)
	}
	return hiveBatches(rows)
}

// batchesQuery selects a page of batches into rows.
func (s *Store) batchesQuery(rows *[]*batchRow, f *hive.BatchFilter) *bun.SelectQuery {
	id := "b.id"
	if f.By != nil && f.By.Trigger == hive.StarterWebhook {
		id = "t.batch_id" // the order of the index ticks_called, from which the page is then read
	}
	order := id + " DESC"
	if f.NeedsPerson {
		order = "b.id + 0 DESC" // no planner then walks down all batches in search of these few
	}
	q := selectBatches(s.r, rows).OrderExpr(order).Limit(pageSize(f.Limit))
	byOrigin(q, f)
	byTimes(q, f)
	s.byWork(q, f)
	if f.Before > 0 {
		q.Where(id+" < ?", f.Before)
	}
	return q
}

// fewSchedules is the greatest number of schedules whose batches the index of schedules finds: it gives all batches of
// each schedule, and these must then be sorted. With more schedules, a walk over all batches usually meets theirs soon.
const fewSchedules = 20

// byOrigin selects batches by what they are of, and by what made them.
func byOrigin(q *bun.SelectQuery, f *hive.BatchFilter) {
	if f.Schedule != "" {
		q.Where("b.schedule_id = "+scheduleNamed, text(f.Schedule))
	}
	switch {
	case !f.Labeled():
	case len(f.Schedules) <= fewSchedules:
		q.Where("b.schedule_id IN (?)", bun.List(f.Schedules))
	default:
		q.Where("+b.schedule_id IN (?)", bun.List(f.Schedules)) // no index applies to this expression
	}
	switch {
	case f.HookOf > 0:
		q.Where("b.hook_of > 0").Where("b.hook_of = ?", f.HookOf) // the first is the condition of the index
	case f.Kind == hive.KindHook:
		q.Where("b.hook_of > 0")
	case f.Kind != "":
		q.Where("b.kind = ?", text(string(f.Kind))).Where("b.hook_of = 0")
	case !f.NeedsPerson: // hooks need people as well
		q.Where("b.hook_of = 0")
	}
	if f.Backfill > 0 {
		q.Where("b.id IN (SELECT batch_id FROM backfill_moments WHERE backfill_id = ? AND act IN ('created', 'rerun'))",
			f.Backfill)
	}
	if f.By != nil {
		byStarter(q, *f.By)
	}
}

// A call of a webhook made a batch if the batch's tick names the webhook.
const (
	ofBatch = "t.batch_id = b.id AND t.schedule_id = b.schedule_id AND t.moment = b.moment"
	named   = "t.cron LIKE 'webhook %'"
	// Together with named, this is the condition of the index ticks_called. The batches of crons are asked for without
	// it: a planner with old statistics would compare each of them with all calls of the index.
	hasBatch = "t.batch_id > 0"
)

func byStarter(q *bun.SelectQuery, by hive.Starter) {
	switch by.Trigger {
	case hive.StarterCron:
		called := "EXISTS (SELECT 1 FROM ticks AS t WHERE " + ofBatch + " AND " + named + ")"
		q.Where("b.kind = 'scheduled'").Where("NOT " + called)
	case hive.StarterWebhook:
		q.Join("JOIN ticks AS t ON " + ofBatch).Where(named).Where(hasBatch).Where("b.kind = 'scheduled'")
	case hive.StarterSchedule:
		q.Where("b.kind = 'dependent'")
	case hive.StarterBackfill:
		q.Where("b.kind = 'backfill'")
	default:
		q.Where("b.created_by <> ''") // the condition of the index
		if by.Person != "" {
			q.Where("b.created_by = ?", text(by.Person))
		}
	}
}

// startedOrMade is the start of a batch, or when it was made if it has not started; the index batches_begun has it.
const startedOrMade = "CASE WHEN b.started_at > 0 THEN b.started_at ELSE b.created_at END"

func byTimes(q *bun.SelectQuery, f *hive.BatchFilter) {
	if !f.From.IsZero() {
		q.Where("b.created_at >= ?", ms(f.From))
	}
	if !f.To.IsZero() {
		q.Where("b.created_at < ?", ms(f.To))
	}
	if !f.Since.IsZero() {
		q.Where("("+startedOrMade+") >= ?", ms(f.Since))
	}
	if !f.Until.IsZero() {
		q.Where("("+startedOrMade+") < ?", ms(f.Until))
	}
	if !f.MomentFrom.IsZero() {
		q.Where("b.moment >= ?", f.MomentFrom.UnixMilli())
	}
	if !f.MomentTo.IsZero() {
		q.Where("b.moment < ?", f.MomentTo.UnixMilli())
	}
	if f.Longer > 0 {
		q.Where("b.round_at > 0").
			Where("(CASE WHEN b.finished_at > 0 THEN b.finished_at ELSE ? END) - b.round_at > ?",
				ms(f.Now), f.Longer.Milliseconds())
	}
}

// byWork selects batches by their states, their parameters and who worked on them.
func (s *Store) byWork(q *bun.SelectQuery, f *hive.BatchFilter) {
	if len(f.States) > 0 {
		q.Where("b.state IN (?)", bun.List(f.States))
	}
	if f.Live {
		q.Where("b.live")
	}
	if f.NeedsPerson {
		byNeed(q, f.Urgent)
	}
	byExecutor(q, f.Executor)
	s.byParams(q, f.Params)
}

// byExecutor selects the batches in which an executor had an attempt; all if its name is empty.
func byExecutor(q *bun.SelectQuery, executor string) {
	if executor != "" {
		q.Where("EXISTS (SELECT 1 FROM attempts AS a WHERE a.executor_name = ? AND a.batch_id = b.id)", text(executor))
	}
}

// byParams selects the batches that were given all of some parameters.
func (s *Store) byParams(q *bun.SelectQuery, params []hive.ParamFilter) {
	for _, p := range params {
		q.Where("b.params <> ''") // the condition of the index
		q.Where(s.kind.paramIs(), text(p.Name), text(p.Value))
	}
}

// byNeed selects the failed batches that nobody has settled, and those that are urgent. They are few: the list of them
// is made first, from the index batches_failed.
func byNeed(q *bun.SelectQuery, urgent []int64) {
	open := "SELECT o.id FROM (SELECT b.id FROM batches AS b JOIN schedules AS s ON s.id = b.schedule_id WHERE " +
		notSettled + ") AS o"
	if len(urgent) == 0 {
		q.Where("b.id IN (" + open + ")")
		return
	}
	q.Where("b.id IN ("+open+" UNION SELECT id FROM batches WHERE id IN (?))", bun.List(urgent))
}
