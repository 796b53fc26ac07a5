package batch

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (w *world) attempt(batch int64, task string, change func(*hive.Attempt)) {
	w.Helper()
	r := w.set(batch, task, func(*hive.Run) {})
	a := hive.Attempt{
		ID: int64(len(w.db.attempts) + 1), BatchID: batch, RunID: r.ID, Number: 1, Round: r.Round, Executor: "x1",
		ExecutorName: "one", State: hive.AttemptRunning, OfferedAt: w.now, StartedAt: w.now,
	}
	change(&a)
	w.db.attempts = append(w.db.attempts, a)
}

func (w *world) view(id int64) map[string]hive.RunView {
	w.Helper()
	v, err := w.View(w.Context(), id, true)
	if err != nil {
		w.Fatal(err)
	}
	out := map[string]hive.RunView{}
	for _, r := range v.Runs {
		out[r.Task] = r
	}
	return out
}

func TestView(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(hive.RunRequest{}).Batch.ID
	w.running(id)
	w.set(id, "a", func(r *hive.Run) { r.State, r.Detail = hive.RunFailed, "words" })
	w.attempt(id, "a", func(a *hive.Attempt) { a.State, a.Error = hive.AttemptEnded, "exit status 3" })
	w.attempt(id, "a", func(a *hive.Attempt) {
		a.State, a.ExecutorName, a.Outcome = hive.AttemptEnded, "two", hive.OutcomeReturned
	})
	w.set(id, "b", func(r *hive.Run) { r.State, r.Attempt = hive.RunRunning, 3 })
	w.attempt(id, "b", func(a *hive.Attempt) { a.ExecutorName = "two" })
	live := hive.LiveView{
		Stuck: hive.Plain("disk full"), Progress: map[int]float64{1: 0.5, 0: 0.9},
		WaitReasons: map[int]hive.WaitReason{2: hive.WaitBusy, 3: hive.WaitBusy},
	}
	for _, r := range w.db.batches[0].Runs {
		switch r.Task {
		case "b": // its end is only in memory
			r.State = hive.RunSucceeded
		case "c":
			r.State, r.ChangedAt = hive.RunReady, t0.Add(time.Minute)
		}
		live.Runs = append(live.Runs, r)
	}
	w.eng.live[id] = live
	v := w.view(id)
	if a := v["a"]; a.Executor != "one" || a.Error != "exit status 3" || a.Progress != nil {
		t.Errorf("a: %+v", a)
	}
	if b := v["b"]; b.Executor != "two" || b.State != hive.RunRunning || b.Error != "" || *b.Progress != 0.5 {
		t.Errorf("b: %+v", b)
	}
	if c := v["c"]; c.State != hive.RunReady || c.WaitReason != hive.WaitBusy ||
		!c.ChangedAt.Equal(t0.Add(time.Minute)) {
		t.Errorf("c: %+v", c)
	}
	if d := v["d"]; d.State != hive.RunWaiting || d.WaitReason != "" {
		t.Errorf("d: %+v", d)
	}
	short, err := w.View(t.Context(), id, false)
	if err != nil || short.Runs != nil || short.Stuck.Text != "disk full" {
		t.Errorf("%+v %v", short, err)
	}
	// A new round shows nothing of the earlier one.
	w.set(id, "a", func(r *hive.Run) { r.State, r.Round, r.Detail = hive.RunWaiting, 2, "" })
	if a := w.view(id)["a"]; a.Executor != "" || a.Error != "" {
		t.Errorf("a after its reset: %+v", a)
	}
	for _, runs := range []bool{true, false} {
		_, err = w.View(t.Context(), 99, runs)
		refused(t, err, hive.CodeNotFound, "99")
	}
}

func TestAttemptsAndHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(hive.RunRequest{}).Batch.ID
	w.attempt(id, "a", func(*hive.Attempt) {})
	w.attempt(id, "b", func(*hive.Attempt) {})
	w.db.history = []hive.Run{{Task: "a"}}
	all, err := w.Attempts(t.Context(), id, "")
	if err != nil || len(all) != 2 || all[0].Task != "a" || all[1].Task != "b" {
		t.Errorf("%+v %v", all, err)
	}
	one, err := w.Attempts(t.Context(), id, "b")
	if err != nil || len(one) != 1 || one[0].Task != "b" {
		t.Errorf("%+v %v", one, err)
	}
	_, err = w.Attempts(t.Context(), id, "z")
	refused(t, err, hive.CodeNotFound, `"z"`)
	_, err = w.Attempts(t.Context(), 9, "")
	refused(t, err, hive.CodeNotFound, "9")
	if h, err := w.History(t.Context(), id); err != nil || len(h) != 1 {
		t.Errorf("%+v %v", h, err)
	}
	_, err = w.History(t.Context(), 9)
	refused(t, err, hive.CodeNotFound, "9")
}

func TestWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(hive.RunRequest{}).Batch.ID
	other := w.create(hive.RunRequest{}).Batch.ID
	b := &w.db.batches[id-1].Batch
	why := func(task string) hive.Why {
		t.Helper()
		a, err := w.Why(t.Context(), id, task)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	is := func(task string, code hive.WhyCode, words string) hive.Why {
		t.Helper()
		a := why(task)
		if a.Code != code || !strings.Contains(a.Words, words) || a.Batch != id || a.Task != task {
			t.Errorf("%s: %+v, want %s with %q", task, a, code, words)
		}
		return a
	}
	is("a", hive.BecauseQueued, "about to start")
	b.Reason = hive.ReasonQueued
	w.running(other)
	is("a", hive.BecauseQueued, "behind batch 2")
	b.Wish, b.PausedAt = hive.WishPause, t0.Add(time.Second)
	if a := is("a", hive.BecausePaused, "paused"); !a.Since.Equal(b.PausedAt) {
		t.Errorf("paused since %s", a.Since)
	}
	b.Wish, b.Reason = hive.WishRun, ""
	w.running(id)
	if a := is("c", hive.BecauseNeeds, "all_done waits for 2 tasks: a (waiting), b (waiting)"); len(a.On) != 2 {
		t.Errorf("%+v", a.On)
	}
	is("d", hive.BecauseNeeds, "3 tasks")
	w.set(id, "a", func(r *hive.Run) { r.State, r.FinishedAt = hive.RunSucceeded, t0 })
	is("c", hive.BecauseNeeds, "1 task: b")
	is("a", hive.BecauseFinal, "succeeded")
	w.set(id, "a", func(r *hive.Run) { r.State, r.Detail = hive.RunFailed, "boom" })
	is("a", hive.BecauseFinal, "failed: boom; `hivego rerun")
	w.attempt(id, "a", func(a *hive.Attempt) {
		a.State, a.Outcome, a.Error = hive.AttemptEnded, hive.OutcomeFailure, "boom"
		a.Notes = []string{"one was busy", "the executor asked not to retry"}
		a.Reasons = &hive.AttemptReasons{Notes: []*hive.TextReason{nil, {Code: hive.SentenceNoRetry}}}
	})
	is("a", hive.BecauseFinal, "failed: boom; the executor asked not to retry; `hivego rerun")
	w.attempt(id, "a", func(a *hive.Attempt) {
		a.Number, a.State, a.Outcome, a.Error = 2, hive.AttemptEnded, hive.OutcomeFailure, "boom"
		a.Notes = []string{"one was busy", "not retried: exit code 3 is not in retry.on (75)"}
		a.Reasons = &hive.AttemptReasons{Notes: []*hive.TextReason{nil, {Code: hive.SentenceRetryCode}}}
	})
	is("a", hive.BecauseFinal, "failed: boom; not retried: exit code 3 is not in retry.on (75); `hivego rerun")
	w.set(id, "a", func(r *hive.Run) { r.Part = &hive.Shard{Total: 2} })
	is("a", hive.BecauseFinal, "--task a` repeats the shards that did not succeed")
	w.set(id, "a", func(r *hive.Run) { r.Part = nil })
	w.set(id, "a", func(r *hive.Run) {
		r.State, r.Detail, r.Cause, r.Reason = hive.RunSkipped, "", "z", hive.ReasonUpstreamFailed
	})
	is("a", hive.BecauseFinal, "skipped because of z (upstream_failed)")
	w.set(id, "a", func(r *hive.Run) { r.State, r.Detail, r.Reason = hive.RunIgnored, "ada", hive.ReasonPerson })
	is("a", hive.BecauseFinal, "ignored: ada said so")
	w.set(id, "b", func(r *hive.Run) { r.State, r.Attempt, r.StartedAt = hive.RunRunning, 1, t0 })
	w.attempt(id, "b", func(*hive.Attempt) {})
	is("b", hive.BecauseRunning, "runs on one")
	w.set(id, "b", func(r *hive.Run) { r.State = hive.RunUnknown })
	is("b", hive.BecauseSilent, "one does not answer")
	w.set(id, "b", func(r *hive.Run) { r.Reason = hive.ReasonHeld })
	is("b", hive.BecauseHeld, "one was lost, and nobody knows what became of its work, so it waits for a person: ")
	w.set(id, "b", func(r *hive.Run) { r.State, r.Reason = hive.RunReady, "" })
	is("b", hive.BecauseOffered, "handed to one")
	w.set(id, "b", func(r *hive.Run) { r.Attempt, r.NotBefore = 0, t0.Add(30*time.Second) })
	if a := is("b", hive.BecauseRetry, "tried again in 30s"); !a.Until.Equal(t0.Add(30 * time.Second)) {
		t.Errorf("until %s", a.Until)
	}
	w.set(id, "b", func(r *hive.Run) { r.NotBefore = time.Time{} })
	is("b", hive.BecauseOffered, "about to be handed")
	w.eng.live[id] = hive.LiveView{Stuck: hive.Plain("disk full")}
	is("b", hive.BecauseStuck, "disk full")
	_, err := w.Why(t.Context(), id, "z")
	refused(t, err, hive.CodeNotFound, `"z"`)
	_, err = w.Why(t.Context(), 99, "a")
	refused(t, err, hive.CodeNotFound, "99")
}

