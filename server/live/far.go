package live

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Pace of reads of what other servers have changed.
const (
	farEvery     = 50 * time.Millisecond  // between two reads of changed runs of a batch
	farListEvery = 100 * time.Millisecond // between two reads of changed batches of the list
	farWhole     = time.Second            // between two reads of a whole topic
	maxFar       = 5000                   // runs or batches that are read one by one
	// looksSpared is how many times as long the pause between two looks at other servers' batches is while messages
	// arrive.
	looksSpared = 10
)

// Far queues what other servers have changed. all means that anything may have changed.
func (h *Hub) Far(list []hive.FarChange, all bool) {
	if all {
		list = nil
	}
	h.in.put(event{far: list, farAll: all})
}

// Listening queues whether messages of other servers arrive. While they do not, the hub looks at the batches of other
// servers itself.
func (h *Hub) Listening(on bool) { h.in.put(event{listening: &on}) }

// marks names what another server has changed in a topic, and was not read yet.
type marks struct {
	keys  map[int64]bool // numbers of runs, or ids of batches in the list
	whole bool
	read  time.Time // when the latest read began
}

func (m *marks) add(key int64) {
	if m.whole {
		return
	}
	if m.keys == nil {
		m.keys = map[int64]bool{}
	}
	if m.keys[key] = true; len(m.keys) > maxFar {
		m.keys, m.whole = nil, true
	}
}

func (m *marks) clear() { m.keys, m.whole = nil, false }

// farLocked marks what other servers have changed.
func (h *Hub) farLocked(e *event) {
	list := h.topics[key{topic: hive.TopicBatches}]
	for i := range e.far {
		c := &e.far[i]
		if f := h.topics[key{topic: hive.TopicBatch, batch: c.Batch}]; f != nil {
			h.markLocked(f, func(m *marks) {
				m.whole = m.whole || c.Whole
				for _, n := range c.Runs {
					m.add(int64(n))
				}
			})
		}
		if list != nil {
			h.markLocked(list, func(m *marks) { m.add(c.Batch) })
		}
	}
	if e.farAll {
		h.markAllLocked()
	}
}

// markAllLocked marks everything that other servers may have changed.
func (h *Hub) markAllLocked() {
	for k, f := range h.topics {
		if k.topic != hive.TopicExecutors && k.topic != hive.TopicPresence {
			h.markLocked(f, func(m *marks) { m.whole = true })
		}
	}
}

// markLocked marks changes of a topic. This server observes the changes of its own batches, so it reads none of them.
func (h *Hub) markLocked(f *topic, add func(m *marks)) {
	if p, ok := f.projection.(*batchProjection); ok && p.mine {
		return
	}
	add(&f.marks)
	h.marked[f] = true
}

// readFarLocked begins the reads of marked changes that are due, and returns when the next one is.
func (h *Hub) readFarLocked(now time.Time) (next time.Time) {
	for f := range h.marked {
		switch {
		case f.reading: // its end wakes the loop
		case f.failed: // the next sample reads it
		default:
			due := h.readMarkedLocked(f, now)
			if due.IsZero() {
				delete(h.marked, f)
			}
			next = earlier(next, due)
		}
	}
	return next
}

// readMarkedLocked reads the marked changes of a topic, or returns when it may.
func (h *Hub) readMarkedLocked(f *topic, now time.Time) (due time.Time) {
	m := &f.marks
	pause := farEvery
	list, isList := f.projection.(*listProjection)
	if isList {
		pause = farListEvery
	}
	if m.whole || !f.shown {
		pause = farWhole
	}
	if due = m.read.Add(pause); now.Before(due) {
		return due
	}
	if m.whole || !f.shown {
		h.readLocked(f)
		return time.Time{}
	}
	take := slices.Sorted(maps.Keys(m.keys))
	m.clear()
	if isList {
		take, due = list.due(take, m, now)
		if len(take) == 0 {
			return due
		}
	} else {
		due = time.Time{}
	}
	m.read = now
	f.reading = true
	f.projection.begin()
	h.jobLocked(job{topic: f, far: true, keys: take})
	return due
}

// due returns the batches whose changes may be shown now. The others stay marked, until the returned time.
func (p *listProjection) due(ids []int64, m *marks, now time.Time) (take []int64, rest time.Time) {
	for _, id := range ids {
		if e := p.entries[id]; e != nil && now.Before(e.at.Add(listEvery)) {
			m.add(id)
			rest = earlier(rest, e.at.Add(listEvery))
			continue
		}
		take = append(take, id)
	}
	return take, rest
}

// doFar reads the marked changes of a topic.
func (h *Hub) doFar(ctx context.Context, j job) {
	if j.topic.key.topic == hive.TopicBatches {
		rows, err := h.cfg.Source.Others(ctx, j.keys)
		h.finishOthers(j.topic, rows, err)
		return
	}
	numbers := make([]int, len(j.keys))
	for i, n := range j.keys {
		numbers[i] = int(n)
	}
	v, err := h.cfg.Source.Runs(ctx, j.topic.key.batch, numbers)
	h.finishRuns(j.topic, &v, err)
}

func (h *Hub) finishRuns(f *topic, v *View, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.finishLocked(f, err) {
		return
	}
	p := f.projection.(*batchProjection) //nolint:forcetypeassert // by the topic
	staged, ok := p.readRuns(v)
	if !ok {
		h.readLocked(f)
		return
	}
	if staged {
		h.stageLocked(f)
	}
}

// readRuns stages the result of a read of some runs. It reports false if the whole batch must be read: it has more
// runs, runs are other shards, or it belongs to this server now.
func (p *batchProjection) readRuns(v *View) (staged, ok bool) {
	buffered, row := p.buffered, p.bufferedRow
	p.buffered, p.bufferedRow = nil, nil
	if v.Mine || p.mine {
		return false, false
	}
	for i := range v.Runs {
		n := v.Runs[i].Number
		if n >= len(p.runs) || !samePart(p.now(n), &v.Runs[i]) {
			return false, false
		}
		if _, ok := buffered[n]; ok || p.now(n).Equal(&v.Runs[i]) {
			continue
		}
		r := new(hive.RunView) // its own allocation, as in read
		*r = v.Runs[i]
		p.next[n] = r
		staged = true
	}
	if row == nil {
		staged = p.stageRow(&v.Batch) || staged
	}
	return staged, true
}

func (h *Hub) finishOthers(f *topic, rows []hive.Batch, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.finishLocked(f, err) {
		return
	}
	p := f.projection.(*listProjection) //nolint:forcetypeassert // by the topic
	buffered, staged := p.buffered, false
	p.buffered = nil
	for i := range rows {
		if buffered[rows[i].ID] == nil {
			staged = p.stage(&rows[i]) || staged
		}
	}
	if staged {
		h.stageLocked(f)
	}
}
