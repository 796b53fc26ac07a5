package ledger

import (
	"math"
	"sort"
	"strconv"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
)

// lease limits how long the attempts of one session of a server may run. It counts from the moment at which the last
// answer was sent that the session is known to have received. A later session of the same server has its own lease:
// attempts that it does not name in an attach may belong to another server by now, so its answers must not extend
// theirs.
type lease struct {
	session string
	proven  bool          // base is that of an answer which the session received
	limit   time.Duration // until then, no later than this: what was taken over had no longer; 0: none
	exposed int           // attempts that run and are not being killed: those that a passed lease would kill
	open    bool          // some base is known in this life
	base    time.Duration // monotonic
	fixed   time.Duration // the deadline of a former life, until an answer of this life is confirmed; 0: none
	orphan  time.Duration // 0: for ever
	named   bool          // the server named orphan itself
	issued  int64         // number of the latest answer
	sent    []sentAnswer  // when answers were sent, thinned, oldest first
}

type sentAnswer struct {
	number int64
	at     time.Duration
}

// leaseMarks bounds the remembered answers: an answer within 1/leaseMarks of the timeout counts as sent with the one
// remembered before it, which errs on the early, safe side.
const leaseMarks = 1024

const forever = time.Duration(math.MaxInt64)

// deadline returns the moment after which no attempt of the session may run. A lease that was never opened has passed.
func (x *lease) deadline() time.Duration {
	at := x.base + x.orphan
	switch {
	case !x.open:
		return 0
	case x.fixed != 0:
		at = x.fixed
	case x.orphan == 0:
		return forever
	}
	if x.limit != 0 {
		at = min(at, x.limit)
	}
	return at
}

func (x *lease) live(now time.Duration) bool { return x.open && now < x.deadline() }

// setTimeout sets the timeout that the server names; a negative timeout means that it names none.
func (x *lease) setTimeout(orphan, fallback time.Duration) {
	if orphan >= 0 {
		x.orphan, x.named = orphan, true
	} else if !x.named {
		x.orphan = fallback
	}
}

// grant opens the lease at a call that shows that the server is alive, if no lease is open. Attempts of an earlier
// lease that has passed must have been killed before: the call may be delayed, so it extends nothing.
func (x *lease) grant(now time.Duration) {
	if !x.live(now) {
		x.open, x.base, x.fixed, x.proven, x.limit = true, now, 0, false, 0
	}
}

// cap limits the lease to the lease that a taken-over attempt had before, so that the takeover itself does not extend
// it: the call that took it over may be delayed, and its sender may count from an earlier moment. The limit ends with
// the first answer that is known to have been received.
func (x *lease) cap(former time.Duration) {
	if !x.proven && former != forever && (x.limit == 0 || former < x.limit) {
		x.limit = former
	}
}

// mark remembers that answer number n is sent at now.
func (x *lease) mark(n int64, now time.Duration) {
	x.issued = n
	if k := len(x.sent); k > 0 && now-x.sent[k-1].at < x.orphan/leaseMarks {
		return
	}
	if x.orphan > 0 {
		old := sort.Search(len(x.sent), func(i int) bool { return x.sent[i].at > now-x.orphan })
		x.sent = x.sent[max(0, old-1):]
	}
	if len(x.sent) >= 2*leaseMarks {
		x.sent = append([]sentAnswer(nil), x.sent[leaseMarks:]...)
	}
	x.sent = append(x.sent, sentAnswer{n, now})
}

// confirm extends the lease to answer number n, which the server has received. It reports whether that answer is recent
// enough to carry a lease at now.
func (x *lease) confirm(n int64, now time.Duration) bool {
	if n <= 0 || n > x.issued {
		return false
	}
	i := sort.Search(len(x.sent), func(i int) bool { return x.sent[i].number > n })
	if i == 0 {
		return false
	}
	at := x.sent[i-1].at
	if x.orphan != 0 && now >= at+x.orphan {
		return false
	}
	if !x.open || x.fixed != 0 || !x.proven || at > x.base {
		x.open, x.base, x.fixed, x.proven, x.limit = true, at, 0, true, 0
	}
	return true
}

// Lease is until when the attempts of one session may run.
type Lease struct {
	Name     string        // as Caller.LeaseName says it
	Deadline time.Duration // monotonic, as Now.Mono
	Forever  bool
}

// LeaseName names the lease of the caller: one server with one epoch. Of the sessions with the same epoch, only one is
// ever admitted.
func (c Caller) LeaseName() string { return c.Server + "@" + strconv.FormatInt(c.Epoch, 10) }

// Lease returns the lease of one session. An unknown session, or one without a running attempt, has a deadline of 0.
func (l *Ledger) Lease(session string) Lease {
	x := l.leases[session]
	if x == nil {
		return Lease{Name: session}
	}
	d := x.deadline()
	return Lease{Name: session, Deadline: d, Forever: d == forever}
}

// HasLease reports whether a session is the latest of its server, or has an attempt that its lease limits.
func (l *Ledger) HasLease(session string) bool { return l.leases[session] != nil }

