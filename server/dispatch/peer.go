package dispatch

import (
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// phase is how far an attempt has come on its way to an executor, as far as the server can know.
type phase int

const (
	reserved  phase = iota // its row is being written
	offered                // durable, not sent yet
	submitted              // sent, no receipt: it may run
	adopted                // from the database: the executor is to be asked
	running                // there is a receipt
	ended                  // told to the owner, which makes it durable
)

// held is one attempt that an executor has, or may have.
type held struct {
	ref        hive.AttemptRef
	phase      phase
	assignment hive.Assignment
	started    bool      // the owner knows of a receipt
	silent     bool      // the owner was told that it is unknown
	orphan     bool      // no owner: the database has forgotten it; it is killed
	noted      bool      // the owner was told that it could not be handed over
	told       int64     // seq of the end that the executor told
	asked      int       // p.asking of the attach that named it last
	since      time.Time // when it was taken over from a former owner; zero if it is our own
	kill       *hive.KillOrder
	noLog      bool // it ended with an empty log

	blocking bool              // it is a run call
	last     hive.AttemptEvent // of a run call: its end
}

type ack struct {
	attempt hive.AttemptRef
	seq     int64
}

// peer is one executor: what is known of it, what it holds, what it is to be told.
type peer struct {
	exec     hive.Executor
	handlers map[string]*hive.Rendering // by name; nil: its params take no values

	held    map[hive.AttemptRef]*held
	queue   []hive.AttemptRef            // to submit, in order
	unacked map[hive.AttemptRef]struct{} // ends told to the owner, not durable yet
	doomed  map[hive.AttemptRef]struct{} // with a kill that was not answered
	acks    []ack
	log     []hive.AttemptRef        // ended, durable: the log is to be copied, then the folder released
	frees   []hive.AttemptRef        // to release
	strays  map[hive.AttemptRef]bool // being looked up
	noted   map[hive.AttemptRef]bool // strays that the database does not have, and that are being released

	heard    time.Time     // when the last answer came; before the first: when the server began to look
	offset   time.Duration // server's clock minus the executor's
	measured bool          // offset is known; of executors that only offer run
	boot     string
	answer   int64 // number of the last poll answer
	attached bool
	asking   int // counts the rounds of asking, from one detach to the next
	mute     bool
	farewell string // boot id of the life in which it said that it stops
	draining bool
	excuse   string // why it takes nothing new, as it says
	foreign  int    // slots that others have taken there, as of its last word: other servers, attempts given up here
	single   bool   // submit one by one: the executor could not read a larger call

	control    bool // a call is under way on this connection
	polling    bool
	failures   int
	trouble    string    // why the latest call failed; empty if it did not
	retryAt    time.Time // no call before
	pauseUntil time.Time // no submit before: it was busy
	pollAt     time.Time // no poll before: acks are on their way

	// Of executors that only offer run.
	aloft      int       // run calls under way
	deaf       bool      // it is at work, and answers nobody else meanwhile
	describeAt time.Time // not before
}

func newPeer(e hive.Executor, now time.Time) *peer {
	p := &peer{exec: e, strays: map[hive.AttemptRef]bool{}, noted: map[hive.AttemptRef]bool{}, heard: now, asking: 1}
	p.empty()
	p.readSchemas()
	return p
}

// readSchemas finds how the params of its handlers take values.
func (p *peer) readSchemas() {
	p.handlers = map[string]*hive.Rendering{}
	for _, h := range p.exec.Handlers {
		p.handlers[h.Name] = hive.ReadRendering(h.Schema)
	}
}

// empty makes it hold nothing.
func (p *peer) empty() {
	p.held = map[hive.AttemptRef]*held{}
	p.unacked, p.doomed = map[hive.AttemptRef]struct{}{}, map[hive.AttemptRef]struct{}{}
}

// left: it has said that it stops, and was not started again since, as far as is known.
func (p *peer) left() bool { return p.farewell != "" && p.farewell == p.exec.BootID }

// leaves: it takes nothing new, by what it says itself. What it said before its goodbye may arrive after it.
func (p *peer) leaves() bool { return p.draining || p.left() }

func (p *peer) hold(h *held) {
	p.held[h.ref] = h
	if h.kill != nil {
		p.doomed[h.ref] = struct{}{}
	}
}

// doom has an attempt killed, as soon as a call can carry it.
func (p *peer) doom(h *held, o hive.KillOrder) {
	h.kill = &o
	p.doomed[h.ref] = struct{}{}
}

func (p *peer) slots() int { return max(p.exec.Slots, 1) }

// used counts the slots in hand: whatever has not ended, `unknown` too.
func (p *peer) used() int { return max(len(p.held)-len(p.unacked), p.aloft) }

// running counts the attempts that the executor is thought to run for this server.
func (p *peer) running() int {
	n := 0
	for _, h := range p.held {
		if h.phase == submitted || h.phase == adopted || h.phase == running {
			n++
		}
	}
	return n
}

// refs are the attempts in hand, in order.
func (p *peer) refs() []hive.AttemptRef { return sortedRefs(p.held) }

func sortedRefs[T any](m map[hive.AttemptRef]T) []hive.AttemptRef {
	return slices.SortedFunc(maps.Keys(m), hive.AttemptRef.Compare)
}

// takes says why this executor cannot take a task now, or WaitNone.
func (p *peer) takes(req hive.Requirement) hive.WaitReason {
	group := p.exec.Group
	if group == "" {
		group = hive.DefaultGroup
	}
	_, offers := p.handlers[req.Handler]
	switch {
	case group != req.Group:
		return hive.WaitNoGroup
	case !offers:
		return hive.WaitNoHandler
	case req.Executor != "" && req.Executor != p.exec.Name:
		return hive.WaitNoMatch
	}
	for k, v := range req.Labels {
		if p.exec.Labels[k] != v {
			return hive.WaitNoMatch
		}
	}
	switch {
	case p.exec.Offline || p.exec.Drained || p.leaves():
		return hive.WaitOffline
	case !p.attached || p.mute || p.failures > 0:
		return hive.WaitSilent
	case p.used()+p.foreign >= p.slots():
		return hive.WaitBusy
	default:
		return hive.WaitNone
	}
}

// failed notes that a call did not get through: the next one waits a little longer each time.
func (p *peer) failed(now time.Time, why string) {
	p.failures++
	p.trouble = why
	delay := min(100*time.Millisecond<<min(p.failures-1, 6), 5*time.Second)
	p.retryAt = now.Add(delay)
	p.detach()
}

// detach has the executor asked anew what it has, before anything else. What it answers to an attach that is under
// way is not the whole truth any more.
func (p *peer) detach() {
	p.attached, p.describeAt = false, time.Time{}
	p.asking++
}

// spoke notes an answer: it is there.
func (p *peer) spoke(now time.Time) {
	p.heard, p.failures, p.retryAt, p.trouble = now, 0, time.Time{}, ""
}
