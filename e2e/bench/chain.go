package main

import (
	"context"
	"fmt"
	"strings"
)

const (
	chainLength = 40
	chainWarm   = 3
	chainTimes  = 4 // chains of one repetition
)

// chain measures the overhead of a task: a chain of tasks that do nothing, from the first one's work to the last one's.
// Between two tasks the executor makes the end of the first one durable; the server polls, commits and submits; and the
// executor makes its receipt for the second one durable.
func (b *bench) chain(ctx context.Context, s *system, database string) error {
	if err := s.save(ctx, "chain", chainOf(chainLength)); err != nil {
		return err
	}
	once := func() (float64, error) {
		if _, _, err := s.run(ctx, "chain", chainLength); err != nil {
			return 0, err
		}
		return micros(s.noop.between()) / (chainLength - 1), nil
	}
	if _, err := repeat(chainWarm, once); err != nil {
		return err
	}
	st, err := repeat(b.reps*chainTimes, once)
	if err != nil {
		return err
	}
	unit := b.rep.roundTrip + b.rep.appended
	b.rep.Measures = append(b.rep.Measures, row{
		Name: fmt.Sprintf("overhead of a task, %d in a chain, %s", chainLength, database), Unit: "µs", Stat: st,
		Ratio: st.Median / unit, By: "(R+f)", Floor: "2000 µs", Goal: "2.00 (R+f)",
	})
	return nil
}

// chainOf returns a schedule of n jobs of one task, each needing the one before.
func chainOf(n int) string {
	var w strings.Builder
	w.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: chain\njobs:\n")
	for i := range n {
		fmt.Fprintf(&w, "  - key: j%d\n    tasks:\n      - {key: t%d, handler: noop", i, i)
		if i > 0 {
			fmt.Fprintf(&w, ", needs: [t%d]", i-1)
		}
		w.WriteString("}\n")
	}
	return w.String()
}
