package api

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// The functions below are the only ones that map task runs and attempts to the API's types. A test fails if one of
// them leaves out a field of openapi.yaml.

// taskRun converts a task run of a batch.
func taskRun(r *hive.RunView) model.TaskRun {
	return model.TaskRun{
		Number: r.Number, Key: r.Task, Job: r.Job, State: model.RunState(r.State), Reason: string(r.Reason),
		Detail: r.Detail, Cause: r.Cause, Attempts: r.Attempts, Executor: r.Executor,
		StartedAt: wire.At(r.StartedAt), FinishedAt: wire.At(r.FinishedAt), ExitCode: r.ExitCode,
		Error: r.Error, ErrorReason: textReason(r.Error, r.ErrorReason), NotBefore: wire.At(r.NotBefore),
		Round:    r.Round,
		Progress: r.Progress, Hold: string(r.WaitReason), Outputs: r.Outputs,
	}
}

// taskRuns converts all runs of a batch: the runs of tasks, each with its shards.
func taskRuns(runs []*hive.RunView) []model.TaskRun {
	out := make([]model.TaskRun, 0, len(runs))
	var shards map[string][]*hive.RunView
	for _, r := range runs {
		switch {
		case r.Shard == 0:
			out = append(out, taskRun(r))
		case r.Part != nil:
			if shards == nil {
				shards = map[string][]*hive.RunView{}
			}
			shards[r.Task] = append(shards[r.Task], r)
		}
	}
	for i := range out {
		list := shards[out[i].Key]
		slices.SortFunc(list, func(a, b *hive.RunView) int { return a.Shard - b.Shard })
		for _, r := range list {
			out[i].Shards = append(out[i].Shards, shardRun(r))
		}
	}
	return out
}

// shardRun converts a shard.
func shardRun(r *hive.RunView) model.ShardRun {
	out := model.ShardRun{
		Number: r.Number, Index: r.Shard - 1, State: model.RunState(r.State), Reason: string(r.Reason),
		Detail: r.Detail, Attempts: r.Attempts, Executor: r.Executor, StartedAt: wire.At(r.StartedAt),
		FinishedAt: wire.At(r.FinishedAt), ExitCode: r.ExitCode, Error: r.Error,
		ErrorReason: textReason(r.Error, r.ErrorReason), NotBefore: wire.At(r.NotBefore), Round: r.Round,
		Progress: r.Progress, Hold: string(r.WaitReason), Outputs: r.Outputs,
	}
	if r.Part != nil {
		out.Executor = cmp.Or(out.Executor, r.Part.ExecutorName)
		if r.Part.Item != "" {
			out.Item = json.RawMessage(r.Part.Item)
		}
	}
	return out
}

// shardIndex returns the index of a shard; nil for the run of a task.
func shardIndex(r *hive.Run) *int {
	if r.Shard == 0 {
		return nil
	}
	index := r.Shard - 1
	return &index
}

// liveRun converts a task run for a frame with changes. It omits outputs, and everything that never changes and is in
// the snapshot.
func liveRun(r *hive.RunView) model.LiveRun {
	return model.LiveRun{
		Number: r.Number, State: model.RunState(r.State), Reason: string(r.Reason), Detail: r.Detail, Cause: r.Cause,
		Attempts: r.Attempts, Executor: r.Executor, StartedAt: wire.At(r.StartedAt), FinishedAt: wire.At(r.FinishedAt),
		ExitCode: r.ExitCode, Error: r.Error, ErrorReason: textReason(r.Error, r.ErrorReason),
		NotBefore: wire.At(r.NotBefore),
		Round:     r.Round,
		Progress:  r.Progress, Hold: string(r.WaitReason),
	}
}

// pastRun converts a task run at the end of an earlier round.
func pastRun(r *hive.Run) model.PastRun {
	return model.PastRun{
		Number: r.Number, Key: r.Task, Job: r.Job, State: model.RunState(r.State), Reason: string(r.Reason),
		Detail: r.Detail, Cause: r.Cause, Attempts: r.Attempts, StartedAt: wire.At(r.StartedAt),
		FinishedAt: wire.At(r.FinishedAt), ExitCode: r.ExitCode, Round: r.Round, Shard: shardIndex(r),
	}
}

// attempt converts an attempt with the key of its task.
func attempt(a *hive.AttemptView) model.Attempt {
	return model.Attempt{
		ID: a.ID, Task: a.Task, Shard: a.Shard, Number: a.Number, Round: a.Round, Executor: a.ExecutorName,
		State: model.AttemptState(a.State), Outcome: string(a.Outcome), ExitCode: a.ExitCode, Error: a.Error,
		Outputs: a.Outputs, OfferedAt: wire.At(a.OfferedAt), StartedAt: wire.At(a.StartedAt),
		FinishedAt: wire.At(a.FinishedAt), KillingAt: wire.At(a.KillingAt), KillReason: string(a.KillReason),
		LogBytes: a.LogBytes, Notes: a.Notes, NoteReasons: noteReasons(&a.Attempt),
		ErrorReason: textReason(a.Error, a.Reasons.OfError()),
		Scheduling:  scheduling(a.Scheduling),
		Params:      sentParams(a.Params),
	}
}

// sentParams reads what the params of an attempt were rendered to; nil for nothing.
func sentParams(text string) map[string]any {
	numbers := json.NewDecoder(strings.NewReader(text))
	numbers.UseNumber() // a number of 64 bits stays what it is
	var params map[string]any
	if numbers.Decode(&params) != nil {
		return nil
	}
	return params
}

// scheduling converts how the executor of an attempt was chosen; nil becomes an empty value, which JSON omits.
func scheduling(s *hive.Scheduling) model.Scheduling {
	if s == nil {
		return model.Scheduling{}
	}
	out := model.Scheduling{
		Route: model.Route(s.Route), Origin: model.SchedulingOrigin(s.Origin), Key: s.Key, Group: s.Group,
		Considered: make([]model.ConsideredExecutor, 0, len(s.Considered)),
	}
	for _, c := range s.Considered {
		out.Considered = append(out.Considered, model.ConsideredExecutor{
			Name: c.Name, Used: c.Used, Slots: c.Slots, Wait: string(c.Wait),
		})
	}
	return out
}
