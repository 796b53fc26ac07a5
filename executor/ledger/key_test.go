package ledger

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// offer submits attempts by id and key.
func (d *driver) offer(c Caller, attempts ...Ref) []ReceiptCode {
	d.t.Helper()
	var offers []Offer
	for _, r := range attempts {
		offers = append(offers,
			Offer{Attempt: r, Handler: "h", Survives: true, About: About{Batch: 9, Schedule: "nightly", Task: "load"}})
	}
	receipts, st, err := d.l.Submit(d.now, SubmitCall{Caller: c, Offers: offers})
	d.keep(st)
	if err != nil {
		d.t.Fatal(err)
	}
	var codes []ReceiptCode
	for i, r := range receipts {
		if r.Attempt != attempts[i] {
			d.t.Fatalf("the receipt for %s is for %s", attempts[i], r.Attempt)
		}
		codes = append(codes, r.Code)
	}
	return codes
}

// No call about the same id with another key affects the attempt.
func TestTheSameIDWithAnotherKeyIsAnotherAttempt(t *testing.T) {
	t.Parallel()
	a, b, none := Ref{7, "a"}, Ref{7, "b"}, Ref{7, ""}
	d := newDriver(t, 4)
	d.attach(alice())
	d.want(d.offer(alice(), a, b), started, started)
	statuses, st, err := d.l.Kill(d.now, alice(), []KillRequest{{Attempt: none}})
	d.keep(st)
	if err != nil || statuses[0] != (KillStatus{none, KillForgotten}) || len(st.Kills) != 0 {
		t.Fatalf("%+v %+v %v", statuses, st, err)
	}
	d.want(d.offer(alice(), none), forgotten)
	d.keep(d.l.Ended(d.now, a, Outcome{Kind: Failure}, false))
	if d.l.State(b).Outcome != nil || d.l.State(a).Outcome == nil || d.l.Load().Running != 1 {
		t.Fatalf("%+v %+v", d.l.State(a), d.l.State(b))
	}
	events := d.poll(PollCall{Caller: alice()})
	if len(events.Events) != 1 || events.Events[0].Attempt != a {
		t.Fatalf("%+v", events)
	}
	seq := events.Events[0].Seq
	last := d.poll(PollCall{
		Caller: alice(), LastAnswer: events.Number, Acks: []Ack{{b, seq}, {none, seq}},
		Releases: []Ref{b, none},
	})
	if len(last.Events) != 1 || len(d.l.Known()) != 2 {
		t.Fatalf("%+v %v", last, d.l.Known())
	}
	d.poll(PollCall{Caller: alice(), LastAnswer: last.Number, Acks: []Ack{{a, seq}}, Releases: []Ref{a}})
	for range 2 { // also after a restart
		reply := d.name(alice(), a, Ref{7, "c"})
		if reply.Attempts[0] != (Report{Attempt: a, State: AttemptForgotten}) ||
			reply.Attempts[1] != (Report{Attempt: Ref{7, "c"}, State: AttemptForgotten}) {
			t.Fatalf("%+v", reply.Attempts)
		}
		want := Report{
			Attempt: b, State: AttemptRunning, StartedAt: d.now.Millis(), Handler: "h",
			About: About{Batch: 9, Schedule: "nightly", Task: "load"},
		}
		if len(reply.Others) != 1 || reply.Others[0] != want {
			t.Fatalf("%+v", reply.Others)
		}
		d.want(d.offer(alice(), a, Ref{7, "c"}, b), forgotten, forgotten, started)
		d.reboot()
	}
}

func TestBadKeysAndSessionsAreBadCalls(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", MaxKey+1)
	d := newDriver(t, 4)
	d.attach(alice())
	for _, key := range []string{long, "a/b", "..", "a.b", "a b", "ü", "\x00"} {
		r := Ref{1, key}
		_, submitted, err1 := d.l.Submit(d.now,
			SubmitCall{Caller: alice(), Offers: []Offer{{Attempt: Ref{2, "fine"}}, {Attempt: r}}})
		_, attached, err2 := d.l.Attach(d.now, AttachCall{Caller: alice(), Attempts: []Ref{r}})
		_, killed, err3 := d.l.Kill(d.now, alice(), []KillRequest{{Attempt: r}})
		for call, err := range map[string]error{"submit": err1, "attach": err2, "kill": err3} {
			if !isBad(err) {
				t.Errorf("%s of key %q: %v", call, key, err)
			}
		}
		if len(submitted.Records)+len(attached.Records)+len(killed.Records) > 0 {
			t.Errorf("key %q leaves something in the journal", key)
		}
	}
	d.want(d.offer(alice(), Ref{1, long[1:]}, Ref{1, "-_aZ09"}, Ref{1, ""}), started, started, started)
	c := alice2()
	for _, session := range []string{strings.Repeat("s", MaxSession+1), "\xff"} {
		c.Session = session
		if _, err := d.l.Poll(d.now, PollCall{Caller: c}); !isBad(err) {
			t.Errorf("session %q: %v", session, err)
		}
	}
}

