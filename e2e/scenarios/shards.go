package scenarios

import "github.com/rprp/hivego/server/hive"

// runName returns the name of a run in scenarios: the key of its task, or that of a shard, such as copy.3.
func runName(r *hive.Run) string {
	if r.Shard == 0 {
		return r.Task
	}
	return hive.ShardName(r.Task, r.Shard-1)
}

// everyone lists the executors that a broadcast goes to.
func everyone() []hive.ExecutorRef {
	return []hive.ExecutorRef{{ID: "x1", Name: "first"}, {ID: "x2", Name: "second"}}
}
