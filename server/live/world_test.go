package live

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

var t0 = time.Date(2026, 5, 1, 3, 20, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant, if Go had it

// world is a store, the owner that writes to it, and clients who follow, all in one goroutine: what happens next, also
// in the middle of a read, is drawn. Each change of a run has a stamp in its detail. The stamps show whether a copy is
// right, or older than one before.
type world struct {
	*rapid.T
	hub     *Hub
	now     time.Time
	epoch   int64
	batches map[int64]*row
	unseen  []hive.Delta // of the commit whose observation is still to come
	notices []string     // of the other server, on their way; nil if they do not arrive
	stamp   int
	clients []*watcher
	depth   int
	seen    map[int64][]string // by batch and run: the latest that anybody saw
}

// row is a batch in the store.
type row struct {
	batch   hive.Batch
	runs    []hive.RunView
	ready   map[int]bool // published as ready, stored as waiting
	foreign bool         // another server owns it: nothing of it is observed
	holds   map[int]hive.WaitReason
}

func newWorld(t *rapid.T) *world {
	w := &world{T: t, now: t0, batches: map[int64]*row{}, seen: map[int64][]string{}}
	shared := rapid.Bool().Draw(t, "shared")
	look := time.Duration(0)
	if shared && rapid.Bool().Draw(t, "listens") {
		w.notices, look = []string{}, time.Hour // what is not announced is never seen
	}
	w.hub = New(Config{
		Source: w, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now },
		Shared: shared, LookEvery: look,
	})
	w.hub.Listening(w.notices != nil)
	w.session()
	for id := int64(1); id <= 3; id++ {
		w.make(id, rapid.IntRange(1, 5).Draw(t, "tasks"), shared && id == 3)
	}
	return w
}

func (w *world) session() {
	w.epoch++
	w.unseen = nil // its answer never came
	w.hub.Session(w.epoch)
	for _, r := range w.sorted() {
		if !r.foreign && r.batch.Live {
			w.hub.Observe([]hive.Delta{w.batchDelta(r)})
		}
	}
}

func (w *world) sorted() []*row {
	var all []*row
	for _, id := range slices.Sorted(maps.Keys(w.batches)) {
		all = append(all, w.batches[id])
	}
	return all
}

func (w *world) make(id int64, tasks int, foreign bool) *row {
	r := &row{
		batch: hive.Batch{
			ID: id, Schedule: "s", State: hive.BatchRunning, Wish: hive.WishRun, Round: 1, Live: true,
			Owner: "me",
		},
		ready: map[int]bool{}, holds: map[int]hive.WaitReason{}, foreign: foreign,
	}
	if foreign {
		r.batch.Owner = "other"
	}
	for n := range tasks {
		r.runs = append(r.runs,
			hive.RunView{Run: hive.Run{
				Number: n, Task: fmt.Sprint("t", n), State: hive.RunWaiting, Round: 1,
				Detail: w.next(),
			}})
	}
	w.batches[id] = r
	return r
}

func (w *world) next() string {
	w.stamp++
	return fmt.Sprintf("%08d", w.stamp)
}

// shown returns the run that clients should see.
func (r *row) shown(n int) hive.RunView {
	v := r.runs[n]
	if r.ready[n] && v.State == hive.RunWaiting {
		v.State = hive.RunReady
	}
	if v.State == hive.RunReady && !r.foreign {
		v.WaitReason = r.holds[n]
	}
	return v
}

func (r *row) counts() hive.Counts {
	c := hive.Counts{}
	for n := range r.runs {
		c[r.shown(n).State]++
	}
	return c
}

func (w *world) batchDelta(r *row) hive.Delta {
	b := r.batch
	b.Counts = r.counts()
	return hive.Delta{Batch: b.ID, Run: -1, BState: b.State, Wish: b.Wish, BatchRow: &b}
}

