package sim

import (
	"maps"
	"slices"
	"time"
)

// faults break things, at random moments, until the world is calm.
type faults struct{ w *world }

func (f *faults) begin() {
	r := f.w.cfg.rates
	f.often(r.crash, f.crashServer)
	f.often(r.crash, f.crashHost)
	f.often(r.freeze, f.freezeServer)
	f.often(r.freeze, f.freezeHost)
	f.often(r.cut, f.cut)
	f.often(r.outage, f.outage)
	f.often(r.poison, f.poison)
	f.often(r.super, func() { oneOf(f.w, f.w.hosts).super.crash() })
	f.often(r.crash, f.drain)
	f.often(r.jump, f.jump)
	f.rewind(r.rewinds)
}

// often repeats a fault at this mean interval; 0 means never.
func (f *faults) often(mean time.Duration, do func()) {
	if mean == 0 {
		return
	}
	f.w.after(f.w.exp(mean), func() {
		if !f.w.calm {
			do()
			f.often(mean, do)
		}
	})
}

// span returns a random duration of a fault: mostly short, sometimes longer than all leases.
func (f *faults) span() time.Duration {
	w := f.w
	switch w.pick(5, 3, 2) {
	case 0:
		return w.between(10*time.Millisecond, 3*time.Second)
	case 1:
		return w.between(3*time.Second, 40*time.Second)
	default:
		return w.between(40*time.Second, 4*time.Minute)
	}
}

func (f *faults) crashServer() {
	s := oneOf(f.w, f.w.servers)
	s.crash()
	f.w.after(f.span(), s.revive)
}

func (f *faults) crashHost() {
	h := oneOf(f.w, f.w.hosts)
	h.crash()
	if f.w.chance(0.1) {
		h.super.crash()
	}
	f.w.after(f.span(), h.revive)
}

// jump sets the wall clock of a server to a wrong time for a while.
func (f *faults) jump() {
	s := oneOf(f.w, f.w.servers)
	by := f.w.between(-time.Hour, time.Hour)
	if f.w.chance(0.3) {
		by = f.w.between(-15*time.Second, 15*time.Second)
	}
	s.jumpClock(by)
	f.w.after(f.span(), func() { s.jumpClock(0) })
}

func (f *faults) freezeServer() {
	s := oneOf(f.w, f.w.servers)
	s.freeze()
	f.w.after(f.span(), s.thaw)
}

func (f *faults) freezeHost() {
	h := oneOf(f.w, f.w.hosts)
	h.freeze()
	f.w.after(f.span(), h.thaw)
}

func (f *faults) cut() {
	c := cut{server: oneOf(f.w, f.w.servers), host: oneOf(f.w, f.w.hosts), until: f.w.now + f.span()}
	f.w.tracef("world", "cut between %s and %s until %.3f", c.server.name, c.host.name, c.until.Seconds())
	f.w.net.cuts = append(f.w.net.cuts, c)
}

func (f *faults) outage() {
	f.w.store.outageUntil = f.w.now + min(f.span(), 30*time.Second)
	f.w.tracef("world", "the database is away until %.3f", f.w.store.outageUntil.Seconds())
}

// poison makes the rows of one batch impossible to store for a while.
func (f *faults) poison() {
	if ids := slices.Sorted(maps.Keys(f.w.store.batches)); len(ids) > 0 {
		id := oneOf(f.w, ids)
		f.w.store.poisoned[id] = f.w.now + f.span()
		f.w.tracef("world", "batch %d cannot be stored until %.3f", id, f.w.store.poisoned[id].Seconds())
	}
}

// drain drains an executor for a while.
func (f *faults) drain() {
	h := oneOf(f.w, f.w.hosts)
	if !h.up || h.frozen || h.blocking {
		return
	}
	h.ledger.SetDraining(true)
	life := h.life
	f.w.after(f.span(), func() { h.run(life, func() { h.ledger.SetDraining(false) }) })
}
