package batch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// fakeLimits is limits by their keys, all with the same holders.
type fakeLimits map[string]hive.LimitUse

func (f fakeLimits) Holders(_ context.Context, k hive.LimitKey) (*hive.LimitUse, []hive.HeldView, error) {
	if k.Name == "broken" {
		return nil, nil, errors.New("the database is away")
	}
	use, ok := f[k.String()]
	if !ok {
		return nil, nil, nil
	}
	use.LimitKey = k
	return &use, []hive.HeldView{
		{
			Attempt:  hive.Attempt{BatchID: 7, ExecutorName: "one", OfferedAt: t0, StartedAt: t0.Add(time.Minute)},
			Schedule: "mart", Task: "x",
		},
		{Attempt: hive.Attempt{BatchID: 8, ExecutorName: "two", OfferedAt: t0}, Task: "y"},
	}, nil
}

// A task that waits for a limit or a pool is told which, who has set it and why, what is taken, and by whom.
func TestWhyOfALimit(t *testing.T) {
	t.Parallel()
	use := func(most, used int, reason string) hive.LimitUse {
		return hive.LimitUse{Limit: hive.Limit{Most: most, SetBy: "ada", Reason: reason}, Used: used}
	}
	limits := fakeLimits{
		"server": use(0, 2, "deploy"), "group etl": use(5, 5, ""), "tag night": use(0, 0, ""),
		"schedule mart": use(2, 2, "it is slow"), "pool dw": use(3, 3, ""), "pool closed": use(0, 1, "repair"),
		"pool small": use(1, 0, ""), "pool free": use(4, 1, ""), "tag every night": use(0, 0, ""),
		"schedule quick": use(3, 2, ""),
	}
	for waitFor, want := range map[string]string{
		"server": `nothing of the server starts, because its limit is 0 (set by ada: deploy); ` +
			"`hivego limit server off` removes it",
		"group etl": `the limit of group "etl" is 5, and 5 run (set by ada)`,
		"tag night": "nothing of tag \"night\" starts, because its limit is 0 (set by ada); " +
			"`hivego limit tag night off` removes it",
		"tag every night": "nothing of tag \"every night\" starts, because its limit is 0 (set by ada); " +
			"`hivego limit tag 'every night' off` removes it",
		"schedule quick": `the limit of schedule "quick" is 3, and only 2 run: it is about to be handed to an executor`,
		"schedule mart":  `the limit of schedule "mart" is 2, and 2 run (set by ada: it is slow)`,
		"pool dw":        `it waits for 2 slots of pool "dw", of whose 3 slots 3 are taken`,
		"pool closed":    `pool "closed" has no slots now (set by ada: repair)`,
		"pool small":     "it needs 2 slots of pool \"small\", which has 1; `hivego pools set small 2` gives it enough",
		"pool free": `it waits for 2 slots of pool "free", of whose 4 slots 3 are free: it is about to be handed to ` +
			"an executor, unless a task before it that needs more reserves them",
		"pool none": "there is no pool \"none\"; `hivego pools set none N` makes one with N slots",
		"tag gone":  "it is about to be handed to an executor",
	} {
		t.Run(waitFor, func(t *testing.T) {
			t.Parallel()
			q := &question{now: t0, run: hive.RunView{WaitFor: waitFor}}
			task := &hive.Task{Key: "a", Pool: hive.Pool{Name: "dw", Slots: 2}}
			if err := (&Service{limits: limits}).limited(t.Context(), q, task); err != nil {
				t.Fatal(err)
			}
			if q.why.Words != want {
				t.Errorf("%s", q.why.Words)
			}
			isPool := strings.HasPrefix(waitFor, "pool ")
			if code := q.why.Code; isPool != (code == hive.BecausePool) || !isPool && code != hive.BecauseLimit {
				t.Errorf("code %s", code)
			}
			if _, exists := limits[waitFor]; !exists {
				if len(q.why.Holders) > 0 || isPool != (q.why.Limit != nil) {
					t.Errorf("%+v", q.why)
				}
				return
			}
			if slots := q.why.Slots; isPool != (slots == 2) || !isPool && slots != 0 {
				t.Errorf("%d slots", slots)
			}
			if q.why.Limit == nil || q.why.Limit.String() != waitFor {
				t.Errorf("limit %+v", q.why.Limit)
			}
			holders := []hive.WhyHolder{
				{Batch: 7, Schedule: "mart", Task: "x", Executor: "one", Since: t0.Add(time.Minute)},
				{Batch: 8, Task: "y", Executor: "two", Since: t0},
			}
			if !slices.Equal(q.why.Holders, holders) {
				t.Errorf("holders %+v", q.why.Holders)
			}
		})
	}
	q := &question{run: hive.RunView{WaitFor: "pool broken"}}
	if err := (&Service{limits: limits}).limited(t.Context(), q, &hive.Task{}); err == nil {
		t.Error("the error of the store is lost")
	}
}
