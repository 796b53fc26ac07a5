package live

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// keepEnded is how long the list remembers a batch that has ended. A slower client begins with a new snapshot.
const keepEnded = 10 * time.Second

// listProjection holds the live batches and the batches that have just ended.
type listProjection struct {
	entries  map[int64]*entry
	dirty    map[int64]bool // batches with something staged
	ended    map[int64]bool // batches that have ended, to be forgotten
	oldest   int64          // version below which batches were forgotten
	buffered map[int64]*hive.Batch
	full     bool // the batches were read at least once
}

type entry struct {
	now     hive.Batch
	shown   hive.Batch
	version int64 // of shown; 0: it was never shown
	at      time.Time
}

func newListProjection() *listProjection {
	return &listProjection{entries: map[int64]*entry{}, dirty: map[int64]bool{}, ended: map[int64]bool{}}
}

func (p *listProjection) begin() { p.buffered = map[int64]*hive.Batch{} }

func (p *listProjection) floor() int64 { return p.oldest }

func (p *listProjection) observe(d *hive.Delta, reading bool) (staged, reread bool) {
	if reading {
		p.buffered[d.Batch] = d.BatchRow
	}
	return p.full && p.stage(d.BatchRow), false
}

func (p *listProjection) stage(b *hive.Batch) bool {
	e := p.entries[b.ID]
	if e == nil {
		if !b.Live {
			return false // it ended before it was ever shown
		}
		e = &entry{}
		p.entries[b.ID] = e
	}
	e.now = *b
	if e.version != 0 && sameBatch(&e.shown, b) && maps.Equal(e.shown.Counts, b.Counts) {
		delete(p.dirty, b.ID)
		return false
	}
	p.dirty[b.ID] = true
	return true
}

// read applies the result of a read of all live batches. It returns the batches that have ended although no change of
// them was observed.
func (p *listProjection) read(live []hive.Batch) (staged bool, gone []int64) {
	buffered := p.buffered
	p.buffered = nil
	seen := map[int64]bool{}
	for i := range live {
		seen[live[i].ID] = true
		if buffered[live[i].ID] == nil {
			staged = p.stage(&live[i]) || staged
		}
	}
	for id, b := range buffered {
		seen[id] = true
		staged = p.stage(b) || staged
	}
	for id, e := range p.entries {
		if !seen[id] && e.now.Live {
			gone = append(gone, id)
		}
	}
	p.full = true
	return staged, gone
}

func (p *listProjection) publish(version int64, now time.Time) (changed bool, rest time.Time) {
	for id := range p.dirty {
		e := p.entries[id]
		if due := e.at.Add(listEvery); now.Before(due) {
			rest = earlier(rest, due)
			continue
		}
		changed = true
		e.shown, e.version, e.at = e.now, version, now
		delete(p.dirty, id)
		if e.shown.Live {
			delete(p.ended, id)
		} else {
			p.ended[id] = true
		}
	}
	for id := range p.ended {
		if e := p.entries[id]; now.Sub(e.at) > keepEnded && !p.dirty[id] {
			p.oldest = max(p.oldest, e.version)
			delete(p.entries, id)
			delete(p.ended, id)
		}
	}
	return changed, rest
}

func (p *listProjection) body(from int64) *hive.LiveBody {
	b := &hive.LiveBody{Snapshot: from == 0, Batches: []hive.Batch{}}
	for _, e := range p.entries {
		if e.version > from && (from > 0 || e.shown.Live) {
			b.Batches = append(b.Batches, e.shown)
		}
	}
	slices.SortFunc(b.Batches, func(x, y hive.Batch) int { return cmp.Compare(x.ID, y.ID) })
	return b
}

// executorsProjection only knows whether anything about the executors has changed.
type executorsProjection struct{ seen, next string }

func (p *executorsProjection) begin() {}

func (p *executorsProjection) floor() int64 { return 0 }

func (p *executorsProjection) observe(*hive.Delta, bool) (staged, reread bool) { return false, false }

func (p *executorsProjection) stage(now string) bool {
	p.next = now
	return p.next != p.seen
}

func (p *executorsProjection) publish(int64, time.Time) (changed bool, rest time.Time) {
	changed = p.seen != p.next
	p.seen = p.next
	return changed, time.Time{}
}

func (p *executorsProjection) body(from int64) *hive.LiveBody {
	return &hive.LiveBody{Snapshot: from == 0}
}
