package ledger

import (
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
)

// Now is the moment of a step. Mono comes from a clock that never jumps and that continues across a restart of the
// process (CLOCK_BOOTTIME); leases count on it. Wall is for people and other machines; the ledger decides nothing by
// it.
type Now struct {
	Mono time.Duration
	Wall time.Time
}

// Millis returns the wall clock as the contract writes it: milliseconds since 1970, UTC.
func (n Now) Millis() int64 { return n.Wall.UnixMilli() }

// Config configures a ledger.
type Config struct {
	// Slots is the number of attempts that may run at once. At least 1; 0 means 1.
	Slots int
	// OrphanTimeout is used until a server has named its own. 0 means three minutes.
	OrphanTimeout time.Duration
}

// DefaultOrphanTimeout is how long attempts go on without a call of their server, unless the server names another
// timeout.
const DefaultOrphanTimeout = 3 * time.Minute

// TombstoneAge is the least time for which an id with a tombstone is refused.
const TombstoneAge = 24 * time.Hour

// Ledger is the state of an executor: which attempts it has, from whom, and how they ended. It is a pure state
// machine: no clock, no goroutine, no I/O. Each method is a step: it changes the state at once and returns the
// records to be journaled, and the actions to be done once they are durable. No effect of a step (reply, process) may
// leave the executor before record number Step.After is durable; see Step.
//
// A Ledger is not safe for concurrent use; its owner holds a lock.
type Ledger struct {
	cfg      Config
	cluster  string
	boots    int64
	draining bool
	full     message.Text // why nothing can be written down for now; empty: it can
	running  int
	last     uint64 // number of the last record logged in this life
	attempts map[Ref]*attempt
	servers  map[string]*server
	leases   map[string]*lease // by LeaseName
	tombs    tombstones
}

// attempt is the state of one attempt, from its receipt until its release.
type attempt struct {
	ref      Ref
	handler  string
	about    About
	survives bool
	owner    owner // the last that submitted or attached it
	started  int64 // wall clock of the receipt, ms
	seq      int64 // of its latest event; from startSeq on
	acked    int64 // all events up to here are acked
	outcome  *Outcome
	kill     *KillOrder
	progress float64
	progSeq  int64 // seq of the progress that is not reported yet; 0: none

	reportedSeq int64  // the latest event that some answer carried
	reportedIn  int64  // the answer that carried it first
	listed      bool   // stands in its server's list of attempts with events
	lsn         uint64 // the record that must be durable before this state may be reported
}

// owner is a session of a server.
type owner struct {
	Caller

	// guessed means that the session is unknown, because the journal of an earlier version does not have it. The
	// first session of that epoch that calls is then accepted, and from then on only that one. If it counted as "",
	// the server that continues across the upgrade of its executor would be refused. Accepting any session once does
	// no harm: a server whose database went back has attempts with other keys, which such a journal does not have,
	// and any later server has a higher epoch.
	guessed bool
}

// outranks reports whether o has replaced c: c has a lower epoch, or is another session with the same epoch.
func (o owner) outranks(c Caller) bool {
	return c.Epoch < o.Epoch || c.Epoch == o.Epoch && c.Session != o.Session && !o.guessed
}

// About has the names of an assignment's schedule, job and task. They are for people who see attempts that their server
// does not know.
type About struct {
	Batch    int64
	Schedule string
	Task     string
}

// server is the state of one server.
type server struct {
	id     string
	latest owner // its latest session
	lsn    uint64
	events []*attempt // attempts that may have events to report, oldest first; stale ones are dropped when read
	lease  *lease     // of its present session
}

// New makes an empty ledger. Call Replay and then Boot before any call.
func New(cfg Config) *Ledger {
	cfg.Slots = max(cfg.Slots, 1)
	if cfg.OrphanTimeout <= 0 {
		cfg.OrphanTimeout = DefaultOrphanTimeout
	}
	return &Ledger{
		cfg: cfg, attempts: map[Ref]*attempt{}, servers: map[string]*server{}, leases: map[string]*lease{},
		tombs: newTombstones(),
	}
}

// Step is the result of a call. It counts even if the call is answered with an error: it may still have records and
// kills of leases that had passed.
type Step struct {
	// Records go to the journal, in this order, after the records of all earlier steps.
	Records []Record
	// After is the number of the record that must be durable before the reply is sent and before Starts, Kills and
	// Moves are done; 0: none. Records are numbered from 1 in the order in which this ledger returned them since its
	// creation. A crash may lose records beyond After; then servers repeat their calls.
	After uint64

	Starts []Ref    // attempts to be started, once
	Kills  []Kill   // attempts to be killed; repeated orders are harmless
	Drops  []Ref    // released: folder and log may go
	Wakes  []string // servers whose long poll has something to report
	Moves  []Move   // attempts that another session owns now, so that its lease counts for them
}

