package dbtest_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

// fill gives a schedule something of everything that a schedule can have, and archives it. cause is a batch of another
// schedule.
func (x *fixture) fill(name string, cause int64) {
	x.Helper()
	ctx := x.Context()
	x.save(name, name+" 1", t0)
	err := fourth(x.SaveSchedule(ctx, hive.SaveSchedule{
		Name: name, Document: name + " 2", Hash: name + " 2", By: "ada", Now: after(time.Second),
		Calendars: []string{"china"},
	}))
	x.ok(err)
	x.schedule = must(x.Schedule(ctx, name))(x)
	x.revision = must(x.RevisionAt(ctx, x.schedule.ID, 2))(x)
	for i := range 3 {
		x.endedWithAttempts(fmt.Sprint(name, i))
	}
	write := fire(after(time.Minute), 2)
	write.Causes = []int64{cause}
	write.Batch.Batch.State, write.Batch.Batch.FinishedAt = hive.BatchSucceeded, after(time.Hour)
	x.decide(write, hive.TickWrite{Tick: hive.Tick{
		Moment: after(2 * time.Minute), Decision: hive.DecisionWaiting, Rule: "after",
	}})
	x.ok(x.AddWebhookSecret(ctx, hive.WebhookSecret{
		ScheduleID: x.schedule.ID, Webhook: "files", Hash: name, CreatedAt: t0, CreatedBy: "ada",
	}, t0))
	_, _, err = x.AddWebhookCall(ctx, x.call("k", after(3*time.Minute)))
	x.ok(err)
	x.ok(x.PlanChange(ctx, hive.PlannedChange{
		ScheduleID: x.schedule.ID, Moment: after(5 * time.Hour), Action: hive.ChangeSkip, By: "ada", Reason: "holiday",
		At: t0,
	}))
	b := must(x.CreateBackfill(ctx, x.newBackfill(t0, after(time.Hour), after(2*time.Hour))))(x)
	_ = must(x.SetArchived(ctx, name, true, "ada", after(time.Hour)))(x)
	x.code(hive.CodeConflict, second(x.BeginDeletion(ctx, name, "ada", t0)))
	_, _, err = x.CancelBackfill(ctx, b.ID, "ada", after(time.Hour), nil)
	x.ok(err)
}

// endedWithAttempts makes a batch whose only run has succeeded, with a command.
func (x *fixture) endedWithAttempts(key string) {
	x.Helper()
	img := x.batch(1)
	command := hive.Command{BatchID: img.Batch.ID, Kind: hive.CommandWish, Key: key, CreatedAt: t0, CreatedBy: "ada"}
	command, _, err := x.AddCommand(x.Context(), command)
	x.ok(err)
	ready, attempt := x.offer(img.Runs[0])
	ended, done := end(ready.To, attempt, after(time.Minute))
	batch := img.Batch
	batch.State, batch.Live, batch.FinishedAt = hive.BatchSucceeded, false, after(time.Minute)
	x.ok(x.commit(hive.BatchWrite{
		BatchID: img.Batch.ID, Runs: []hive.RunChange{ready}, Offers: []hive.Attempt{attempt},
	}))
	command.State, command.DoneAt = hive.CommandApplied, t0
	x.ok(x.commit(hive.BatchWrite{
		BatchID: img.Batch.ID, Runs: []hive.RunChange{ended}, Attempts: []hive.AttemptChange{done},
		Commands: []hive.CommandDone{{ID: command.ID, State: hive.CommandApplied}},
		Batch:    &hive.BatchChange{From: hive.BatchRunning, To: batch},
	}))
}

// tell stores an event of the fixture's schedule with a delivery and a try, and a fact of a batch.
func (x *fixture) tell(file *sql.DB, key string, batch int64) {
	x.Helper()
	ctx := x.Context()
	must(x.StoreAlertEvent(ctx, x.event(key, key, "mail")))(x)
	due := must(x.LeaseDeliveries(ctx, "a", time.Hour, after(time.Minute), 10))(x)
	try := hive.AlertTry{Message: key, Server: "a", At: t0}
	x.ok(x.EndDeliveries(ctx, "a", []int64{due.Deliveries[0].ID}, hive.DeliverySent, t0, try))
	_, err := file.ExecContext(ctx, fmt.Sprintf("INSERT INTO alert_facts (kind, batch_id, round, run_id, task, "+
		"detail, at) VALUES ('failed', %d, 1, 0, '', '', 1)", batch))
	x.ok(err)
	_, err = file.ExecContext(ctx, fmt.Sprintf("INSERT INTO hook_calls (batch_id, revision_id, round, scope, key, "+
		"state, error, task, at) VALUES (%d, 1, 1, 'batch', '', 'failed', '', '', 1)", batch))
	x.ok(err)
}

