package db

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// runTable declares the columns of a task run, for the table of runs and for that of their history. It is the only
// place of this package that names them.
func runTable(name string) *table[hive.Run] {
	type run = hive.Run
	return &table[run]{
		name: name,
		what: "task run",
		fixed: []column[run]{
			whole("id", func(r *run) *int64 { return &r.ID }),
			whole("batch_id", func(r *run) *int64 { return &r.BatchID }),
			whole("number", func(r *run) *int { return &r.Number }),
			word("job", func(r *run) *string { return &r.Job }),
			word("task", func(r *run) *string { return &r.Task }),
			whole("shard", func(r *run) *int { return &r.Shard }),
		},
		common: []column[run]{
			word("state", func(r *run) *hive.RunState { return &r.State }),
			word("reason", func(r *run) *hive.Reason { return &r.Reason }),
			word("detail", func(r *run) *string { return &r.Detail }),
			object("detail_reason", func(r *run) **hive.TextReason { return &r.DetailReason }),
			word("cause", func(r *run) *string { return &r.Cause }),
			whole("round", func(r *run) *int { return &r.Round }),
			whole("attempts", func(r *run) *int { return &r.Attempts }),
			whole("failures", func(r *run) *int { return &r.Failures }),
			whole("losses", func(r *run) *int { return &r.Losses }),
			whole("rejects", func(r *run) *int { return &r.Rejects }),
			optional("exit_code", func(r *run) **int { return &r.ExitCode }),
			packed("outputs", func(r *run) *map[string]string { return &r.Outputs }, texts),
		},
		varying: []column[run]{
			object("part", func(r *run) **hive.Shard { return &r.Part }),
			instant("not_before", func(r *run) *time.Time { return &r.NotBefore }),
			whole("attempt", func(r *run) *int64 { return &r.Attempt }),
			instant("started_at", func(r *run) *time.Time { return &r.StartedAt }),
			instant("finished_at", func(r *run) *time.Time { return &r.FinishedAt }),
			instant("changed_at", func(r *run) *time.Time { return &r.ChangedAt }),
		},
	}
}

// The tables with the columns of a task run.
const (
	runsTable    = "runs"
	historyTable = "run_history"
)

// nameOfRun is the SQL of the name of a run r: the key of its task, or the name of a shard, such as copy.3.
const nameOfRun = "CASE WHEN r.shard > 0 THEN r.task || '.' || (r.shard - 1) ELSE r.task END"

// attemptTable declares the columns of an attempt. It is the only place of this package that names them.
func attemptTable() *table[hive.Attempt] {
	type attempt = hive.Attempt
	return &table[attempt]{
		name: "attempts",
		what: "attempt",
		fixed: []column[attempt]{
			whole("id", func(a *attempt) *int64 { return &a.ID }),
			whole("batch_id", func(a *attempt) *int64 { return &a.BatchID }),
			whole("run_id", func(a *attempt) *int64 { return &a.RunID }),
			word("key", func(a *attempt) *string { return &a.Key }),
			whole("number", func(a *attempt) *int { return &a.Number }),
			whole("round", func(a *attempt) *int { return &a.Round }),
			word("executor", func(a *attempt) *string { return &a.Executor }),
			word("executor_name", func(a *attempt) *string { return &a.ExecutorName }),
			instant("offered_at", func(a *attempt) *time.Time { return &a.OfferedAt }),
			object("scheduling", func(a *attempt) **hive.Scheduling { return &a.Scheduling }),
			word("params", func(a *attempt) *string { return &a.Params }),
			word("pool", func(a *attempt) *string { return &a.Pool }),
			whole("slots", func(a *attempt) *int { return &a.Slots }),
		},
		common: []column[attempt]{
			word("state", func(a *attempt) *hive.AttemptState { return &a.State }),
			word("outcome", func(a *attempt) *hive.Outcome { return &a.Outcome }),
			optional("exit_code", func(a *attempt) **int { return &a.ExitCode }),
			word("error", func(a *attempt) *string { return &a.Error }),
			packed("outputs", func(a *attempt) *map[string]string { return &a.Outputs }, texts),
			word("kill_reason", func(a *attempt) *hive.Reason { return &a.KillReason }),
			packed("notes", func(a *attempt) *[]string { return &a.Notes }, lines),
			object("reasons", func(a *attempt) **hive.AttemptReasons { return &a.Reasons }),
		},
		varying: []column[attempt]{
			instant("killing_at", func(a *attempt) *time.Time { return &a.KillingAt }),
			instant("started_at", func(a *attempt) *time.Time { return &a.StartedAt }),
			instant("finished_at", func(a *attempt) *time.Time { return &a.FinishedAt }),
			whole("log_bytes", func(a *attempt) *int64 { return &a.LogBytes }),
		},
	}
}
