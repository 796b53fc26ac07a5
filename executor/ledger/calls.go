package ledger

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/rprp/hivego/executor/internal/message"
)

// The contract's limits of one call.
const (
	MaxAssignments = 500
	MaxEvents      = 1000
	maxNames       = 100_000 // ids of one attach, kill or release
)

// Caller is the server that makes a call.
type Caller struct {
	Server  string
	Epoch   int64
	Session string // drawn at random together with Epoch, at most MaxSession bytes
}

// MaxSession is the length of the longest session of a caller, in bytes.
const MaxSession = 64

// StaleError refuses a call, because a later session of the same server, or of a server that took over its attempts,
// has called before.
type StaleError struct{ Epoch int64 }

// Error implements error.
func (e *StaleError) Error() string {
	return fmt.Sprintf("another session of a server was here with epoch %d: this one has been replaced", e.Epoch)
}

// BadCallError refuses a call that cannot be read. Repeating it does not help.
type BadCallError struct{ Message string }

// Error implements error.
func (e *BadCallError) Error() string { return e.Message }

// admit checks the caller and stores its epoch. It first kills the attempts whose lease has passed, so that no call can
// extend their lease.
func (l *Ledger) admit(st *Step, now Now, c Caller) (*server, error) {
	if c.Server == "" || c.Epoch <= 0 {
		return nil, &BadCallError{"the caller names no serverId or no epoch"}
	}
	if len(c.Session) > MaxSession || !utf8.ValidString(c.Session) { // the journal would give another text back
		return nil, &BadCallError{fmt.Sprintf("the caller's session is not a text of at most %d bytes", MaxSession)}
	}
	l.turnTombs(st, now)
	l.killExpired(st, now)
	s := l.server(c.Server)
	if s.latest.outranks(c) {
		return nil, &StaleError{s.latest.Epoch}
	}
	if s.latest.Caller != c || s.latest.guessed {
		s.lsn = l.log(st, now, Record{Kind: recordServer, Server: c.Server, Epoch: c.Epoch, Session: &c.Session})
	}
	st.need(s.lsn)
	return s, nil
}

func (l *Ledger) turnTombs(st *Step, now Now) {
	if l.tombs.due == 0 {
		l.tombs.due = now.Mono + TombstoneAge
	}
	if now.Mono >= l.tombs.due {
		l.log(st, now, Record{Kind: recordTurn, At: now.Millis()})
	}
}

// SubmitCall is a call of submit.
type SubmitCall struct {
	Caller     Caller
	Offers     []Offer
	LastAnswer int64 // 0: not said, and not checked
}

// Offer is an attempt of a submit, with the fields that the ledger needs.
type Offer struct {
	Attempt  Ref
	Handler  string
	About    About
	Survives bool
	// Refusal says why it can never run here: unknown handler, unfit params. It counts only for an unknown attempt.
	Refusal message.Text
}

// Receipt answers one offer.
type Receipt struct {
	Attempt Ref
	Code    ReceiptCode
	Why     message.Text // for people
}

// Submit accepts attempts. Receipts come in the order of the offers; Step.Starts has those to be started.
func (l *Ledger) Submit(now Now, c SubmitCall) ([]Receipt, Step, error) {
	var st Step
	if len(c.Offers) > MaxAssignments {
		return nil, st, &BadCallError{fmt.Sprintf("%d assignments in one call; at most %d", len(c.Offers),
			MaxAssignments)}
	}
	for _, o := range c.Offers {
		if o.Attempt.ID <= 0 {
			return nil, st, &BadCallError{"an assignment without attemptId"}
		}
		if !validKey(o.Attempt.Key) {
			return nil, st, errBadKey()
		}
	}
	s, err := l.admit(&st, now, c.Caller)
	if err != nil {
		return nil, st, err
	}
	leased := s.lease.live(now.Mono)
	if c.LastAnswer > 0 {
		leased = s.lease.confirm(c.LastAnswer, now.Mono)
	}
	out := make([]Receipt, 0, len(c.Offers))
	for _, o := range c.Offers {
		r := Receipt{Attempt: o.Attempt}
		r.Code, r.Why = l.submit(&st, now, c.Caller, o, leased)
		out = append(out, r)
	}
	return out, st, nil
}

// errBadKey refuses a call with an invalid key. No server makes such keys, so the caller has a bug.
func errBadKey() error {
	return &BadCallError{fmt.Sprintf("the key of an attempt has letters, digits, _ and -, and at most %d of them",
		MaxKey)}
}

const noLease = "no live lease: attach or poll first"

