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
	// SlotHolders finds the batches, except one, that had attempts on executors during a time.
	SlotHolders(ctx context.Context, except int64, executors []string, in hive.Span) (hive.SlotHolders, error)
}

// ready answers for a run whose rule is met: it names what keeps the run from an executor.
func (s *Service) ready(ctx context.Context, q *question) error {
	r := &q.run
	switch {
	case r.Attempt != 0:
		q.answer(hive.BecauseOffered, "it was handed to %s, which has not taken it yet", r.Executor)
		return nil
	case r.NotBefore.After(q.now) && r.Rejects > 0 && r.Reason == hive.ReasonNone:
		q.why.Until = r.NotBefore
		q.answer(hive.BecauseRetry, "executors were busy or draining, and it is offered again in %s",
			seconds(r.NotBefore.Sub(q.now)))
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
	if r.WaitReason == hive.WaitPool || r.WaitReason == hive.WaitLimit {
		return s.limited(ctx, q, t)
	}
	if r.WaitFor != "" {
		q.answer(hive.BecauseExecutor, "%s", waitForText(r, t, q.route(t)))
	} else {
		q.answer(hive.BecauseExecutor, "%s", waitText(r.WaitReason, t))
	}
	if r.WaitReason != hive.WaitBusy {
		return nil
	}
	q.why.Code = hive.BecauseSlot
	return s.holders(ctx, q, t)
}

// route returns the route of a task as its schedule sets it; empty if the group does.
func (q *question) route(t *hive.Task) hive.Route {
	return hive.EffectiveRoute(t.Route, q.graph.Def.Policy.Route, "").Route
}

// waitForText explains the wait for the one executor that a route has chosen.
func waitForText(r *hive.RunView, t *hive.Task, route hive.Route) string {
	group := t.EffectiveGroup()
	var what string
	which := chosenBy(route, group)
	if r.Part != nil && r.Part.Executor != "" {
		which = "to which this shard of the broadcast belongs"
	}
	switch r.WaitReason {
	case hive.WaitOffline:
		what = "which takes nothing new now"
	case hive.WaitBusy:
		what = "all of whose slots are taken"
	default:
		what = "which does not answer"
	}
	return fmt.Sprintf("it waits for executor %s, %s, %s", r.WaitFor, which, what)
}

// chosenBy says which executor of a group a route has chosen.
func chosenBy(route hive.Route, group string) string {
	switch route {
	case hive.RouteFirst:
		return fmt.Sprintf("the first of group %q", group)
	case hive.RouteLast:
		return fmt.Sprintf("the last of group %q", group)
	case hive.RouteFailover:
		return fmt.Sprintf("the first of group %q that is in contact", group)
	case hive.RouteConsistentHash:
		return fmt.Sprintf("which group %q has for the key of the task", group)
	default:
		return fmt.Sprintf("which the route of group %q has chosen", group)
	}
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
		return fmt.Sprintf("no executor of group %q has the labels that the task asks for", group)
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
	held, err := s.executors.Held(ctx, usable(executors, t, q.run.WaitFor)...)
	if err != nil {
		return err
	}
	q.name(held)
	return nil
}

// name names the first of the attempts that hold what the task waits for.
func (q *question) name(held []hive.HeldView) {
	for _, h := range held[:min(len(held), maxOn)] { // the oldest: they have had their slots longest
		since := h.StartedAt
		if since.IsZero() {
			since = h.OfferedAt
		}
		q.why.Holders = append(q.why.Holders, hive.WhyHolder{
			Batch: h.BatchID, Schedule: h.Schedule, Task: h.Task, Executor: h.ExecutorName, Since: since,
		})
	}
}

// usable returns the ids of the executors whose slots a task may have: only waitFor, if the task waits for that one.
func usable(executors []hive.Executor, t *hive.Task, waitFor string) []string {
	var ids []string
	for i := range executors {
		e := &executors[i]
		if e.Group == t.EffectiveGroup() && (t.Executor == "" || t.Executor == e.Name) &&
			(waitFor == "" || waitFor == e.Name) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// SlotHolders finds the other batches that had the slots that a task of a batch could use during a time. The time
// begins with the round of the batch if it has no begin, and ends now if it has no end.
func (s *Service) SlotHolders(ctx context.Context, id int64, task string, in hive.Span) (hive.SlotHolders, error) {
	b, err := s.batches.Batch(ctx, id)
	if err != nil {
		return hive.SlotHolders{}, err
	}
	if in.From.IsZero() {
		in.From = b.RoundAt
	}
	if in.To.IsZero() {
		in.To = s.now()
	}
	if !in.From.Before(in.To) || in.To.Sub(in.From) > hive.MostHolderTime {
		return hive.SlotHolders{}, hive.Errorf(hive.CodeInvalid, "to must be after from, by at most 14 days").
			WithReason(hive.ErrorRange, "name", "to - from (days)", "least", 0, "most", 14)
	}
	rev, err := s.revisions.Revision(ctx, b.RevisionID)
	if err != nil {
		return hive.SlotHolders{}, err
	}
	g, err := s.graphs.Compile(&rev)
	if err != nil {
		return hive.SlotHolders{}, err
	}
	i, found := g.Lookup(task)
	if !found {
		return hive.SlotHolders{}, noSuchTask(id, task)
	}
	executors, err := s.executors.Executors(ctx)
	if err != nil {
		return hive.SlotHolders{}, err
	}
	ids := usable(executors, g.Tasks[i].Spec, "")
	if len(ids) == 0 {
		return hive.SlotHolders{}, nil
	}
	return s.executors.SlotHolders(ctx, id, ids, in)
}