// No other executor may run a lost shard of a broadcast, so the answer names what goes on without that executor.
func TestWhyOfALostShard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(hive.RunRequest{}).Batch.ID
	w.running(id)
	w.set(id, "a", func(r *hive.Run) {
		r.State, r.Reason, r.Part, r.FinishedAt = hive.RunFailed, hive.ReasonShards, &hive.Shard{Total: 3}, t0
	})
	of := &w.db.batches[id-1]
	for i, reason := range []hive.Reason{"", hive.ReasonExit, hive.ReasonLost} {
		r := hive.Run{
			ID: int64(9000 + i), BatchID: id, Number: len(of.Runs), Job: of.Runs[0].Job, Task: "a", Shard: i + 1,
			Part:  &hive.Shard{Index: i, Total: 3, Executor: "x", ExecutorName: "second"},
			State: hive.RunFailed, Reason: reason, Round: 1, FinishedAt: t0,
		}
		if reason == "" {
			r.State = hive.RunSucceeded
		}
		of.Runs = append(of.Runs, r)
	}
	const without = "; if executor second does not come back, `hivego mark 1 a.2 --as skipped` goes on without a.2, " +
		"and `hivego rerun 1 a --downstream` splits the task anew"
	for _, c := range []struct {
		name string
		want bool
	}{{"a", true}, {"a.0", false}, {"a.1", false}, {"a.2", true}} {
		why, err := w.Why(t.Context(), id, c.name)
		if err != nil {
			t.Fatal(err)
		}
		if why.Code != hive.BecauseFinal || strings.HasSuffix(why.Words, without) != c.want {
			t.Errorf("%s: %+v", c.name, why)
		}
	}
	of.Runs[len(of.Runs)-1].Part.Executor = "" // any executor may run it
	why, err := w.Why(t.Context(), id, "a.2")
	if err != nil || !strings.HasSuffix(why.Words, "runs it and what follows again") {
		t.Errorf("%+v %v", why, err)
	}
}

