package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// farTasks is how many tasks of a chain end while both servers are watched, in each repetition.
const farTasks = 40

// far measures how long a page of another server takes to show the end of a task, beside a page of the batch's own
// server.
func (b *bench) far(ctx context.Context) error {
	if !b.asked("far") {
		return nil
	}
	p := &pair{bench: b}
	err := p.start(ctx)
	if err == nil {
		err = p.farBoth(ctx)
	}
	return errors.Join(err, p.stop(ctx))
}

func (p *pair) farBoth(ctx context.Context) error {
	var w strings.Builder
	w.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: chain\njobs:\n")
	for i := range farTasks {
		fmt.Fprintf(&w, "  - {key: j%d, tasks: [{key: t%d, handler: shell, executor: bench, "+
			"params: {command: \"sleep 0.2\"}}]}\n", i, i)
	}
	if err := p.first.save(ctx, "chain", w.String()); err != nil {
		return err
	}
	var own, far []float64
	for range p.bench.reps {
		id, err := p.first.run(ctx, "chain")
		if err != nil {
			return err
		}
		seen := make(chan error, 1)
		go func() {
			seen <- p.watch(ctx, p.first, id, &own)
		}()
		if err := errors.Join(p.watch(ctx, p.heir, id, &far), <-seen); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		name, floor, goal string
		ms                []float64
	}{
		{"end of a task → seen at its own server, postgres", "", "", own},
		{"  at another server", "200 ms", "150 ms", far},
	} {
		slices.Sort(m.ms)
		at := func(share int) stat {
			v := m.ms[(len(m.ms)-1)*share/100]
			return stat{Median: v, Min: v, Max: v, N: 1}
		}
		p.bench.rep.Measures = append(p.bench.rep.Measures,
			row{Name: fmt.Sprintf("%s, %d times, p50", m.name, len(m.ms)), Unit: "ms", Stat: at(50)},
			row{Name: "  p99", Unit: "ms", Stat: at(99), Floor: m.floor, Goal: m.goal})
	}
	return nil
}

// watch follows a batch at one server to its end. It adds the times from the end of each task by the executor's clock,
// which is this machine's.
func (p *pair) watch(ctx context.Context, at *program, id int64, ms *[]float64) error {
	ws, err := followBatch(ctx, at.addr, at.token, id)
	if err != nil {
		return err
	}
	defer ws.Close() //nolint:errcheck // it has seen what it came for
	for ended := map[int]bool{}; len(ended) < farTasks; {
		if err := seeEnds(ws, ended, ms); err != nil {
			return err
		}
	}
	return nil
}

func seeEnds(ws *websocket.Conn, ended map[int]bool, ms *[]float64) error {
	type run struct {
		Number     int       `json:"number"`
		State      string    `json:"state"`
		FinishedAt time.Time `json:"finishedAt"`
	}
	var f struct {
		Batch struct {
			Tasks []run `json:"tasks"`
		} `json:"batch"`
		Runs []run `json:"runs"`
	}
	if err := ws.ReadJSON(&f); err != nil {
		return fmt.Errorf("follow: %w", err)
	}
	now := time.Now()
	for _, r := range f.Batch.Tasks {
		if r.State == "succeeded" { // before the client came
			ended[r.Number] = true
		}
	}
	for _, r := range f.Runs {
		if r.State == "succeeded" && !ended[r.Number] {
			ended[r.Number] = true
			*ms = append(*ms, micros(now.Sub(r.FinishedAt))/1000)
		}
	}
	return nil
}
