package otlp

import (
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// ended is something of a batch that a commit has ended, and that makes one or two spans. One of its rows is set. The
// rows are copies without outputs, so that the queue stays small and shares nothing with the engine.
type ended struct {
	batch   int64
	attempt *hive.Attempt
	// run is the span's own. Beside attempt it is that of the attempt, nil if the commit has not written it.
	run     *hive.Run
	round   *hive.Batch // at the end of a round
	failure string      // of a run: the error of its last attempt
}

// spans returns how many spans it makes.
func (e *ended) spans() int64 {
	if e.round != nil && e.round.Round == 1 {
		return 2 // the batch's own span is sent with its first round
	}
	return 1
}

// endings lists what a commit has ended of a batch: attempts, then runs, then the round.
func endings(w *hive.BatchWrite) []*ended {
	var out []*ended
	failures := map[int64]string{} // by run
	for i := range w.Attempts {
		a := &w.Attempts[i].To
		if a.State != hive.AttemptEnded {
			continue
		}
		e := &ended{batch: w.BatchID, attempt: copyAttempt(a)}
		if at := slices.IndexFunc(w.Runs, func(c hive.RunChange) bool { return c.To.ID == a.RunID }); at >= 0 {
			e.run = copyRun(&w.Runs[at].To)
		}
		failures[a.RunID] = a.Error
		out = append(out, e)
	}
	for i := range w.Runs {
		// A run that was final is marked by a person: its span was sent when it ended.
		if c := &w.Runs[i]; c.To.State.Final() && !c.From.Final() {
			out = append(out, &ended{batch: w.BatchID, run: copyRun(&c.To), failure: failures[c.To.ID]})
		}
	}
	if c := w.Batch; c != nil && c.To.State.Final() && !c.From.Final() {
		b := c.To
		b.Params, b.Counts = nil, nil
		out = append(out, &ended{batch: w.BatchID, round: &b})
	}
	return out
}

func copyAttempt(a *hive.Attempt) *hive.Attempt {
	c := *a
	c.Outputs, c.Notes, c.Reasons = nil, nil, nil
	return &c
}

func copyRun(r *hive.Run) *hive.Run {
	c := *r
	c.Outputs, c.DetailReason = nil, nil
	return &c
}
