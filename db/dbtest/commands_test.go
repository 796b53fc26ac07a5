package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func wish(batch int64, key, payload string) hive.Command {
	return hive.Command{
		BatchID: batch, Kind: hive.CommandWish, Key: key, Payload: []byte(payload), CreatedAt: t0, CreatedBy: "ada",
	}
}

func TestCommandIsIdempotent(t *testing.T) {
	each(t, func(x *fixture) {
		ctx, id := x.Context(), x.batch(1).Batch.ID
		first, existed, err := x.AddCommand(ctx, wish(id, "k1", `{"wish":"pause"}`))
		x.ok(err)
		want := wish(id, "k1", `{"wish":"pause"}`)
		want.ID, want.State = first.ID, hive.CommandPending
		same(x, "stored", first, want)
		same(x, "existed", existed, false)

		again := wish(id, "k1", `{"wish":"pause"}`)
		again.CreatedAt, again.CreatedBy = after(time.Hour), "bob"
		second, existed, err := x.AddCommand(ctx, again)
		x.ok(err)
		same(x, "second", second, first)
		same(x, "existed", existed, true)
		same(x, "by id", must(x.Command(ctx, first.ID))(x), first)
		same(x, "by key", must(x.CommandByKey(ctx, "k1"))(x), first)
		_, err = x.CommandByKey(ctx, "k")
		x.code(hive.CodeNotFound, err)

		_, _, err = x.AddCommand(ctx, wish(id, "k1", `{"wish":"cancel"}`))
		x.code(hive.CodeConflict, err)
		_, _, err = x.AddCommand(ctx, wish(x.batch(1).Batch.ID, "k1", `{"wish":"pause"}`))
		x.code(hive.CodeConflict, err)
		_, _, err = x.AddCommand(ctx, wish(id, "", `{}`))
		x.code(hive.CodeInvalid, err)
		_, _, err = x.AddCommand(ctx, wish(999, "k2", `{}`))
		x.code(hive.CodeNotFound, err)
	})
}

func TestCommandIsAnsweredOnce(t *testing.T) {
	each(t, func(x *fixture) {
		ctx, img := x.Context(), x.batch(1)
		c, _, err := x.AddCommand(ctx, wish(img.Batch.ID, "k1", `{"wish":"pause"}`))
		x.ok(err)
		d, _, err := x.AddCommand(ctx, wish(img.Batch.ID, "k2", `{"wish":"cancel"}`))
		x.ok(err)
		same(x, "pending", must(x.PendingCommands(ctx, x.me.ID))(x), []hive.Command{c, d})
		same(x, "pending of the batch", x.snapshot(img.Batch.ID).Commands, []hive.Command{c, d})
		same(x, "pending of others", len(must(x.PendingCommands(ctx, "server-2"))(x)), 0)

		done := hive.CommandDone{
			ID: c.ID, State: hive.CommandApplied, Answer: []byte(`{"a":1}`),
			At: after(time.Second),
		}
		w := hive.BatchWrite{BatchID: img.Batch.ID, Commands: []hive.CommandDone{done}}
		x.ok(x.commit(w))
		c.State, c.Answer, c.DoneAt = hive.CommandApplied, []byte(`{"a":1}`), after(time.Second)
		same(x, "answered", must(x.Command(ctx, c.ID))(x), c)
		same(x, "pending", must(x.PendingCommands(ctx, x.me.ID))(x), []hive.Command{d})
		answered, existed, err := x.AddCommand(ctx, wish(img.Batch.ID, "k1", `{"wish":"pause"}`))
		x.ok(err)
		same(x, "asked again", []any{answered, existed}, []any{c, true})

		done.State, done.Answer = hive.CommandRefused, nil
		w.Commands = []hive.CommandDone{done}
		x.guards(x.commit(w), img.Batch.ID)
		w.Commands = []hive.CommandDone{{ID: d.ID, State: hive.CommandApplied, At: t0}}
		w.BatchID = x.batch(1).Batch.ID
		x.guards(x.commit(w), w.BatchID)
	})
}

// A command for a batch whose owner is long gone reaches a session that is there.
func TestCommandFindsAnOwner(t *testing.T) {
	each(t, func(x *fixture) {
		ctx, img := x.Context(), x.batch(1)
		final := img.Batch
		final.State, final.Live = hive.BatchFailed, false
		x.ok(x.commit(hive.BatchWrite{
			BatchID: img.Batch.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: final},
		}))
		x.ok(x.EndSession(ctx, x.me.ID, x.me.Epoch))
		_, _, err := x.AddCommand(ctx, wish(img.Batch.ID, "nobody there", `{}`))
		x.ok(err)
		same(x, "owner while nobody is there", must(x.Batch(ctx, img.Batch.ID))(x).Owner, x.me.ID)

		must(x.StartSession(ctx, hive.Server{ID: "server-2", StartedAt: t0}, lease))(x)
		_, _, err = x.AddCommand(ctx, wish(img.Batch.ID, "k1", `{}`))
		x.ok(err)
		same(x, "commands of the new owner", len(must(x.PendingCommands(ctx, "server-2"))(x)), 2)

		must(x.StartSession(ctx, hive.Server{ID: "server-1", StartedAt: t0}, lease))(x)
		_, _, err = x.AddCommand(ctx, wish(img.Batch.ID, "k2", `{}`))
		x.ok(err)
		same(x, "an owner that is there keeps it", must(x.Batch(ctx, img.Batch.ID))(x).Owner, "server-2")
	})
}

func TestCommandsOfABatchNewestFirst(t *testing.T) {
	each(t, func(x *fixture) {
		ctx, img := x.Context(), x.batch(1)
		id, other := img.Batch.ID, x.batch(1).Batch.ID
		var all []hive.Command // newest first
		for _, key := range []string{"k1", "k2", "k3"} {
			c, _, err := x.AddCommand(ctx, wish(id, key, `{"wish":"pause"}`))
			x.ok(err)
			all = append([]hive.Command{c}, all...)
		}
		_, _, err := x.AddCommand(ctx, wish(other, "k4", `{"wish":"pause"}`))
		x.ok(err)
		last := &all[2]
		x.ok(x.commit(hive.BatchWrite{BatchID: id, Commands: []hive.CommandDone{
			{ID: last.ID, State: hive.CommandRefused, Answer: []byte(`{}`), At: after(time.Second)},
		}}))
		last.State, last.Answer, last.DoneAt = hive.CommandRefused, []byte(`{}`), after(time.Second)

		page := must(x.Commands(ctx, hive.CommandFilter{Batch: id, Limit: 2}))(x)
		same(x, "first page", page, all[:2])
		page = must(x.Commands(ctx, hive.CommandFilter{Batch: id, Before: page[1].ID, Limit: 2}))(x)
		same(x, "second page", page, all[2:])
		same(x, "of no batch", len(must(x.Commands(ctx, hive.CommandFilter{Batch: 999, Limit: 2}))(x)), 0)
	})
}
