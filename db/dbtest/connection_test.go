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

const (
	// patience bounds every wait.
	patience = 2 * time.Minute
	// tries is how many tries in a row a breaker may spoil. After them nothing more is broken until one works, however
	// slow the machine is.
	tries = 8
)

// breaker ends whatever the other connections of a database are doing, as fast as it can.
type breaker struct {
	hold    sync.Mutex // held while nothing is to be broken
	done    chan struct{}
	once    sync.Once
	end     sync.WaitGroup
	spoiled int // tries that failed for their connection
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
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"+
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

// works reports whether f does; it may only fail for its connection.
func (b *breaker) works(ctx context.Context, t *testing.T, what string, f func(ctx context.Context) error) bool {
	t.Helper()
	err := f(ctx)
	switch {
	case err == nil:
		return true
	case !errors.Is(err, hive.ErrConnection) || hive.CodeOf(err) != hive.CodeUnavailable:
		t.Fatalf("%s: error %v, want hive.ErrConnection", what, err)
	case ctx.Err() != nil:
		t.Fatalf("waited %s in vain: %s: %v", patience, what, err)
	}
	b.spoiled++
	return false
}

// eventually calls f until it works.
func (b *breaker) eventually(t *testing.T, what string, f func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for range tries {
		if b.works(ctx, t, what, f) {
			return
		}
	}
	b.hold.Lock()
	defer b.hold.Unlock()
	for !b.works(ctx, t, what, f) { //nolint:revive // each connection of the pool notices the break by itself
	}
}

// spoils calls f until the breaker has spoiled a try of f or of an earlier call: otherwise nothing was tested.
func (b *breaker) spoils(t *testing.T, f func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for b.spoiled == 0 {
		if b.works(ctx, t, "have a connection broken", f) && ctx.Err() != nil {
			t.Fatalf("in %s no connection was broken", patience)
		}
	}
}

// Connections that break are hive.ErrConnection. The same group is tried again until it is stored, and it is stored
// once.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	url := dbtest.Postgres(t)
	x := newFixture(t, dbtest.Open(t, db.Config{URL: url}))
	breaker := startBreaker(t, url)
	var img hive.BatchSnapshot
	breaker.eventually(t, "make a batch", func(ctx context.Context) error {
		b, err := x.CreateBatch(ctx, x.me, x.newBatch(60))
		if err != nil {
			return err
		}
		img, err = x.BatchSnapshot(ctx, b.ID)
		return err
	})
	var first int64
	next := func(ctx context.Context) (err error) {
		first, err = x.NextIDs(ctx, db.CounterAttempt, 1)
		return err
	}
	for _, r := range img.Runs {
		breaker.eventually(t, "take a number", next)
		change := hive.RunChange{From: r.State, To: r}
		change.To.State, change.To.Attempt = hive.RunReady, first
		offer := hive.Attempt{
			ID: first, RunID: r.ID, BatchID: r.BatchID, Number: 1, Round: 1, State: hive.AttemptOffered, OfferedAt: t0,
		}
		w := hive.BatchWrite{BatchID: r.BatchID, Runs: []hive.RunChange{change}, Offers: []hive.Attempt{offer}}
		broken := false
		breaker.eventually(t, "store a group", func(ctx context.Context) error {
			err := x.Commit(ctx, hive.Group{Server: x.me.ID, Epoch: x.me.Epoch, Batches: []hive.BatchWrite{w}})
			if _, stored := errors.AsType[*hive.GuardError](err); stored && broken {
				return nil // a try before this one reached the database after all
			}
			broken = broken || err != nil
			return err
		})
	}
	breaker.spoils(t, next)
	breaker.stop()
	breaker.eventually(t, "read the batch", func(ctx context.Context) (err error) {
		img, err = x.BatchSnapshot(ctx, img.Batch.ID) // a connection may still be broken from before
		return err
	})
	same(t, "open attempts", len(img.Attempts), len(img.Runs))
	for i, r := range img.Runs {
		same(t, "attempt in hand", r.Attempt, img.Attempts[i].ID)
	}
}

// A failover breaks all connections of the pool at once. It costs one call, not one call for each connection.
func TestAllConnectionsBreak(t *testing.T) {
	t.Parallel()
	url := dbtest.Postgres(t)
	x := newFixture(t, dbtest.Open(t, db.Config{URL: url}))
	id := x.batch(1).Batch.ID
	other := connect(t, url)
	const ours = " FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
	// Two are of the writer. A new connection is tried in any case when it is used again for the first time.
	for open, round := 0, 0; open < 6 || round < 10; round++ {
		var reads sync.WaitGroup
		for range 12 {
			reads.Go(func() {
				if _, err := x.BatchSnapshot(t.Context(), id); err != nil {
					t.Error(err)
				}
			})
		}
		reads.Wait()
		x.ok(other.QueryRow(t.Context(), "SELECT count(*)"+ours).Scan(&open))
	}
	must(other.Exec(t.Context(), "SELECT pg_terminate_backend(pid)"+ours))(t)
	for open := 1; open > 0; {
		x.ok(other.QueryRow(t.Context(), "SELECT count(*)"+ours).Scan(&open))
	}
	failed := 0
	for range 12 {
		if _, err := x.BatchSnapshot(t.Context(), id); err != nil {
			x.is(hive.ErrConnection, err)
			failed++
		}
	}
	if failed > 1 {
		t.Errorf("%d calls failed", failed)
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

	same(t, "batch", x.snapshot(img.Batch.ID), img)
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
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() {
		for asked := false; ; { // both times are short: one may be over before the decision begins
			err := slow.Heartbeat(ctx, x.me.ID, x.me.Epoch, 0, 500*time.Millisecond)
			if err == nil {
				_, err = slow.DecideTicks(ctx, x.me, x.schedule.ID, t0, func(hive.TickView) ([]hive.TickWrite, error) {
					asked = true
					close(frozen)
					select {
					case <-thaw:
					case <-ctx.Done():
					}
					return []hive.TickWrite{fire(t0, 1)}, nil
				})
			}
			if asked || ctx.Err() != nil || !errors.Is(err, hive.ErrSessionLost) &&
				!errors.Is(err, hive.ErrConnection) {
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
		taken, _, err := x.TakeOver(ctx, heir.ID, heir.Epoch, lease)
		x.ok(err)
		if len(taken) > 0 {
			same(t, "taken", taken, []string{x.me.ID})
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("in %s the frozen server was not taken over", patience)
		}
	}
	close(thaw)
	x.is(hive.ErrConnection, <-answer)
	same(t, "ticks", len(must(x.Ticks(t.Context(), x.schedule.ID, time.Time{}, 0))(t)), 0)
	same(t, "live batches", must(x.LiveBatches(t.Context(), heir.ID))(t), []int64{live})
}