// commit changes some runs of a batch in the store. Its observation comes later, and before the next commit.
func (w *world) commit() {
	w.observe()
	r := w.batches[rapid.SampledFrom(slices.Sorted(maps.Keys(w.batches))).Draw(w.T, "batch")]
	var changed []int
	if !r.batch.Live {
		changed = w.repair(r)
	} else {
		for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(r.runs)-1), 1, len(r.runs), rapid.ID).Draw(w.T,
			"runs") {
			w.move(r, n)
			changed = append(changed, n)
		}
		w.end(r)
	}
	if r.foreign {
		w.announce(r.batch.ID, changed)
		return
	}
	d := w.batchDelta(r)
	w.unseen = []hive.Delta{}
	for _, n := range changed {
		v := r.shown(n)
		v.WaitReason = ""
		w.unseen = append(w.unseen,
			hive.Delta{Batch: r.batch.ID, Run: n, State: v.State, Now: &v, BatchRow: d.BatchRow})
	}
	w.unseen = append(w.unseen, d)
}

// announce lets the other server name what it has changed.
func (w *world) announce(batch int64, runs []int) {
	if w.notices == nil {
		return
	}
	var c changes
	c.add(batch, -1)
	for _, n := range runs {
		c.add(batch, n)
	}
	switch rapid.IntRange(0, 9).Draw(w.T, "notice") {
	case 0:
		c.addWhole(batch)
	case 1:
		c.all = true
	}
	w.notices = append(w.notices, c.messages("other")...)
}

// deliver passes a message of the other server to the hub.
func (w *world) deliver() {
	if len(w.notices) > 0 {
		_, list, all := readNotice(w.notices[0])
		w.notices = w.notices[1:]
		w.hub.Far(list, all)
	}
}

// move makes one step of a run's life.
func (w *world) move(r *row, n int) {
	v := &r.runs[n]
	switch {
	case v.State == hive.RunWaiting && !r.ready[n] && !r.foreign:
		r.ready[n] = true // derived: nothing is stored
		return
	case v.State == hive.RunWaiting, v.State == hive.RunReady && v.Executor == "":
		v.State, v.Executor, v.Attempts = hive.RunReady, "x", v.Attempts+1 // offered
		delete(r.ready, n)
	case v.State == hive.RunReady:
		v.State = hive.RunRunning
	case v.State == hive.RunRunning:
		v.State = rapid.SampledFrom([]hive.RunState{
			hive.RunSucceeded, hive.RunFailed, hive.RunUnknown,
			hive.RunReady,
		}).Draw(w.T, "outcome")
	case v.State == hive.RunUnknown:
		v.State = hive.RunRunning
	default:
		return
	}
	v.Detail = w.next()
}

// end ends a batch whose runs have ended; some are paused instead of going on.
func (w *world) end(r *row) {
	for n := range r.runs {
		if !r.runs[n].State.Final() {
			if rapid.IntRange(0, 9).Draw(w.T, "wish") == 0 {
				r.batch.Wish = map[hive.Wish]hive.Wish{
					hive.WishRun:   hive.WishPause,
					hive.WishPause: hive.WishRun,
				}[r.batch.Wish]
			}
			return
		}
	}
	r.batch.State, r.batch.Live, r.batch.FinishedAt = hive.BatchSucceeded, false, w.now
}

// repair opens a round; sometimes with a task more.
func (w *world) repair(r *row) (changed []int) {
	r.batch.State, r.batch.Live, r.batch.FinishedAt = hive.BatchRunning, true, time.Time{}
	r.batch.Round++
	n := rapid.IntRange(0, len(r.runs)-1).Draw(w.T, "reset")
	v := &r.runs[n]
	v.State, v.Round, v.Executor, v.Detail = hive.RunWaiting, r.batch.Round, "", w.next()
	changed = []int{n}
	if rapid.Bool().Draw(w.T, "more") {
		n = len(r.runs)
		r.runs = append(r.runs,
			hive.RunView{Run: hive.Run{
				Number: n, Task: fmt.Sprint("t", n), State: hive.RunWaiting,
				Round: r.batch.Round, Detail: w.next(),
			}})
		changed = append(changed, n)
	}
	return changed
}

