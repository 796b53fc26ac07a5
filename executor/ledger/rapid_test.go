package ledger

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// world drives a ledger with random, repeated, late and reordered calls and with crashes, and checks the invariants.
type world struct {
	t        *rapid.T
	l        *Ledger
	now      Now
	logged   []Record // all records, of this life from life on
	life     int
	durable  int // records known to be on disk
	pending  []pending
	started  map[Ref]int  // starts that took effect
	tombs    map[Ref]bool // ids told FORGOTTEN
	epochs   map[string]int64
	outcomes map[Ref]OutcomeKind // told to a server
	running  map[Ref]string
	latest   map[string]Caller // the last that was answered, by server
}

// pending is a step whose records are not durable yet, so that its effects and its reply wait.
type pending struct {
	need int // records that must be durable
	done func()
}

const orphanTime = 40 * time.Second

func TestLedgerProperties(t *testing.T) {
	t.Parallel()
	for range 10 { // the rarest ways to go wrong come up once in a thousand histories
		t.Run("histories", checkHistories)
	}
}

func checkHistories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &world{
			t: t, now: Now{Mono: time.Hour, Wall: time.UnixMilli(1_800_000_000_000)}, started: map[Ref]int{},
			tombs: map[Ref]bool{}, epochs: map[string]int64{"a": 1, "b": 2}, outcomes: map[Ref]OutcomeKind{},
			running: map[Ref]string{}, latest: map[string]Caller{},
		}
		w.boot()
		t.Repeat(map[string]func(*rapid.T){
			"submit":  func(*rapid.T) { w.submit() },
			"attach":  func(*rapid.T) { w.attach() },
			"kill":    func(*rapid.T) { w.kill() },
			"poll":    func(*rapid.T) { w.poll() },
			"end":     func(*rapid.T) { w.end() },
			"sync":    func(*rapid.T) { w.sync() },
			"crash":   func(*rapid.T) { w.crash() },
			"pass":    func(*rapid.T) { w.pass() },
			"restart": func(*rapid.T) { w.restart() },
			"compact": func(*rapid.T) { w.compact() },
			"":        func(*rapid.T) { w.check() },
		})
	})
}

func (w *world) id() Ref { return anyRef().Draw(w.t, "attempt") }

// anyRef draws one of a few attempts; some have the same id.
func anyRef() *rapid.Generator[Ref] {
	return rapid.Custom(func(t *rapid.T) Ref {
		return Ref{
			ID:  rapid.Int64Range(1, 3).Draw(t, "id"),
			Key: rapid.SampledFrom([]string{"", "a", "b-_"}).Draw(t, "key"),
		}
	})
}

// caller draws a server, sometimes with an earlier epoch.
func (w *world) caller() Caller {
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(w.t, "server")
	epoch := w.epochs[name] - rapid.SampledFrom([]int64{0, 0, 0, 2}).Draw(w.t, "behind")
	// A duplicate has the same epoch, which was given out twice.
	session := rapid.SampledFrom([]string{"", "", "", "", "twin"}).Draw(w.t, "session")
	return Caller{Server: name, Epoch: max(epoch, 1), Session: session}
}

// answered checks, when a reply is sent, that its caller was not replaced by a caller that was answered before.
func (w *world) answered(c Caller) {
	last, known := w.latest[c.Server]
	if known && (last.Epoch > c.Epoch || last.Epoch == c.Epoch && last.Session != c.Session) {
		w.t.Fatalf("%+v was answered after %+v", c, last)
	}
	w.latest[c.Server] = c
}

// step journals a step. Its effects, and done, happen once it is durable.
func (w *world) step(st Step, done func()) {
	w.logged = append(w.logged, st.Records...)
	need := 0
	if st.After > 0 {
		need = w.life + int(st.After)
	}
	w.pending = append(w.pending, pending{need, func() {
		for _, id := range st.Starts {
			w.started[id]++
			if w.tombs[id] {
				w.t.Fatalf("attempt %s was started after it was told FORGOTTEN", id)
			}
			w.running[id] = w.l.State(id).Server
		}
		if done != nil {
			done()
		}
	}})
	if rapid.Bool().Draw(w.t, "synced") {
		w.sync()
	}
	w.settle()
}

