package batch

import (
	"context"
	"fmt"

	"github.com/rprp/hivego/server/hive"
)

// limited answers for a run that a limit or a pool keeps waiting: it names the limit, who set it, and what counts.
func (s *Service) limited(ctx context.Context, q *question, t *hive.Task) error {
	key := hive.ParseLimitKey(q.run.WaitFor)
	code := hive.BecauseLimit
	if key.Kind == hive.LimitPool {
		code = hive.BecausePool
		q.why.Slots = t.Pool.EffectiveSlots()
	}
	var limit *hive.LimitUse
	if s.limits != nil {
		var held []hive.HeldView
		var err error
		if limit, held, err = s.limits.Holders(ctx, key); err != nil {
			return err
		}
		q.name(held)
	}
	q.why.Limit = limit
	switch {
	case limit == nil && key.Kind == hive.LimitPool:
		q.answer(code, "there is no pool %q; `hivego pools set %s N` makes one with N slots", key.Name,
			hive.ShellWord(key.Name))
		q.why.Limit = &hive.LimitUse{Limit: hive.Limit{LimitKey: key}}
	case limit == nil:
		q.answer(code, "it is about to be handed to an executor")
	case key.Kind == hive.LimitPool:
		q.answer(code, "%s", poolText(limit, q.why.Slots))
	default:
		q.answer(code, "%s", limitText(limit))
	}
	return nil
}

func poolText(l *hive.LimitUse, wants int) string {
	switch {
	case l.Most == 0:
		return fmt.Sprintf("pool %q has no slots now%s", l.Name, setBy(l))
	case wants > l.Most:
		return fmt.Sprintf("it needs %d slots of pool %q, which has %d; `hivego pools set %s %d` gives it enough",
			wants, l.Name, l.Most, hive.ShellWord(l.Name), wants)
	case wants <= l.Most-l.Used: // they were not when the owner of the batch looked, or a wider task waits longer
		return fmt.Sprintf("it waits for %s of pool %q, of whose %d slots %d are free: it is about to be handed to an "+
			"executor, unless a task before it that needs more reserves them", slotsText(wants), l.Name, l.Most,
			l.Most-l.Used)
	default:
		return fmt.Sprintf("it waits for %s of pool %q, of whose %d slots %d are taken", slotsText(wants), l.Name,
			l.Most, l.Used)
	}
}

func slotsText(n int) string {
	if n == 1 {
		return "1 slot"
	}
	return fmt.Sprintf("%d slots", n)
}

func limitText(l *hive.LimitUse) string {
	what := "the server"
	if l.Kind != hive.LimitServer {
		what = fmt.Sprintf("%s %q", l.Kind, l.Name)
	}
	switch {
	case l.Most == 0:
		return fmt.Sprintf("nothing of %s starts, because its limit is 0%s; `hivego limit %s off` removes it", what,
			setBy(l), keyWords(l.LimitKey))
	case l.Used < l.Most: // they were not when the owner of the batch looked
		return fmt.Sprintf("the limit of %s is %d, and only %d run: it is about to be handed to an executor", what,
			l.Most, l.Used)
	}
	return fmt.Sprintf("the limit of %s is %d, and %d run%s", what, l.Most, l.Used, setBy(l))
}

// keyWords returns a limit as the command `hivego limit` names it.
func keyWords(k hive.LimitKey) string {
	if k.Kind == hive.LimitServer {
		return string(k.Kind)
	}
	return string(k.Kind) + " " + hive.ShellWord(k.Name)
}

// setBy tells who set a limit, and why.
func setBy(l *hive.LimitUse) string {
	if l.Reason == "" {
		return fmt.Sprintf(" (set by %s)", l.SetBy)
	}
	return fmt.Sprintf(" (set by %s: %s)", l.SetBy, l.Reason)
}
