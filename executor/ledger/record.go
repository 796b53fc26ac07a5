package ledger

import (
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
)

// RecordKind is the kind of a journal record. The values are stable, because journals contain them.
type RecordKind string

const (
	recordBoot     RecordKind = "boot"    // a life of the executor began
	recordCluster  RecordKind = "cluster" // bound to a cluster; all before is forgotten
	recordServer   RecordKind = "server"  // a server showed a higher epoch, or the session of one
	recordAccept   RecordKind = "accept"  // an attempt was accepted
	recordTransfer RecordKind = "take"    // an attempt has a new owner or epoch
	recordKill     RecordKind = "kill"    // a kill was ordered
	recordEnd      RecordKind = "end"     // an attempt ended
	recordAck      RecordKind = "ack"     // the owner has committed its events
	recordRelease  RecordKind = "release" // the owner needs it no more; leaves a tombstone
	recordTomb     RecordKind = "tomb"    // an unknown attempt was asked for
	recordTombs    RecordKind = "tombs"   // a block of tombstones without keys, of a compacted journal
	recordMarks    RecordKind = "marks"   // a block of tombstones with keys, of a compacted journal
	recordTurn     RecordKind = "turn"    // the older half of the tombstones is dropped
)

// Record is one durable change. It has no parameters and no environment: secrets must not reach a journal.
type Record struct {
	Kind     RecordKind `json:"k"`
	Attempt  int64      `json:"a,omitempty"`
	Key      string     `json:"y,omitempty"`
	Server   string     `json:"s,omitempty"`
	Epoch    int64      `json:"e,omitempty"`
	Session  *string    `json:"z,omitempty"` // of Epoch; nil: written by a version that did not know of sessions
	Cluster  string     `json:"c,omitempty"`
	Handler  string     `json:"h,omitempty"`
	Batch    int64      `json:"g,omitempty"`
	Schedule string     `json:"j,omitempty"`
	Task     string     `json:"w,omitempty"`
	Survives bool       `json:"v,omitempty"`
	At       int64      `json:"t,omitempty"` // wall clock, ms
	Seq      int64      `json:"n,omitempty"`
	Acked    int64      `json:"d,omitempty"`
	Outcome  *Outcome   `json:"o,omitempty"`
	Kill     *KillOrder `json:"x,omitempty"`
	Boots    int64      `json:"b,omitempty"`
	Block    []byte     `json:"i,omitempty"` // tombstones of the ids from Attempt on: bits, or marks
	Old      bool       `json:"p,omitempty"` // the block belongs to the older half
}

// ref returns the attempt that a record is about.
func (r *Record) ref() Ref { return Ref{ID: r.Attempt, Key: r.Key} }

// owner returns the session that a record names.
func (r *Record) owner() owner {
	o := owner{Caller: Caller{Server: r.Server, Epoch: r.Epoch}, guessed: r.Session == nil}
	if r.Session != nil {
		o.Session = *r.Session
	}
	return o
}

// Outcome is how an attempt ended. Times are milliseconds since 1970 UTC on the executor's wall clock.
type Outcome struct {
	Kind       OutcomeKind       `json:"kind"`
	ExitCode   *int              `json:"exitCode,omitempty"` // where there was a process
	Error      string            `json:"error,omitempty"`    // words for a person
	Reason     string            `json:"reason,omitempty"`   // of Error as a text of HiveGo; empty for others
	Params     map[string]string `json:"params,omitempty"`   // the values in Error, by name
	Outputs    map[string]string `json:"outputs,omitempty"`
	StartedAt  int64             `json:"startedAt,omitempty"`
	FinishedAt int64             `json:"finishedAt,omitempty"`
	LogBytes   int64             `json:"logBytes,omitempty"`
	NoRetry    bool              `json:"noRetry,omitempty"` // asks the server not to retry
}

// SetError sets the error with its reason.
func (o *Outcome) SetError(t message.Text) {
	o.Error, o.Reason, o.Params = t.Words, string(t.Reason), t.Params
}

// KillOrder is an order to kill an attempt.
type KillOrder struct {
	Grace  time.Duration `json:"grace"`
	Reason string        `json:"reason,omitempty"`
	// Lease: no server asked for it; the lease has passed. The attempt then ends LOST.
	Lease bool `json:"lease,omitempty"`
}

// Replay applies one record of the journal, in the order of logging, before Boot.
func (l *Ledger) Replay(now Now, r Record) { l.apply(now, r) }

// bootGap is added to the seq of attempts that survive a boot. Progress events have seqs but are not journaled, and a
// seq must never be used twice.
const bootGap = 1 << 20

// apply is the one place where a durable change changes the memory, live and in replay.
func (l *Ledger) apply(now Now, r Record) {
	a := l.attempts[r.ref()]
	switch r.Kind {
	case recordBoot:
		l.applyBoot(r)
	case recordCluster:
		l.cluster, l.attempts, l.running = r.Cluster, map[Ref]*attempt{}, 0
		l.servers, l.leases = map[string]*server{}, map[string]*lease{}
		l.tombs = newTombstones()
		l.tombs.begin(r.At)
	case recordServer:
		l.beginSession(l.server(r.Server), r.owner())
	case recordAccept:
		l.applyAccept(r)
	case recordTransfer:
		if a != nil {
			l.applyTransfer(a, r)
		}
	case recordKill:
		if a != nil && a.kill == nil {
			l.countExposed(a, -1)
			a.kill = r.Kill
		}
	case recordEnd:
		if a != nil && a.outcome == nil {
			l.countExposed(a, -1)
			l.running--
			a.outcome, a.progSeq, a.seq = r.Outcome, 0, max(a.seq, r.Seq)
			l.listEvents(a)
		}
	case recordAck:
		if a != nil {
			a.acked = max(a.acked, r.Seq)
		}
	case recordRelease, recordTomb:
		l.tombs.add(r.ref())
		if a != nil {
			l.forget(a)
		}
	case recordTombs:
		l.tombs.addBlock(r.Attempt, r.Block, r.Old)
	case recordMarks:
		l.tombs.addMarks(r.Attempt, r.Block, r.Old)
	case recordTurn:
		l.tombs.turn(now, r.At)
	}
}