// sync makes all records durable and performs the waiting effects.
func (w *world) sync() {
	w.durable = len(w.logged)
	w.settle()
}

// settle performs, in order, the effects that need not wait any more.
func (w *world) settle() {
	for len(w.pending) > 0 && w.pending[0].need <= w.durable {
		next := w.pending[0]
		w.pending = w.pending[1:]
		next.done()
	}
}

func (w *world) boot() {
	w.l = New(Config{Slots: 4})
	for _, r := range w.logged {
		data, err := json.Marshal(r) // what is on disk is JSON
		var back Record
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		w.l.Replay(w.now, back)
	}
	w.life = len(w.logged)
	st, left := w.l.Boot(w.now)
	w.logged = append(w.logged, st.Records...)
	w.durable = len(w.logged)
	var again []Resumed
	for _, s := range left { // those whose start never took effect are lost
		switch {
		case w.started[s.Attempt] == 0:
			st := w.l.Ended(w.now, s.Attempt, Outcome{Kind: Lost}, false)
			w.logged = append(w.logged, st.Records...)
			w.durable = len(w.logged)
		case rapid.Bool().Draw(w.t, "resumed"):
			again = append(again, Resumed{Attempt: s.Attempt, Orphan: orphanTime})
		}
	}
	w.step(w.l.Resume(w.now, again), nil)
	for _, r := range again {
		if a := w.l.attempts[r.Attempt]; a.kill == nil && !w.l.leaseOf(a.session()).live(w.now.Mono) {
			w.t.Fatalf("attempt %s is taken up again without a lease", r.Attempt)
		}
	}
}

// crash loses some or all of the records that are not durable.
func (w *world) crash() {
	keep := rapid.IntRange(w.durable, len(w.logged)).Draw(w.t, "kept")
	w.logged, w.pending = w.logged[:keep], nil
	w.boot()
}

func (w *world) restart() {
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(w.t, "server")
	w.epochs[name] = max(w.epochs["a"], w.epochs["b"]) + 1
}

// compact replaces the journal by its snapshot, which must lead to the same state.
func (w *world) compact() {
	w.sync()
	w.logged = append([]Record(nil), w.l.Snapshot()...)
	again := New(Config{Slots: 4})
	for _, r := range w.logged {
		again.Replay(w.now, r)
	}
	if a, b := w.l.Snapshot(), again.Snapshot(); !reflect.DeepEqual(a, b) {
		w.t.Fatalf("a snapshot changes by being read:\n%+v\n%+v", a, b)
	}
	w.life, w.durable = len(w.logged)-int(w.l.last), len(w.logged)
}

func (w *world) pass() {
	x := time.Duration(rapid.IntRange(1, 30).Draw(w.t, "seconds")) * time.Second
	w.now.Mono += x
	w.now.Wall = w.now.Wall.Add(x)
	w.step(w.l.LeaseDue(w.now), nil)
}

