package db

import (
	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// runColumns are the columns that runs and their history share.
type runColumns struct {
	ID         int64  `bun:"id,pk"`
	BatchID    int64  `bun:"batch_id"`
	Number     int    `bun:"number"`
	Job        string `bun:"job"`
	Task       string `bun:"task"`
	Shard      int    `bun:"shard"`
	State      string `bun:"state"`
	Reason     string `bun:"reason"`
	Detail     string `bun:"detail"`
	Cause      string `bun:"cause"`
	NotBefore  int64  `bun:"not_before"`
	Round      int    `bun:"round"`
	Attempt    int64  `bun:"attempt"`
	Attempts   int    `bun:"attempts"`
	Failures   int    `bun:"failures"`
	Losses     int    `bun:"losses"`
	StartedAt  int64  `bun:"started_at"`
	FinishedAt int64  `bun:"finished_at"`
	ExitCode   *int   `bun:"exit_code"`
	Outputs    string `bun:"outputs"`
	ChangedAt  int64  `bun:"changed_at"`
}

type runRow struct {
	bun.BaseModel `bun:"table:runs,alias:r"`
	runColumns
}

type historyRow struct {
	bun.BaseModel `bun:"table:run_history,alias:h"`

	Seq int64 `bun:"seq,pk,autoincrement"`
	runColumns
}

func runOf(r *hive.Run) (runColumns, error) {
	outputs, err := pack(texts(r.Outputs), r.Outputs == nil)
	return runColumns{
		ID: r.ID, BatchID: r.BatchID, Number: r.Number, Job: text(r.Job), Task: text(r.Task), Shard: r.Shard,
		State: text(string(r.State)), Reason: text(string(r.Reason)), Detail: text(r.Detail), Cause: text(r.Cause),
		NotBefore: ms(r.NotBefore), Round: r.Round, Attempt: r.Attempt, Attempts: r.Attempts, Failures: r.Failures,
		Losses: r.Losses, StartedAt: ms(r.StartedAt), FinishedAt: ms(r.FinishedAt), ExitCode: r.ExitCode,
		Outputs: outputs, ChangedAt: ms(r.ChangedAt),
	}, err
}

func (r *runColumns) hive() (hive.Run, error) {
	outputs, err := unpack[map[string]string](r.Outputs)
	return hive.Run{
		ID: r.ID, BatchID: r.BatchID, Number: r.Number, Job: r.Job, Task: r.Task, Shard: r.Shard,
		State: hive.RunState(r.State), Reason: hive.Reason(r.Reason), Detail: r.Detail, Cause: r.Cause,
		NotBefore: at(r.NotBefore), Round: r.Round, Attempt: r.Attempt, Attempts: r.Attempts, Failures: r.Failures,
		Losses: r.Losses, StartedAt: at(r.StartedAt), FinishedAt: at(r.FinishedAt), ExitCode: r.ExitCode,
		Outputs: outputs, ChangedAt: at(r.ChangedAt),
	}, err
}

type attemptRow struct {
	bun.BaseModel `bun:"table:attempts,alias:a"`

	ID           int64  `bun:"id,pk"`
	BatchID      int64  `bun:"batch_id"`
	RunID        int64  `bun:"run_id"`
	Key          string `bun:"key"`
	Number       int    `bun:"number"`
	Round        int    `bun:"round"`
	Executor     string `bun:"executor"`
	ExecutorName string `bun:"executor_name"`
	State        string `bun:"state"`
	Outcome      string `bun:"outcome"`
	ExitCode     *int   `bun:"exit_code"`
	Error        string `bun:"error"`
	Outputs      string `bun:"outputs"`
	KillingAt    int64  `bun:"killing_at"`
	KillReason   string `bun:"kill_reason"`
	OfferedAt    int64  `bun:"offered_at"`
	StartedAt    int64  `bun:"started_at"`
	FinishedAt   int64  `bun:"finished_at"`
	LogBytes     int64  `bun:"log_bytes"`
	Notes        string `bun:"notes"`
}

func attemptOf(a *hive.Attempt) (attemptRow, error) {
	outputs, err := pack(texts(a.Outputs), a.Outputs == nil)
	if err != nil {
		return attemptRow{}, err
	}
	notes, err := pack(lines(a.Notes), a.Notes == nil)
	return attemptRow{
		ID: a.ID, BatchID: a.BatchID, RunID: a.RunID, Key: text(a.Key), Number: a.Number, Round: a.Round, Executor: text(a.Executor),
		ExecutorName: text(a.ExecutorName), State: text(string(a.State)), Outcome: text(string(a.Outcome)), ExitCode: a.ExitCode,
		Error: text(a.Error), Outputs: outputs, KillingAt: ms(a.KillingAt), KillReason: text(string(a.KillReason)),
		OfferedAt: ms(a.OfferedAt), StartedAt: ms(a.StartedAt), FinishedAt: ms(a.FinishedAt), LogBytes: a.LogBytes,
		Notes: notes,
	}, err
}

func (a *attemptRow) hive() (hive.Attempt, error) {
	outputs, err := unpack[map[string]string](a.Outputs)
	if err != nil {
		return hive.Attempt{}, err
	}
	notes, err := unpack[[]string](a.Notes)
	return hive.Attempt{
		ID: a.ID, BatchID: a.BatchID, RunID: a.RunID, Key: a.Key, Number: a.Number, Round: a.Round, Executor: a.Executor,
		ExecutorName: a.ExecutorName, State: hive.AttemptState(a.State), Outcome: hive.Outcome(a.Outcome),
		ExitCode: a.ExitCode, Error: a.Error, Outputs: outputs, KillingAt: at(a.KillingAt),
		KillReason: hive.Reason(a.KillReason), OfferedAt: at(a.OfferedAt), StartedAt: at(a.StartedAt),
		FinishedAt: at(a.FinishedAt), LogBytes: a.LogBytes, Notes: notes,
	}, err
}