func (l *Ledger) submit(st *Step, now Now, c Caller, o Offer, leased bool) (ReceiptCode, message.Text) {
	if a := l.attempts[o.Attempt]; a != nil {
		if a.owner.outranks(c) {
			return ReceiptStale, message.Plain("a later server owns this attempt")
		}
		if a.owner.Server != c.Server && !leased { // it would go on without a lease, or be killed for nothing
			return ReceiptBusy, message.Plain(noLease)
		}
		l.transfer(st, now, a, c)
		st.need(a.lsn)
		return ReceiptStarted, message.Text{}
	}
	switch {
	case l.tombs.has(o.Attempt):
		st.need(l.tombs.lsn) // it may have been declined just now, and is relied on from here
		return ReceiptForgotten, message.Plain("this attempt was asked for, or released, before it was submitted")
	case o.Refusal.Words != "":
		return ReceiptRefused, o.Refusal
	case l.draining:
		l.decline(st, now, o.Attempt)
		return ReceiptDraining, message.Plain("the executor is about to stop")
	case l.full.Words != "":
		l.decline(st, now, o.Attempt)
		return ReceiptBusy, l.full
	case l.running >= l.cfg.Slots:
		l.decline(st, now, o.Attempt)
		return ReceiptBusy, message.New(message.ExecutorSlots, "all ‹slots› slots are taken", "slots", l.cfg.Slots)
	case !leased:
		l.decline(st, now, o.Attempt)
		return ReceiptBusy, message.Plain(noLease)
	}
	n := l.log(st, now, Record{
		Kind: recordAccept, Attempt: o.Attempt.ID, Key: o.Attempt.Key, Handler: o.Handler, Survives: o.Survives,
		Server: c.Server, Epoch: c.Epoch, Session: &c.Session, At: now.Millis(),
		Batch: o.About.Batch, Schedule: o.About.Schedule, Task: o.About.Task,
	})
	l.attempts[o.Attempt].lsn = n
	st.need(n)
	st.Starts = append(st.Starts, o.Attempt)
	return ReceiptStarted, message.Text{}
}

// decline makes a tombstone for an attempt that is answered BUSY or DRAINING, so that a delayed copy of the call
// cannot start it after the server has given the task to another executor. Nothing relies on the tombstone, so no
// reply waits for it.
func (l *Ledger) decline(st *Step, now Now, attempt Ref) {
	l.tombs.lsn = l.log(st, now, Record{Kind: recordTomb, Attempt: attempt.ID, Key: attempt.Key})
}

// transfer makes the caller the owner of an attempt that it names, if it is not already.
func (l *Ledger) transfer(st *Step, now Now, a *attempt, c Caller) {
	if a.owner.Caller == c && !a.owner.guessed {
		return
	}
	former := l.Lease(a.session())
	a.lsn = l.log(st, now, Record{
		Kind: recordTransfer, Attempt: a.ref.ID, Key: a.ref.Key, Server: c.Server, Epoch: c.Epoch, Session: &c.Session,
	})
	a.reportedSeq, a.reportedIn = 0, 0
	if a.pendingSeq() != 0 { // the former owner got it; a waiting poll of the new one has to report it again
		st.Wakes = append(st.Wakes, c.Server)
	}
	if a.outcome != nil {
		return
	}
	if a.kill == nil {
		l.leaseOf(c.LeaseName()).cap(former.Deadline)
	}
	st.Moves = append(st.Moves, Move{Attempt: a.ref, Lease: c.LeaseName()})
}

// AttachCall is a call of attach.
type AttachCall struct {
	Caller        Caller
	Attempts      []Ref
	OrphanTimeout time.Duration // negative: not said
}

// Report is the state of one attempt.
type Report struct {
	Attempt   Ref
	State     AttemptState
	StartedAt int64
	Outcome   *Outcome // with ENDED and LOST
	Handler   string   // this and About: only of an attempt that the caller did not name
	About     About
}

// AttachReply has a report for each attempt that the call named, in that order, and the attempts that it did not name.
type AttachReply struct{ Attempts, Others []Report }

