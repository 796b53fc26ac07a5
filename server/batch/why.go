package batch

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// maxOn is the number of tasks or holders that an answer names. The sentence has the full count.
const maxOn = 20

// question is one call of Why: its input, and the answer so far.
type question struct {
	now   time.Time
	batch hive.Batch
	run   hive.RunView
	runs  []hive.RunView
	graph *graph.Graph
	task  int           // index in graph; -1 if the batch's revision has no such task
	last  *hive.Attempt // the run's latest attempt, if the run has failed; nil if it had none
	why   hive.Why
}

// Why explains why a task is not running, by the first condition that is not met.
func (s *Service) Why(ctx context.Context, id int64, task string) (hive.Why, error) {
	v, err := s.View(ctx, id, true)
	if err != nil {
		return hive.Why{}, err
	}
	q := question{now: s.moment(), batch: v.Batch, runs: v.Runs, task: -1}
	found := false
	for i := range v.Runs {
		if runName(&v.Runs[i].Run) == task {
			q.run, found = v.Runs[i], true
		}
	}
	q.firstShard()
	if !found {
		return hive.Why{}, noSuchTask(id, task)
	}
	rev, err := s.revisions.Revision(ctx, v.Batch.RevisionID)
	if err != nil {
		return hive.Why{}, err
	}
	if q.graph, err = s.graphs.Compile(&rev); err != nil {
		return hive.Why{}, err
	}
	if n, ok := q.graph.Lookup(q.run.Task); ok {
		q.task = n
	}
	if q.run.State == hive.RunFailed {
		attempts, err := s.batches.Attempts(ctx, id)
		if err != nil {
			return hive.Why{}, err
		}
		q.last = latestAttempts(attempts)[q.run.ID]
	}
	q.why = hive.Why{Batch: id, Task: task, State: q.run.State, Since: q.run.ChangedAt}
	switch {
	case q.ended() || q.blocked(v.Stuck.Text):
	case q.batch.State == hive.BatchQueued:
		err = s.queued(ctx, &q)
	case q.run.State == hive.RunWaiting:
		q.waiting()
	default:
		err = s.ready(ctx, &q)
	}
	return q.why, err
}

// firstShard makes a ready shard stand for its task that waits for it.
func (q *question) firstShard() {
	if q.run.Shard != 0 || q.run.Part == nil || q.run.State != hive.RunReady {
		return
	}
	for i := range q.runs {
		if r := &q.runs[i]; r.Task == q.run.Task && r.Shard != 0 && r.Part != nil && r.State == hive.RunReady {
			q.run = *r
			return
		}
	}
}

// answer sets the code and the sentence of the answer. It returns true, for callers that report whether they answered.
func (q *question) answer(code hive.WhyCode, format string, args ...any) bool {
	q.why.Code, q.why.Words = code, fmt.Sprintf(format, args...)
	return true
}

// ended answers for a run that has ended, runs, or whose executor is silent. It reports whether it has answered.
func (q *question) ended() bool {
	r := &q.run
	switch {
	case r.State.Final():
		q.why.Since = r.FinishedAt
		if r.FinishedAt.IsZero() {
			q.why.Since = r.ChangedAt
		}
		return q.answer(hive.BecauseFinal, "it %s%s%s%s", finalWord(r.State), because(r), q.noRetry(), q.remedy())
	case r.State == hive.RunRunning && r.Shard == 0 && r.Part != nil:
		q.why.Since = r.StartedAt
		return q.answer(hive.BecauseRunning, "its shards run")
	case r.State == hive.RunUnknown && r.Shard == 0 && r.Part != nil:
		return q.answer(hive.BecauseSilent, "the executors of its shards do not answer, or shards wait for a person")
	case r.State == hive.RunRunning:
		q.why.Since = r.StartedAt
		return q.answer(hive.BecauseRunning, "it runs on %s", r.Executor)
	case r.State == hive.RunUnknown && r.Reason == hive.ReasonHeld:
		return q.answer(hive.BecauseHeld, "its executor %s was lost, and %s: run it again with "+
			"`hivego rerun %d %s`, or go on without with `hivego mark %d %s --as success`",
			r.Executor, q.heldText(), q.batch.ID, runName(&r.Run), q.batch.ID, runName(&r.Run))
	case r.State == hive.RunUnknown:
		return q.answer(hive.BecauseSilent,
			"its executor %s does not answer; it goes on when that comes back, and when its lease ends before, it %s",
			r.Executor, q.lost())
	default:
		return false
	}
}

// heldText explains why a run with a lost executor waits for a person.
func (q *question) heldText() string {
	if q.task >= 0 && q.graph.Tasks[q.task].Spec.OnLost.Do == hive.OnLostHold {
		return "the task says to wait for a person (onLost: hold)"
	}
	return "nobody knows what became of its work, so it waits for a person"
}

// noRetry says why a run that failed was not repeated although attempts were left.
func (q *question) noRetry() string {
	a := q.last
	if a == nil || a.Round != q.run.Round {
		return ""
	}
	if note := a.NotRetried(); note != "" {
		return "; " + note
	}
	return ""
}

// remedy names the command that helps with a run that failed or was canceled.
func (q *question) remedy() string {
	r := &q.run
	switch {
	case r.State != hive.RunFailed && r.State != hive.RunCanceled:
		return ""
	case r.Shard == 0 && r.Part != nil: // a rerun would repeat the shards that succeeded, too
		return fmt.Sprintf("; `hivego resume %d --task %s` repeats the shards that did not succeed, and what follows",
			q.batch.ID, r.Task) + q.without()
	default:
		return fmt.Sprintf("; `hivego rerun %d %s --downstream` runs it and what follows again", q.batch.ID,
			runName(&r.Run)) + q.without()
	}
}

