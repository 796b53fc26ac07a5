package sim

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/rprp/hivego/internal/heap"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// Options are the options of one run.
type Options struct {
	Seed     uint64
	Trace    bool // record the history's lines and their hash
	Mutation Mutation
	Lines    int // number of lines to keep; 4,000 when 0
}

// Mutation breaks one rule on purpose, to test that the simulator reports it. The zero value breaks none.
type Mutation string

// The mutations.
const (
	MutateNone    Mutation = ""
	MutateLease   Mutation = "lease"   // servers assign again before the executors' leases have ended
	MutateStore   Mutation = "store"   // the store answers before it is durable
	MutateJournal Mutation = "journal" // executors answer before their journal is durable
	MutateAck     Mutation = "ack"     // servers ack ends that are not durable yet
	MutateTombs   Mutation = "tombs"   // executors store no tombstone for an unknown attempt
	MutateRun     Mutation = "run"     // servers treat a broken run call as never sent
	MutateKeys    Mutation = "keys"    // attempts have no keys
	MutateSession Mutation = "session" // all sessions have the same text
	MutateMark    Mutation = "mark"    // decisions see an outdated mark of the schedule
	MutateOverlap Mutation = "overlap" // queued batches wait only for the batches in their server's memory
	MutateClock   Mutation = "clock"   // the monotonic clock jumps together with the wall clock
	MutatePlans   Mutation = "plans"   // decisions see no planned changes
	MutateCalls   Mutation = "calls"   // a repeated call of a webhook is a new one
	MutateDelay   Mutation = "delay"   // decisions see no live batches of a schedule with a fixed delay
	MutateArchive Mutation = "archive" // decisions do not see that a schedule is archived
	MutateDelete  Mutation = "delete"  // a schedule is deleted while its batches are live
	MutateChain   Mutation = "chain"   // a chain repair takes each batch for succeeded
	MutateHooks   Mutation = "hooks"   // calls of hooks are in the memory of one server only
	MutateHookKey Mutation = "hookkey" // each driver makes a batch of its own for a call of hooks
	MutateRound   Mutation = "round"   // a chain repair does not see that a batch was repaired by somebody else
)

// Result is the result of a run.
type Result struct {
	Seed      uint64
	Violation *Violation
	Hash      uint64   // hash of the history, with Options.Trace
	Trace     []string // the last lines of the history
	Events    int
	Stats     Stats
}

// Stats counts events, so that tests can check that the faults occur.
type Stats struct {
	Batches, Attempts, Commands, Losses, Takeovers, Crashes, Guards, Stuck, Retries int

	Hooks, HookBatches int // ends whose hooks were called, and batches that were made of them
	Queued             int // batches that were queued and have started

	Ticks map[hive.Decision]int // by decision
	Jumps int                   // of wall clocks

	Skips, Moves, Holds int // planned changes that decided
	Calls, Again        int // calls of webhooks that were stored, and repeated ones
	Delayed             int // batches so long after the one before
	Archived, Deleted   int // schedules
	Chains, ChainSteps  int // chain repairs, and batches that they ran again
	Superseded          int // steps of chain repairs that somebody else overtook

	Rewinds, Raises, Unknown int // returns to an earlier state; epochs raised after one; attempts that it has lost
}

func (s *Stats) add(o *Stats) {
	s.Batches += o.Batches
	s.Attempts += o.Attempts
	s.Commands += o.Commands
	s.Losses += o.Losses
	s.Takeovers += o.Takeovers
	s.Crashes += o.Crashes
	s.Guards += o.Guards
	s.Stuck += o.Stuck
	s.Retries += o.Retries
	s.Hooks += o.Hooks
	s.HookBatches += o.HookBatches
	s.Queued += o.Queued
	s.Rewinds += o.Rewinds
	s.Raises += o.Raises
	s.Unknown += o.Unknown
	s.Jumps += o.Jumps
	s.Skips += o.Skips
	s.Moves += o.Moves
	s.Holds += o.Holds
	s.Calls += o.Calls
	s.Again += o.Again
	s.Delayed += o.Delayed
	s.Archived += o.Archived
	s.Deleted += o.Deleted
	s.Chains += o.Chains
	s.ChainSteps += o.ChainSteps
	s.Superseded += o.Superseded
	if s.Ticks == nil {
		s.Ticks = map[hive.Decision]int{}
	}
	for decision, n := range o.Ticks {
		s.Ticks[decision] += n
	}
}

// Violation is a broken rule. Rule is its short name, Detail a sentence for people.
type Violation struct { //nolint:errname // a broken rule, in the form of an error
	Rule   string
	Detail string
	At     time.Duration
}

// Error returns the rule and the detail.
func (v *Violation) Error() string { return fmt.Sprintf("%s at %s: %s", v.Rule, v.At, v.Detail) }

// epoch is the wall clock's time at the beginning of a world.
var epoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant

// world is the state of one simulation.
type world struct {
	keys  int // number of keys from newKey
	opt   Options
	cfg   config
	rng   *rand.Rand
	log   *slog.Logger
	now   time.Duration // since the beginning of the world
	queue *heap.Heap[event]
	seq   uint64
	count int
	calm  bool // the faults have stopped
	trace *tracer
	stats Stats

	graphs  *document.Graphs
	store   *store
	net     *network
	servers []*server
	hosts   []*host
	work    *work
	people  *people
}

