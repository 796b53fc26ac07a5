package dbtest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestCommitLifeOfABatch(t *testing.T) {
	each(t, func(x *fixture) {
		img := x.batch(2)
		ready, attempt := x.offer(img.Runs[0])
		x.ok(x.commit(hive.BatchWrite{
			BatchID: img.Batch.ID, Runs: []hive.RunChange{ready},
			Offers: []hive.Attempt{attempt},
		}))
		img = x.snapshot(img.Batch.ID)
		same(x, "offered run", img.Runs[0], ready.To)
		same(x, "open attempts", img.Attempts, []hive.Attempt{attempt})

		ended, done := end(img.Runs[0], attempt, after(time.Minute))
		skipped := hive.RunChange{From: hive.RunWaiting, To: img.Runs[1]}
		skipped.To.State, skipped.To.Reason, skipped.To.Cause = hive.RunSkipped, hive.ReasonRule, "task-0"
		batch := img.Batch
		batch.State, batch.Live, batch.FinishedAt = hive.BatchSucceeded, false, after(time.Minute)
		x.ok(x.commit(hive.BatchWrite{
			BatchID: img.Batch.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: batch},
			Runs: []hive.RunChange{ended, skipped}, Attempts: []hive.AttemptChange{done},
		}))
		img = x.snapshot(img.Batch.ID)
		same(x, "batch", img.Batch, batch)
		same(x, "runs", img.Runs, []hive.Run{ended.To, skipped.To})
		same(x, "open attempts", len(img.Attempts), 0)
		same(x, "all attempts", must(x.Attempts(x.Context(), img.Batch.ID))(x), []hive.Attempt{done.To})
		same(x, "attempt by id", must(x.Attempt(x.Context(), attempt.ID))(x), done.To)
		same(x, "live batches", len(must(x.LiveBatches(x.Context(), x.me.ID))(x)), 0)
	})
}

func TestCommitOpensARound(t *testing.T) {
	each(t, func(x *fixture) {
		img := x.batch(1)
		run := img.Runs[0]
		failed := hive.RunChange{From: hive.RunWaiting, To: run}
		three := 3
		failed.To.State, failed.To.Reason, failed.To.Detail = hive.RunFailed, hive.ReasonExit, "exit code 3"
		failed.To.ExitCode, failed.To.Failures, failed.To.Attempts = &three, 2, 3
		final := img.Batch
		final.State, final.Live, final.FinishedAt = hive.BatchFailed, false, after(time.Minute)
		x.ok(x.commit(hive.BatchWrite{
			BatchID: run.BatchID, Batch: &hive.BatchChange{
				From: hive.BatchRunning,
				To:   final,
			}, Runs: []hive.RunChange{failed},
		}))

		_, latest := x.save("warehouse", "document 2", after(time.Hour))
		again := final
		again.State, again.Live, again.Round, again.RoundAt = hive.BatchRunning, true, 2, after(time.Hour)
		again.FinishedAt, again.RevisionID, again.Revision = time.Time{}, latest.ID, latest.Number
		again.PausedAt, again.PausedFor, again.ClosedNote = after(time.Hour), 90*time.Second, "is known"
		again.Counts = hive.Counts{hive.RunFailed: 3}
		again.JobClocks = map[string]time.Time{"load": after(time.Hour), "'\"": after(2 * time.Hour)}
		reset := hive.RunChange{From: hive.RunFailed, To: run}
		reset.To.Round, reset.To.Attempts, reset.To.ChangedAt = 2, 3, after(time.Hour)
		added := hive.Run{
			ID: must(x.NextIDs(x.Context(), "run",
				1))(x), BatchID: run.BatchID, Number: 1, Job: "load", Task: "new", Shard: 7,
			State: hive.RunWaiting, Round: 2, ChangedAt: after(time.Hour),
		}
		x.ok(x.commit(hive.BatchWrite{
			BatchID: run.BatchID, Batch: &hive.BatchChange{
				From: hive.BatchFailed,
				To:   again,
			}, Runs: []hive.RunChange{reset},
			NewRuns: []hive.Run{added}, History: []hive.Run{failed.To},
		}))
		img = x.snapshot(run.BatchID)
		same(x, "batch", img.Batch, again)
		same(x, "revision", img.Revision, latest)
		same(x, "runs", img.Runs, []hive.Run{reset.To, added})
		same(x, "runs, read alone", must(x.Runs(x.Context(), run.BatchID))(x), img.Runs)
		same(x, "history", must(x.History(x.Context(), run.BatchID))(x), []hive.Run{failed.To})

		// The same run leaves a second round: both copies are kept, in order.
		second := reset.To
		second.State, second.Reason = hive.RunSucceeded, hive.ReasonPerson
		x.ok(x.commit(hive.BatchWrite{BatchID: run.BatchID, History: []hive.Run{second}}))
		same(x, "history of two rounds", must(x.History(x.Context(), run.BatchID))(x), []hive.Run{failed.To, second})
	})
}

