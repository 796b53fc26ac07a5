package owner

import (
	"fmt"
	"time"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// language evaluates the expressions of one batch. Programs are shared by all batches of an owner.
type language struct {
	programs *expression.Cache
	zone     *time.Location
}

func newLanguage(programs *expression.Cache, def *hive.Definition) language {
	return language{programs: programs, zone: expression.Zone(def)}
}

// When evaluates a task's condition for the machine.
func (x language) When(t *hive.Task, e state.Env) (bool, error) {
	return x.programs.Bool(t.When, x.environment(e))
}

func (x language) environment(e state.Env) map[string]any {
	return expression.Env(e.Params, e.Moment, x.zone, string(e.Kind), e.Round, e.Outputs)
}

// assignment builds what an executor gets. It only reads what is stored, so it is the same whenever it is built.
func (o *Owner) assignment(l *live, n int, a *hive.Attempt) (hive.Assignment, error) {
	t, ok := l.task(n)
	if !ok {
		return hive.Assignment{}, fmt.Errorf("its task is not in revision %d any more", l.rev.Number)
	}
	b, r, def := l.m.Batch(), l.m.Run(n), l.m.Graph().Def
	as := hive.Assignment{
		Attempt: a.ID, Key: a.Key, Executor: a.Executor, Handler: t.Handler, RunID: r.ID, BatchID: b.ID, Schedule: b.Schedule,
		Job: r.Job, Task: r.Task, Number: a.Number, Round: a.Round, Timeout: t.Timeout.Std(),
		KillGrace: t.EffectiveKillGrace().Std(), Moment: b.Moment, Workspace: def.Name,
	}
	// An executor that is not known yet renders nothing: it refuses what it does not offer.
	rendering := o.fleet.Rendering(a.Executor, t.Handler)
	err := l.lang.programs.Fill(&as, t, l.params, rendering,
		func() map[string]any { return l.lang.environment(l.m.Env()) })
	if err != nil {
		return hive.Assignment{}, err
	}
	return as, nil
}
