package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rprp/hivego/server/api/model"
)

const layers = 100

// throughput measures one large batch: all tasks at once, and in layers that need each other. It counts from the moment
// at which the batch has begun to the moment at which its end is durable and the API shows it.
func (b *bench) throughput(ctx context.Context, s *system, database string) error {
	for _, shape := range []struct{ name, document string }{
		{"wide", wide(b.tasks)},
		{"layered", layered(b.tasks, layers)},
	} {
		if err := s.save(ctx, shape.name, shape.document); err != nil {
			return err
		}
		var made, cost []float64
		var last *model.Batch
		once := func() (float64, error) {
			asked := time.Now()
			batch, ended, err := s.run(ctx, shape.name, b.tasks)
			if err != nil {
				return 0, err
			}
			last = batch
			cost = append(cost, micros(s.noop.cost())/float64(b.tasks))
			made = append(made, batch.StartedAt.Sub(asked).Seconds()*1000)
			return float64(b.tasks) / ended.Sub(batch.StartedAt.Time).Seconds(), nil
		}
		if _, err := once(); err != nil { // the parts that are opened and prepared once
			return err
		}
		made, cost = nil, nil
		st, err := repeat(b.reps, once)
		if err != nil {
			return err
		}
		b.addThroughput(database, shape.name, st, statOf(made), statOf(cost))
		if shape.name == "layered" {
			if err := b.plan(ctx, s, database, last.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) addThroughput(database, shape string, st, made, cost stat) {
	r := row{
		Name: fmt.Sprintf("tasks, one batch of %d, %s, %s", b.tasks, shape, database), Unit: "/s", Stat: st,
		Floor: "5000 /s", Goal: "20000 /s",
	}
	if database == "postgres" {
		r.Ratio, r.By, r.Floor, r.Goal = st.Median/b.rep.commits, "P", "0.30 P", "1.00 P"
	}
	b.rep.Measures = append(b.rep.Measures, r,
		row{Name: "  CPU of a task, server and executor", Unit: "µs", Stat: cost},
		row{Name: "  making that batch", Unit: "ms", Stat: made})
}

// plan measures a repair plan that runs every task of the batch again, as the API answers it.
func (b *bench) plan(ctx context.Context, s *system, database string, batch int64) error {
	req := model.RepairRequest{Action: model.PlanActionRerun, Downstream: true}
	for i := range b.tasks / layers {
		req.Tasks = append(req.Tasks, fmt.Sprintf("t0_%d", i))
	}
	st, err := repeat(b.reps, func() (float64, error) {
		began := time.Now()
		r, err := s.api.PlanRepairWithResponse(ctx, batch, req)
		if err != nil {
			return 0, err
		}
		if r.StatusCode() != http.StatusOK || len(r.JSON200.Rows) != b.tasks {
			return 0, fmt.Errorf("plan: %d %.200s", r.StatusCode(), r.Body)
		}
		return micros(time.Since(began)) / 1000, nil
	})
	b.rep.Measures = append(b.rep.Measures, row{
		Name: fmt.Sprintf("repair plan for %d tasks, by the API, %s", b.tasks, database), Unit: "ms", Stat: st,
		Floor: "200 ms", Goal: "20 ms",
	})
	return err
}

// wide returns a schedule of one job.
func wide(n int) string {
	var w strings.Builder
	w.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: wide\njobs:\n  - key: all\n    tasks:\n")
	for i := range n {
		fmt.Fprintf(&w, "      - {key: t%d, handler: noop}\n", i)
	}
	return w.String()
}

// layered returns a schedule of jobs whose tasks need two of the job before.
func layered(n, jobs int) string {
	var w strings.Builder
	w.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: layered\njobs:\n")
	width := n / jobs
	for j := range jobs {
		fmt.Fprintf(&w, "  - key: j%d\n    tasks:\n", j)
		for i := range width {
			fmt.Fprintf(&w, "      - {key: t%d_%d, handler: noop", j, i)
			if j > 0 {
				fmt.Fprintf(&w, ", needs: [t%d_%d, t%d_%d]", j-1, i, j-1, (i+1)%width)
			}
			w.WriteString("}\n")
		}
	}
	return w.String()
}