func (l *Ledger) applyBoot(r Record) {
	l.boots = max(l.boots+1, r.Boots)
	l.tombs.begin(r.At)
	for _, a := range l.attempts {
		a.reportedSeq, a.reportedIn = 0, 0
		if a.outcome == nil && r.Boots == 0 {
			a.seq += bootGap
		}
	}
}

// startSeq is the seq of an attempt's start. There is no event and no ack for it: the receipt or the answer of an
// attach reports the start.
const startSeq = 1

func (l *Ledger) applyAccept(r Record) {
	if l.attempts[r.ref()] != nil {
		return
	}
	a := &attempt{
		ref: r.ref(), handler: r.Handler, about: About{r.Batch, r.Schedule, r.Task}, survives: r.Survives,
		owner: r.owner(), started: r.At, seq: max(r.Seq, startSeq), acked: max(r.Acked, startSeq),
	}
	l.attempts[a.ref] = a
	l.running++
	l.countExposed(a, 1)
}

// applyTransfer moves an attempt, and its events, to its new owner.
func (l *Ledger) applyTransfer(a *attempt, r Record) {
	l.countExposed(a, -1)
	if a.owner.Server != r.Server {
		s := l.server(a.owner.Server)
		s.events = slices.DeleteFunc(s.events, func(x *attempt) bool { return x == a })
		a.listed = false
	}
	a.owner = r.owner()
	l.countExposed(a, 1)
	if a.outcome != nil {
		a.acked = min(a.acked, a.seq-1) // whoever asks anew has not heard of it
	}
	l.listEvents(a)
}

// forget removes an attempt from memory.
func (l *Ledger) forget(a *attempt) {
	if a.outcome == nil {
		l.countExposed(a, -1)
		l.running--
	}
	a.listed = false
	delete(l.attempts, a.ref)
}

// server returns the state of a server, and makes it if there is none.
func (l *Ledger) server(id string) *server {
	s := l.servers[id]
	if s == nil {
		s = &server{id: id, lease: l.leaseOf(Caller{Server: id}.LeaseName())}
		l.servers[id] = s
	}
	return s
}

// beginSession begins another session of a server. The lease of the earlier session stays until it passes, or until
// the new session takes over its attempts. Answers are numbered on, so that no two sessions have answers with the
// same number.
func (l *Ledger) beginSession(s *server, to owner) {
	if to.Epoch == s.latest.Epoch && s.latest.guessed {
		s.latest = to // the same session; now its text is known
	}
	if to.Epoch <= s.latest.Epoch {
		return
	}
	former := s.lease
	s.latest, s.lease = to, l.leaseOf(to.LeaseName())
	s.lease.issued = former.issued
	if !s.lease.open {
		s.lease.orphan, s.lease.named = former.orphan, former.named
	}
	if former.exposed == 0 {
		delete(l.leases, former.session)
	}
}

// listEvents puts an attempt with events to report on the list of its server.
func (l *Ledger) listEvents(a *attempt) {
	if !a.listed {
		a.listed = true
		s := l.server(a.owner.Server)
		s.events = append(s.events, a)
	}
}

// recorded returns the session as a field of a record; nil if it is unknown.
func (o owner) recorded() *string {
	if o.guessed {
		return nil
	}
	return &o.Session
}

// Snapshot returns the shortest journal that leads to the present state. Compaction writes it.
func (l *Ledger) Snapshot() []Record {
	var out []Record
	if l.cluster != "" {
		out = append(out, Record{Kind: recordCluster, Cluster: l.cluster})
	}
	out = append(out, Record{Kind: recordBoot, Boots: max(l.boots, 1), At: l.tombs.began})
	out = l.tombs.snapshot(out)
	ids := slices.Sorted(maps.Keys(l.servers))
	for _, id := range ids {
		if s := l.servers[id]; s.latest.Epoch > 0 {
			out = append(out, Record{
				Kind: recordServer, Server: id, Epoch: s.latest.Epoch, Session: s.latest.recorded(),
			})
		}
	}
	// Events are reported oldest first, so the order of acceptance is not needed; the order of ids will do.
	for _, a := range l.sorted() {
		out = append(out, Record{
			Kind: recordAccept, Attempt: a.ref.ID, Key: a.ref.Key, Handler: a.handler, Survives: a.survives,
			Server: a.owner.Server, Epoch: a.owner.Epoch, Session: a.owner.recorded(),
			At: a.started, Seq: a.seq, Acked: a.acked,
			Batch: a.about.Batch, Schedule: a.about.Schedule, Task: a.about.Task,
		})
		if a.kill != nil {
			out = append(out, Record{Kind: recordKill, Attempt: a.ref.ID, Key: a.ref.Key, Kill: a.kill})
		}
		if a.outcome != nil {
			out = append(out, Record{
				Kind: recordEnd, Attempt: a.ref.ID, Key: a.ref.Key, Seq: a.seq,
				Outcome: a.outcome,
			})
		}
	}
	return out
}
