package auth

import (
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// limits configure how long tries must wait after wrong passwords.
type limits struct {
	free   int           // failures without a wait
	first  time.Duration // the first wait; each further one is twice as long
	most   time.Duration
	forget time.Duration // a key without a try for this long is forgotten
	keys   int           // maximum number of keys in memory
}

// backoff counts failed tries by key and delays the next tries. A try is open from its begin until its end. At most as
// many tries of a key are open at once as may still fail without a wait, and then one at a time. So parallel tries get
// no more guesses than serial ones, and correct passwords delay nobody. The caller must hold a lock.
type backoff struct {
	limits

	marks map[string]mark
}

type mark struct {
	failures int
	open     int // tries that are under way
	last     time.Time
	until    time.Time // no try before this moment
}

func newBackoff(l limits) *backoff { return &backoff{limits: l, marks: map[string]mark{}} }

// at returns the mark of a key, without failures if they are forgotten. If the clock was set back, the times of the
// mark are set back with it.
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

// may returns how long a try has to wait, 0 if it need not. full means that no further try may begin before an open
// one has ended.
func (b *backoff) may(key string, now time.Time) (wait time.Duration, full bool) {
	m := b.at(key, now)
	if wait := m.until.Sub(now); wait > 0 {
		return wait, false
	}
	return 0, m.open > 0 && m.failures+m.open >= b.free
}

// begin opens a try that may has allowed.
func (b *backoff) begin(key string, now time.Time) {
	b.makeRoom(key, now)
	m := b.at(key, now)
	m.open++
	m.last = now
	b.marks[key] = m
}

// end closes a try and counts it if it was wrong.
func (b *backoff) end(key string, now time.Time, wrong bool) {
	m := b.at(key, now)
	m.open = max(m.open-1, 0) // makeRoom may have removed the mark meanwhile
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

// makeRoom keeps the number of marks bounded: it removes forgotten marks, and if that is not enough, the older half of
// the rest. A name or address under attack has a recent mark, so it stays.
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

// guesses slows down password guessing, by client address and by user name.
//
// A limit by name alone would let anybody lock a user out. So an address without a recent failure may always try once,
// even if other addresses have exhausted the name.
type guesses struct {
	mu               sync.Mutex
	addresses, names *backoff
	ended            chan struct{} // closed and replaced when a try ends
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

// guess is an open try.
type guess struct {
	guesses    *guesses
	from, name string // name is empty if only the address counts
}

// refuse returns an error if a try has to wait, however the open tries end.
func (g *guesses) refuse(address, name string, now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _, err := g.may(network(address), name, now)
	return err
}

// begin opens a try with a name. If the try has to wait, it returns an error with the duration. If that depends on open
// tries, it returns a channel; the caller asks again when the channel is closed. With an empty name only the address
// counts.
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
	return &guess{guesses: g, from: from, name: name}, nil, nil
}

// may decides about a try. counted means that the try counts for the name too, later that the decision has to wait for
// an open try.
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
		return false, m.open > 0, nil // the first try of an address is free; later ones wait for its result
	}
}

// end closes a try.
func (t *guess) end(now time.Time, wrong bool) {
	g := t.guesses
	g.mu.Lock()
	defer g.mu.Unlock()
	g.addresses.end(t.from, now, wrong)
	if t.name != "" {
		g.names.end(t.name, now, wrong)
	}
	close(g.ended)
	g.ended = make(chan struct{})
}

func tooMany(wait time.Duration, sentence string) error {
	wait = wait.Truncate(time.Second) + time.Second
	e := &hive.Error{Code: hive.CodeTooMany, Wait: wait, Words: sentence + "; wait " + wait.String()}
	return e.WithReason(hive.ErrorWait, "seconds", int(wait.Seconds()))
}

// network returns the range of addresses that counts as one client: an IPv4 address, or the /64 of an IPv6 address,
// which is the smallest range that a provider assigns.
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
