package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
	"github.com/rprp/hivego/server/state"
)

// tally counts the transitions that scenarios have shown, by names like "run: lost_retry from unknown".
type tally struct {
	mu   sync.Mutex
	seen map[string]int
}

func newTally() *tally { return &tally{seen: map[string]int{}} }

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[what]++
}

func transition(ev state.RunEvent, from hive.RunState) string {
	return fmt.Sprintf("run: %s from %s", ev, from)
}

// attempted names a change of an attempt: to running, or to its end.
func attempted(from hive.AttemptState, a *hive.Attempt) string {
	what := fmt.Sprintf("attempt: %s to %s", from, a.State)
	if a.State == hive.AttemptEnded {
		what += fmt.Sprintf("(%s)", a.Outcome)
	}
	if !a.KillingAt.IsZero() {
		what += ", being killed"
	}
	return what
}

func batched(from, to hive.BatchState) string { return fmt.Sprintf("batch: %s to %s", from, to) }

func wished(from, to hive.Wish) string { return fmt.Sprintf("wish: %s to %s", from, to) }

// table lists all rows of the table of runs: each event with each state in which it may happen.
func table() []string {
	var rows []string
	for _, ev := range state.RunEvents() {
		for _, from := range hive.RunStates() {
			if _, ok := state.Next(from, ev); ok {
				rows = append(rows, transition(ev, from))
			}
		}
	}
	return rows
}

// others lists the transitions of attempts, batches and wishes, which have no table in the code. Scenarios must show
// all of them, and no others.
func others() []string {
	rows := []string{
		batched(hive.BatchQueued, hive.BatchRunning),
		batched(hive.BatchQueued, hive.BatchSucceeded), // all its runs were passed over before it started
		batched(hive.BatchQueued, hive.BatchFailed),
		batched(hive.BatchQueued, hive.BatchCanceled),
		batched(hive.BatchRunning, hive.BatchSucceeded),
		batched(hive.BatchRunning, hive.BatchFailed),
		batched(hive.BatchRunning, hive.BatchCanceled),
		batched(hive.BatchSucceeded, hive.BatchRunning),
		batched(hive.BatchSucceeded, hive.BatchFailed), // never canceled: no plan cancels what is final
		batched(hive.BatchFailed, hive.BatchRunning),
		batched(hive.BatchFailed, hive.BatchSucceeded),
		batched(hive.BatchFailed, hive.BatchCanceled),
		batched(hive.BatchCanceled, hive.BatchRunning),
		batched(hive.BatchCanceled, hive.BatchSucceeded),
		batched(hive.BatchCanceled, hive.BatchFailed),

		wished(hive.WishRun, hive.WishPause),
		wished(hive.WishRun, hive.WishCancel),
		wished(hive.WishPause, hive.WishRun),
		wished(hive.WishPause, hive.WishCancel),
		wished(hive.WishCancel, hive.WishRun), // by a plan that runs something again; a plan never pauses

		attempted("", &hive.Attempt{State: hive.AttemptOffered}),
	}
	killing := []time.Time{{}, time.Unix(0, 0)}
	for _, at := range killing {
		rows = append(rows,
			attempted(hive.AttemptOffered, &hive.Attempt{State: hive.AttemptRunning, KillingAt: at}),
			attempted(hive.AttemptOffered,
				&hive.Attempt{State: hive.AttemptEnded, Outcome: hive.OutcomeReturned, KillingAt: at}))
		for _, outcome := range []hive.Outcome{
			hive.OutcomeSuccess, hive.OutcomeFailure, hive.OutcomeTimeout, hive.OutcomeKilled, hive.OutcomeRefused,
			hive.OutcomeLost,
		} {
			for _, from := range []hive.AttemptState{hive.AttemptOffered, hive.AttemptRunning} {
				rows = append(rows, attempted(from,
					&hive.Attempt{State: hive.AttemptEnded, Outcome: outcome, KillingAt: at}))
			}
		}
	}
	return rows
}

// check fails for each wanted transition that was not shown.
func (c *tally) check(t *testing.T, where string, wanted []string) {
	t.Helper()
	for _, want := range wanted {
		if c.seen[want] == 0 {
			t.Errorf("%s: no scenario shows %q", where, want)
		}
	}
}

// only fails for each transition that was shown but not wanted.
func (c *tally) only(t *testing.T, where string, wanted []string) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(c.seen)) {
		if !slices.Contains(wanted, what) {
			t.Errorf("%s: a scenario shows %q, which is not known", where, what)
		}
	}
}

// take counts the transitions that an owner decided.
func (c *tally) take(o *owner.Owner) {
	for _, d := range o.TakeDecisions() {
		c.add(transition(d.Move.Event, d.Move.From))
	}
}