// What does not fit is refused as a whole, with the batches that do not fit, and nothing of it is stored.
func TestCommitGuards(t *testing.T) {
	each(t, func(x *fixture) {
		good, bad := x.batch(3), x.batch(3)
		ready, attempt := x.offer(good.Runs[0])
		fits := hive.BatchWrite{BatchID: good.Batch.ID, Runs: []hive.RunChange{ready}, Offers: []hive.Attempt{attempt}}

		taken := bad.Runs[1]
		readyBad, attemptBad := x.offer(bad.Runs[0])
		ended := attemptBad
		ended.State, ended.Outcome = hive.AttemptEnded, hive.OutcomeLost
		x.ok(x.commit(hive.BatchWrite{
			BatchID: bad.Batch.ID, Runs: []hive.RunChange{readyBad}, Offers: []hive.Attempt{attemptBad},
			Attempts: []hive.AttemptChange{{To: ended}},
		}))
		bad = x.snapshot(bad.Batch.ID)
		missing := taken
		missing.ID = 1 << 50

		for what, w := range map[string]hive.BatchWrite{
			"a run in another state":    {Runs: []hive.RunChange{{From: hive.RunRunning, To: taken}}},
			"a run that does not exist": {Runs: []hive.RunChange{{From: hive.RunWaiting, To: missing}}},
			"an ended attempt":          {Attempts: []hive.AttemptChange{{To: attemptBad}}},
			"an attempt that is unknown": {Attempts: []hive.AttemptChange{{
				To: hive.Attempt{ID: 1 << 50, State: hive.AttemptRunning},
			}}},
			"an offer that is there": {Offers: []hive.Attempt{attemptBad}},
			"a run that is there":    {NewRuns: []hive.Run{taken}},
			"a number that is there": {NewRuns: []hive.Run{{
				ID: 1 << 50, Number: 1, State: hive.RunWaiting,
				Round: 1,
			}}},
			"a batch in another state":  {Batch: &hive.BatchChange{From: hive.BatchQueued, To: bad.Batch}},
			"a command that is unknown": {Commands: []hive.CommandDone{{ID: 999, State: hive.CommandApplied, At: t0}}},
		} {
			w.BatchID = bad.Batch.ID
			x.Log(what)
			x.guards(x.commit(fits, w), bad.Batch.ID)
			x.guards(x.commit(w, fits), bad.Batch.ID)
		}
		same(x, "the batch that fits", x.snapshot(good.Batch.ID), good)
		same(x, "the batch that does not", x.snapshot(bad.Batch.ID), bad)

		// Both wrong: both are named, each once.
		worse := hive.BatchWrite{BatchID: good.Batch.ID, Runs: []hive.RunChange{
			{From: hive.RunFailed, To: good.Runs[0]}, {From: hive.RunFailed, To: good.Runs[1]},
		}}
		again := hive.BatchWrite{BatchID: bad.Batch.ID, Offers: []hive.Attempt{attemptBad}}
		x.guards(x.commit(worse, again), good.Batch.ID, bad.Batch.ID)

		x.ok(x.commit(fits))
		// The same group once more, as after a connection that broke in the commit.
		x.guards(x.commit(fits), good.Batch.ID)
	})
}

