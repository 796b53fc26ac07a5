package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/api/model"
)

// A plan says how many tasks it changes. The shards of a task count with it.
func TestPlanCountsTasks(t *testing.T) {
	t.Parallel()
	first, second := 0, 1
	for name, c := range map[string]struct {
		rows []model.PlanRow
		want string
	}{
		"none":           {nil, "resume would change nothing\n"},
		"a task":         {[]model.PlanRow{{Task: "a"}}, "resume would change 1 task\n"},
		"a shard":        {[]model.PlanRow{{Task: "a", Shard: &second}}, "resume would change 1 task\n"},
		"all of a task":  {[]model.PlanRow{{Task: "a"}, {Task: "a", Shard: &first}}, "resume would change 1 task\n"},
		"task and shard": {[]model.PlanRow{{Task: "a"}, {Task: "b", Shard: &first}}, "resume would change 2 tasks\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			printPlan(&out, &model.RepairPlan{Batch: 7, Round: 2, Action: model.PlanActionResume, Rows: c.rows}, true)
			line, _, _ := strings.Cut(out.String(), "\n")
			if want := "batch 7, round 2: " + c.want; line+"\n" != want {
				t.Errorf("%q, want %q", line, want)
			}
		})
	}
}
