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

// backoff counts failures by a key. A try is counted as failed when it begins and forgiven when it succeeds: otherwise
// a thousand at the same time would all be the first.
type backoff struct {
	limits

	mu    sync.Mutex
	marks map[string]mark
}

type mark struct {
	failures int
	last     time.Time
	until    time.Time // nobody tries before
}

func newBackoff(l limits) *backoff { return &backoff{limits: l, marks: map[string]mark{}} }

// failed says whether a key has failed lately.
func (b *backoff) failed(key string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at(key, now).failures > 0
}

// at is the mark of a key, or none if it is forgotten. A clock that was set back takes the mark with it.
func (b *backoff) at(key string, now time.Time) mark {
	m, known := b.marks[key]
	if ahead := m.last.Sub(now); known && ahead > 0 {
		m.last, m.until = now, m.until.Add(-ahead)
		b.marks[key] = m
	}
	if now.Sub(m.last) >= b.forget {
		return mark{}
	}
	return m
}

// try counts a try and answers 0, or how long to wait instead.
func (b *backoff) try(key string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.at(key, now)
	if wait := m.until.Sub(now); wait > 0 {
		return wait
	}
	b.makeRoom(key, now)
	m.failures++
	m.last = now
	if over := m.failures - b.free; over >= 0 {
		m.until = now.Add(min(b.first<<min(over, 20), b.most))
	}
	b.marks[key] = m
	return 0
}

// forgive takes one failure back: it was none.
func (b *backoff) forgive(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.marks[key]
	m.failures--
	if m.failures < b.free {
		m.until = time.Time{}
	}
	if b.marks[key] = m; m.failures <= 0 {
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
	keys := slices.SortedFunc(maps.Keys(b.marks), func(x, y string) int { return b.marks[x].last.Compare(b.marks[y].last) })
	for _, k := range keys[:len(keys)/2] {
		delete(b.marks, k)
	}
}

// guesses slows down who guesses passwords, by the address that they come from and by the name that they try.
//
// By name alone everybody could lock everybody out. So an address that has not failed lately may always try once,
// whatever strangers do with the name.
type guesses struct{ addresses, names *backoff }

func newGuesses() *guesses {
	return &guesses{
		addresses: newBackoff(limits{free: 5, first: time.Second, most: 5 * time.Minute, forget: 15 * time.Minute, keys: 10_000}),
		names:     newBackoff(limits{free: 10, first: time.Second, most: time.Minute, forget: 15 * time.Minute, keys: 10_000}),
	}
}

// try counts a try with a name, and answers what takes it back when it was right; or an error that says how long to
// wait. Of a text that can be nobody's name only the address counts.
func (g *guesses) try(address, name string, now time.Time) (right func(), err error) {
	from := network(address)
	failed := g.addresses.failed(from, now)
	if wait := g.addresses.try(from, now); wait > 0 {
		return nil, tooMany(wait, "too many wrong tries came from your address")
	}
	if name == "" {
		return func() { g.addresses.forgive(from) }, nil
	}
	counted := true
	if wait := g.names.try(name, now); wait > 0 {
		if failed {
			g.addresses.forgive(from)
			return nil, tooMany(wait, "there were too many wrong tries with this name")
		}
		counted = false
	}
	return func() {
		g.addresses.forgive(from)
		if counted {
			g.names.forgive(name)
		}
	}, nil
}

func tooMany(wait time.Duration, words string) error {
	wait = wait.Truncate(time.Second) + time.Second
	e := &hive.Error{Code: hive.CodeTooMany, Wait: wait, Words: words + "; wait " + wait.String()}
	return e.Because(hive.RefusedWait, "seconds", int(wait.Seconds()))
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