// The row of a batch is its owner's alone.
func TestCommitGuardsTheOwner(t *testing.T) {
	each(t, func(x *fixture) {
		img := x.batch(1)
		other := hive.Server{ID: "server-2", StartedAt: t0}
		epoch := must(x.StartSession(x.Context(), other, lease))(x)
		to := img.Batch
		to.Wish = hive.WishCancel
		w := hive.BatchWrite{BatchID: img.Batch.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: to}}
		x.guards(x.Commit(x.Context(), hive.Group{Server: other.ID, Epoch: epoch, Batches: []hive.BatchWrite{w}}),
			img.Batch.ID)
		x.ok(x.commit(w))
		same(x, "wish", x.snapshot(img.Batch.ID).Batch.Wish, hive.WishCancel)
	})
}

// A value that the database refuses fails the whole group, with an error that is none of the special ones.
func TestCommitRefusedValueStoresNothing(t *testing.T) {
	each(t, func(x *fixture) {
		good, bad := x.batch(1), x.batch(1)
		ready, attempt := x.offer(good.Runs[0])
		fits := hive.BatchWrite{BatchID: good.Batch.ID, Runs: []hive.RunChange{ready}, Offers: []hive.Attempt{attempt}}
		run := hive.RunChange{From: hive.RunWaiting, To: bad.Runs[0]}
		run.To.State = "dancing"
		silent := attempt
		silent.ID, silent.State = 1<<50, hive.AttemptEnded // without an outcome
		lively := bad.Batch
		lively.State = hive.BatchFailed // and live
		for what, w := range map[string]hive.BatchWrite{
			"an unknown state":          {Runs: []hive.RunChange{run}},
			"an end without an outcome": {Offers: []hive.Attempt{silent}},
			"a live end":                {Batch: &hive.BatchChange{From: hive.BatchRunning, To: lively}},
		} {
			w.BatchID = bad.Batch.ID
			err := x.commit(fits, w)
			if err == nil || hive.CodeOf(err) != hive.CodeInternal {
				x.Fatalf("%s: error %v, want one without a code", what, err)
			}
		}
		same(x, "the batch that fits", x.snapshot(good.Batch.ID), good)
		same(x, "the batch that does not", x.snapshot(bad.Batch.ID), bad)
		x.ok(x.commit(fits))
	})
}

// Changes of one row in one group are one change: the first one's guard, the last one's values.
func TestCommitMergesChangesOfARow(t *testing.T) {
	each(t, func(x *fixture) {
		img := x.batch(2)
		run := img.Runs[0]
		ready, attempt := x.offer(run)
		running := hive.RunChange{From: hive.RunReady, To: ready.To}
		running.To.State = hive.RunRunning
		started := attempt
		started.State, started.StartedAt = hive.AttemptRunning, after(2*time.Second)
		ended, done := end(running.To, started, after(3*time.Second))
		paused, resumed := img.Batch, img.Batch
		paused.Wish = hive.WishPause
		resumed.PausedFor = time.Second
		x.ok(x.commit(
			hive.BatchWrite{
				BatchID: run.BatchID, Runs: []hive.RunChange{ready, running}, Offers: []hive.Attempt{attempt},
				Attempts: []hive.AttemptChange{{To: started}}, Batch: &hive.BatchChange{
					From: hive.BatchRunning,
					To:   paused,
				},
			},
			hive.BatchWrite{
				BatchID: run.BatchID, Runs: []hive.RunChange{ended}, Attempts: []hive.AttemptChange{done},
				Batch: &hive.BatchChange{From: hive.BatchRunning, To: resumed},
			},
		))
		img = x.snapshot(run.BatchID)
		same(x, "batch", img.Batch, resumed)
		same(x, "run", img.Runs[0], ended.To)
		same(x, "attempts", must(x.Attempts(x.Context(), run.BatchID))(x), []hive.Attempt{done.To})
	})
}

