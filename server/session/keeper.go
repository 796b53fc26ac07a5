// Package session decides what one server does around its owner: it begins sessions and renews their lease, takes over
// those of other servers that have ended, reads batches and commands for the owner, tries again what could not be read
// or stored, and says when a commit may leave. It is a core: it has no goroutine, no clock and no I/O. The shell
// (server/engine) hands it events, answers and the time, does what it requests, and tells others of its facts.
package session

import (
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

// Driver makes the calls that the fleet wants made. Its methods are called from the loop and never block.
type Driver interface {
	// Events returns what has happened to attempts since the last call, including what time alone brings.
	Events(now time.Time) []hive.AttemptEvent
	// Launch starts the calls that are due; their answers come back through the loop's inbox.
	Launch(now time.Time)
	// Wake is when the fleet next has something to do by itself; zero: never.
	Wake() time.Time
	// Learn takes the executors as they were stored when they were read: a batch may come from a server with which
	// its executor alone registered.
	Learn(now time.Time, stored []hive.Executor, read time.Time)
	// SetEpoch names the session in all further calls, by its epoch and a random text.
	SetEpoch(epoch int64, session string)
	// Later returns a later session of this server that an executor has heard of; each once.
	Later() (hive.Later, bool)
	// Reset forgets every attempt: the session is over.
	Reset()
}

// Config of a keeper.
type Config struct {
	Server string // id of this server
	Fleet  owner.Fleet
	Driver Driver // of the same fleet
	Graphs owner.Graphs
	// Shared says that other servers may work on the same database: they wait for this one when it dies, and this one
	// waits for them.
	Shared bool
	// Sweep is the time between two looks for commands that nobody told this server of, because another server took
	// them or this one was away.
	Sweep time.Duration
	// NewKey makes the random key of an attempt, see hive.AttemptRef.
	NewKey func() string
	// NewSession makes the random text that goes with an epoch in all calls.
	NewSession func() string
	// TraceDecisions has each decision noted, at LevelDebug.
	TraceDecisions bool
	Limits         Limits // DefaultLimits in production
}

// Limits says how much is asked for at once.
type Limits struct {
	ReadTogether int   // batches that are read together
	LoadTogether int   // runs of the batches that are loaded in one turn of the loop; a larger batch is loaded alone
	IDsAhead     int   // ids that are drawn at once: more than one plan can add tasks
	IDsLow       int64 // new ids are drawn when fewer are left
}

// DefaultLimits are those of production. Fifty batches are enough that one costs little more than its rows, and all
// graphs of one turn are still remembered when they are loaded (document.Graphs).
func DefaultLimits() Limits {
	return Limits{ReadTogether: 50, LoadTogether: 1000, IDsAhead: 25_000, IDsLow: 21_000}
}

// IDKinds are the kinds of ids that a session needs.
func IDKinds() []string { return []string{owner.AttemptIDs, owner.RunIDs} }

// How long requests may take, and when they are tried again.
const (
	commitWithin = 30 * time.Second
	readWithin   = 30 * time.Second
	retryCommit  = 200 * time.Millisecond
	retryRequest = time.Second
)

// Keeper keeps the sessions of one server, one after another, from the first start of a process to its end. It is not
// safe for concurrent use.
type Keeper struct {
	cfg      Config
	requests []Request
	facts    []Fact

	number  int       // of the latest session, in the life of this process
	epoch   int64     // of the latest session
	until   time.Time // by this server's clock; the lease does not end in the store before that
	over    bool      // the latest session is over, and the next one has not begun: nothing is decided
	startAt time.Time // when to try to begin the next session; zero: a try is under way, or none is needed

	owner    *owner.Owner
	schedule schedule
	claim    claim
	later    *hive.Later // an epoch above it is to be taken
	raisedAt time.Time   // when a later session was last heeded
	commits  commitGate
	loader   loader
	stuck    stuck
	drawing  bool // ids are being drawn
	drawAt   time.Time
}

// New makes a keeper. Its first session begins after Start.
func New(cfg Config) *Keeper {
	k := &Keeper{cfg: cfg, over: true, stuck: stuck{}, schedule: schedule{pace: paceOf(cfg.Shared)}}
	k.owner = k.newOwner(0)
	return k
}

// Turn decides: it hears what happened, lets the owner decide, requests what is to be read and stored, and has the
// calls made that are due. The shell calls it after each event, and at NextWakeup.
func (k *Keeper) Turn(now time.Time) {
	if k.over {
		if !k.startAt.IsZero() && !now.Before(k.startAt) {
			k.requestSession(now)
		}
		return
	}
	k.owner.Deliver(now, k.cfg.Driver.Events(now))
	k.noticeLaterSession(now)
	k.owner.FireTimers(now)
	k.readNext(now) // before DispatchReady: the offers that follow from a command ride in the commit of its answer
	k.owner.DispatchReady(now)
	k.report(now) // before commitNext: nothing of a broken machine is stored
	for _, id := range k.stuck.due(now) {
		k.load(id)
	}
	k.drawIDs(now)
	k.keepSession(now)
	k.commitNext(now)
	if k.leased(now) {
		// Each answer of an executor prolongs what it runs for this server. Once another server may own that, and
		// counts its leases from its takeover, nothing may be prolonged any more.
		k.cfg.Driver.Launch(now)
	}
}

// NextWakeup is when Turn next has something to do without an event; zero: never.
func (k *Keeper) NextWakeup(now time.Time) time.Time {
	if k.over {
		return k.startAt
	}
	at := earliest(k.commitAt(), k.owner.NextTimer(), k.stuck.next(), k.keepAt(), k.loader.wakeup(now), k.drawAt)
	if k.leased(now) {
		return earliest(at, k.cfg.Driver.Wake())
	}
	return earliest(at, now.Add(k.schedule.renewEvery)) // no call leaves before the lease is renewed
}

// earliest is the first of some times that are not zero; zero if all are.
func earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Adopt takes new batches of this server, which are stored.
func (k *Keeper) Adopt(batches ...int64) { k.load(batches...) }

// CommandStored says that a command for a batch was stored.
func (k *Keeper) CommandStored(batch int64) {
	if k.over { // the next session looks for commands
		k.tell(Released{Batch: batch})
		return
	}
	k.loader.enqueue(readCommands{batch: batch})
}

// Sweep looks for the commands of all batches of this server.
func (k *Keeper) Sweep() {
	if !k.over {
		k.loader.sweep()
	}
}

// drawIDs requests more ids before they run out.
func (k *Keeper) drawIDs(now time.Time) {
	kind := k.owner.LowIDs(k.cfg.Limits.IDsLow)
	if kind == "" || k.drawing || now.Before(k.drawAt) {
		return
	}
	k.drawing, k.drawAt = true, time.Time{}
	k.request(DrawIDs{Kind: kind, Count: k.cfg.Limits.IDsAhead, origin: k.origin(now, readWithin)})
}

// IDsDrawn takes the answer of DrawIDs: the first of the new ids.
func (k *Keeper) IDsDrawn(now time.Time, r DrawIDs, first int64, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	k.drawing = false
	if err != nil {
		k.note(LevelError, "no new ids", "kind", r.Kind, "error", err)
		k.drawAt = now.Add(retryRequest)
		return
	}
	k.owner.AddIDs(r.Kind, first, r.Count)
}
