package batch

import (
	"context"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// ExecutorStore lists the executors and what they have.
type ExecutorStore interface {
	Executors(ctx context.Context) ([]hive.Executor, error)
	// Held lists the attempts that executors have or were offered, oldest first.
	Held(ctx context.Context, executors ...string) ([]hive.HeldView, error)
}

// ready answers for a run whose rule is met: it names what keeps the run from an executor.
func (s *Service) ready(ctx context.Context, q *question) error {
	r := &q.run
	switch {
	case r.Attempt != 0:
		q.answer(hive.BecauseOffered, "it was handed to %s, which has not taken it yet", r.Executor)
		return nil
	case r.NotBefore.After(q.now):
		q.why.Until = r.NotBefore
		q.answer(hive.BecauseRetry, "it failed, and is tried again in %s", seconds(r.NotBefore.Sub(q.now)))
		return nil
	case q.task < 0 || r.WaitReason == hive.WaitNone:
		q.answer(hive.BecauseOffered, "it is about to be handed to an executor")
		return nil
	}
	t := q.graph.Tasks[q.task].Spec
	q.answer(hive.BecauseExecutor, "%s", waitText(r.WaitReason, t))
	if r.WaitReason != hive.WaitBusy {
		return nil
	}
	q.why.Code = hive.BecauseSlot
	return s.holders(ctx, q, t)
}

// seconds rounds up to seconds, so that no future moment is "in 0s".
func seconds(d time.Duration) time.Duration { return (d + time.Second - 1).Truncate(time.Second) }

func waitText(h hive.WaitReason, t *hive.Task) string {
	group := t.EffectiveGroup()
	switch h {
	case hive.WaitNoGroup:
		return fmt.Sprintf("no executor of group %q has ever come; start one with `hivego executor --group %s`", group,
			group)
	case hive.WaitNoHandler:
		return fmt.Sprintf("no executor of group %q offers the handler %q", group, t.Handler)
	case hive.WaitNoMatch:
		if t.Executor != "" {
			return fmt.Sprintf("group %q has no executor named %q", group, t.Executor)
		}
		return fmt.Sprintf("no executor of group %q carries all the labels that the task asks for", group)
	case hive.WaitOffline:
		return fmt.Sprintf("the executors of group %q that could run it are offline or draining", group)
	case hive.WaitSilent:
		return fmt.Sprintf("the executors of group %q that could run it do not answer; start them, or one more with "+
			"`hivego executor --group %s`", group, group)
	case hive.WaitBusy:
		return fmt.Sprintf("all slots of group %q that it could use are taken", group)
	default:
		return fmt.Sprintf("no executor takes it (%s)", h)
	}
}

// holders names the attempts that have the slots of the task's group.
func (s *Service) holders(ctx context.Context, q *question, t *hive.Task) error {
	executors, err := s.executors.Executors(ctx)
	if err != nil {
		return err
	}
	var group []string
	for i := range executors {
		e := &executors[i]
		if e.Group == t.EffectiveGroup() && (t.Executor == "" || t.Executor == e.Name) {
			group = append(group, e.ID)
		}
	}
	held, err := s.executors.Held(ctx, group...)
	if err != nil {
		return err
	}
	for _, h := range held[:min(len(held), maxOn)] { // the oldest: they have had their slots longest
		since := h.StartedAt
		if since.IsZero() {
			since = h.OfferedAt
		}
		q.why.Holders = append(q.why.Holders, hive.WhyHolder{
			Batch: h.BatchID, Schedule: h.Schedule, Task: h.Task, Executor: h.ExecutorName, Since: since,
		})
	}
	return nil
}
