package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// keepSchedules lets people publish schedules with a trigger, change them, and disable and enable them.
func (p *people) keepSchedules() {
	w := p.w
	if !w.chance(0.6) {
		return
	}
	for range 1 + w.rng.IntN(2) {
		w.after(w.between(0, w.cfg.storm/4), func() {
			id := w.store.publishSchedule(0, p.timed(fmt.Sprintf("timed%d", len(w.store.schedules))))
			p.tell(id)
		})
	}
	for range w.rng.IntN(6) {
		w.after(w.between(w.cfg.storm/4, w.cfg.storm), p.changeSchedule)
	}
	p.keepMoments()
}

// timed returns a small definition with a trigger and a random policy.
func (p *people) timed(name string) *hive.Definition {
	w := p.w
	def := randomDefinition(w, name)
	def.Jobs = def.Jobs[:1]
	def.Jobs[0].Tasks = def.Jobs[0].Tasks[:1]
	seconds := oneOf(w, []int64{10, 30, 60, 60, 120})
	def.Triggers = []hive.Trigger{{Cron: crons()[seconds]}}
	def.Policy = hive.Policy{
		Overlap: oneOf(w, []hive.Overlap{
			hive.OverlapAllow, hive.OverlapSkip, hive.OverlapQueue, hive.OverlapReplace,
		}),
		CatchUp: hive.CatchUp{
			Mode: oneOf(w, []hive.CatchUpMode{hive.CatchUpAll, hive.CatchUpLatest, hive.CatchUpNone}),
		},
	}
	if seconds < 60 && def.Policy.Overlap == hive.OverlapAllow {
		def.Policy.Overlap = hive.OverlapSkip // otherwise too many batches run at once
	}
	if seconds < 60 && def.Policy.CatchUp.Mode == hive.CatchUpAll {
		def.Policy.CatchUp.Mode = hive.CatchUpLatest
	}
	return def
}

// changeSchedule publishes another revision of a schedule, or disables or enables it.
func (p *people) changeSchedule() {
	w, st := p.w, p.w.store
	ids := slices.Sorted(maps.Keys(st.schedules))
	if w.calm || len(ids) == 0 {
		return
	}
	id := oneOf(w, ids)
	x := st.schedules[id]
	switch {
	case x.row.Archived():
		return
	case w.chance(0.5):
		st.publishSchedule(id, p.another(x))
		w.tracef("people", "publish revision %d of %s", x.row.Revision, x.row.Name)
	default:
		x.row.Enabled = !x.row.Enabled
		if x.row.Enabled {
			x.row.EnabledAt = milli(epoch.Add(w.now))
		}
		x.touch()
		w.tracef("people", "enable %s: %t", x.row.Name, x.row.Enabled)
	}
	p.tell(id)
}

// disableAll disables all schedules, so that the world can come to rest. Those whose moments follow the ends of their
// batches must go on by themselves first.
func (p *people) disableAll() {
	for _, id := range slices.Sorted(maps.Keys(p.w.store.schedules)) {
		p.releaseAll(id)
		if x := p.w.store.schedules[id]; x.delay() == 0 || x.row.Archived() {
			x.row.Enabled = false
		}
		p.tell(id)
	}
}

// tell usually notifies a server of a change.
func (p *people) tell(id int64) {
	w := p.w
	s := oneOf(w, w.servers)
	if w.chance(0.3) || s.ticker == nil {
		return
	}
	s.after(w.between(0, 20*time.Millisecond), func() {
		if s.ticker != nil {
			s.ticker.notify(id)
		}
	})
}