// leaseOf finds or makes the lease of a session.
func (l *Ledger) leaseOf(session string) *lease {
	x := l.leases[session]
	if x == nil {
		x = &lease{session: session}
		l.leases[session] = x
	}
	return x
}

// session returns the name of the lease that limits an attempt.
func (a *attempt) session() string { return a.owner.LeaseName() }

// countExposed counts an attempt in or out of the attempts that the end of its session's lease would kill.
func (l *Ledger) countExposed(a *attempt, by int) {
	if a.outcome != nil || a.kill != nil {
		return
	}
	x := l.leaseOf(a.session())
	x.exposed += by
	if x.exposed == 0 && l.server(a.owner.Server).lease != x {
		delete(l.leases, x.session) // of a former session
	}
}

// AdoptLease restores, after Boot, a lease that a supervisor has stored. It stays until the session confirms an
// answer of this process.
func (l *Ledger) AdoptLease(x Lease) {
	s := l.leaseOf(x.Name)
	s.open, s.orphan, s.fixed = true, l.cfg.OrphanTimeout, max(x.Deadline, 1)
	if x.Forever {
		s.fixed = forever
	}
}

// Resumed is an attempt that continues after Boot.
type Resumed struct {
	Attempt Ref
	Orphan  time.Duration // the timeout of its server's silence, as it was known when the attempt kept something
}

// Resume gives resumed attempts a new lease, before the first call, because their old lease is not stored anywhere.
// The work that they wait for went on without this process, so no lease could stop it. Their server may have been
// away for as long. It gets the time to call, and then says which attempts it has given away meanwhile. Everything
// else that runs under such a lease is killed before.
func (l *Ledger) Resume(now Now, list []Resumed) Step {
	var st Step
	again := make(map[Ref]bool, len(list))
	dead := map[*lease]bool{}
	for _, r := range list {
		a := l.attempts[r.Attempt]
		if a == nil || a.outcome != nil || a.kill != nil { // what is being killed needs no lease
			continue
		}
		again[a.ref] = true
		if x := l.leaseOf(a.session()); !x.live(now.Mono) {
			dead[x] = true
		}
	}
	for _, a := range l.sorted() {
		if a.outcome == nil && a.kill == nil && !again[a.ref] && dead[l.leaseOf(a.session())] {
			l.killOrphan(&st, now, a)
		}
	}
	for _, r := range list {
		a := l.attempts[r.Attempt]
		if !again[r.Attempt] || !dead[l.leaseOf(a.session())] {
			continue
		}
		x := l.leaseOf(a.session())
		x.grant(now.Mono)
		x.setTimeout(r.Orphan, l.cfg.OrphanTimeout)
	}
	return st
}

// Orphan returns how long an attempt goes on without a call of its server; 0: forever.
func (l *Ledger) Orphan(attempt Ref) time.Duration {
	if a := l.attempts[attempt]; a != nil {
		if x := l.leases[a.session()]; x != nil {
			return x.orphan
		}
	}
	return l.cfg.OrphanTimeout
}

// LeaseDue kills the attempts whose lease has passed. Call it at the moment that NextLease returns.
func (l *Ledger) LeaseDue(now Now) Step {
	var st Step
	l.killExpired(&st, now)
	return st
}

// killExpired orders the kill of all attempts whose session's lease has passed, once each.
func (l *Ledger) killExpired(st *Step, now Now) {
	passed := false
	for _, x := range l.leases {
		passed = passed || x.exposed > 0 && !x.live(now.Mono)
	}
	if !passed {
		return
	}
	for _, a := range l.sorted() {
		if a.outcome != nil || a.kill != nil || l.leaseOf(a.session()).live(now.Mono) {
			continue
		}
		l.killOrphan(st, now, a)
	}
}

// killOrphan orders the kill of an attempt whose lease has passed.
func (l *Ledger) killOrphan(st *Step, now Now, a *attempt) {
	order := KillOrder{
		Grace: leaseGrace, Lease: true, Reason: "its server was silent for longer than the orphan timeout",
	}
	a.lsn = l.log(st, now, Record{Kind: recordKill, Attempt: a.ref.ID, Key: a.ref.Key, Kill: &order})
	st.need(a.lsn)
	st.Kills = append(st.Kills, order.For(a.ref))
}

// KilledSilent returns the error of an attempt whose lease has passed.
func KilledSilent() message.Text {
	return message.New(message.KilledSilent, "killed: its server was silent for longer than the orphan timeout")
}

// For adapts the order to one attempt.
func (o *KillOrder) For(attempt Ref) Kill {
	return Kill{Attempt: attempt, Grace: o.Grace, Reason: o.Reason, Lease: o.Lease}
}

// leaseGrace is the time between SIGTERM and SIGKILL when a lease has passed; servers wait longer than that.
const leaseGrace = 5 * time.Second

// NextLease returns the monotonic moment at which LeaseDue must be called, and false if there is none.
func (l *Ledger) NextLease() (time.Duration, bool) {
	next := forever
	for _, x := range l.leases {
		if x.exposed > 0 {
			next = min(next, x.deadline())
		}
	}
	return next, next != forever
}
