package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Driver is a HiveGo that can play a scenario: one schedule, one batch, executors that follow a script, and a clock
// that only Advance moves. Every method returns when nothing changes any more.
type Driver interface {
	// Publish stores the definition as the schedule's next revision.
	Publish(ctx context.Context, def *hive.Definition) error
	// Create makes a batch of the newest revision, which starts unless it is queued.
	Create(ctx context.Context, s *Scenario) error
	// Start starts the queued batch.
	Start(ctx context.Context) error
	// End ends the open attempt of a task in the way of a behavior.
	End(ctx context.Context, task string, d Behavior) error
	// Signal lets something happen to the open attempt of a task.
	Signal(ctx context.Context, task string, s Signal) error
	// Advance lets time pass. Everything that is due happens at its moment.
	Advance(ctx context.Context, d time.Duration) error
	// Wish asks the batch to run, pause or cancel.
	Wish(ctx context.Context, w hive.Wish) error
	// Plan makes a repair plan; with the newest revision if latest is set.
	Plan(ctx context.Context, req hive.PlanRequest, latest bool) (hive.Plan, error)
	// Repair applies a repair plan.
	Repair(ctx context.Context, req hive.PlanRequest, latest bool) error
	// Look answers the batch as it is now, and its runs by number.
	Look(ctx context.Context) (hive.Batch, []hive.Run, error)
}

// Play plays a scenario on a driver. The error names the line whose expectation did not hold.
func Play(ctx context.Context, s *Scenario, d Driver) error {
	if err := d.Publish(ctx, s.Definition); err != nil {
		return fmt.Errorf("%s: publish: %w", s.Name, err)
	}
	if err := d.Create(ctx, s); err != nil {
		return fmt.Errorf("%s: create the batch: %w", s.Name, err)
	}
	for i := range s.Steps {
		if err := playStep(ctx, &s.Steps[i], d); err != nil {
			return fmt.Errorf("%s.yaml, line %d: %w", s.Name, s.Steps[i].Line, err)
		}
	}
	return nil
}

func playStep(ctx context.Context, s *Step, d Driver) error {
	switch {
	case s.Start:
		return d.Start(ctx)
	case s.Signal != "":
		for _, task := range s.On {
			if err := d.Signal(ctx, task, s.Signal); err != nil {
				return err
			}
		}
		return nil
	case s.Advance != 0:
		return d.Advance(ctx, s.Advance)
	case s.Wish != "":
		return d.Wish(ctx, s.Wish)
	case s.Publish != nil:
		return d.Publish(ctx, s.Publish)
	case s.Repair != nil:
		return playRepair(ctx, s.Repair, d)
	case s.Limits != nil:
		return setLimits(ctx, s.Limits, d)
	case s.Expect != nil:
		return check(ctx, s.Expect, d)
	default:
		for _, e := range s.End {
			if err := d.End(ctx, e.Task, e.Behavior); err != nil {
				return err
			}
		}
		return nil
	}
}

