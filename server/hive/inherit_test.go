package hive_test

import (
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
