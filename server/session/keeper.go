// Package session keeps the sessions of one server. It begins sessions and renews their leases, takes over the batches
// of dead servers, loads batches and commands for the owner, retries failed reads and commits, and decides when a
// commit may leave. It is a core: it has no goroutine, no clock and no I/O. The shell (server/engine) passes events,
// answers and the time to it, carries out its requests, and publishes its facts.
package session

import (
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

// Driver makes the calls that the fleet decides. The keeper calls its methods from the loop, and none of them blocks.
type Driver interface {
	// Events returns the events of attempts since the last call, including those that are due by time alone, such as
	// the end of a lease.
	Events(now time.Time) []hive.AttemptEvent
	// Launch starts the calls that are due; their answers come back through the loop's inbox.
	Launch(now time.Time)
	// Wake returns when the fleet next has something to do by itself; zero means never.
	Wake() time.Time
	// Learn adds the stored executors, as of the time of read. An executor may have registered with another server
	// only, whose batches this server has taken over.
	Learn(now time.Time, stored []hive.Executor, read time.Time)
	// SetEpoch names the session in all further calls, by its epoch and a random text.
	SetEpoch(epoch int64, session string)
	// Later returns a later session of this server that an executor has heard of. It returns each such session once.
	Later() (hive.Later, bool)
	// Reset forgets all attempts, because the session is over.
	Reset()
}

// Config of a keeper.
type Config struct {
	Server  string // id of this server
	Fleet   owner.Fleet
	Chooser owner.Chooser // of the same fleet
	Driver  Driver        // of the same fleet
	Graphs  owner.Graphs
	// Shared means that other servers may use the same database. Each of them waits for the lease of another one to end
	// before it takes over.
	Shared bool
	// Sweep is how often the keeper looks for commands without a notification, which another server accepted or which
	// came during an outage.
	Sweep time.Duration
	// NewKey makes the random key of an attempt, see hive.AttemptRef.
	NewKey func() string
	// NewSession makes the random text that goes with an epoch in all calls.
	NewSession func() string
	// TraceDecisions makes the keeper log each decision, at LevelDebug.
	TraceDecisions bool
	TraceParent    func(b *hive.Batch, a hive.AttemptRef) string // see owner.Config; may be nil
	Limits         Limits                                        // DefaultLimits in production
}

// Limits bounds the size of requests.
type Limits struct {
	ReadTogether int   // batches that are read together
	LoadTogether int   // runs of the batches that are loaded in one turn of the loop; a larger batch is loaded alone
	IDsAhead     int   // ids in one block; more than the number of tasks that one plan can add
	IDsLow       int64 // a new block is drawn when fewer ids than this remain
}

// DefaultLimits returns the limits of production. With fifty batches in a read, each costs little more than its rows,
// and document.Graphs still has all their graphs when they are loaded.
func DefaultLimits() Limits {
	return Limits{ReadTogether: 50, LoadTogether: 1000, IDsAhead: 25_000, IDsLow: 21_000}
}

// IDKinds returns the kinds of ids that a session needs.
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

	number  int       // number of the latest session in this process, from 1
	epoch   int64     // epoch of the latest session
	until   time.Time // end of the lease on this server's clock; in the store the lease ends later
	over    bool      // the latest session is over, and the next one has not begun: nothing is decided
	startAt time.Time // when to request the next session; zero: it is requested already, or not needed

	groupRoutes map[string]hive.Route // by group

	owner    *owner.Owner
	times    times
	claim    claim
	later    *hive.Later // a later session above which the epoch must be raised; nil if there is none
	raisedAt time.Time   // when later was last set
	commits  commitGate
	loader   loader
	stuck    stuck
	overlap  overlap
	limits   limitReader
	drawing  bool // ids are being drawn
	drawAt   time.Time
}

// New makes a keeper. Its first session begins after Start.
func New(cfg Config) *Keeper {
	k := &Keeper{cfg: cfg, over: true, stuck: stuck{}, times: times{pace: paceOf(cfg.Shared)}}
	k.owner = k.newOwner(0)
	return k
}

// Turn passes the fleet's events to the owner, lets the owner decide, requests reads and commits, and starts the calls
// that are due. The shell calls it after each event, and at NextWakeup.
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
	k.readNext(now) // before DispatchReady, so that one commit stores a command's answer and the offers it leads to
	k.readLimits(now)
	k.owner.DispatchReady(now)
	k.report(now) // before commitNext, so that no change of a broken machine is stored
	for _, id := range k.stuck.due(now) {
		k.load(id)
	}
	k.checkQueued(now)
	k.drawIDs(now)
	k.keepSession(now)
	k.commitNext(now)
	if k.leased(now) {
		// Each answer of an executor prolongs the leases of the attempts that it runs for this server. A server that
		// takes over counts those leases from its takeover, so they must not be prolonged after that.
		k.cfg.Driver.Launch(now)
	}
}

// NextWakeup returns when Turn next has something to do without an event; zero means never.
func (k *Keeper) NextWakeup(now time.Time) time.Time {
	if k.over {
		return k.startAt
	}
	at := earliest(k.commitAt(), k.owner.NextTimer(), k.stuck.next(), k.overlap.wakeup(), k.keepAt(),
		k.loader.wakeup(now), k.drawAt, k.limitsWakeup(now))
	if k.leased(now) {
		return earliest(at, k.cfg.Driver.Wake())
	}
	return earliest(at, now.Add(k.times.renewEvery)) // no call leaves before the lease is renewed
}

// earliest returns the earliest of the times that are not zero, or zero if all are.
func earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Adopt loads new batches of this server. They are stored already.
func (k *Keeper) Adopt(batches ...int64) { k.load(batches...) }

// CommandStored reports that a command for a batch was stored.
func (k *Keeper) CommandStored(batch int64) {
	if k.over { // the next session looks for commands
		k.emit(Released{Batch: batch})
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

// IDsDrawn handles the answer of DrawIDs: the first id of the new block.
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