// playRepair makes the plan first, and then applies exactly that plan.
func playRepair(ctx context.Context, r *Repair, d Driver) error {
	plan, err := d.Plan(ctx, r.Request, r.Latest)
	if r.Refused != "" {
		if err == nil {
			err = d.Repair(ctx, r.Request, r.Latest)
		}
		switch {
		case err == nil:
			return fmt.Errorf("%s should have been refused as %s", r.Request.Action, r.Refused)
		case hive.CodeOf(err) != r.Refused:
			return fmt.Errorf("%s should have been refused as %s, got: %w", r.Request.Action, r.Refused, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if err := compare("rows of the plan", r.Rows, rows(&plan), true); err != nil {
		return err
	}
	if err := compare("kept by the plan", r.Kept, kept(&plan), true); err != nil {
		return err
	}
	if r.Dry {
		return nil
	}
	req := r.Request
	req.Hash = plan.Hash
	return d.Repair(ctx, req, r.Latest)
}

// rows describes each row of a plan, as in "running -> waiting, killed first (downstream: a)". A new task comes from
// "nothing".
func rows(p *hive.Plan) map[string]string {
	out := map[string]string{}
	for i := range p.Rows {
		r := &p.Rows[i]
		from := string(r.From)
		if from == "" {
			from = "nothing"
		}
		s := from + " -> " + string(r.To)
		if r.Kill {
			s += ", killed first"
		}
		name := r.Task
		if r.Shard != nil {
			name = hive.ShardName(name, *r.Shard)
		}
		out[name] = s + " " + parentheses(string(r.Why), r.Cause)
	}
	return out
}

func kept(p *hive.Plan) map[string]string {
	out := map[string]string{}
	for _, k := range p.Kept {
		var words []string
		if k.Changed {
			words = append(words, "changed")
		}
		if k.RanOnFailed != "" {
			words = append(words, "ran on "+k.RanOnFailed)
		}
		out[k.Task] = strings.Join(words, ", ")
	}
	return out
}

func check(ctx context.Context, e *Expect, d Driver) error {
	b, runs, err := d.Look(ctx)
	if err != nil {
		return err
	}
	states, attempts := map[string]string{}, map[string]int{}
	for i := range runs {
		r := &runs[i]
		if r.Shard != 0 && r.Part == nil {
			continue // the task has fewer shards now
		}
		name := runName(r)
		states[name], attempts[name] = string(r.State)+parentheses(string(r.Reason), r.Cause), r.Attempts
	}
	batch := string(b.State) + parentheses(string(b.Reason), "")
	switch {
	case e.Batch != "" && !agrees(e.Batch, batch):
		return fmt.Errorf("the batch is %s, not %s; its tasks: %v", batch, e.Batch, states)
	case e.Round != 0 && e.Round != b.Round:
		return fmt.Errorf("the batch is in round %d, not %d", b.Round, e.Round)
	case e.Wish != "" && e.Wish != b.Wish:
		return fmt.Errorf("the batch's wish is %s, not %s", b.Wish, e.Wish)
	case e.Closed != b.ClosedNote:
		return fmt.Errorf("the batch's closing note is %q, not %q", b.ClosedNote, e.Closed)
	case e.Revision != 0 && e.Revision != b.Revision:
		return fmt.Errorf("the batch is of revision %d, not %d", b.Revision, e.Revision)
	}
	for task, n := range e.Attempts {
		if attempts[task] != n {
			return fmt.Errorf("%s had %d attempts, not %d", task, attempts[task], n)
		}
	}
	if err := checkHooks(ctx, e.Hooks, d); err != nil {
		return err
	}
	if err := compare("tasks", e.Tasks, states, false); err != nil {
		return err
	}
	return checkWaits(ctx, e.Waits, d)
}

func parentheses(reason, cause string) string {
	switch {
	case cause != "":
		return "(" + reason + ": " + cause + ")"
	case reason != "":
		return "(" + reason + ")"
	default:
		return ""
	}
}

// agrees compares a wanted state with the real one. A wanted state without parentheses matches any reason.
func agrees(want, got string) bool {
	if strings.Contains(want, "(") {
		return want == got
	}
	plain, _, _ := strings.Cut(got, "(")
	return want == strings.TrimSpace(plain)
}

// compare names every task that is not as wanted. If exact is set, no other task may be there.
func compare(what string, want, got map[string]string, exact bool) error {
	if want == nil {
		return nil
	}
	var wrong []string
	for _, task := range slices.Sorted(maps.Keys(want)) {
		if !agrees(want[task], got[task]) {
			wrong = append(wrong, fmt.Sprintf("%s is %q, not %q", task, got[task], want[task]))
		}
	}
	for _, task := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[task]; exact && !ok {
			wrong = append(wrong, fmt.Sprintf("%s is %q and was not expected", task, got[task]))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%s: %s", what, strings.Join(wrong, "; "))
	}
	return nil
}