func TestWhyNoExecutor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(hive.RunRequest{}).Batch.ID
	w.running(id)
	other := w.create(hive.RunRequest{}).Batch.ID
	w.running(other)
	w.attempt(other, "a", func(a *hive.Attempt) { a.Executor = "x1" })
	w.attempt(other, "b", func(a *hive.Attempt) {
		a.Executor, a.ExecutorName, a.State, a.StartedAt = "x2", "etl-1", hive.AttemptOffered, time.Time{}
	})
	w.db.executors = []hive.Executor{{ID: "x1", Name: "one", Group: "default"}, {ID: "x2", Name: "etl-1", Group: "etl"}}
	w.set(id, "b", func(r *hive.Run) { r.State = hive.RunReady })
	for hold, tc := range map[hive.WaitReason]struct {
		code  hive.WhyCode
		words string
	}{
		hive.WaitNoGroup:   {hive.BecauseExecutor, "`hivego executor --group etl`"},
		hive.WaitNoHandler: {hive.BecauseExecutor, `handler "shell"`},
		hive.WaitNoMatch:   {hive.BecauseExecutor, "labels"},
		hive.WaitOffline:   {hive.BecauseExecutor, "offline"},
		hive.WaitSilent:    {hive.BecauseExecutor, "do not answer"},
		hive.WaitBusy:      {hive.BecauseSlot, "slots"},
		"new":              {hive.BecauseExecutor, "(new)"},
	} {
		w.eng.live[id] = hive.LiveView{Runs: w.db.batches[id-1].Runs, WaitReasons: map[int]hive.WaitReason{1: hold}}
		a, err := w.Why(t.Context(), id, "b")
		if err != nil || a.Code != tc.code || !strings.Contains(a.Words, tc.words) {
			t.Errorf("%s: %+v %v", hold, a, err)
		}
		if hold == hive.WaitBusy &&
			(len(a.Holders) != 1 || a.Holders[0].Executor != "etl-1" || a.Holders[0].Batch != other ||
				a.Holders[0].Task != "b" || a.Holders[0].Since.IsZero()) {
			t.Errorf("holders: %+v", a.Holders)
		}
	}
}

func TestWhyBarrier(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.save(strings.Replace(strings.Replace(warehouse, "jobs:", "flow: strict\njobs:", 1), "needs: [a, b]",
		"needs: [a]", 1))
	id := w.create(hive.RunRequest{}).Batch.ID
	w.running(id)
	w.set(id, "a", func(r *hive.Run) { r.State = hive.RunSucceeded })
	a, err := w.Why(t.Context(), id, "c")
	if err != nil || a.Code != hive.BecauseBarrier || len(a.On) != 1 || a.On[0].Task != "b" {
		t.Errorf("%+v %v", a, err)
	}
}

// The view names the oldest attempts that hold slots, whatever the age of their batches.
func TestHoldersAreTheOldestAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.executors = []hive.Executor{{ID: "x2", Name: "etl-1", Group: "etl"}, {ID: "x3", Name: "etl-2", Group: "etl"}}
	id := w.create(hive.RunRequest{}).Batch.ID
	w.running(id)
	var batches []int64
	for range maxOn + 5 {
		b := w.create(hive.RunRequest{}).Batch.ID
		w.running(b)
		batches = append(batches, b)
	}
	batches = append(batches[1:], batches[0]) // the first one runs its task again
	var want []int64
	for i, b := range batches {
		w.attempt(b, "b", func(a *hive.Attempt) { a.Executor = []string{"x2", "x3"}[i%2] })
		if i < maxOn {
			want = append(want, b)
		}
	}
	w.set(id, "b", func(r *hive.Run) { r.State = hive.RunReady })
	w.eng.live[id] = hive.LiveView{
		Runs: w.db.batches[id-1].Runs, WaitReasons: map[int]hive.WaitReason{1: hive.WaitBusy},
	}
	a, err := w.Why(t.Context(), id, "b")
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, h := range a.Holders {
		got = append(got, h.Batch)
	}
	if !slices.Equal(got, want) {
		t.Errorf("holders are of batches %v, want %v", got, want)
	}
}

func (s *store) BatchRuns(ctx context.Context, id int64, numbers []int) (hive.BatchSnapshot, error) {
	img, err := s.BatchSnapshot(ctx, id)
	img.Runs = slices.DeleteFunc(img.Runs, func(r hive.Run) bool { return !slices.Contains(numbers, r.Number) })
	img.Attempts, _ = s.Attempts(ctx, id)
	return img, err
}