func isBad(err error) bool {
	_, bad := errors.AsType[*BadCallError](err)
	return bad
}

// A session has been replaced if another one has its epoch, or a later one.
func TestSessionsOfOneEpoch(t *testing.T) {
	t.Parallel()
	duplicate, older := alice(), alice()
	duplicate.Session, older.Epoch = "another", alice().Epoch-1
	for name, c := range map[string]struct {
		first, then Caller
		stale       bool
	}{
		"itself":            {alice(), alice(), false},
		"a twin":            {alice(), duplicate, true},
		"a twin, none said": {alice(), Caller{Server: "alice", Epoch: 5}, true},
		"none said, a twin": {Caller{Server: "alice", Epoch: 5}, alice(), true},
		"none said, twice":  {Caller{Server: "alice", Epoch: 5}, Caller{Server: "alice", Epoch: 5}, false},
		"an earlier one":    {alice(), older, true},
		"a later one":       {alice(), alice2(), false},
		"another server":    {alice(), Caller{Server: "carol", Epoch: 1, Session: "of-1"}, false},
	} {
		for _, restart := range []string{"", "restart", "compaction"} {
			t.Run(name+" "+restart, func(t *testing.T) {
				t.Parallel()
				d := newDriver(t, 4)
				d.attach(c.first)
				switch restart {
				case "compaction":
					d.journal = d.l.Snapshot()
					fallthrough
				case "restart":
					d.reboot()
				}
				_, st, err := d.l.Attach(d.now, AttachCall{Caller: c.then})
				d.keep(st)
				stale, refused := errors.AsType[*StaleError](err)
				if refused != c.stale || err != nil && !refused || refused && stale.Epoch != c.first.Epoch {
					t.Fatalf("%v", err)
				}
			})
		}
	}
}

// An attempt stores the session that had it last, which may be of any server.
func TestSessionsOfAttempts(t *testing.T) {
	t.Parallel()
	carol := Caller{Server: "carol", Epoch: 7, Session: "of-another-7"} // the same epoch as bob's
	d := newDriver(t, 4)
	d.attach(alice())
	d.submit(alice(), 1)
	d.attach(bob(), 1)
	d.attach(carol)
	d.reboot()
	d.journal = d.l.Snapshot()
	d.reboot()
	for _, c := range []Caller{alice(), carol} {
		d.want(d.submit(c, 1), stale)
		statuses, _, err := d.l.Kill(d.now, c, []KillRequest{{Attempt: at(1)}})
		if err != nil || statuses[0].Code != KillStale {
			t.Fatalf("%+v %v", statuses, err)
		}
		if _, _, err := d.l.Attach(d.now, AttachCall{Caller: c, Attempts: refs(1)}); err == nil {
			t.Fatalf("%+v attached what a later session has", c)
		}
	}
	d.attach(bob())
	d.want(d.submit(bob(), 1), started)
}

// earlierJournal is a journal of a version without keys and sessions: attempt 1 runs, 2 has ended, 3 is a tombstone.
const earlierJournal = `{"k":"cluster","c":"c","t":1800000000000}
{"k":"boot","t":1800000000000}
{"k":"server","s":"alice","e":5}
{"k":"accept","a":1,"s":"alice","e":5,"h":"shell","v":true,"t":1800000000000}
{"k":"accept","a":2,"s":"alice","e":5,"h":"shell","v":true,"t":1800000000000}
{"k":"end","a":2,"n":2,"o":{"kind":"SUCCESS"}}
{"k":"tomb","a":3}
{"k":"tombs","a":4096,"i":"AQ=="}`

func fromEarlier(t *testing.T) *driver {
	t.Helper()
	d := &driver{t: t, slots: 9, now: Now{Mono: time.Hour, Wall: time.UnixMilli(1_800_000_000_000)}}
	for line := range strings.Lines(earlierJournal) {
		var r Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		d.journal = append(d.journal, r)
	}
	if left := d.reboot(); len(left) != 1 || left[0].Attempt != (Ref{ID: 1}) {
		t.Fatalf("survivors %+v", left)
	}
	return d
}

func TestJournalsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	d := fromEarlier(t)
	if known := d.l.Known(); !reflect.DeepEqual(known, []Ref{{ID: 1}, {ID: 2}}) {
		t.Fatalf("known %v", known)
	}
	reply := d.attach(alice())
	if len(reply.Others) != 2 {
		t.Fatal("nothing is there of the former version")
	}
	d.want(d.offer(alice(), Ref{1, ""}, Ref{2, ""}, Ref{3, ""}, Ref{4096, ""}), started, started, forgotten, forgotten)
	d.want(d.offer(alice(), Ref{1, "new"}, Ref{2, "new"}, Ref{3, "new"}, Ref{4096, "new"}), started, started, started,
		started)
}

// The server of such an executor continues with it, with or without a session in its calls. From then on only that
// session is accepted.
func TestTheFirstSessionAfterAnUpgradeIsAccepted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Caller{"with a session": alice(), "without": {Server: "alice", Epoch: 5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fromEarlier(t)
			d.journal = d.l.Snapshot() // what was not said stays unsaid
			d.reboot()
			a := d.poll(PollCall{Caller: c, OrphanTimeout: time.Hour})
			d.want(d.offer(c, Ref{ID: 1}, Ref{ID: 2}), started, started)
			if len(a.Events) != 1 || a.Events[0].Attempt != (Ref{ID: 2}) {
				t.Fatalf("%+v", a)
			}
			duplicate := c
			duplicate.Session = "another"
			for range 2 {
				for _, late := range []Caller{duplicate, {Server: "alice", Epoch: 4}} {
					_, st, err := d.l.Attach(d.now, AttachCall{Caller: late})
					d.keep(st)
					if stale, ok := errors.AsType[*StaleError](err); !ok || stale.Epoch != 5 {
						t.Fatalf("%+v: %v", late, err)
					}
				}
				d.reboot()
			}
			carol := Caller{Server: "carol", Epoch: 5, Session: "carol's"} // too late to be taken for it
			if _, _, err := d.l.Attach(d.now, AttachCall{Caller: carol, Attempts: []Ref{{ID: 1}}}); err == nil {
				t.Fatal("another server has got the attempt")
			}
			if _, _, err := d.l.Attach(d.now, AttachCall{Caller: c, Attempts: []Ref{{ID: 1}}}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Tombstones behave like a map, also after compaction.
func TestTombstonesAreASet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		attempt := rapid.Custom(func(t *rapid.T) Ref {
			return Ref{
				ID: rapid.SampledFrom([]int64{-1, 0, 1, 7, blockIDs - 1, blockIDs, 3 * blockIDs, 1 << 62}).Draw(t,
					"id"),
				Key: rapid.SampledFrom([]string{"", "a", "b", "ab", "-"}).Draw(t, "key"),
			}
		})
		now := Now{Mono: time.Hour, Wall: time.UnixMilli(1_800_000_000_000)}
		l := New(Config{})
		l.Boot(now)
		want := map[Ref]bool{}
		for _, r := range rapid.SliceOfN(attempt, 0, 30).Draw(t, "buried") {
			l.Replay(now, Record{Kind: recordTomb, Attempt: r.ID, Key: r.Key})
			want[r] = true
		}
		if rapid.Bool().Draw(t, "turned") {
			l.Replay(now, Record{Kind: recordTurn, At: now.Millis()})
		}
		again := New(Config{})
		for _, r := range l.Snapshot() {
			again.Replay(now, r)
		}
		for range 2 {
			r := attempt.Draw(t, "asked")
			if l.tombs.has(r) != want[r] || again.tombs.has(r) != want[r] {
				t.Fatalf("%v: %t, after compaction %t, want %t", r, l.tombs.has(r), again.tombs.has(r), want[r])
			}
		}
	})
}

func TestNamesOfAttempts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Ref{
		"7": {7, ""}, "7-k3V": {7, "k3V"}, "7--": {7, "-"},
		"12-a-b_": {12, "a-b_"},
	} {
		if got, ok := ParseRef(text); !ok || got != want || want.String() != text {
			t.Errorf("%s: %v %t, and back %s", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "-", "-7", "7-", "07", "+7", "7-a/b", "7-" + strings.Repeat("k", MaxKey+1),
		"lost+found", "0", "7.a",
	} {
		if got, ok := ParseRef(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
