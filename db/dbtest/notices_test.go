package dbtest_test

import (
	"fmt"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// A session takes an epoch above one that an executor has heard of, and a notice says so.
func TestRaiseEpoch(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		same(x, "notices", len(must(x.Notices(ctx))(x)), 0)
		before := x.me.Epoch
		fresh := must(x.RaiseEpoch(ctx, x.me.ID, before, lease, hive.Later{Executor: "one", Epoch: before + 40}))(x)
		same(x, "epoch", fresh, before+41)
		x.is(hive.ErrSessionLost, x.Heartbeat(ctx, x.me.ID, before, 0, lease))
		x.ok(x.Heartbeat(ctx, x.me.ID, fresh, 0, lease))
		_, err := x.RaiseEpoch(ctx, x.me.ID, before, lease, hive.Later{Executor: "one", Epoch: 1 << 40})
		x.is(hive.ErrSessionLost, err)

		again := must(x.RaiseEpoch(ctx, x.me.ID, fresh, lease, hive.Later{Executor: "two", Epoch: fresh}))(x)
		same(x, "an epoch above an equal one", again, fresh+1)
		same(x, "the next session", x.session("other", lease).Epoch, again+1)

		n := must(x.Notices(ctx))(x)
		same(x, "notices", len(n), 1)
		same(x, "executors", n[0].Executors, []string{"one", "two"})
		same(x, "heard", n[0].Epoch, fresh)
		same(x, "session", n[0].Session, again)
	})
}

// Attempts that the database does not have are counted once each, and named up to a limit; a dismissed notice stays as
// it is.
func TestNoteAttempts(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		runs := hive.NoticedAttempt{
			Executor: "one", ID: 7, Key: "k", BatchID: 3, Schedule: "sales", Task: "load",
			Running: true,
		}
		ended, other := runs, runs
		ended.ID, ended.Running = 8, false
		other.Key = "another"
		x.ok(x.NoteAttempts(ctx, []hive.NoticedAttempt{runs, ended}))
		x.ok(x.NoteAttempts(ctx, []hive.NoticedAttempt{ended, other}))
		n := must(x.Notices(ctx))(x)
		same(x, "notices", len(n), 1)
		same(x, "attempts", n[0].Attempts, []hive.NoticedAttempt{runs, ended, other})
		same(x, "running, ended", []int{n[0].Running, n[0].Ended}, []int{2, 1})

		x.ok(x.DismissNotice(ctx, n[0].ID, "ada"))
		x.ok(x.DismissNotice(ctx, n[0].ID, "bob"))
		x.code(hive.CodeNotFound, x.DismissNotice(ctx, n[0].ID+1, "ada"))
		var many []hive.NoticedAttempt
		for i := range hive.MaxNoticed + 10 {
			many = append(many, hive.NoticedAttempt{Executor: "one", ID: int64(100 + i), Task: fmt.Sprint("a\x00", i)})
		}
		x.ok(x.NoteAttempts(ctx, many))
		n = must(x.Notices(ctx))(x)
		same(x, "notices", len(n), 2)
		same(x, "named", len(n[0].Attempts), hive.MaxNoticed)
		same(x, "ended", n[0].Ended, hive.MaxNoticed+10)
		x.ok(x.NoteAttempts(ctx, many)) // by the next session
		n = must(x.Notices(ctx))(x)
		same(x, "ended, after another session", n[0].Ended, hive.MaxNoticed+10)
		same(x, "dismissed by", n[1].DismissedBy, "ada")
		same(x, "dismissed", n[1].DismissedAt.IsZero(), false)
	})
}

// When the database goes back, a running session knows of more commits than are stored. The store then refuses its next
// commit, whose number does not follow the stored one, and its next heartbeat.
func TestCommitNumbers(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		commit := func(number int64) error {
			img := x.batch(int(number) + 10)
			ready, attempt := x.offer(img.Runs[0])
			return x.Commit(ctx, hive.Group{
				Server: x.me.ID, Epoch: x.me.Epoch, Number: number,
				Batches: []hive.BatchWrite{{
					BatchID: img.Batch.ID, Runs: []hive.RunChange{ready},
					Offers: []hive.Attempt{attempt},
				}},
			})
		}
		x.is(hive.ErrSessionLost, commit(2))
		x.ok(commit(1))
		x.ok(commit(1)) // the answer was lost, and it is another group now
		x.ok(commit(2))
		x.is(hive.ErrSessionLost, commit(4))
		x.is(hive.ErrSessionLost, commit(1))
		x.ok(x.Heartbeat(ctx, x.me.ID, x.me.Epoch, 2, lease))
		x.is(hive.ErrSessionLost, x.Heartbeat(ctx, x.me.ID, x.me.Epoch, 3, lease))
		fresh := must(x.RaiseEpoch(ctx, x.me.ID, x.me.Epoch, lease, hive.Later{}))(x)
		x.ok(x.Heartbeat(ctx, x.me.ID, fresh, 2, lease))
		x.me.Epoch = fresh
		x.ok(commit(3))
		x.me = x.session(x.me.ID, lease) // a new session counts anew
		x.is(hive.ErrSessionLost, commit(4))
		x.ok(commit(1))
	})
}