// Kill is a kill of one attempt: SIGTERM, and after Grace SIGKILL.
type Kill struct {
	Attempt Ref
	Grace   time.Duration
	Reason  string
	Lease   bool // no server asked for it: the lease has passed
}

// Move puts an attempt under the lease with this name.
type Move struct {
	Attempt Ref
	Lease   string
}

// log numbers a record, applies it to the state and adds it to the step.
func (l *Ledger) log(st *Step, now Now, r Record) uint64 {
	l.last++
	st.Records = append(st.Records, r)
	l.apply(now, r)
	return l.last
}

// need makes the step wait for record number n.
func (s *Step) need(n uint64) { s.After = max(s.After, n) }

// Boot finishes Replay. Attempts of handlers that do not survive a restart become LOST. Boot returns the others; before
// the first call is answered, each of them must be given to Ended, or continue.
func (l *Ledger) Boot(now Now) (Step, []Survivor) {
	var st Step
	st.need(l.log(&st, now, Record{Kind: recordBoot, At: now.Millis()}))
	var left []Survivor
	for _, a := range l.sorted() {
		if a.outcome != nil {
			continue
		}
		if a.survives {
			left = append(left, Survivor{Attempt: a.ref, Handler: a.handler, Lease: a.session(), Kill: a.kill})
			continue
		}
		lost := Outcome{Kind: Lost, StartedAt: a.started, FinishedAt: now.Millis()}
		lost.SetError(LostAtRestart())
		st.need(l.log(&st, now,
			Record{Kind: recordEnd, Attempt: a.ref.ID, Key: a.ref.Key, Seq: a.seq + 1, Outcome: &lost}))
		a.lsn = l.last
	}
	if l.tombs.turnAtBoot(now) {
		l.log(&st, now, Record{Kind: recordTurn, At: now.Millis()})
	}
	return st, left
}

// LostAtRestart returns the error of an attempt that a restart has ended.
func LostAtRestart() message.Text {
	return message.New(message.LostRestart, "the executor was restarted, and this handler does not outlive it")
}

// Survivor is an attempt that may still be running after a restart of the executor.
type Survivor struct {
	Attempt Ref
	Handler string
	Lease   string     // names the lease that counts for it
	Kill    *KillOrder // it was being killed; the order is to be repeated
}

// sorted lists the attempts by id and key, so that equal histories give equal steps.
func (l *Ledger) sorted() []*attempt {
	return slices.SortedFunc(maps.Values(l.attempts), func(a, b *attempt) int { return CompareRefs(a.ref, b.ref) })
}

// SetDraining makes the ledger refuse or accept new attempts. A restart resets it.
func (l *Ledger) SetDraining(on bool) { l.draining = on }

// SetFull makes the ledger refuse new attempts, because they could not be journaled; the receipt BUSY has the reason.
// An empty reason ends this. A restart resets it.
func (l *Ledger) SetFull(reason message.Text) { l.full = reason }

// Full returns the reason of the last SetFull.
func (l *Ledger) Full() message.Text { return l.full }

// Load counts the running attempts and the slots.
type Load struct {
	Slots, Running int
	Draining       bool         // it takes nothing new
	Why            message.Text // empty if SetDraining asked for it
}

// Load returns the load.
func (l *Ledger) Load() Load {
	return Load{Slots: l.cfg.Slots, Running: l.running, Draining: l.draining || l.full.Words != "", Why: l.full}
}

// Cluster returns the cluster whose calls are accepted; it is empty before the first call.
func (l *Ledger) Cluster() string { return l.cluster }

// SetCluster binds the ledger to a cluster. Another cluster has other attempt ids, so all attempts are then dropped
// without tombstones. It returns false, and changes nothing, while an attempt runs.
func (l *Ledger) SetCluster(now Now, id string) (Step, bool) {
	var st Step
	if id == l.cluster {
		return st, true
	}
	if l.cluster != "" && l.running > 0 {
		return st, false
	}
	if l.cluster != "" {
		for _, a := range l.sorted() {
			st.Drops = append(st.Drops, a.ref)
		}
	}
	st.need(l.log(&st, now, Record{Kind: recordCluster, Cluster: id, At: now.Millis()}))
	return st, true
}

// State is the state of an attempt.
type State struct {
	Known   bool
	Killing bool
	Outcome *Outcome // nil while it runs
	Server  string
}

// State returns the state of one attempt.
func (l *Ledger) State(attempt Ref) State {
	a, ok := l.attempts[attempt]
	if !ok {
		return State{}
	}
	return State{Known: true, Killing: a.kill != nil, Outcome: a.outcome, Server: a.owner.Server}
}

// Known lists all attempts that are not released, by id and key.
func (l *Ledger) Known() []Ref { return slices.SortedFunc(maps.Keys(l.attempts), CompareRefs) }