// Attach makes the caller the owner of the attempts that it names; unknown ones become tombstones.
func (l *Ledger) Attach(now Now, c AttachCall) (AttachReply, Step, error) {
	var st Step
	var out AttachReply
	if len(c.Attempts) > maxNames {
		return out, st, &BadCallError{fmt.Sprintf("%d attempts in one call; at most %d", len(c.Attempts), maxNames)}
	}
	for _, r := range c.Attempts {
		if !validKey(r.Key) {
			return out, st, errBadKey()
		}
		if a := l.attempts[r]; a != nil && a.owner.outranks(c.Caller) {
			return out, st, &StaleError{a.owner.Epoch}
		}
	}
	s, err := l.admit(&st, now, c.Caller)
	if err != nil {
		return out, st, err
	}
	s.lease.setTimeout(c.OrphanTimeout, l.cfg.OrphanTimeout)
	s.lease.grant(now.Mono)
	named := make(map[Ref]bool, len(c.Attempts))
	for _, r := range c.Attempts {
		named[r] = true
		a := l.attempts[r]
		if a == nil {
			l.ensureTombstone(&st, now, r)
			out.Attempts = append(out.Attempts, Report{Attempt: r, State: AttemptForgotten})
			continue
		}
		l.transfer(&st, now, a, c.Caller)
		st.need(a.lsn)
		out.Attempts = append(out.Attempts, a.report())
	}
	for _, a := range l.sorted() {
		if a.owner.Server == c.Caller.Server && !named[a.ref] && !a.owner.outranks(c.Caller) {
			st.need(a.lsn)
			r := a.report()
			r.Handler, r.About = a.handler, a.about
			out.Others = append(out.Others, r)
		}
	}
	return out, st, nil
}

// ensureTombstone gives an unknown attempt a tombstone. The reply waits for it, also when an earlier step made it.
func (l *Ledger) ensureTombstone(st *Step, now Now, attempt Ref) {
	if !l.tombs.has(attempt) {
		l.tombs.lsn = l.log(st, now, Record{Kind: recordTomb, Attempt: attempt.ID, Key: attempt.Key})
	}
	st.need(l.tombs.lsn)
}

// report makes the report of an attempt, without its outputs: the outputs of thousands of attempts would not fit into a
// frame.
func (a *attempt) report() Report {
	r := Report{Attempt: a.ref, State: AttemptRunning, StartedAt: a.started}
	if a.outcome != nil {
		o := *a.outcome
		o.Outputs = nil
		r.Outcome = &o
		r.State = AttemptEnded
		if a.outcome.Kind == Lost {
			r.State = AttemptLost
		}
	}
	return r
}

// KillRequest is one order of a kill call.
type KillRequest struct {
	Attempt Ref
	Grace   time.Duration
	Reason  string
}

// KillStatus answers one order.
type KillStatus struct {
	Attempt Ref
	Code    KillCode
}

// Kill kills attempts. Only the first order for an attempt takes effect; later ones get the same answer.
func (l *Ledger) Kill(now Now, c Caller, orders []KillRequest) ([]KillStatus, Step, error) {
	var st Step
	if len(orders) > maxNames {
		return nil, st, &BadCallError{fmt.Sprintf("%d orders in one call; at most %d", len(orders), maxNames)}
	}
	for _, o := range orders {
		if !validKey(o.Attempt.Key) {
			return nil, st, errBadKey()
		}
	}
	if _, err := l.admit(&st, now, c); err != nil {
		return nil, st, err
	}
	out := make([]KillStatus, 0, len(orders))
	for _, o := range orders {
		out = append(out, KillStatus{o.Attempt, l.kill(&st, now, c, o)})
	}
	return out, st, nil
}

func (l *Ledger) kill(st *Step, now Now, c Caller, o KillRequest) KillCode {
	a := l.attempts[o.Attempt]
	switch {
	case a == nil:
		l.ensureTombstone(st, now, o.Attempt)
		return KillForgotten
	case a.owner.outranks(c):
		return KillStale
	case a.outcome != nil:
		st.need(a.lsn)
		return KillEnded
	}
	l.killRunning(st, now, a, KillOrder{Grace: max(o.Grace, 0), Reason: o.Reason})
	return KillKilling
}

// killRunning kills an attempt that has not ended. If it is being killed already, the earlier order counts.
func (l *Ledger) killRunning(st *Step, now Now, a *attempt, order KillOrder) {
	if a.kill == nil {
		a.lsn = l.log(st, now, Record{Kind: recordKill, Attempt: a.ref.ID, Key: a.ref.Key, Kill: &order})
	}
	st.need(a.lsn)
	st.Kills = append(st.Kills, a.kill.For(a.ref))
}

// Abandon kills an attempt for which no caller will ask again, and releases it if it has ended. No session has to ask
// for that, because the one that started the attempt may have been replaced.
func (l *Ledger) Abandon(now Now, attempt Ref, order KillOrder) Step {
	var st Step
	switch a := l.attempts[attempt]; {
	case a == nil:
	case a.outcome == nil:
		l.killRunning(&st, now, a, order)
	default:
		l.release(&st, now, attempt)
	}
	return st
}