func (w *world) observe() {
	if w.unseen != nil {
		w.hub.Observe(w.unseen)
		w.unseen = nil
	}
}

// forget loses the answer of a commit: its batch is loaded again.
func (w *world) forget() {
	if len(w.unseen) == 0 {
		return
	}
	r := w.batches[w.unseen[0].Batch]
	w.unseen = nil
	w.hub.Reread([]int64{r.batch.ID})
	w.hub.Observe([]hive.Delta{w.batchDelta(r)})
}

// steps performs random actions in the middle of a read.
func (w *world) steps() {
	if w.depth++; w.depth <= 3 {
		for range rapid.IntRange(0, 4).Draw(w.T, "steps") {
			w.step()
		}
	}
	w.depth--
}

// step performs one random action.
func (w *world) step() {
	switch rapid.IntRange(0, 13).Draw(w.T, "step") {
	case 0, 1, 2:
		w.commit()
	case 3, 4:
		w.observe()
		w.deliver()
	case 5, 6:
		w.hub.turn(w.now)
	case 7, 8:
		w.job()
	case 9:
		w.now = w.now.Add(rapid.SampledFrom([]time.Duration{
			time.Millisecond, 20 * time.Millisecond, time.Second,
			keepEnded + time.Second,
		}).Draw(w.T, "pass"))
	case 10:
		w.people()
	case 11:
		switch rapid.IntRange(0, 6).Draw(w.T, "trouble") {
		case 0:
			w.session()
		case 1:
			w.forget()
		default:
			r := w.sorted()[0]
			r.holds[0] = rapid.SampledFrom([]hive.WaitReason{"", "busy"}).Draw(w.T, "hold")
		}
	default:
		if len(w.clients) > 0 {
			rapid.SampledFrom(w.clients).Draw(w.T, "client").receiveFrame()
		}
	}
}

func (w *world) job() bool {
	j, ok := w.hub.nextJob()
	if ok {
		w.hub.do(context.Background(), j)
	}
	return ok
}

// people lets clients come, follow, drop topics and leave.
func (w *world) people() {
	if len(w.clients) == 0 || len(w.clients) < 4 && rapid.Bool().Draw(w.T, "comes") {
		c, err := w.hub.Connect(1, "ada", nil)
		require.NoError(w, err)
		w.clients = append(w.clients, &watcher{w: w, c: c, topics: map[int]*seenTopic{}})
	}
	c := rapid.SampledFrom(w.clients).Draw(w.T, "who")
	id := rapid.IntRange(1, 5).Draw(w.T, "topic")
	switch {
	case rapid.IntRange(0, 7).Draw(w.T, "leaves") == 0:
		c.c.Close()
		w.clients = slices.DeleteFunc(w.clients, func(x *watcher) bool { return x == c })
	case c.topics[id] != nil && rapid.Bool().Draw(w.T, "drops"):
		c.c.Drop(id)
		delete(c.topics, id)
	default:
		c.follow(id)
	}
}

// settle runs until nothing more changes.
func (w *world) settle() {
	w.depth = 3 // nothing more happens by itself
	w.observe()
	for len(w.notices) > 0 {
		w.deliver()
	}
	for range 60 {
		w.hub.turn(w.now)
		for w.job() {
		}
		w.now = w.now.Add(100 * time.Millisecond)
		for _, c := range w.clients {
			c.receiveFrame()
		}
	}
}

// Snapshots and deltas agree: in any order of events, no client sees a run go back or an unstored state, and in the end
// every client's copy equals the stored rows.
func TestProjectionsMatchTheStore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(1, 150).Draw(t, "length") {
			w.step()
		}
		for _, c := range w.clients {
			for id := 1; id <= 4; id++ {
				if c.topics[id] == nil {
					c.follow(id)
				}
			}
		}
		w.settle()
		for _, c := range w.clients {
			delete(c.topics, 5)
			c.settled()
		}
	})
}
