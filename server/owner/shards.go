package owner

import (
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// part returns what a shard works on; nil for the run of a task.
func (l *liveBatch) part(n int) *hive.Shard {
	if r := l.machine.Run(n); r.Shard != 0 {
		return r.Part
	}
	return nil
}

// splitHead fixes the shards of the task at the head of a queue. It returns false if the task has to wait for that.
func (o *Owner) splitHead(now time.Time, q *readyQueue) bool {
	it := q.head()
	l, n := it.batch, it.run
	t, ok := l.task(n)
	if !ok {
		return false
	}
	shards, wait, err := o.shardsOf(l, t, q)
	switch q.wait, q.waitFor = wait, ""; {
	case wait != hive.WaitNone:
		return false
	case err != nil:
		l.leaveQueue(n)
		return o.applyExpected(now, l, state.SplitFailed{Run: n, Words: hive.SentenceOf(err)}, true)
	case int64(l.machine.NewShards(n, len(shards))) > o.runIDs.remaining():
		return false // they are being drawn, see LowIDs
	}
	l.leaveQueue(n)
	return o.applyExpected(now, l, state.Split{Run: n, Shards: shards}, true)
}

// shardsOf returns the shards that a task has if it starts now, or why it has to wait.
func (o *Owner) shardsOf(l *liveBatch, t *hive.Task, q *readyQueue) ([]hive.Shard, hive.WaitReason, error) {
	switch {
	case t.Shard.Broadcast:
		executors, wait := o.chooser.Everyone(q.req)
		if len(executors) > hive.MaxShards {
			executors = executors[:hive.MaxShards]
		}
		shards := make([]hive.Shard, len(executors))
		for i, x := range executors {
			shards[i] = hive.Shard{Executor: x.ID, ExecutorName: x.Name}
		}
		return shards, wait, nil
	case t.Shard.Over != "":
		items, err := o.programs.Elements(t.Shard.Over, l.expressions.environment(l.machine.Env()))
		shards := make([]hive.Shard, len(items))
		for i := range items {
			shards[i].Item = items[i]
		}
		return shards, hive.WaitNone, err
	default:
		return make([]hive.Shard, t.Shard.Count), hive.WaitNone, nil
	}
}

// strand fails the shard at the head of a queue, because the only executor that may run it is gone.
func (o *Owner) strand(now time.Time, it *item) {
	l, name := it.batch, ""
	if p := l.part(it.run); p != nil {
		name = p.ExecutorName
	}
	l.leaveQueue(it.run)
	o.applyExpected(now, l, state.Stranded{Run: it.run, Words: hive.NewSentence(hive.SentenceShardGone,
		"the executor ‹executor› is out of contact or deleted, and no other one may run its shard",
		"executor", name)}, true)
}
