package apitest

import (
	"context"

	"github.com/rprp/hivego/server/hive"
)

func (p system) Info() hive.ServerInfo {
	if p.f.InfoF == nil {
		return hive.ServerInfo{}
	}
	return p.f.InfoF()
}

func (p system) Ready(context.Context) []hive.Check {
	if p.f.ReadyF == nil {
		return nil
	}
	return p.f.ReadyF()
}

// TickAlarms is AlarmsF.
func (p system) TickAlarms() []hive.TickAlarm {
	if p.f.AlarmsF == nil {
		return nil
	}
	return p.f.AlarmsF()
}

// Notices is NoticesF.
func (p system) Notices(context.Context) ([]hive.Notice, error) {
	if p.f.NoticesF == nil {
		return nil, nil
	}
	return p.f.NoticesF()
}

// DismissNotice is DismissF.
func (p system) DismissNotice(_ context.Context, id int64, by string) error {
	if p.f.DismissF == nil {
		return missing()
	}
	return p.f.DismissF(id, by)
}

func (p logs) Read(_ context.Context, a hive.Attempt, offset, limit int64) (hive.LogPart, error) {
	if p.f.LogF == nil {
		return hive.LogPart{}, missing()
	}
	return p.f.LogF(a, offset, limit)
}

func (p logs) Find(_ context.Context, a hive.Attempt, q hive.LogQuery) (hive.LogPlace, error) {
	if p.f.FindF == nil {
		return hive.LogPlace{}, missing()
	}
	return p.f.FindF(a, q)
}

func (p executors) List(context.Context) ([]hive.ExecutorView, error) {
	if p.f.ExecutorsF == nil {
		return nil, missing()
	}
	return p.f.ExecutorsF()
}

func (p executors) SetOffline(_ context.Context, name string, offline bool) error {
	if p.f.SetOfflineF == nil {
		return missing()
	}
	return p.f.SetOfflineF(name, offline)
}

func (p executors) Delete(_ context.Context, name string) error {
	if p.f.DeleteExecutorF == nil {
		return missing()
	}
	return p.f.DeleteExecutorF(name)
}

func (p executors) Add(_ context.Context, n hive.NewExecutor) (hive.ExecutorView, error) {
	if p.f.AddExecutorF == nil {
		return hive.ExecutorView{}, missing()
	}
	return p.f.AddExecutorF(n)
}

func (p executors) SetDrained(_ context.Context, name string, drained bool) error {
	if p.f.SetDrainedF == nil {
		return missing()
	}
	return p.f.SetDrainedF(name, drained)
}

func (p executors) Held(_ context.Context, name string) ([]hive.HeldView, error) {
	if p.f.HeldF == nil {
		return nil, missing()
	}
	return p.f.HeldF(name)
}

func (p executors) Groups(context.Context) ([]hive.ExecutorGroupView, error) {
	if p.f.GroupsF == nil {
		return nil, missing()
	}
	return p.f.GroupsF()
}

func (p executors) SetGroup(_ context.Context, g hive.ExecutorGroup) (hive.ExecutorGroupView, error) {
	if p.f.SetGroupF == nil {
		return hive.ExecutorGroupView{}, missing()
	}
	return p.f.SetGroupF(g)
}
