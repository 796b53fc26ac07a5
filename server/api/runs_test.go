package api

import (
	"reflect"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Every field of a task run or an attempt in openapi.yaml is mapped: none is empty if the source is filled.
func TestEveryFieldOfARunIsMapped(t *testing.T) {
	t.Parallel()
	at, exit, progress := time.UnixMilli(1).UTC(), 1, 0.5
	const words = "words"
	reason := &hive.TextReason{Code: "code", Params: map[string]string{"k": "v"}}
	run := hive.Run{
		ID: 1, BatchID: 1, Number: 1, Job: "j", Task: "t", Shard: 2, State: hive.RunFailed, Reason: "r", Detail: "d",
		DetailReason: reason, Cause: "c", NotBefore: at, Round: 1, Attempt: 1, Attempts: 1, Failures: 1, Losses: 1,
		Rejects:   1,
		Part:      &hive.Shard{Index: 1, Total: 2, Item: `"x"`},
		StartedAt: at, FinishedAt: at, ExitCode: &exit, Outputs: map[string]string{"k": "v"}, ChangedAt: at,
	}
	view := hive.RunView{
		Run: run, Executor: "e", Error: words, ErrorReason: reason, Progress: &progress, WaitReason: "w",
		WaitFor: "e",
	}
	whole := view
	whole.Shard = 0
	tried := hive.AttemptView{Task: "t", Shard: &exit, Attempt: hive.Attempt{
		ID: 1, Key: "k", BatchID: 1, RunID: 1, Number: 1, Round: 1, Executor: "e", ExecutorName: "n",
		State: hive.AttemptEnded, Outcome: hive.OutcomeFailure, ExitCode: &exit, Error: words,
		Outputs: map[string]string{"k": "v"}, KillingAt: at, KillReason: "r", OfferedAt: at, StartedAt: at,
		FinishedAt: at, LogBytes: 1, Notes: []string{words},
		Reasons: &hive.AttemptReasons{Error: reason, Notes: []*hive.TextReason{reason}},
		Scheduling: &hive.Scheduling{
			Route: hive.RouteLRU, Origin: hive.RouteOfTask, Key: "k", Group: 2,
			Considered: []hive.Considered{{Name: "n", Used: 1, Slots: 2, Wait: hive.WaitBusy}},
		},
		Params: `{"command":"x"}`,
	}}
	for _, source := range []any{run, view, tried} {
		full(t, source)
	}
	choice := attempt(&tried).Scheduling
	task := taskRuns([]*hive.RunView{&whole, &view})[0]
	for _, mapped := range []any{
		task, task.Shards[0], liveRun(&view), pastRun(&run), attempt(&tried), choice, choice.Considered[0],
	} {
		full(t, mapped)
	}
}

func full(t *testing.T, v any) {
	t.Helper()
	s := reflect.ValueOf(v)
	for i := range s.NumField() {
		if s.Field(i).IsZero() {
			t.Errorf("%T: %s is empty", v, s.Type().Field(i).Name)
		}
	}
}
