package owner

import (
	"fmt"
	"time"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// expressions evaluates the expressions of one batch. Programs are shared by all batches of an owner.
type expressions struct {
	programs *expression.Cache
	zone     *time.Location
}

func newExpressions(programs *expression.Cache, def *hive.Definition) expressions {
	return expressions{programs: programs, zone: expression.Zone(def)}
}

// When evaluates a task's condition for the machine.
func (x expressions) When(t *hive.Task, e state.Env) (bool, error) {
	return x.programs.Bool(t.When, x.environment(e))
}

func (x expressions) environment(e state.Env) map[string]any {
	return expression.Env(e.Params, e.Moment, x.zone, string(e.Kind), e.Round, e.Outputs)
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
		KillGrace: t.EffectiveKillGrace().Std(), Moment: b.Moment, Workspace: def.Name,
	}
	// An executor that is not known yet renders nothing: it refuses what it does not offer.
	rendering := o.fleet.Rendering(a.Executor, t.Handler)
	err := l.expressions.programs.Fill(&as, t, l.params, rendering,
		func() map[string]any { return l.expressions.environment(l.machine.Env()) })
	if err != nil {
		return hive.Assignment{}, err
	}
	return as, nil
}
