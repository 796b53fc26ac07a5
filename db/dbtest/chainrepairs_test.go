package dbtest_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// rerunOf is a new chain repair of batches, each after the one before.
func (x *fixture) rerunOf(key string, batches ...int64) hive.NewChainRepair {
	n := hive.NewChainRepair{Key: key, Repair: hive.ChainRepair{
		Batch: batches[0], State: hive.ChainRepairRunning, Note: "late", CreatedAt: t0, CreatedBy: "ada", ChangedAt: t0,
	}}
	for i, id := range batches {
		s := hive.ChainStep{Position: i, Batch: id, Fate: hive.StepRerun, Round: 1, Tasks: 3, Act: hive.StepWaiting}
		if i == 0 {
			s.Act = hive.StepSent
		} else {
			s.Needs = []int{i - 1}
		}
		n.Repair.Steps = append(n.Repair.Steps, s)
	}
	n.First = x.repair(batches[0], "first/"+key)
	return n
}

func (x *fixture) repair(batch int64, key string) hive.Command {
	return hive.Command{
		BatchID: batch, Kind: hive.CommandRepair, Key: key, Payload: []byte(`{"action":"rerun"}`), CreatedAt: t0,
		CreatedBy: "ada",
	}
}

func (x *fixture) chainRepair(n hive.NewChainRepair) hive.ChainRepair {
	x.Helper()
	r, first, existed, err := x.CreateChainRepair(x.Context(), n)
	x.ok(err)
	same(x, "existed", existed, false)
	same(x, "the command of the first", []any{first.BatchID, first.State}, []any{n.Repair.Batch, hive.CommandPending})
	return r
}

// decideChain stores a decision.
func (x *fixture) decideChain(id int64, w hive.ChainRepairWrite) []int64 {
	x.Helper()
	return must(x.DecideChainRepair(x.Context(), x.me, id, after(time.Minute),
		func(hive.ChainRepair) (hive.ChainRepairWrite, error) { return w, nil }))(x)
}

// A chain repair is stored with the command of its first batch, once for each key, and shows what its batches are now.
func TestChainRepairs(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		a, b := x.batch(1).Batch, x.batch(1).Batch
		n := x.rerunOf("k", a.ID, b.ID)
		r := x.chainRepair(n)
		same(x, "state", []any{r.Batch, r.State, r.Note, r.CreatedBy, r.CreatedAt},
			[]any{a.ID, hive.ChainRepairRunning, "late", "ada", t0})
		same(x, "steps", r.Steps, []hive.ChainStep{
			{
				ScheduleID: x.schedule.ID, Schedule: "warehouse", Moment: a.Moment, Batch: a.ID,
				RevisionID: a.RevisionID, Fate: hive.StepRerun, Round: 1, State: a.State, Live: a.Live,
				RoundNow: a.Round, Tasks: 3, Act: hive.StepSent, Command: hive.CommandPending,
			},
			{
				Position: 1, Needs: []int{0}, ScheduleID: x.schedule.ID, Schedule: "warehouse", Moment: b.Moment,
				Batch: b.ID, RevisionID: b.RevisionID, Fate: hive.StepRerun, Round: 1, State: b.State, Live: b.Live,
				RoundNow: b.Round, Tasks: 3, Act: hive.StepWaiting,
			},
		})
		again, first, existed, err := x.CreateChainRepair(ctx, n)
		x.ok(err)
		same(x, "the same key", []any{again.ID, existed, first.BatchID}, []any{r.ID, true, a.ID})
		_, _, found, err := x.ChainRepairByKey(ctx, "other")
		x.ok(err)
		same(x, "another key", found, false)
		same(x, "under way", must(x.ActiveChainRepairs(ctx))(x), []int64{r.ID})
		same(x, "list", len(must(x.ChainRepairs(ctx, hive.ChainRepairFilter{Batch: b.ID, Live: true}))(x)), 1)
		same(x, "before", len(must(x.ChainRepairs(ctx, hive.ChainRepairFilter{Before: r.ID}))(x)), 0)
		_, err = x.ChainRepair(ctx, 99)
		x.refusal(hive.CodeNotFound, hive.ErrorNoChainRepair, err)
	})
}

