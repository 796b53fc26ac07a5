package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// people write schedules, run them, and change their minds.
type people struct {
	w    *world
	revs []*revision
	keys int
}

func newPeople(w *world) *people {
	p := &people{w: w}
	for i := range 1 + w.rng.IntN(2) {
		def := randomDefinition(w, fmt.Sprintf("s%d", i))
		p.revs = append(p.revs, w.store.publish(def, 1))
	}
	return p
}

// begin plans the actions of people during the storm.
func (p *people) begin() {
	w := p.w
	for range w.cfg.batches {
		w.after(w.between(0, w.cfg.storm*2/3), p.run)
	}
	p.keepSchedules()
	p.keepChains()
	for range w.rng.IntN(6) {
		w.after(w.between(0, w.cfg.storm), p.wish)
	}
	if w.cfg.repairs {
		for range 1 + w.rng.IntN(8) {
			w.after(w.between(w.cfg.storm/10, w.cfg.storm), p.repair)
		}
	}
}

// run starts a batch through a server that is up.
func (p *people) run() {
	w, st := p.w, p.w.store
	s := oneOf(w, w.servers)
	if !s.up || s.frozen || s.keeper.Over() || st.holds(s.name, s.epoch) != nil {
		w.after(w.between(100*time.Millisecond, 5*time.Second), p.run)
		return
	}
	rev := oneOf(w, p.revs)
	b := hive.Batch{
		ScheduleID: 1, Schedule: rev.def.Name, Kind: hive.KindManual, State: hive.BatchQueued, Wish: hive.WishRun,
		Owner: s.name, Moment: milli(epoch.Add(w.now)), CreatedAt: milli(epoch.Add(w.now)), CreatedBy: "person",
	}
	id := st.createBatch(b, rev)
	w.stats.Batches++
	w.tracef("people", "run batch %d of %s by %s", id, rev.def.Name, s.name)
	s.post(func(time.Time) { s.keeper.Adopt(id) })
}

// wish pauses, continues or cancels a batch.
func (p *people) wish() {
	wish := []hive.Wish{hive.WishPause, hive.WishRun, hive.WishCancel}[p.w.pick(4, 4, 2)]
	if id := p.batch(); id != 0 {
		p.command(id, hive.CommandWish, hive.WishPayload{Wish: wish})
	}
}

func (p *people) batch() int64 {
	ids := slices.Sorted(maps.Keys(p.w.store.batches))
	if len(ids) == 0 {
		return 0
	}
	return oneOf(p.w, ids)
}

// repair asks for one of the actions of a repair plan.
func (p *people) repair() {
	w, id := p.w, p.batch()
	if id == 0 {
		return
	}
	b := w.store.batches[id]
	rev := w.store.revs[b.RevisionID]
	req := hive.PlanRequest{}
	var keys []string
	for key := range rev.tasks {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	some := func() []string {
		list := []string{oneOf(w, keys)}
		if k := oneOf(w, keys); w.chance(0.3) && k != list[0] {
			list = append(list, k)
		}
		return list
	}
	switch w.pick(5, 5, 2, 2, 2, 1) {
	case 0:
		req.Action = hive.PlanResume
		if w.chance(0.4) {
			req.Tasks = some()
		}
	case 1:
		req.Action, req.Tasks, req.Downstream = hive.PlanRerun, some(), w.chance(0.5)
	case 2:
		req.Action, req.Tasks = hive.PlanMarkSuccess, some()
	case 3:
		req.Action, req.Tasks = hive.PlanMarkSkip, some()
	case 4:
		req.Action, req.Tasks = hive.PlanCancel, some()
	default:
		req.Action, req.Note = hive.PlanClose, "leave it"
	}
	if (req.Action == hive.PlanResume || req.Action == hive.PlanRerun) && b.Hook == nil && w.chance(0.3) {
		later := w.store.publish(vary(w, rev.def), rev.row.Number+1)
		req.RevisionID = later.row.ID
	}
	p.command(id, hive.CommandRepair, req)
}

// command stores a command and usually notifies a server, not always the owner.
func (p *people) command(batch int64, kind hive.CommandKind, payload any) {
	text, err := json.Marshal(payload)
	if err != nil {
		p.w.failf("command", "%v", err)
	}
	p.keys++
	id := p.w.store.addCommand(hive.Command{
		BatchID: batch, Kind: kind, Key: fmt.Sprintf("key%d", p.keys), Payload: text, CreatedBy: "person",
		CreatedAt: milli(epoch.Add(p.w.now)),
	})
	p.w.stats.Commands++
	p.w.tracef("people", "command %d for batch %d: %s %s", id, batch, kind, text)
	for range p.w.rng.IntN(3) {
		if s := oneOf(p.w, p.w.servers); s.up {
			s.after(p.w.between(0, 20*time.Millisecond), func() {
				s.post(func(time.Time) { s.keeper.CommandStored(batch) })
			})
		}
	}
}

// nudge ends pauses and decides about held runs, once the faults have stopped.
func (p *people) nudge() {
	st := p.w.store
	for _, id := range slices.Sorted(maps.Keys(st.schedules)) {
		p.releaseAll(id)
		if x := st.schedules[id]; x.calm > 0 && x.row.Enabled {
			x.row.Enabled = false
			p.tell(id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(st.batches)) {
		b := st.batches[id]
		if !b.Live || len(st.pending(id)) > 0 {
			continue
		}
		if b.Wish == hive.WishPause {
			p.command(id, hive.CommandWish, hive.WishPayload{Wish: hive.WishRun})
			continue
		}
		for _, r := range st.byBatch[id].runs {
			if row := st.runs[r]; row.State == hive.RunUnknown && row.Attempt == 0 {
				p.command(id, hive.CommandRepair, hive.PlanRequest{Action: hive.PlanCancel, Tasks: []string{row.Task}})
				break
			}
		}
	}
}
