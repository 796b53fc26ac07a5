package cli_test

import (
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// An error about a missing object names the command that lists the existing ones.
func TestHintsOfMissingObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for reason, c := range map[hive.ErrorReason]struct {
		params []any
		remedy string
	}{
		hive.ErrorNoBatch:    {nil, "`hivego batches` lists them"},
		hive.ErrorNoBackfill: {nil, "`hivego backfills` lists them"},
		hive.ErrorNoSchedule: {nil, "`hivego schedules` lists them"},
		hive.ErrorNoCalendar: {nil, "`hivego calendars` lists them"},
		hive.ErrorNoDocument: {[]any{"kind", hive.KindAlert}, "`hivego alerts rules` lists them"},
		hive.ErrorNoExecutor: {nil, "`hivego executors` lists them"},
		hive.ErrorNoTask:     {[]any{"batch", 7, "task", "x"}, "`hivego batch 7` shows its tasks"},
		hive.ErrorNoScheduleTask: {
			[]any{"schedule", "nightly", "task", "x"},
			"`hivego export nightly` shows its tasks",
		},
	} {
		w.ViewF = func(int64, bool) (hive.BatchView, error) {
			return hive.BatchView{}, hive.Errorf(hive.CodeNotFound, "there is none").WithReason(reason, c.params...)
		}
		w.want(w.hivego("batch", "7"), 2, "", "there is none; "+c.remedy+"\n")
	}
}