// Two chain repairs under way never have the same batch; a batch that is left out counts for none.
func TestChainRepairsShareNoBatch(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		a, b, c := x.batch(1).Batch.ID, x.batch(1).Batch.ID, x.batch(1).Batch.ID
		r := x.chainRepair(x.rerunOf("", a, b))
		_, _, _, err := x.CreateChainRepair(ctx, x.rerunOf("", c, b))
		x.refusal(hive.CodeConflict, hive.ErrorChainBusy, err)
		same(x, "nothing is left of it", len(must(x.BatchCommands(ctx, c))(x)), 0)
		out := x.rerunOf("", c, b)
		out.Repair.Steps[1].Fate, out.Repair.Steps[1].Act = hive.StepLive, hive.StepLeftOut
		out.First.Key = "another"
		x.chainRepair(out)
		same(x, "busy", must(x.OpenChainRepair(ctx, []int64{b}))(x), r.ID)
		same(x, "of no batch", must(x.OpenChainRepair(ctx, nil))(x), int64(0))
		x.decideChain(r.ID, hive.ChainRepairWrite{
			State: hive.ChainRepairRunning, Steps: []hive.ChainStepWrite{{Position: 1, Act: hive.StepSuperseded}},
		})
		same(x, "superseded: free", must(x.OpenChainRepair(ctx, []int64{b}))(x), int64(0))
		must(x.CancelChainRepair(ctx, r.ID, "bob", after(time.Hour)))(x)
		same(x, "canceled: all are free", must(x.OpenChainRepair(ctx, []int64{a, b}))(x), int64(0))
	})
}

// A decision and its commands are stored together, by a session that holds.
func TestDecideChainRepair(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		a, b := x.batch(1).Batch.ID, x.batch(1).Batch.ID
		r := x.chainRepair(x.rerunOf("k", a, b))
		command := x.repair(b, "step")
		send := hive.ChainRepairWrite{
			State: hive.ChainRepairStopped, StoppedBy: a,
			Steps: []hive.ChainStepWrite{{Position: 1, Act: hive.StepSent, Command: &command}},
		}
		stale := x.me
		stale.Epoch--
		_, err := x.DecideChainRepair(ctx, stale, r.ID, t0, func(hive.ChainRepair) (hive.ChainRepairWrite, error) {
			return send, nil
		})
		x.is(hive.ErrSessionLost, err)
		same(x, "nothing is stored", len(must(x.BatchCommands(ctx, b))(x)), 0)
		same(x, "commanded", x.decideChain(r.ID, send), []int64{b})
		got := must(x.ChainRepair(ctx, r.ID))(x)
		same(x, "state", []any{got.State, got.StoppedBy, got.ChangedAt},
			[]any{hive.ChainRepairStopped, a, after(time.Minute)})
		same(x, "step", []any{got.Steps[1].Act, got.Steps[1].Command}, []any{hive.StepSent, hive.CommandPending})

		sent := must(x.CommandByKey(ctx, "step"))(x)
		refusal := hive.Problem{Code: hive.CodeConflict, Words: "moved", Reason: hive.ErrorRoundMoved}
		answer := must(json.Marshal(refusal))(x)
		x.ok(x.commit(hive.BatchWrite{BatchID: b, Commands: []hive.CommandDone{
			{ID: sent.ID, State: hive.CommandRefused, Answer: answer, At: t0},
		}}))
		got = must(x.ChainRepair(ctx, r.ID))(x)
		same(x, "refusal", got.Steps[1].Refusal.Reason, hive.ErrorRoundMoved)
		same(x, "progress", got.Steps[1].Progress(), hive.ProgressSuperseded)

		x.decideChain(r.ID, hive.ChainRepairWrite{State: hive.ChainRepairDone})
		got = must(x.ChainRepair(ctx, r.ID))(x)
		same(x, "done", []any{got.State, got.FinishedAt, got.StoppedBy},
			[]any{hive.ChainRepairDone, after(time.Minute), int64(0)})
		same(x, "none is under way", len(must(x.ActiveChainRepairs(ctx))(x)), 0)
		_, err = x.CancelChainRepair(ctx, r.ID, "bob", t0)
		x.refusal(hive.CodeConflict, hive.ErrorChainCanceling, err)
	})
}

// What followed a moment is found by all of its batches, not only by the newest.
func TestCausedMoments(t *testing.T) {
	each(t, func(x *fixture) {
		cause := x.newBatch(0)
		cause.Batch.Moment = t0
		first := must(x.CreateBatch(x.Context(), x.me, cause))(x)
		cause.Key = ""
		second := must(x.CreateBatch(x.Context(), x.me, cause))(x)
		follows := fire(after(time.Hour), 0)
		follows.Causes = []int64{first.ID, second.ID}
		other := fire(after(2*time.Hour), 0)
		other.Causes = []int64{first.ID}
		x.decide(follows, other)
		same(x, "moments", must(x.CausedMoments(x.Context(), x.schedule.ID, t0, 10))(x), []hive.ScheduleMoment{
			{ScheduleID: x.schedule.ID, Moment: after(time.Hour)},
			{ScheduleID: x.schedule.ID, Moment: after(2 * time.Hour)},
		})
		same(x, "at most", len(must(x.CausedMoments(x.Context(), x.schedule.ID, t0, 1))(x)), 1)
		same(x, "of another moment", len(must(x.CausedMoments(x.Context(), x.schedule.ID, after(time.Hour), 9))(x)), 0)
	})
}
