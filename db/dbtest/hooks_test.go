package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// hooks stores a batch of hooks with one task, which follow a batch.
func (x *fixture) hooks(of int64, round int, state hive.BatchState) int64 {
	x.Helper()
	e := hive.HookEvent{Batch: of, Round: round, Scope: hive.HookOfBatch, State: hive.BatchFailed}
	nb := x.newBatch(1)
	b := &nb.Batch
	b.Kind, b.ScheduleID, b.Schedule, b.Hook = hive.KindHook, 0, "", &e
	b.RevisionID = must(x.AdhocRevision(x.Context(), "hooks", "h", "ada", t0))(x).ID
	b.Moment, b.CreatedAt, b.StartedAt, b.RoundAt = t0, t0, t0, t0
	if b.State, b.Live = state, !state.Final(); !b.Live {
		b.FinishedAt = after(time.Minute)
	}
	nb.Key = e.BatchKey()
	return must(x.CreateBatch(x.Context(), x.me, nb))(x).ID
}

func TestHooks(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		followed := x.batch(1).Batch
		call := hive.HookCall{
			RevisionID: x.revision.ID, At: after(time.Minute), Event: hive.HookEvent{
				Batch: followed.ID, Round: 2, Scope: hive.HookOfTask, Key: "a", State: hive.BatchFailed,
				Error: `no disk "'"`, Task: "a",
			},
		}
		other := hive.HookCall{
			RevisionID: x.revision.ID, At: after(time.Minute),
			Event: hive.HookEvent{Batch: followed.ID, Round: 2, Scope: hive.HookOfBatch, State: hive.BatchCanceled},
		}
		x.ok(x.commit(hive.BatchWrite{BatchID: followed.ID, Hooks: []hive.HookCall{call, other}}))
		calls := must(x.HookCalls(ctx, 0, 10))(x)
		if len(calls) != 2 {
			x.Fatalf("calls: %+v", calls)
		}
		call.ID, other.ID = calls[0].ID, calls[1].ID
		same(x, "calls", calls, []hive.HookCall{call, other})
		same(x, "at most one", must(x.HookCalls(ctx, 0, 1))(x), []hive.HookCall{call})
		same(x, "the next", must(x.HookCalls(ctx, call.ID, 10))(x), []hive.HookCall{other})

		hooks := hive.NewBatch{Key: call.Event.BatchKey(), Batch: hive.Batch{
			Kind: hive.KindHook, Moment: t0, CreatedAt: t0, Hook: &call.Event,
		}}
		hooks.Batch.RevisionID = must(x.AdhocRevision(ctx, "hooks", "h", "ada", t0))(x).ID
		made := must(x.CreateBatch(ctx, x.me, hooks))(x)
		same(x, "once more", must(x.CreateBatch(ctx, x.me, hooks))(x).ID, made.ID)
		got := must(x.Batch(ctx, made.ID))(x)
		same(x, "kind", got.Kind, hive.KindHook)
		same(x, "event", *got.Hook, call.Event)
		same(x, "schedule", got.ScheduleID, int64(0))

		list := func(f hive.BatchFilter) []int64 {
			var ids []int64
			for _, b := range must(x.Batches(ctx, f))(x) {
				ids = append(ids, b.ID)
			}
			return ids
		}
		same(x, "all batches", list(hive.BatchFilter{}), []int64{followed.ID})
		same(x, "adhoc ones", list(hive.BatchFilter{Kind: hive.KindAdhoc}), nil)
		same(x, "hooks", list(hive.BatchFilter{Kind: hive.KindHook}), []int64{made.ID})
		same(x, "of the batch", list(hive.BatchFilter{HookOf: followed.ID}), []int64{made.ID})
		same(x, "of another one", list(hive.BatchFilter{HookOf: made.ID}), nil)

		x.ok(x.EndHookCall(ctx, call.ID))
		x.ok(x.EndHookCall(ctx, call.ID))
		same(x, "the other call", must(x.HookCalls(ctx, 0, 10))(x), []hive.HookCall{other})
	})
}
