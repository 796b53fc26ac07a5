package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// factTable declares the columns of a fact that a commit stores. The first is the run, and the second the batch, by
// which an error of the commit would name it.
func factTable() *table[hive.AlertFact] {
	type fact = hive.AlertFact
	return &table[fact]{
		name: "alert_facts",
		what: "fact",
		fixed: []column[fact]{
			whole("run_id", func(f *fact) *int64 { return &f.Run }),
			whole("batch_id", func(f *fact) *int64 { return &f.BatchID }),
			word("kind", func(f *fact) *hive.AlertKind { return &f.Kind }),
			whole("round", func(f *fact) *int { return &f.Round }),
			word("task", func(f *fact) *string { return &f.Task }),
			word("detail", func(f *fact) *string { return &f.Detail }),
			instant("at", func(f *fact) *time.Time { return &f.At }),
		},
	}
}

// ReportTransitions tells Commit whether to store the facts of all transitions of batches. Failures and held tasks
// always have facts.
func (s *Store) ReportTransitions(on bool) { s.transitions.Store(on) }

// findFacts adds the facts of a write set: the batches that end as failed, and the tasks that are held from now on;
// with transitions, also the batches that start, succeed or are canceled, but for hooks.
func (set *writeSet) findFacts(transitions bool) {
	for _, u := range set.batches {
		if transitions && u.row.HookOf == 0 {
			set.findTransitions(u)
		}
		if u.row.State == string(hive.BatchFailed) && u.from != u.row.State {
			set.facts = append(set.facts, &hive.AlertFact{
				Kind: hive.AlertFailed, BatchID: u.batch, Round: u.row.Round, At: at(u.row.FinishedAt),
			})
		}
	}
	for _, u := range set.runs {
		r := &u.row
		followsShards := r.Shard == 0 && r.Part != nil // the held shard has the fact
		if r.State == hive.RunUnknown && r.Reason == hive.ReasonHeld && r.Attempt == 0 && !followsShards {
			set.facts = append(set.facts, &hive.AlertFact{
				Kind: hive.AlertNeedsPerson, BatchID: u.batch, Round: r.Round, Run: r.ID, Task: r.Task,
				Detail: r.Detail, At: r.ChangedAt,
			})
		}
	}
}

// findTransitions adds the facts of a change of a batch that is no failure. A batch may start and end in one commit.
func (set *writeSet) findTransitions(u *update[batchRow]) {
	to := hive.BatchState(u.row.State)
	if u.from == u.row.State {
		return
	}
	add := func(kind hive.AlertKind, when int64) {
		set.facts = append(set.facts, &hive.AlertFact{Kind: kind, BatchID: u.batch, Round: u.row.Round, At: at(when)})
	}
	if hive.BatchState(u.from) != hive.BatchRunning && u.row.RoundAt != 0 && (to == hive.BatchRunning || to.Final()) {
		add(hive.AlertStarted, u.row.RoundAt)
	}
	switch to {
	case hive.BatchSucceeded:
		add(hive.AlertSucceeded, u.row.FinishedAt)
	case hive.BatchCanceled:
		add(hive.AlertCanceled, u.row.FinishedAt)
	default: // a failure has its fact anyway
	}
}

// AlertFacts lists facts that no event was made of yet, oldest first.
func (s *Store) AlertFacts(ctx context.Context, limit int) ([]hive.AlertFact, error) {
	var rows []struct {
		ID         int64  `bun:"id"`
		Kind       string `bun:"kind"`
		ScheduleID int64  `bun:"schedule_id"`
		BatchID    int64  `bun:"batch_id"`
		Round      int    `bun:"round"`
		RunID      int64  `bun:"run_id"`
		Attempts   int64  `bun:"attempts"`
		Task       string `bun:"task"`
		Detail     string `bun:"detail"`
		At         int64  `bun:"at"`
		Moment     int64  `bun:"moment"`
		HookOf     int64  `bun:"hook_of"`
		Hook       string `bun:"hook"`
	}
	err := s.r.NewRaw("SELECT f.*, COALESCE(b.schedule_id, o.schedule_id, 0) AS schedule_id, b.moment, b.hook_of, "+
		"b.hook, "+
		"COALESCE((SELECT MAX(a.id) FROM attempts AS a WHERE a.batch_id = f.batch_id AND a.run_id = f.run_id), 0) "+
		"AS attempts FROM alert_facts AS f JOIN batches AS b ON b.id = f.batch_id "+
		"LEFT JOIN batches AS o ON o.id = b.hook_of ORDER BY f.id LIMIT ?", limit).
		Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list facts", err)
	}
	out := make([]hive.AlertFact, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = hive.AlertFact{
			ID: r.ID, Kind: hive.AlertKind(r.Kind), ScheduleID: r.ScheduleID, BatchID: r.BatchID, Round: r.Round,
			Run: r.RunID, Task: r.Task, Attempt: r.Attempts, Detail: r.Detail, At: at(r.At), Moment: moment(r.Moment),
		}
		if out[i].Hook, err = hookEvent(r.HookOf, r.Hook); err != nil {
			return nil, fmt.Errorf("fact of batch %d: %w", r.BatchID, err)
		}
		if out[i].Hook != nil && out[i].Kind == hive.AlertFailed {
			out[i].Kind = hive.AlertHookFailed
		}
	}
	return out, nil
}

