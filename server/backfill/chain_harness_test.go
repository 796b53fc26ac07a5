package backfill

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

const chainJobs = `jobs:
  - key: load
    tasks:
      - {key: a, handler: shell, params: {command: "true"}}
`

// chainTriggers are three orders a day, a mart of each day, and a report of each mart.
func chainTriggers() map[string]string {
	return map[string]string{
		"orders": "params:\n  region: eu\ntriggers:\n  - cron: 0 */8 * * *\n",
		"mart":   "triggers:\n  - {cron: 30 23 * * *, after: [{schedule: orders, window: same_day}]}\n",
		"report": "triggers:\n  - {after: [{schedule: mart}]}\n",
	}
}

// eachChain runs a test with the chain of schedules.
func eachChain(t *testing.T, f func(h *harness)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		t.Helper()
		s := open()
		for _, name := range []string{"report", "mart", "orders"} {
			text := "apiVersion: hivego/v1\nkind: Schedule\nname: " + name + "\n" + chainTriggers()[name] + chainJobs
			_, _, _, err := s.SaveSchedule(t.Context(), hive.SaveSchedule{
				Name: name, Document: text, Hash: "1", Now: testNow().AddDate(-1, 0, 0),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		f(newHarness(t, s, "one"))
	})
}

// members is Config.Dependants for the chain.
func (h *harness) members(ctx context.Context, _ string) ([]schedule.FillMember, error) {
	var out []schedule.FillMember
	for _, name := range []string{"orders", "report", "mart"} {
		row, err := h.store.Schedule(ctx, name)
		if err != nil {
			return nil, err
		}
		rev, err := h.store.RevisionAt(ctx, row.ID, row.Revision)
		if err != nil {
			return nil, err
		}
		def, _ := document.Read([]byte(rev.Document), document.Options{Stored: true, Now: testNow()})
		m := schedule.FillMember{Schedule: row}
		if m.Times, err = schedule.NewTimetable(def, row.CreatedAt, nil); err != nil {
			return nil, err
		}
		for i := range def.Triggers {
			for _, u := range def.Triggers[i].After {
				m.After = append(m.After, u.Schedule)
			}
		}
		out = append(out, m)
	}
	return out, nil
}

func (h *harness) createWide(r hive.BackfillRequest) hive.Backfill {
	h.Helper()
	r.Schedule, r.By, r.WithDependants = "orders", "ada", true
	if r.From == "" {
		r.From, r.To = "2026-03-01", "2026-03-02"
	}
	b, err := h.service.Create(h.Context(), r)
	h.ok(err)
	return b
}

func nameOf(b *hive.Batch) string { return fmt.Sprintf("%s %s", b.Schedule, b.Moment.Format("02T15")) }

// begun names the batches of a backfill that were made after those that are known, in their order.
func (h *harness) begun(id int64, known *int) string {
	h.Helper()
	all := h.batches(id)
	var names []string
	for i := *known; i < len(all); i++ {
		names = append(names, nameOf(&all[i]))
	}
	*known = len(all)
	return strings.Join(names, ", ")
}

// find returns the latest batch with a name.
func (h *harness) find(id int64, name string) hive.Batch {
	h.Helper()
	all := h.batches(id)
	for i := range slices.Backward(all) {
		if nameOf(&all[i]) == name {
			return all[i]
		}
	}
	h.Fatalf("there is no batch %s", name)
	return hive.Batch{}
}

func (h *harness) expectOf(id int64, want string) {
	h.Helper()
	var got []string
	for _, s := range h.get(id).Schedules {
		c := s.Counts
		got = append(got, fmt.Sprintf("%s %d/%d/%d/%d", s.Schedule, c.Waiting, c.Running, c.Succeeded, c.Skipped))
	}
	if all := strings.Join(got, ", "); all != want {
		h.Fatalf("waiting/running/succeeded/skipped: %s, want %s", all, want)
	}
}