// A group far beyond what one statement may bind.
func TestCommitHugeGroup(t *testing.T) {
	each(t, func(x *fixture) {
		img := x.batch(hugeGroup)
		same(x, "runs", len(img.Runs), hugeGroup)
		first := must(x.NextIDs(x.Context(), "attempt", hugeGroup))(x)
		offers := hive.BatchWrite{BatchID: img.Batch.ID}
		for i, r := range img.Runs {
			change := hive.RunChange{From: r.State, To: r}
			change.To.State, change.To.Attempt = hive.RunReady, first+int64(i)
			change.To.ChangedAt = after(time.Duration(i) * time.Millisecond)
			offers.Runs = append(offers.Runs, change)
			offers.Offers = append(offers.Offers, hive.Attempt{
				ID: first + int64(i), BatchID: r.BatchID, RunID: r.ID, Number: 1, Round: 1,
				Executor: "e1", ExecutorName: "alpha", State: hive.AttemptOffered, OfferedAt: change.To.ChangedAt,
			})
		}
		x.ok(x.commit(offers))

		img = x.snapshot(img.Batch.ID)
		ends := hive.BatchWrite{BatchID: img.Batch.ID}
		for i := range img.Runs {
			change, done := end(img.Runs[i], img.Attempts[i], after(time.Duration(i)*time.Second))
			if i%10 == 0 { // some differ from all others in words
				change.To.Detail = fmt.Sprintf("words of %d", i)
				done.To.Outputs = map[string]string{"rows": fmt.Sprint(i)}
				change.To.Outputs = done.To.Outputs
			}
			ends.Runs, ends.Attempts = append(ends.Runs, change), append(ends.Attempts, done)
		}
		x.ok(x.commit(ends))
		runs := x.snapshot(img.Batch.ID).Runs
		for i, c := range ends.Runs {
			same(x, "run", runs[i], c.To)
		}
		attempts := must(x.Attempts(x.Context(), img.Batch.ID))(x)
		for i, c := range ends.Attempts {
			same(x, "attempt", attempts[i], c.To)
		}
	})
}

// One group changes more batches than one statement of PostgreSQL does, and each gets its own values.
func TestCommitManyBatches(t *testing.T) {
	each(t, func(x *fixture) {
		const n = 1100
		fresh := make([]hive.NewBatch, n)
		for i := range fresh {
			fresh[i] = x.newBatch(1)
			fresh[i].Batch.State, fresh[i].Batch.StartedAt = hive.BatchQueued, time.Time{}
		}
		made := must(x.CreateBatches(x.Context(), x.me, fresh))(x)
		writes := make([]hive.BatchWrite, n)
		want := map[int64]hive.Batch{}
		for i, b := range made {
			from := b.State
			b.State, b.StartedAt = hive.BatchRunning, after(time.Duration(i)*time.Second)
			b.RoundAt, b.Reason = b.StartedAt, ""
			b.JobClocks = map[string]time.Time{fmt.Sprintf("job %d", i): b.StartedAt}
			if i%7 == 0 {
				b.State, b.Live, b.FinishedAt = hive.BatchCanceled, false, after(time.Duration(i)*time.Minute)
				b.ClosedNote = fmt.Sprintf("note %d", i)
			}
			want[b.ID] = b
			writes[n-1-i] = hive.BatchWrite{BatchID: b.ID, Batch: &hive.BatchChange{From: from, To: b}}
		}
		x.ok(x.commit(writes...))
		ids := make([]int64, n)
		for i := range made {
			ids[i] = made[i].ID
		}
		for _, got := range must(x.BatchSnapshots(x.Context(), ids))(x) {
			b := want[got.Batch.ID]
			b.Schedule, b.Counts = got.Batch.Schedule, got.Batch.Counts
			same(x, fmt.Sprintf("batch %d", b.ID), got.Batch, b)
			delete(want, b.ID)
		}
		same(x, "batches that are not there", len(want), 0)
		lost := made[3].ID
		x.guards(x.commit(writes[n-1-3]), lost)
	})
}
