package auth

import (
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// limits say how wrong passwords make the next ones wait.
type limits struct {
	free   int           // tries before anybody waits
	first  time.Duration // the first wait; each further one is twice as long
	most   time.Duration
	forget time.Duration // after so long without a failure all is forgotten
	keys   int           // how many are remembered
}

// backoff counts failures by a key. A try that has begun is open until it is known whether it was wrong; no more are
// open at once than may still fail before somebody has to wait, and after that one at a time. So many at once get no
// more tries than the same ones after each other, and those who are right make nobody wait. Its users lock it.
type backoff struct {
	limits

	marks map[string]mark
}

type mark struct {
	failures int
	open     int // tries that are under way
	last     time.Time
	until    time.Time // nobody tries before
}

func newBackoff(l limits) *backoff { return &backoff{limits: l, marks: map[string]mark{}} }

// at is the mark of a key, or none if it is forgotten. A clock that was set back takes the mark with it.
func (b *backoff) at(key string, now time.Time) mark {
	m, known := b.marks[key]
	if ahead := m.last.Sub(now); known && ahead > 0 {
		m.last, m.until = now, m.until.Add(-ahead)
		b.marks[key] = m
	}
	if now.Sub(m.last) >= b.forget {
		return mark{open: m.open}
	}
	return m
}

// may answers 0, or how long to wait instead of a try; full: nobody knows yet, before a try that is under way has
// ended.
func (b *backoff) may(key string, now time.Time) (wait time.Duration, full bool) {
	m := b.at(key, now)
	if wait := m.until.Sub(now); wait > 0 {
		return wait, false
	}
	return 0, m.open > 0 && m.failures+m.open >= b.free
}

// begin notes a try that may be.
func (b *backoff) begin(key string, now time.Time) {
	b.makeRoom(key, now)
	m := b.at(key, now)
	m.open++
	m.last = now
	b.marks[key] = m
}

// end notes what became of a try.
func (b *backoff) end(key string, now time.Time, wrong bool) {
	m := b.at(key, now)
	m.open = max(m.open-1, 0) // it may have been pushed out of the memory
	if wrong {
		b.makeRoom(key, now)
		m.failures++
		m.last = now
		if over := m.failures - b.free; over >= 0 {
			m.until = now.Add(min(b.first<<min(over, 20), b.most))
		}
	}
	if b.marks[key] = m; m.failures+m.open == 0 {
		delete(b.marks, key)
	}
}

// makeRoom keeps the memory bounded: forgotten marks go first, then the older half of what is left. What is under
// attack now is among the younger ones.
func (b *backoff) makeRoom(key string, now time.Time) {
	if _, known := b.marks[key]; known || len(b.marks) < b.keys {
		return
	}
	maps.DeleteFunc(b.marks, func(_ string, m mark) bool { return now.Sub(m.last) >= b.forget })
	if len(b.marks) < b.keys {
		return
	}
	keys := slices.SortedFunc(maps.Keys(b.marks),
		func(x, y string) int { return b.marks[x].last.Compare(b.marks[y].last) })
	for _, k := range keys[:len(keys)/2] {
		delete(b.marks, k)
	}
}

// guesses slows down who guesses passwords, by the address that they come from and by the name that they try.
//
// By name alone everybody could lock everybody out. So an address that has not failed lately may always try once,
// whatever strangers do with the name.
type guesses struct {
	mu               sync.Mutex
	addresses, names *backoff
	ended            chan struct{} // closed, and made anew, when a try ends
}

func newGuesses() *guesses {
	return &guesses{
		addresses: newBackoff(limits{
			free: 5, first: time.Second, most: 5 * time.Minute, forget: 15 * time.Minute,
			keys: 10_000,
		}),
		names: newBackoff(limits{
			free: 10, first: time.Second, most: time.Minute, forget: 15 * time.Minute,
			keys: 10_000,
		}),
		ended: make(chan struct{}),
	}
}

// guess is a try that is under way.
type guess struct {
	of         *guesses
	from, name string // name is empty if only the address counts
}

// refuse answers an error if somebody has to wait, whatever becomes of the tries that are under way.
func (g *guesses) refuse(address, name string, now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _, err := g.may(network(address), name, now)
	return err
}

// begin begins a try with a name; or it answers an error that says how long to wait; or a channel: nobody knows before
// a try that is under way has ended, and ask again when it is closed. Of a text that can be nobody's name only the
// address counts.
func (g *guesses) begin(address, name string, now time.Time) (*guess, <-chan struct{}, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := network(address)
	counted, later, err := g.may(from, name, now)
	if err != nil || later {
		return nil, g.ended, err
	}
	g.addresses.begin(from, now)
	if !counted {
		name = ""
	} else if name != "" {
		g.names.begin(name, now)
	}
	return &guess{of: g, from: from, name: name}, nil, nil
}

func (g *guesses) may(from, name string, now time.Time) (counted, later bool, err error) {
	wait, later := g.addresses.may(from, now)
	if wait > 0 {
		return false, false, tooMany(wait, "too many wrong tries came from your address")
	}
	if later || name == "" {
		return true, later, nil
	}
	wait, later = g.names.may(name, now)
	if wait == 0 {
		return true, later, nil
	}
	switch m := g.addresses.at(from, now); {
	case m.failures > 0:
		return false, false, tooMany(wait, "there were too many wrong tries with this name")
	default:
		return false, m.open > 0, nil // the first of an address may; whether this is one the first will tell
	}
}

// end says what became of a try.
func (t *guess) end(now time.Time, wrong bool) {
	g := t.of
	g.mu.Lock()
	defer g.mu.Unlock()
	g.addresses.end(t.from, now, wrong)
	if t.name != "" {
		g.names.end(t.name, now, wrong)
	}
	close(g.ended)
	g.ended = make(chan struct{})
}

func tooMany(wait time.Duration, words string) error {
	wait = wait.Truncate(time.Second) + time.Second
	e := &hive.Error{Code: hive.CodeTooMany, Wait: wait, Words: words + "; wait " + wait.String()}
	return e.WithReason(hive.ErrorWait, "seconds", int(wait.Seconds()))
}

// network is what counts as one address: of IPv6 a /64, which is the least that anybody has.
func network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	if a = a.Unmap().WithZone(""); a.Is6() {
		p, _ := a.Prefix(64) // an IPv6 address has one
		return p.String()
	}
	return a.String()
}