// Run plays one seed to its end, or to the first violation.
func Run(opt Options) (res Result) {
	w := newWorld(opt)
	res.Seed = opt.Seed
	defer func() {
		if p := recover(); p != nil {
			v, ok := p.(*Violation)
			if !ok {
				v = &Violation{Rule: "panic", Detail: fmt.Sprintf("%v\n%s", p, debug.Stack()), At: w.now}
			}
			res.Violation = v
		}
		for _, s := range w.servers {
			s.endTicker()
		}
		res.Events, res.Stats = w.count, w.stats
		res.Hash, res.Trace = w.trace.sum(), w.trace.lines()
	}()
	w.build()
	w.play()
	return res
}

func newWorld(opt Options) *world {
	w := &world{
		opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x9E3779B97F4A7C15)), queue: heap.New(event.before, nil),
		graphs: new(document.Graphs),
	}
	w.stats.Ticks = map[hive.Decision]int{}
	w.log = slog.New(&traceLog{w: w})
	if opt.Trace {
		w.trace = &tracer{hash: fnv.New64a(), keep: cmp.Or(opt.Lines, 4000)}
	}
	return w
}

func (w *world) build() {
	w.cfg = randomConfig(w)
	w.store, w.net, w.work = newStore(w), &network{w: w}, newWork(w)
	for i := range w.cfg.hosts {
		w.hosts = append(w.hosts, newHost(w, i))
	}
	for i := range w.cfg.servers {
		w.servers = append(w.servers, newServer(w, i))
	}
	w.people = newPeople(w)
	for _, h := range w.hosts {
		h.boot()
	}
	for _, s := range w.servers {
		s.boot()
	}
	w.people.begin()
	(&faults{w: w}).begin()
}

// Limits of a world: the virtual time after the faults, and the number of events. A correct world stays far below both.
const (
	tailLimit  = 12 * time.Hour
	eventLimit = 100_000 // a fixed part, plus eventRate for each second
	eventRate  = 100
	settleTime = 5 * time.Minute // for acks, logs and releases once all batches have ended
)

// play runs the world with faults for some time, and then until it is at rest.
func (w *world) play() {
	w.runUntil(w.cfg.storm)
	w.tracef("world", "the faults stop")
	w.calm = true
	w.people.disableAll()
	w.recover()
	for end := w.now + tailLimit; w.stats.Batches < w.cfg.batches || !w.store.allFinal() || w.store.goesOn(); {
		if w.now >= end {
			w.failf("liveness", "not everything ends: %s", w.store.openWork())
		}
		w.people.nudge()
		w.runUntil(w.now + time.Minute)
	}
	w.runUntil(w.now + settleTime)
	w.store.checkMomentsAtRest()
	w.store.checkLedger()
	w.store.checkChains()
	w.store.checkHookBatches()
	w.checkRest()
}

// recover ends all faults, and starts all servers and executors that are down.
func (w *world) recover() {
	w.net.heal()
	w.store.heal()
	for _, h := range w.hosts {
		h.revive()
	}
	for _, s := range w.servers {
		s.revive()
	}
}

// runUntil plays all events up to moment t.
func (w *world) runUntil(t time.Duration) {
	for {
		e, ok := w.queue.First()
		if !ok || e.at > t {
			break
		}
		w.queue.Pop()
		w.now = e.at
		if w.count++; w.count > eventLimit+eventRate*int(w.now/time.Second) {
			w.failf("busy", "%d events: something turns in circles", w.count)
		}
		e.do()
	}
	w.now = t
}

// at plans an event. Events of the same time happen in the order of their planning.
func (w *world) at(t time.Duration, do func()) {
	w.seq++
	w.queue.Push(event{at: max(t, w.now), seq: w.seq, do: do})
}

func (w *world) after(d time.Duration, do func()) { w.at(w.now+d, do) }

// failf ends the run with a violation.
func (w *world) failf(rule, format string, args ...any) {
	v := &Violation{Rule: rule, Detail: fmt.Sprintf(format, args...), At: w.now}
	w.tracef("world", "VIOLATION %s: %s", v.Rule, v.Detail)
	panic(v)
}

// tracef writes a line of the history.
func (w *world) tracef(who, format string, args ...any) {
	if w.trace != nil {
		w.trace.add(fmt.Sprintf("%12.6f %-8s ", w.now.Seconds(), who) + fmt.Sprintf(format, args...))
	}
}

// newKey returns a text that is unique in this world, for an attempt or a session.
func (w *world) newKey() string {
	w.keys++
	return fmt.Sprintf("k%d", w.keys)
}

// attemptKey returns the key of a new attempt.
func (w *world) attemptKey() string {
	if w.opt.Mutation == MutateKeys {
		return ""
	}
	return w.newKey()
}

// newSession returns the text of a new session.
func (w *world) newSession() string {
	if w.opt.Mutation == MutateSession {
		return "session"
	}
	return w.newKey()
}

// event is a planned call at a virtual time.
type event struct {
	at  time.Duration
	seq uint64
	do  func()
}

// before orders events by time, and events of the same time by their planning.
func (e event) before(other event) bool {
	return e.at < other.at || e.at == other.at && e.seq < other.seq
}