// BatchProblems lists the problems that a batch has now as facts without an id: that it has failed and is not closed,
// and the tasks that are held. The error is hive.CodeNotFound if there is no such batch.
func (s *Store) BatchProblems(ctx context.Context, batch int64) ([]hive.AlertFact, error) {
	b, err := s.Batch(ctx, batch)
	if err != nil {
		return nil, err
	}
	fact := hive.AlertFact{
		Kind: hive.AlertFailed, ScheduleID: b.ScheduleID, BatchID: b.ID, Round: b.Round, At: b.FinishedAt,
		Moment: b.Moment, Hook: b.Hook,
	}
	if b.Hook != nil {
		fact.Kind = hive.AlertHookFailed
		of, err := s.Batch(ctx, b.Hook.Batch)
		if err != nil {
			return nil, err
		}
		fact.ScheduleID = of.ScheduleID
	}
	if b.State == hive.BatchFailed && b.ClosedNote == "" {
		return []hive.AlertFact{fact}, nil
	}
	var rows []struct {
		Task    string `bun:"task"`
		Detail  string `bun:"detail"`
		Round   int    `bun:"round"`
		Attempt int64  `bun:"attempt"`
		At      int64  `bun:"at"`
	}
	err = s.r.NewRaw("SELECT r.task, r.detail, r.round, r.changed_at AS at, COALESCE((SELECT MAX(a.id) FROM attempts "+
		"AS a WHERE a.batch_id = r.batch_id AND a.run_id = r.id), 0) AS attempt FROM runs AS r WHERE r.batch_id = ? "+
		"AND (r.shard > 0 OR r.part = '') AND r.state = 'unknown' AND r.reason = ? ORDER BY r.id",
		batch, string(hive.ReasonHeld)).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("read held tasks", err)
	}
	out := make([]hive.AlertFact, len(rows))
	for i, r := range rows {
		out[i] = fact
		out[i].Kind, out[i].Task, out[i].Detail, out[i].Round = hive.AlertNeedsPerson, r.Task, r.Detail, r.Round
		out[i].Attempt, out[i].At = r.Attempt, at(r.At)
	}
	return out, nil
}

// FailureOf returns the task that failed first in a round of a batch, with the error of its last attempt. It is empty
// if no task has failed.
func (s *Store) FailureOf(ctx context.Context, batch int64, round int) (hive.AlertFacets, error) {
	var rows []struct {
		Task   string `bun:"task"`
		Detail string `bun:"detail"`
		Error  string `bun:"error"`
		ID     int64  `bun:"id"`
	}
	const runs = "(SELECT id, batch_id, task, detail, state, round, finished_at FROM runs UNION ALL " +
		"SELECT id, batch_id, task, detail, state, round, finished_at FROM run_history)"
	err := s.r.NewRaw("SELECT r.task, r.detail, COALESCE(a.error, '') AS error, COALESCE(a.id, 0) AS id FROM "+runs+
		" AS r LEFT JOIN attempts AS a ON a.run_id = r.id AND a.batch_id = r.batch_id AND a.round = r.round "+
		"WHERE r.batch_id = ?0 AND r.state = 'failed' AND r.round <= ?1 "+
		"ORDER BY r.round DESC, r.finished_at, r.id, a.id DESC LIMIT 1", batch, round).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return hive.AlertFacets{}, s.fault("read why a batch failed", err)
	}
	out := hive.AlertFacets{Task: rows[0].Task, Attempt: rows[0].ID, Error: rows[0].Error}
	if out.Error == "" {
		out.Error = rows[0].Detail
	}
	return out, nil
}

// deleteFact deletes a fact. It returns false if another server has done so.
func deleteFact(ctx context.Context, tx bun.Tx, id int64) (bool, error) {
	res, err := tx.NewRaw("DELETE FROM alert_facts WHERE id = ?", id).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