// ended returns a batch that was canceled.
func ended(b hive.Batch) hive.Batch {
	b.State, b.Live, b.FinishedAt = hive.BatchCanceled, false, after(time.Minute)
	return b
}

func third[A, B any](_ A, _ B, err error) error { return err }

func fourth[A, B, C any](_ A, _ B, _ C, err error) error { return err }

// dump returns all rows of a database by table, but for the counters, the sessions and the list of deletions.
func dump(t *testing.T, file *sql.DB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for table := range strings.FieldsSeq("schedules revisions batches ticks runs run_history attempts commands " +
		"backfills backfill_moments backfill_schedules batch_causes calendars calendar_revisions schedule_calendars " +
		"schedule_links schedule_texts schedule_labels webhook_secrets webhook_calls planned_changes chain_repairs " +
		"chain_repair_steps former_names " +
		"users drafts daily_counts usual_durations log_marks hook_calls alert_facts alert_events " +
		"alert_deliveries alert_tries") {
		out[table] = rowsOf(t, file, table)
	}
	return out
}

// rowsOf returns the rows of a table, sorted.
func rowsOf(t *testing.T, file *sql.DB, table string) (out []string) {
	t.Helper()
	rows, err := file.QueryContext(t.Context(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns := must(rows.Columns())(t)
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = &values[i]
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%v", values))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// TestDeletion deletes a schedule chunk by chunk, each by another server that begins anew, as after deaths between all
// chunks. Nothing of the schedule remains, and nothing of others is touched.
func TestDeletion(t *testing.T) {
	t.Parallel()
	sqlite := db.Config{Dir: t.TempDir()}
	postgres := db.Config{URL: dbtest.Postgres(t), Dir: t.TempDir()}
	for name, c := range map[string]struct {
		config         db.Config
		driver, source string
	}{
		"sqlite":   {sqlite, "sqlite", filepath.Join(sqlite.Dir, "hivego.db")},
		"postgres": {postgres, "pgx", postgres.URL},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newFixture(t, dbtest.Open(t, c.config))
			file := must(sql.Open(c.driver, c.source))(t)
			defer file.Close()
			deleteInChunks(x, file)
		})
	}
}

func deleteInChunks(x *fixture, file *sql.DB) {
	ctx := x.Context()
	ada := must(x.AddUser(ctx, hive.User{Name: "ada", CreatedAt: t0}))(x)
	err := fourth(x.SaveCalendar(ctx, hive.SaveCalendar{Name: "china", Document: "c", Hash: "c", Now: t0}))
	x.ok(err)
	cause := x.batch(1).Batch.ID
	x.fill("kept", cause)
	x.keep(ada.ID, "kept", 0, "{}", t0)
	const former = "INSERT INTO former_names (name, schedule_id, renamed_at, renamed_by) VALUES ('%s', %d, 1, 'ada')"
	insert := func(query string, args ...any) {
		x.Helper()
		if _, err := file.ExecContext(ctx, fmt.Sprintf(query, args...)); err != nil {
			x.Fatal(err)
		}
	}
	const repair = "INSERT INTO chain_repairs (id, batch_id, state, note, created_at, created_by, changed_at, " +
		"changed_by, finished_at, stopped_by) VALUES (%d, %d, 'done', '', 1, 'ada', 1, '', 1, 0)"
	const step = "INSERT INTO chain_repair_steps (repair_id, position, batch_id, round, fate, act, needs, tasks, " +
		"command_id, open) VALUES (%d, %d, %d, 1, 'rerun', 'sent', '', 1, 0, %t)"
	insert(former, "kept before", x.schedule.ID)
	insert(repair, 1, cause)
	insert(step, 1, 0, cause, false)
	x.tell(file, "kept", cause)
	must(x.AdhocRevision(ctx, "hooks", "h", "ada", t0))(x) // the definitions of hooks and single tasks stay
	want := dump(x.T, file)
	x.fill("gone", cause)
	x.keep(ada.ID, "gone", 0, "{}", t0)
	insert(former, "gone before", x.schedule.ID)
	insert("INSERT INTO daily_counts (schedule_id, day, state, batches, took) VALUES (%d, 1, 'failed', 1, 1)",
		x.schedule.ID)
	insert("INSERT INTO usual_durations (schedule_id, took) VALUES (%d, '')", x.schedule.ID)
	insert("INSERT INTO log_marks (schedule_id, until) VALUES (%d, 1)", x.schedule.ID)
	last := must(x.RecentBatches(ctx, []int64{x.schedule.ID}, 1))(x)[x.schedule.ID][0].ID
	insert(repair, 2, last)
	insert(step, 2, 0, last, false)
	insert(step, 2, 1, cause, false)
	insert(step, 1, 1, last, true)
	x.code(hive.CodeConflict, second(x.BeginDeletion(ctx, "gone", "ada", t0))) // a chain repair may still run it
	insert("UPDATE chain_repair_steps SET open = %t", false)
	x.tell(file, "gone", last)
	live := x.hooks(last, 1, hive.BatchRunning)
	x.code(hive.CodeConflict, second(x.BeginDeletion(ctx, "gone", "ada", t0))) // hooks are called
	x.ok(x.commit(hive.BatchWrite{BatchID: live, Batch: &hive.BatchChange{
		From: hive.BatchRunning, To: ended(must(x.Batch(ctx, live))(x)),
	}}))
	x.code(hive.CodeConflict, third(x.AddCommand(ctx, x.repair(live, "late")))) // its schedule is archived
	x.hooks(last, 2, hive.BatchFailed)
	x.tell(file, "hook", live)

	gone := x.schedule
	x.code(hive.CodeConflict, second(x.BeginDeletion(ctx, "warehouse", "ada", t0))) // it is not archived
	begun := must(x.BeginDeletion(ctx, "gone", "ada", after(time.Hour)))(x)
	same(x, "batches at the beginning", begun.Total, 6)
	same(x, "once more", must(x.BeginDeletion(ctx, "gone", "bob", after(2*time.Hour)))(x), begun)
	x.code(hive.CodeConflict, second(x.SetArchived(ctx, "gone", false, "ada", t0)))
	err = fourth(x.SaveSchedule(ctx, hive.SaveSchedule{Name: "gone", Document: "3", Hash: "3", Now: t0}))
	x.code(hive.CodeConflict, err)
	x.code(hive.CodeNotFound, second(x.CreateBatch(ctx, x.me, hive.NewBatch{Key: "late", Batch: hive.Batch{
		Kind: hive.KindHook, Hook: &hive.HookEvent{Batch: last}, RevisionID: x.revision.ID,
	}})))

	chunks := 0
	for done := false; !done; chunks++ {
		if chunks > 100 {
			x.Fatal("the deletion does not end")
		}
		same(x, "to be continued", must(x.ActiveDeletions(ctx))(x), []int64{begun.ID})
		var ids []int64
		for _, ref := range must(x.DeletionAttempts(ctx, begun.ID, 2))(x) {
			ids = append(ids, ref.ID)
		}
		done = must(x.DeleteChunk(ctx, x.me, begun.ID, ids, 2, after(3*time.Hour)))(x)
	}
	if chunks < 10 {
		x.Errorf("only %d chunks", chunks)
	}
	same(x, "nothing is left to do", must(x.ActiveDeletions(ctx))(x), nil)
	same(x, "done twice", must(x.DeleteChunk(ctx, x.me, begun.ID, nil, 2, t0))(x), true)
	got := dump(x.T, file)
	for table := range want {
		same(x, "rows of "+table, got[table], want[table])
	}
	list := must(x.Deletions(ctx, 10))(x)
	same(x, "what stays", list, []hive.Deletion{{
		ID: begun.ID, ScheduleID: gone.ID, Schedule: "gone", By: "ada", BegunAt: after(time.Hour),
		FinishedAt: after(3 * time.Hour), Total: 6,
		Deleted: hive.DeletionCounts{Batches: 6, Runs: 7, Attempts: 3, Ticks: 2, Revisions: 2},
	}})
	again, _ := x.save("gone", "anew", t0)
	same(x, "the name is free", []any{again.Revision, again.Archived(), again.ID > gone.ID},
		[]any{int64(1), false, true})
	_, err = x.DeleteChunk(ctx, hive.Server{ID: x.me.ID, Epoch: x.me.Epoch - 1}, begun.ID, nil, 2, t0)
	x.is(hive.ErrSessionLost, err)
}
