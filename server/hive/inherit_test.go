package hive_test

import (
	"reflect"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestEffectiveOfADisabledJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ job, task, want bool }{
		"neither": {false, false, false},
		"task":    {false, true, true},
		"job":     {true, false, true},
		"both":    {true, true, true},
	} {
		job, task := hive.Job{Disabled: c.job}, hive.Task{Key: "a", Disabled: c.task}
		if got := job.Effective(&task); got.Disabled != c.want || got.Key != "a" {
			t.Errorf("%s: %+v", name, got)
		}
		if task.Disabled != c.task {
			t.Errorf("%s: the written task changed", name)
		}
	}
}

func TestEffectiveDefaults(t *testing.T) {
	t.Parallel()
	one, nine := 1, 9
	full := hive.Defaults{
		Group: "etl", Retry: hive.Retry{Max: 2, Delay: 30e9}, Timeout: 600e9, KillGrace: 20e9, Priority: 7,
		OnLost: hive.OnLost{Do: hive.OnLostHold, Max: &one},
	}
	without := func(change func(d *hive.Defaults)) hive.Defaults {
		d := full
		change(&d)
		return d
	}
	for name, c := range map[string]struct {
		task hive.Task
		want hive.Defaults
	}{
		"a task that writes nothing takes all": {hive.Task{}, full},
		"a group of its own": {
			hive.Task{Group: hive.DefaultGroup},
			without(func(d *hive.Defaults) { d.Group = hive.DefaultGroup }),
		},
		"a retry is one value": {
			hive.Task{Retry: hive.Retry{Max: 5}},
			without(func(d *hive.Defaults) { d.Retry = hive.Retry{Max: 5} }),
		},
		"no retry": {
			hive.Task{NoRetry: true}, without(func(d *hive.Defaults) { d.Retry = hive.Retry{} }),
		},
		"a timeout of its own": {
			hive.Task{Timeout: 5e9}, without(func(d *hive.Defaults) { d.Timeout = 5e9 }),
		},
		"no timeout": {
			hive.Task{NoTimeout: true}, without(func(d *hive.Defaults) { d.Timeout = 0 }),
		},
		"a grace and a priority of its own": {
			hive.Task{KillGrace: 1e9, Priority: 5},
			without(func(d *hive.Defaults) { d.KillGrace, d.Priority = 1e9, 5 }),
		},
		"no onLost": {
			hive.Task{NoOnLost: true}, without(func(d *hive.Defaults) { d.OnLost = hive.OnLost{} }),
		},
		"onLost is one value": {
			hive.Task{OnLost: hive.OnLost{Max: &nine}},
			without(func(d *hive.Defaults) { d.OnLost = hive.OnLost{Max: &nine} }),
		},
	} {
		job, written := hive.Job{Defaults: full}, c.task
		got := job.Effective(&written)
		if !reflect.DeepEqual(got.Common(), c.want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", name, got.Common(), c.want)
		}
		if got.NoRetry || got.NoTimeout || got.NoOnLost {
			t.Errorf("%s: a merged task still marks what it wrote", name)
		}
		if !reflect.DeepEqual(written, c.task) {
			t.Errorf("%s: the written task changed", name)
		}
		if plain := (&hive.Job{}).Effective(&written); plain != &written {
			t.Errorf("%s: a job without defaults copies its tasks", name)
		}
	}
}

// Every default belongs to a field of the same name and type of a task.
func TestDefaultsAreFieldsOfTasks(t *testing.T) {
	t.Parallel()
	task := reflect.TypeFor[hive.Task]()
	for f := range reflect.TypeFor[hive.Defaults]().Fields() {
		own, ok := task.FieldByName(f.Name)
		if !ok || own.Type != f.Type || own.Tag != f.Tag {
			t.Errorf("%s differs from that of a task", f.Name)
		}
	}
}