// expect checks that exactly the stale callers are refused.
func (w *world) expect(c Caller, err error) bool {
	if stale, ok := errors.AsType[*StaleError](err); ok {
		if stale.Epoch < c.Epoch {
			w.t.Fatalf("epoch %d was refused for %d", c.Epoch, stale.Epoch)
		}
		return false
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return true
}

func (w *world) submit() {
	c := w.caller()
	ids := rapid.SliceOfN(anyRef(), 1, 3).Draw(w.t, "ids")
	var offers []Offer
	for _, id := range ids {
		offers = append(offers, Offer{Attempt: id, Handler: "h", Survives: true})
	}
	receipts, st, err := w.l.Submit(w.now, SubmitCall{Caller: c, Offers: offers})
	if !w.expect(c, err) {
		w.step(st, nil)
		return
	}
	w.step(st, func() {
		w.answered(c)
		for _, r := range receipts {
			if r.Code == ReceiptStarted && w.started[r.Attempt] != 1 &&
				w.l.State(r.Attempt).Outcome == nil {
				w.t.Fatalf("attempt %s answered STARTED and was started %d times", r.Attempt, w.started[r.Attempt])
			}
			if r.Code == ReceiptForgotten {
				w.tombs[r.Attempt] = true
			}
		}
	})
}

func (w *world) attach() {
	c := w.caller()
	ids := rapid.SliceOfNDistinct(anyRef(), 0, 4, rapid.ID[Ref]).Draw(w.t, "ids")
	reply, st, err := w.l.Attach(w.now, AttachCall{Caller: c, Attempts: ids, OrphanTimeout: orphanTime})
	if !w.expect(c, err) {
		w.step(st, nil)
		return
	}
	w.step(st, func() {
		w.answered(c)
		for _, r := range reply.Attempts {
			if r.State == AttemptForgotten {
				w.tombs[r.Attempt] = true
			}
			if r.Outcome != nil {
				w.reported(r.Attempt, r.Outcome.Kind)
			}
		}
	})
}

func (w *world) kill() {
	c, id := w.caller(), w.id()
	statuses, st, err := w.l.Kill(w.now, c, []KillRequest{{Attempt: id}})
	if !w.expect(c, err) {
		w.step(st, nil)
		return
	}
	w.step(st, func() {
		w.answered(c)
		if statuses[0].Code == KillForgotten {
			w.tombs[id] = true
		}
	})
}

func (w *world) poll() {
	c := w.caller()
	call := PollCall{Caller: c, OrphanTimeout: orphanTime, LastAnswer: w.l.server(c.Server).lease.issued}
	if rapid.Bool().Draw(w.t, "acks") {
		id := w.id()
		if a := w.l.attempts[id]; a != nil && a.reportedSeq > 0 {
			call.Acks = []Ack{{id, a.reportedSeq}}
		}
	}
	if rapid.IntRange(0, 4).Draw(w.t, "releases") == 0 {
		id := w.id()
		if _, known := w.outcomes[id]; known {
			call.Releases = []Ref{id}
		}
	}
	st, err := w.l.Poll(w.now, call)
	if !w.expect(c, err) {
		w.step(st, nil)
		return
	}
	w.step(st, nil)
	a, st, err := w.l.Answer(w.now, c, call.LastAnswer, 3)
	if !w.expect(c, err) {
		w.step(st, nil)
		return
	}
	w.step(st, func() {
		w.answered(c)
		for _, e := range a.Events {
			if e.Kind == EventEnded {
				w.reported(e.Attempt, e.Outcome.Kind)
			}
		}
	})
}

// reported checks that an outcome never changes once it was reported.
func (w *world) reported(id Ref, kind OutcomeKind) {
	if before, known := w.outcomes[id]; known && before != kind {
		w.t.Fatalf("attempt %s was told as %v, and now as %v", id, before, kind)
	}
	w.outcomes[id] = kind
}

func (w *world) end() {
	id := w.id()
	if w.started[id] == 0 {
		return
	}
	kind := rapid.SampledFrom([]OutcomeKind{
		Success, Failure, Killed,
	}).Draw(w.t, "kind")
	w.step(w.l.Ended(w.now, id, Outcome{Kind: kind}, false), nil)
}

// check checks the invariants after each step.
func (w *world) check() {
	for id, n := range w.started {
		if n > 1 {
			w.t.Fatalf("attempt %s was started %d times", id, n)
		}
	}
	runs, exposed := 0, map[string]int{}
	for id, a := range w.l.attempts {
		if a.outcome == nil {
			runs++
			if a.kill == nil {
				exposed[a.session()]++
				if x := w.l.leaseOf(a.session()); !x.live(w.now.Mono) && x.open {
					w.t.Fatalf("attempt %s goes on without a lease", id)
				}
			}
		}
		if w.l.tombs.has(id) {
			w.t.Fatalf("attempt %s is known and has a tombstone", id)
		}
	}
	if runs != w.l.running || runs > 4 {
		w.t.Fatalf("%d run, %d are counted", runs, w.l.running)
	}
	for session, x := range w.l.leases {
		if x.exposed != exposed[session] {
			w.t.Fatalf("session %s has %d exposed attempts, %d are counted", session, exposed[session], x.exposed)
		}
	}
}
