package dbtest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

// connect opens a connection beside the store.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn := must(pgx.Connect(t.Context(), url))(t)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// patience is how many tries in a row a breaker may spoil. After them nothing more is broken until one works, however slow
// the machine is.
const patience = 8

// breaker ends whatever the other connections of a database are doing, as fast as it can.
type breaker struct {
	hold sync.Mutex // held while nothing is to be broken
	done chan struct{}
	once sync.Once
	end  sync.WaitGroup
}

func startBreaker(t *testing.T, url string) *breaker {
	t.Helper()
	conn := connect(t, url)
	b := &breaker{done: make(chan struct{})}
	t.Cleanup(b.stop)
	b.end.Go(func() {
		for b.runOnce(t, conn) {
		}
	})
	return b
}

// runOnce breaks all that is busy, and says whether to go on.
func (b *breaker) runOnce(t *testing.T, conn *pgx.Conn) bool {
	b.hold.Lock()
	defer b.hold.Unlock()
	select {
	case <-b.done:
		return false
	default:
	}
	_, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"+
		" WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'")
	if err != nil {
		t.Errorf("break connections: %v", err)
	}
	return err == nil
}

func (b *breaker) stop() {
	b.once.Do(func() { close(b.done) })
	b.end.Wait()
}

// eventually calls f until it works; in between it may only fail for its connection.
func (b *breaker) eventually(t *testing.T, f func() error) {
	t.Helper()
	works := func() bool {
		err := f()
		if err != nil && (!errors.Is(err, hive.ErrConnection) || hive.CodeOf(err) != hive.CodeUnavailable) {
			t.Fatalf("error %v, want hive.ErrConnection", err)
		}
		return err == nil
	}
	for range patience {
		if works() {
			return
		}
	}
	b.hold.Lock()
	defer b.hold.Unlock()
	for !works() { //nolint:revive // what was broken before is noticed by one connection after the other
	}
}

// Connections that break are hive.ErrConnection. The same group is tried again until it is stored, and it is stored
// once.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	url := dbtest.Postgres(t)
	x := newFixture(t, dbtest.Open(t, db.Config{URL: url}))
	breaker := startBreaker(t, url)
	var img hive.BatchImage
	breaker.eventually(t, func() error {
		b, err := x.CreateBatch(x.Context(), x.me, x.newBatch(60))
		if err != nil {
			return err
		}
		img, err = x.BatchImage(x.Context(), b.ID)
		return err
	})
	broken := 0
	for _, r := range img.Runs {
		var first int64
		breaker.eventually(t, func() (err error) {
			first, err = x.NextIDs(x.Context(), db.CounterAttempt, 1)
			return err
		})
		change := hive.RunChange{From: r.State, To: r}
		change.To.State, change.To.Attempt = hive.RunReady, first
		offer := hive.Attempt{
			ID: first, RunID: r.ID, BatchID: r.BatchID, Number: 1, Round: 1, State: hive.AttemptOffered, OfferedAt: t0,
		}
		w := hive.BatchWrite{BatchID: r.BatchID, Runs: []hive.RunChange{change}, Offers: []hive.Attempt{offer}}
		breaker.eventually(t, func() error {
			err := x.commit(w)
			if err != nil {
				broken++
			}
			if _, stored := errors.AsType[*hive.GuardError](err); stored && broken > 1 {
				return nil // the try before this one reached the database after all
			}
			return err
		})
	}
	breaker.stop()
	img = x.image(img.Batch.ID)
	same(t, "open attempts", len(img.Attempts), len(img.Runs))
	for i, r := range img.Runs {
		same(t, "attempt in hand", r.Attempt, img.Attempts[i].ID)
	}
}

// A database that does not answer in time is out of reach, too, and afterwards the store works as before.
func TestDeadline(t *testing.T) {
	t.Parallel()
	url := dbtest.Postgres(t)
	x := newFixture(t, dbtest.Open(t, db.Config{URL: url}))
	img := x.batch(1)
	ready, attempt := x.offer(img.Runs[0])
	w := hive.BatchWrite{BatchID: img.Batch.ID, Runs: []hive.RunChange{ready}, Offers: []hive.Attempt{attempt}}

	blocker := connect(t, url)
	must(blocker.Exec(t.Context(), "BEGIN; LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE"))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := x.Commit(ctx, hive.Group{Server: x.me.ID, Epoch: x.me.Epoch, Batches: []hive.BatchWrite{w}})
	x.is(hive.ErrConnection, err)
	x.is(context.DeadlineExceeded, err)
	must(blocker.Exec(t.Context(), "ROLLBACK"))(t)

	same(t, "batch", x.image(img.Batch.ID), img)
	x.ok(x.commit(w))
}

// A server that freezes in the middle of a transaction holds its session's row. A takeover does not wait for it, and
// PostgreSQL ends the transaction, so the next takeover gets what it had. Thawed, it stores nothing.
func TestTakeOverOfAFrozenServer(t *testing.T) {
	t.Parallel()
	url := dbtest.Postgres(t)
	x := newFixture(t, dbtest.Open(t, db.Config{URL: url}))
	heir := x.session("heir", lease)
	live := x.batch(1).Batch.ID

	slow := dbtest.Open(t, db.Config{URL: url + "&idle_in_transaction_session_timeout=300"})
	frozen, thaw, answer := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		for asked := false; ; { // both times are short: one may be over before the decision begins
			err := slow.Heartbeat(t.Context(), x.me.ID, x.me.Epoch, 500*time.Millisecond)
			if err == nil {
				_, err = slow.DecideTicks(t.Context(), x.me, x.schedule.ID, t0, func(hive.TickView) ([]hive.TickWrite, error) {
					asked = true
					close(frozen)
					<-thaw
					return []hive.TickWrite{fire(t0, 1)}, nil
				})
			}
			if asked || !errors.Is(err, hive.ErrSessionLost) && !errors.Is(err, hive.ErrConnection) {
				answer <- err
				return
			}
		}
	}()
	select {
	case <-frozen:
	case err := <-answer:
		t.Fatalf("decide ticks: %v", err)
	}
	for {
		taken, _, err := x.TakeOver(t.Context(), heir.ID, heir.Epoch, lease)
		x.ok(err)
		if len(taken) > 0 {
			same(t, "taken", taken, []string{x.me.ID})
			break
		}
	}
	close(thaw)
	x.is(hive.ErrConnection, <-answer)
	same(t, "ticks", len(must(x.Ticks(t.Context(), x.schedule.ID, time.Time{}, 0))(t)), 0)
	same(t, "live batches", must(x.LiveBatches(t.Context(), heir.ID))(t), []int64{live})
}
