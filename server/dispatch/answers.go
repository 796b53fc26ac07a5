package dispatch

import (
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Receipt is an executor's answer to one assignment.
type Receipt string

// The receipts of the contract.
const (
	ReceiptStarted   Receipt = "started"
	ReceiptBusy      Receipt = "busy"
	ReceiptDraining  Receipt = "draining"
	ReceiptRefused   Receipt = "refused"
	ReceiptStale     Receipt = "stale"
	ReceiptForgotten Receipt = "forgotten"
)

// ReceiptLine is the receipt of one attempt.
type ReceiptLine struct {
	Attempt hive.AttemptRef
	Receipt Receipt
	Words   string
}

// Report is what an executor says of an attempt at attach or kill.
type Report struct {
	Attempt hive.AttemptRef
	State   ReportState
	Words   string

	BatchID        int64 // this and the next: of attempts that were not asked about
	Schedule, Task string
}

// ReportState is one of running, ended, lost, forgotten, stale.
type ReportState string

// The states of a report.
const (
	ReportRunning   ReportState = "running"
	ReportEnded     ReportState = "ended"
	ReportLost      ReportState = "lost"
	ReportForgotten ReportState = "forgotten"
	ReportStale     ReportState = "stale"
)

// Answer is what came back from a Call. Err is set when nothing did, or an exception.
type Answer struct {
	Err      error
	Bad      bool // the executor could not read the call
	Boot     string
	Offset   time.Duration // server's clock minus the executor's, where it was measured
	Measured bool
	Draining bool
	Excuse   string // why it takes nothing new, if it says so
	HasLoad  bool
	Running  int // slots taken at the executor
	Receipts []ReceiptLine
	Reports  []Report
	Others   []Report
	Events   []hive.AttemptEvent // poll; times on the executor's clock
	Number   int64               // of a poll's answer

	Description *Description // describe, attach; also beside an error
	Unsent      bool         // run: nothing has left
	Expired     bool         // run: it took longer than the task may, and was broken off
	Denied      bool         // run: the executor does not take calls of this server
	Failed      bool         // run: the work ended in an error that is not of the contract
	Words       string       // run: with Bad and Failed
}

// Answered takes what became of a call.
func (f *Fleet) Answered(now time.Time, c Call, a Answer) {
	if c.Kind == CallRun { // whichever session made it
		f.ran(now, &c, &a)
		return
	}
	p := f.peers[c.Executor.ID]
	if p == nil || c.era != f.era {
		return
	}
	if c.Kind == CallPoll {
		p.polling = false
	} else {
		p.control = false
	}
	if a.Description != nil {
		f.renew(now, p, a.Description)
	}
	switch only := !p.exec.Durable; {
	case c.Kind == CallDescribe && a.Err == nil:
		f.described(now, p, a.Description)
		return
	case c.Kind == CallDescribe && only:
		f.undescribed(now, p, a.Err)
		return
	case c.Kind == CallDescribe || only:
		return // it has become another kind of executor meanwhile
	case a.Err != nil:
		f.unanswered(now, p, c, a)
		return
	}
	p.spoke(now)
	if a.HasLoad {
		p.draining, p.excuse = a.Draining, a.Excuse
	}
	switch c.Kind {
	case CallAttach:
		f.attachedTo(p, c, a)
	case CallSubmit:
		f.receipts(now, p, c, a)
	case CallKill:
		f.killsAnswered(p, a)
	case CallPoll:
		f.polled(now, p, c, a)
	}
	if a.HasLoad {
		p.foreign = max(a.Running-p.running(), 0)
	}
}

// unanswered: nothing is known of what the call did. Everything it carried is carried again, by the same ids.
func (f *Fleet) unanswered(now time.Time, p *peer, c Call, a Answer) {
	if c.Kind == CallSubmit {
		if a.Bad && len(c.Submit) == 1 {
			if h := p.held[c.Submit[0].Ref()]; h != nil && h.phase == submitted {
				f.end(p, h, hive.AttemptEvent{Kind: hive.EventRefused, Words: a.Err.Error()})
			}
			return
		}
		f.requeue(p, c.Submit, a.Err)
		if a.Bad { // one of them: find out which
			p.single = true
			return
		}
	}
	words, _ := troubleOf(a.Err)
	switch {
	case f.outrun(p, a.Err):
	case p.failures == 0 && !p.left():
		f.log.Warn("an executor does not answer", "executor", p.exec.Name, "call", c.Kind, "error", a.Err)
	}
	p.failed(now, words)
}

func (f *Fleet) requeue(p *peer, sent []hive.Assignment, why error) {
	again := make([]hive.AttemptRef, 0, len(sent)+len(p.queue))
	for i := range sent {
		h := p.held[sent[i].Ref()]
		if h == nil || h.phase != submitted {
			continue
		}
		again = append(again, h.ref)
		if !h.noted {
			h.noted = true
			f.tell(h, hive.AttemptEvent{
				Kind:  hive.EventNoted,
				Words: fmt.Sprintf("no receipt from %s: %v", p.exec.Name, why),
			})
		}
	}
	p.queue = append(again, p.queue...)
}

// attachedTo: the executor has said what became of what it was asked about.
func (f *Fleet) attachedTo(p *peer, c Call, a Answer) {
	if p.boot != a.Boot {
		p.answer = 0 // its answers are numbered anew
	}
	p.boot = a.Boot
	if a.Measured {
		p.offset = a.Offset
	}
	if p.mute {
		p.mute = false
		f.log.Info("an executor is back", "executor", p.exec.Name)
	}
	for _, r := range a.Reports {
		if h := p.held[r.Attempt]; h != nil && h.phase != ended {
			f.report(p, h, r)
		}
	}
	for _, r := range a.Others {
		if f.of[r.Attempt] != nil {
			continue
		}
		f.stray(p, Stray{
			Attempt: r.Attempt, Running: r.State == ReportRunning, BatchID: r.BatchID, Schedule: r.Schedule, Task: r.Task,
		})
	}
	for _, ref := range c.Attach {
		if h := p.held[ref]; h != nil {
			h.asked = c.asking
		}
	}
	p.attached = c.asking == p.asking // else something was taken over meanwhile: ask again
	for _, ref := range p.refs() {
		p.attached = p.attached && !p.unasked(p.held[ref]) // more than one call can name: ask for the rest
	}
}

func (f *Fleet) report(p *peer, h *held, r Report) {
	switch r.State {
	case ReportRunning, ReportEnded: // how it ended comes by poll, with the seq to ack
		h.phase = running
		f.tellStarted(h, time.Time{})
		if h.silent {
			h.silent = false
			f.tell(h, hive.AttemptEvent{Kind: hive.EventBack})
		}
	case ReportLost:
		f.end(p, h, hive.AttemptEvent{Kind: hive.EventLost, Words: r.Words})
	case ReportForgotten:
		f.forgotten(p, h)
	case ReportStale:
		f.log.Error("another server has taken over an attempt", "executor", p.exec.Name, "attempt", h.ref.ID)
	}
}

// forgotten: the id has a tombstone, so it can never start there. Without a receipt it never ran.
func (f *Fleet) forgotten(p *peer, h *held) {
	switch {
	case h.orphan:
		f.let(p, h.ref)
	case h.started:
		f.end(p, h, hive.AttemptEvent{Kind: hive.EventLost, Words: "the executor does not know it any more"})
	default:
		f.end(p, h, hive.AttemptEvent{Kind: hive.EventReturned, Words: "it never reached the executor"})
	}
}

func (f *Fleet) tellStarted(h *held, at time.Time) {
	if !h.started && !h.orphan {
		h.started = true
		f.tell(h, hive.AttemptEvent{Kind: hive.EventStarted, At: at})
	}
}

func (f *Fleet) receipts(now time.Time, p *peer, c Call, a Answer) {
	got := make(map[hive.AttemptRef]ReceiptLine, len(a.Receipts))
	for _, r := range a.Receipts {
		got[r.Attempt] = r
	}
	var missing []hive.Assignment
	for i := range c.Submit {
		h := p.held[c.Submit[i].Ref()]
		if h == nil || h.phase != submitted {
			continue // it ended, or was given away, while the call was under way
		}
		r, ok := got[h.ref]
		if !ok {
			missing = append(missing, c.Submit[i])
			continue
		}
		f.receipt(now, p, h, r)
	}
	if len(missing) > 0 {
		f.requeue(p, missing, errors.New("the answer has no line for it"))
		p.pauseUntil = now.Add(busyPause)
	}
	if len(p.queue) == 0 {
		p.single = false
	}
}

func (f *Fleet) receipt(now time.Time, p *peer, h *held, r ReceiptLine) {
	switch r.Receipt {
	case ReceiptStarted:
		h.phase = running
		f.tellStarted(h, time.Time{})
	case ReceiptBusy:
		p.pauseUntil = now.Add(busyPause)
		f.end(p, h, hive.AttemptEvent{Kind: hive.EventReturned, Words: because(p.exec.Name+" was busy", r.Words)})
	case ReceiptDraining:
		p.draining = true
		f.end(p, h, hive.AttemptEvent{Kind: hive.EventReturned, Words: p.exec.Name + " takes nothing new"})
	case ReceiptRefused:
		f.end(p, h, hive.AttemptEvent{Kind: hive.EventRefused, Words: r.Words})
	case ReceiptForgotten:
		f.forgotten(p, h)
	default: // stale, or newer than this server: ask what it has
		f.log.Error("an executor gave a receipt that this server does not follow", "executor", p.exec.Name,
			"attempt", h.ref.ID, "receipt", r.Receipt, "words", r.Words)
		p.failed(now, "it gave a receipt that this server does not know")
		p.queue = append(p.queue, h.ref)
	}
}

// because adds an executor's own reason to what became of an attempt.
func because(what, reason string) string {
	if reason == "" {
		return what
	}
	return what + ": " + reason
}

func (f *Fleet) killsAnswered(p *peer, a Answer) {
	for _, r := range a.Reports {
		h := p.held[r.Attempt]
		if h == nil || h.phase == ended {
			continue
		}
		delete(p.doomed, r.Attempt)
		if r.State == ReportForgotten {
			f.forgotten(p, h)
		}
	}
}

func (f *Fleet) polled(now time.Time, p *peer, c Call, a Answer) {
	p.acks, p.frees = p.acks[min(c.sentAcks, len(p.acks)):], p.frees[min(c.sentFrees, len(p.frees)):]
	p.answer = a.Number
	for i := range a.Events {
		f.happened(p, &a.Events[i])
	}
	if len(p.unacked) > 0 {
		p.pollAt = now.Add(ackPatience)
	}
	switch {
	case a.Boot != p.boot:
		p.attached = false
	case p.mute:
		p.mute = false
		f.each(p, func(h *held) {
			if h.silent && h.phase == running {
				h.silent = false
				f.tell(h, hive.AttemptEvent{Kind: hive.EventBack})
			}
		})
	}
}

// happened takes one event of a poll. Its times are brought to the server's clock.
func (f *Fleet) happened(p *peer, ev *hive.AttemptEvent) {
	for _, t := range []*time.Time{&ev.At, &ev.StartedAt, &ev.FinishedAt} {
		if !t.IsZero() {
			*t = t.Add(p.offset)
		}
	}
	over := ev.Kind == hive.EventEnded || ev.Kind == hive.EventLost
	ref := ev.Ref()
	h := p.held[ref]
	switch {
	case h == nil: // durable already, most likely
		if over {
			f.stray(p, Stray{Attempt: ref, seq: ev.Seq})
		}
	case h.orphan:
		if over {
			p.acks = append(p.acks, ack{attempt: ref, seq: ev.Seq})
			p.finish(ref, ev.NoLog)
			f.let(p, ref)
		}
	case over && h.told >= ev.Seq || h.phase == reserved || h.phase == offered:
	case over:
		h.told, h.noLog = ev.Seq, ev.NoLog
		if h.phase != ended { // else the owner took it for lost or returned: that stands, and is acked once durable
			f.end(p, h, *ev)
		}
	case ev.Kind == hive.EventStarted:
		p.acks = append(p.acks, ack{attempt: ref, seq: ev.Seq})
		if h.phase != ended {
			h.phase = running
			f.tellStarted(h, ev.At)
		}
	case h.phase != ended:
		f.events = append(f.events, *ev)
	}
}