// without names the commands that go on without the executor of a lost shard, if no other one may run that shard. It
// looks at the shards of a task, and at a shard itself.
func (q *question) without() string {
	for i := range q.runs {
		r := &q.runs[i].Run
		asked := r.Task == q.run.Task && r.Shard != 0 && r.Part != nil && (q.run.Shard == 0 || q.run.Shard == r.Shard)
		if asked && r.Part.Executor != "" && r.State == hive.RunFailed && r.Reason == hive.ReasonLost {
			return fmt.Sprintf("; if executor %s does not come back, `hivego mark %d %s --as skipped` goes on without "+
				"%s, and `hivego rerun %d %s --downstream` splits the task anew", r.Part.ExecutorName, q.batch.ID,
				runName(r), runName(r), q.batch.ID, r.Task)
		}
	}
	return ""
}

// lost explains what happens to the run if its executor stays silent.
func (q *question) lost() string {
	do := hive.OnLostRetry
	if q.task >= 0 {
		do = cmp.Or(q.graph.Tasks[q.task].Spec.OnLost.Do, do)
	}
	switch do {
	case hive.OnLostHold:
		return "waits for a person (onLost: hold)"
	case hive.OnLostFail:
		return "fails (onLost: fail)"
	default:
		return "runs again (onLost: retry)"
	}
}

func finalWord(s hive.RunState) string {
	switch s {
	case hive.RunSucceeded, hive.RunFailed:
		return string(s)
	default:
		return "was " + string(s)
	}
}

func because(r *hive.RunView) string {
	switch {
	case r.Error != "":
		return ": " + r.Error
	case r.Reason == hive.ReasonPerson && r.Detail != "":
		return fmt.Sprintf(": %s said so", r.Detail)
	case r.Detail != "":
		return ": " + r.Detail
	case r.Cause != "":
		return fmt.Sprintf(" because of %s (%s)", r.Cause, r.Reason)
	case r.Reason != "":
		return fmt.Sprintf(" (%s)", r.Reason)
	default:
		return ""
	}
}

// blocked answers for a batch that is stuck or paused. It reports whether it has answered.
func (q *question) blocked(stuck string) bool {
	switch {
	case stuck != "":
		return q.answer(hive.BecauseStuck, "the batch is stuck: %s", stuck)
	case q.batch.Wish == hive.WishPause:
		q.why.Since = q.batch.PausedAt
		return q.answer(hive.BecausePaused, "the batch is paused; `hivego continue %d` lets it go on", q.batch.ID)
	default:
		return false
	}
}

// queued answers for a batch that waits for other batches of its schedule.
func (s *Service) queued(ctx context.Context, q *question) error {
	q.why.Since = q.batch.CreatedAt
	others, err := s.batches.Batches(ctx, hive.BatchFilter{Schedule: q.batch.Schedule, Live: true})
	if err != nil {
		return err
	}
	var ahead []string
	for i := range others {
		if others[i].ID != q.batch.ID && q.batch.Schedule != "" && others[i].CountsForOverlap() &&
			(others[i].ID < q.batch.ID || others[i].State == hive.BatchRunning) {
			ahead = append(ahead, fmt.Sprint(others[i].ID))
		}
	}
	if q.batch.Reason == hive.ReasonQueued && len(ahead) > 0 {
		q.answer(hive.BecauseQueued, "its batch is queued behind batch %s of the same schedule",
			strings.Join(ahead, ", "))
	} else {
		q.answer(hive.BecauseQueued, "its batch is about to start")
	}
	return nil
}

// waiting answers for a run whose rule is not met yet, or that waits for all earlier jobs.
func (q *question) waiting() {
	q.why.Since = q.batch.RoundAt
	if q.task < 0 {
		q.answer(hive.BecauseNeeds, "the revision of the batch has no such task any more")
		return
	}
	t := &q.graph.Tasks[q.task]
	if q.graph.Def.Flow == hive.FlowStrict {
		if n := q.pending(func(other *graph.Task) bool { return other.Job < t.Job }); n > 0 {
			q.answer(hive.BecauseBarrier, "the flow is strict: %s of earlier jobs must end first: %s", tasks(n),
				names(q.why.On))
			return
		}
	}
	needs := make(map[int]bool, len(t.Needs))
	for _, n := range t.Needs {
		needs[n] = true
	}
	n := q.pending(func(other *graph.Task) bool { return needs[other.Index] || t.Implicit && other.Job < t.Job })
	if n == 0 {
		q.answer(hive.BecauseNeeds, "its needs have ended; it is decided at once")
		return
	}
	q.answer(hive.BecauseNeeds, "its rule %s waits for %s: %s", t.Spec.EffectiveRule(), tasks(n), names(q.why.On))
}

// pending counts the runs that are not final and whose tasks match, and names the first of them in the answer.
func (q *question) pending(matches func(*graph.Task) bool) int {
	q.why.On = nil
	count := 0
	for i := range q.runs {
		r := &q.runs[i]
		n, ok := q.graph.Lookup(r.Task)
		if !ok || r.State.Final() || !matches(&q.graph.Tasks[n]) {
			continue
		}
		if count++; count <= maxOn {
			q.why.On = append(q.why.On, hive.WhyOn{Task: r.Task, State: r.State, Since: r.ChangedAt})
		}
	}
	return count
}

func tasks(n int) string {
	if n == 1 {
		return "1 task"
	}
	return fmt.Sprintf("%d tasks", n)
}

func names(on []hive.WhyOn) string {
	out := make([]string, len(on))
	for i, o := range on {
		out[i] = fmt.Sprintf("%s (%s)", o.Task, o.State)
	}
	return strings.Join(out, ", ")
}
