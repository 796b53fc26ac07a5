package owner

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// expressions evaluates the expressions of one batch. Programs are shared by all batches of an owner.
type expressions struct {
	programs *expression.Cache
	zone     *time.Location
	days     map[string]expression.Day // by calendar
	event    *hive.HookEvent           // of a batch of hooks
}

func newExpressions(programs *expression.Cache, def *hive.Definition, snap *hive.BatchSnapshot) expressions {
	zone := expression.Zone(def)
	return expressions{
		programs: programs, zone: zone, days: expression.Days(snap.Calendars, snap.Batch.Moment, zone),
		event: snap.Batch.Hook,
	}
}

// When evaluates a task's condition for the machine.
func (x expressions) When(t *hive.Task, e state.Env) (bool, error) {
	return x.programs.Bool(t.When, x.environment(e))
}

// RetryWhen evaluates a task's retry.when for the machine.
func (x expressions) RetryWhen(t *hive.Task, e state.Env, f state.Failure) (bool, error) {
	env := x.environmentOf(e, f.Shard)
	env["outcome"] = expression.OutcomeOf(f.Attempt, f.Failures)
	return x.programs.Bool(t.Retry.When, env)
}

func (x expressions) environment(e state.Env) map[string]any {
	env := expression.Env(e.Params, e.Moment, x.zone, string(e.Kind), e.Round, e.Outputs, x.days)
	env["event"] = expression.EventOf(x.event)
	expression.AddLists(env, e.Lists)
	return env
}

// environmentOf is environment for a shard; nil for the run of a task.
func (x expressions) environmentOf(e state.Env, part *hive.Shard) map[string]any {
	env := x.environment(e)
	env["shard"] = expression.ShardOf(part)
	return env
}

// assignment builds the assignment of an attempt for its executor. It reads stored values only, so it builds the same
// assignment again after a restart.
func (o *Owner) assignment(l *liveBatch, n int, a *hive.Attempt) (hive.Assignment, error) {
	t, ok := l.task(n)
	if !ok {
		return hive.Assignment{}, fmt.Errorf("its task is not in revision %d any more", l.revision)
	}
	b, r, def := l.machine.Batch(), l.machine.Run(n), l.machine.Graph().Def
	as := hive.Assignment{
		Attempt: a.ID, Key: a.Key, Executor: a.Executor, Handler: t.Handler, RunID: r.ID, BatchID: b.ID,
		Schedule: b.Schedule, Job: r.Job, Task: r.Task, Number: a.Number, Round: a.Round, Timeout: t.Timeout.Std(),
		KillGrace: t.EffectiveKillGrace().Std(), Moment: b.Moment, Workspace: def.Name, Shard: l.part(n),
	}
	// An executor that is not known yet renders nothing: it refuses what it does not offer.
	rendering := o.fleet.Rendering(a.Executor, t.Handler)
	err := l.expressions.programs.Fill(&as, t, l.params, rendering,
		func() map[string]any { return l.expressions.environmentOf(l.machine.Env(), as.Shard) })
	if err != nil {
		return hive.Assignment{}, err
	}
	expression.AddEvent(as.Env, l.expressions.event)
	expression.AddShard(as.Env, as.Shard)
	if o.traceOf != nil {
		as.Env[hive.TraceVariable] = o.traceOf(&b, a.Ref())
	}
	return as, nil
}

// assignmentError returns the error of assignment as a sentence about the first param that cannot be rendered. It only
// names the others.
func assignmentError(err error) hive.Sentence {
	params, ok := errors.AsType[expression.FieldErrors](err)
	if !ok || len(params) == 0 {
		return hive.Plain(err.Error())
	}
	first := hive.SentenceOf(params[0].Err)
	if len(params) == 1 {
		return hive.Quote(hive.SentenceParam, "‹field›: ‹words›", first, "field", params[0].Field)
	}
	others := make([]string, 0, len(params)-1)
	for _, p := range params[1:] {
		others = append(others, p.Field)
	}
	return hive.Quote(hive.SentenceParams, "‹field›: ‹words› (there are errors in ‹others› too)", first,
		"field", params[0].Field, "others", strings.Join(others, ", "))
}
