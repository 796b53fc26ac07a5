package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// shardJSON is a shard of a task in batchJSON.
type shardJSON struct {
	Index      int     `json:"index"`
	Item       any     `json:"item"`
	State      string  `json:"state"`
	Reason     string  `json:"reason"`
	Attempts   int     `json:"attempts"`
	Executor   string  `json:"executor"`
	StartedAt  *string `json:"startedAt"`
	FinishedAt *string `json:"finishedAt"`
	ExitCode   *int    `json:"exitCode"`
	Error      string  `json:"error"`
}

// shardShapes returns the shards of a task; nil if it is not sharded, or not split yet.
func shardShapes(t *model.TaskRun) []shardJSON {
	if t.Shards == nil {
		return nil
	}
	out := make([]shardJSON, 0, len(t.Shards))
	for i := range t.Shards {
		s := &t.Shards[i]
		out = append(out, shardJSON{
			Index: s.Index, Item: s.Item, State: string(s.State), Reason: s.Reason, Attempts: s.Attempts,
			Executor: s.Executor, StartedAt: orNull(s.StartedAt), FinishedAt: orNull(s.FinishedAt),
			ExitCode: s.ExitCode, Error: s.Error,
		})
	}
	return out
}

// shownShards is how many shards of a task a table shows. Of more, it shows the first that have not succeeded.
const shownShards = 20

// addShards adds the shards of a task to the table of a batch, below its row.
func addShards(t *table, r *model.TaskRun, now time.Time) {
	shown := 0
	for i := range r.Shards {
		s := &r.Shards[i]
		if len(r.Shards) > shownShards && s.State == model.RunStateSucceeded || shown == shownShards {
			continue
		}
		shown++
		code, finished := "-", s.FinishedAt.Time
		if s.ExitCode != nil {
			code = strconv.Itoa(*s.ExitCode)
		}
		if finished.IsZero() && s.State != model.RunStateRunning && s.State != model.RunStateUnknown {
			finished = s.StartedAt.Time
		}
		t.add("  "+hive.ShardName(r.Key, s.Index), dash(r.Job), string(s.State), dash(s.Reason),
			strconv.Itoa(s.Attempts), dash(s.Executor), shortTime(s.StartedAt.Time),
			took(s.StartedAt.Time, finished, now), code, s.Error)
	}
	if more := len(r.Shards) - shown; more > 0 {
		t.add(fmt.Sprintf("  %d more shards", more), "", "", "", "", "", "", "", "", "-o json lists all")
	}
}
