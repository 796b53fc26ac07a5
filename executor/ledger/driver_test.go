package ledger

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

// driver drives a ledger in tests. It has a clock, and a journal that survives reboot.
type driver struct {
	t       testing.TB
	l       *Ledger
	now     Now
	slots   int
	journal []Record
	starts  []int64
	kills   []int64
}

func newDriver(t testing.TB, slots int) *driver {
	t.Helper()
	d := &driver{t: t, slots: slots, now: Now{Mono: time.Hour, Wall: time.UnixMilli(1_800_000_000_000)}}
	d.reboot()
	return d
}

// reboot makes a new ledger from the journal.
func (d *driver) reboot() []Survivor {
	d.t.Helper()
	d.l = New(Config{Slots: d.slots})
	for _, r := range d.journal {
		d.l.Replay(d.now, r)
	}
	st, left := d.l.Boot(d.now)
	d.keep(st)
	return left
}

func (d *driver) keep(st Step) {
	d.journal = append(d.journal, st.Records...)
	for _, r := range st.Starts {
		d.starts = append(d.starts, r.ID)
	}
	for _, k := range st.Kills {
		d.kills = append(d.kills, k.Attempt.ID)
	}
}

func (d *driver) pass(x time.Duration) {
	d.now.Mono += x
	d.now.Wall = d.now.Wall.Add(x)
}

func (d *driver) attach(c Caller, ids ...int64) AttachReply {
	d.t.Helper()
	return d.name(c, refs(ids...)...)
}

// name attaches attempts by id and key.
func (d *driver) name(c Caller, attempts ...Ref) AttachReply {
	d.t.Helper()
	reply, st, err := d.l.Attach(d.now, AttachCall{Caller: c, Attempts: attempts, OrphanTimeout: -1})
	d.keep(st)
	if err != nil {
		d.t.Fatal(err)
	}
	return reply
}

func (d *driver) submit(c Caller, ids ...int64) []ReceiptCode {
	d.t.Helper()
	var offers []Offer
	for _, id := range ids {
		offers = append(offers, Offer{Attempt: at(id), Handler: "h", Survives: true})
	}
	receipts, st, err := d.l.Submit(d.now, SubmitCall{Caller: c, Offers: offers})
	d.keep(st)
	if err != nil {
		d.t.Fatal(err)
	}
	var codes []ReceiptCode
	for _, r := range receipts {
		codes = append(codes, r.Code)
	}
	return codes
}

func (d *driver) poll(c PollCall) Answer {
	d.t.Helper()
	st, err := d.l.Poll(d.now, c)
	d.keep(st)
	if err != nil {
		d.t.Fatal(err)
	}
	a, st, err := d.l.Answer(d.now, c.Caller, c.LastAnswer, 0)
	d.keep(st)
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

func (d *driver) end(id int64, kind OutcomeKind) {
	d.keep(d.l.Ended(d.now, at(id), Outcome{Kind: kind}, false))
}

// want compares codes.
func (d *driver) want(got []ReceiptCode, want ...ReceiptCode) {
	d.t.Helper()
	if !slices.Equal(got, want) {
		d.t.Fatalf("receipts %v, want %v", got, want)
	}
}

// alice, bob and alice2 are the servers of these tests. alice2 is a later session of alice.
func alice() Caller  { return Caller{Server: "alice", Epoch: 5, Session: "of-5"} }
func alice2() Caller { return Caller{Server: "alice", Epoch: 8, Session: "of-8"} }
func bob() Caller    { return Caller{Server: "bob", Epoch: 7, Session: "of-7"} }

// at makes a reference from the number of a test attempt.
func at(id int64) Ref { return Ref{ID: id, Key: "key-" + strconv.FormatInt(id%3, 10)} }

func refs(ids ...int64) []Ref {
	var out []Ref
	for _, id := range ids {
		out = append(out, at(id))
	}
	return out
}
