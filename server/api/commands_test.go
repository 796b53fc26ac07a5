package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// What a person asked, why, and what came of it, in few bytes whatever the size of the plan.
func TestCommandsOfABatch(t *testing.T) {
	t.Parallel()
	plan := hive.Plan{BatchID: 7, Action: hive.PlanResume, Round: 2, Revision: 3}
	for i := range 9 {
		plan.Rows = append(plan.Rows, hive.PlanRow{
			Number: i, Task: fmt.Sprintf("t%d", i), From: hive.RunFailed, To: hive.RunWaiting, Why: hive.WhyFailed,
		})
	}
	plan.Rows = append(plan.Rows, hive.PlanRow{
		Number: 9, Task: "after", From: hive.RunSkipped, To: hive.RunWaiting, Why: hive.WhySkipped, Cause: "t0",
	})
	answer, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	stored := []hive.Command{
		{
			ID: 9, Kind: hive.CommandRepair, State: hive.CommandApplied, CreatedBy: "ada",
			Payload: []byte(`{"action":"resume","note":"disk was full"}`), Answer: answer,
		},
		{
			ID: 8, Kind: hive.CommandRepair, State: hive.CommandRefused, CreatedBy: "bob",
			Payload: []byte(`{"action":"mark_success","tasks":["a","b","c","d","e","f"]}`),
			Answer:  []byte(`{"code":"conflict","words":"moved","refusal":"plan_moved"}`),
		},
		{
			ID: 7, Kind: hive.CommandWish, State: hive.CommandApplied, CreatedBy: "overlap",
			Payload: []byte(`{"wish":"cancel","reason":"replaced"}`),
		},
		{
			ID: 6, Kind: hive.CommandRepair, State: hive.CommandPending, CreatedBy: "ada",
			Payload: []byte(`{"action":"close","note":"not needed"}`),
		},
	}
	w := newWorld(t)
	var asked hive.CommandFilter
	w.CommandsF = func(f hive.CommandFilter) ([]hive.Command, error) {
		asked = f
		return stored, nil
	}
	a := w.do(call{method: http.MethodGet, path: "/api/v1/batches/7/commands?limit=4&before=12"})
	if want := (hive.CommandFilter{Batch: 7, Before: 12, Limit: 4}); asked != want {
		t.Errorf("asked for %+v, not %+v", asked, want)
	}
	var list model.BatchCommandList
	if err := json.Unmarshal(a.body, &list); err != nil || len(list.Items) != 4 || list.Next != 6 {
		t.Fatalf("%v in %s", err, a.body)
	}
	resumed, refused, replaced, pending := list.Items[0], list.Items[1], list.Items[2], list.Items[3]
	if resumed.Note != "disk was full" || resumed.Asked != 0 || resumed.Round != 2 || resumed.Revision != 3 ||
		fmt.Sprint(resumed.Tasks) != "[t0 t1 t2 t3 t4]" {
		t.Errorf("resumed: %+v", resumed)
	}
	if want := "[{9 failed waiting} {1 skipped waiting}]"; fmt.Sprint(resumed.Changes) != want {
		t.Errorf("changes %v, not %v", resumed.Changes, want)
	}
	if refused.Asked != 6 || len(refused.Tasks) != 5 || refused.Problem.Reason != "plan_moved" {
		t.Errorf("refused: %+v", refused)
	}
	if !replaced.Replaced || replaced.Wish != "cancel" {
		t.Errorf("replaced: %+v", replaced)
	}
	if pending.Action != "close" || pending.Round != 0 || pending.Note != "not needed" {
		t.Errorf("pending: %+v", pending)
	}
}

func TestCommandsOfNoBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.CommandsF = func(hive.CommandFilter) ([]hive.Command, error) {
		return nil, hive.Errorf(hive.CodeNotFound, "there is no batch 7").WithReason(hive.ErrorNoBatch, "batch", 7)
	}
	p := w.do(call{method: http.MethodGet, path: "/api/v1/batches/7/commands"}).problem(t)
	if p.Status != http.StatusNotFound || p.Reason != string(hive.ErrorNoBatch) {
		t.Errorf("%+v", p)
	}
	p = w.do(call{method: http.MethodGet, path: "/api/v1/batches/7/commands?before=-1"}).problem(t)
	if p.Status != http.StatusBadRequest {
		t.Errorf("%+v", p)
	}
}
