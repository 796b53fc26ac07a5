package dbtest_test

import (
	"testing"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

// listener records the messages of a store until its connection ends.
type listener struct {
	ready    chan struct{}
	messages chan string
	ended    chan error
}

func (x *fixture) listen() *listener {
	l := &listener{ready: make(chan struct{}), messages: make(chan string, 10), ended: make(chan error, 1)}
	go func() {
		l.ended <- x.Listen(x.Context(), func() { close(l.ready) }, func(m string) { l.messages <- m })
	}()
	return l
}

// Messages arrive in order, at the sender too, but only if another server has a session. A broken connection is an
// error, not silence.
func TestMessages(t *testing.T) {
	t.Parallel()
	url := dbtest.Postgres(t)
	store, err := db.Open(t.Context(), db.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	x := newFixture(t, store)
	l := x.listen()
	<-l.ready
	x.ok(x.Send(t.Context(), x.me.ID, "nobody else is there"))
	must(x.StartSession(t.Context(), hive.Server{ID: "server-2", StartedAt: t0}, lease))(t)
	x.ok(x.Send(t.Context(), x.me.ID, "one"))
	x.ok(x.Send(t.Context(), "server-2", "it's two"))
	same(t, "first", <-l.messages, "one")
	same(t, "second", <-l.messages, "it's two")
	x.ok(dbtest.Execute(t.Context(), url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "+
		"WHERE datname = current_database() AND query LIKE 'LISTEN%'"))
	x.is(hive.ErrConnection, <-l.ended)
}

// SQLite has only one server.
func TestNoMessages(t *testing.T) {
	t.Parallel()
	store, err := db.Open(t.Context(), db.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	x := newFixture(t, store)
	x.is(db.ErrNoMessages, x.Send(t.Context(), x.me.ID, "one"))
	x.is(db.ErrNoMessages, x.Listen(t.Context(), func() {}, func(string) {}))
}

// Some runs of a batch are read with their own attempts, also ended ones.
func TestBatchRuns(t *testing.T) {
	each(t, func(x *fixture) {
		whole := x.batch(4)
		some := must(x.BatchRuns(x.Context(), whole.Batch.ID, []int{3, 1, 9}))(x)
		same(x, "batch", some.Batch, whole.Batch)
		same(x, "runs", some.Runs, []hive.Run{whole.Runs[1], whole.Runs[3]})
		same(x, "attempts", len(some.Attempts), 0)
		none := must(x.BatchRuns(x.Context(), whole.Batch.ID, nil))(x)
		same(x, "batch alone", none.Batch, whole.Batch)
		_, err := x.BatchRuns(x.Context(), 999, []int{1})
		x.code(hive.CodeNotFound, err)
	})
}
