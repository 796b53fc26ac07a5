package live

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// job is something that one of the readers reads, without holding the lock.
type job struct {
	topic *topic  // nil: take the samples
	look  bool    // with the samples: at batches of other servers
	far   bool    // only what another server has changed
	keys  []int64 // with far: numbers of runs, or ids of batches in the list
}

func (h *Hub) jobLocked(j job) {
	h.jobs = append(h.jobs, j)
	select {
	case h.work <- struct{}{}:
	default: // all readers are awake
	}
}

// readLocked schedules a read of a topic, or a second one if a read is under way.
func (h *Hub) readLocked(f *topic) {
	if f.reading {
		f.again = true
		return
	}
	f.reading, f.failed = true, false
	f.marks = marks{read: h.cfg.Now()}
	delete(h.marked, f)
	f.projection.begin()
	h.jobLocked(job{topic: f})
}

// read runs one reader.
func (h *Hub) read(ctx context.Context) {
	for {
		j, ok := h.nextJob()
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-h.work:
			}
			continue
		}
		if ctx.Err() != nil {
			return
		}
		h.do(ctx, j)
	}
}

func (h *Hub) nextJob() (job, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.jobs) == 0 {
		return job{}, false
	}
	j := h.jobs[0]
	h.jobs = h.jobs[1:]
	return j, true
}

func (h *Hub) do(ctx context.Context, j job) {
	limited, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	if j.topic == nil {
		h.sample(limited, j.look)
		return
	}
	if j.far {
		h.doFar(limited, j)
		return
	}
	switch k := j.topic.key; k.topic {
	case hive.TopicBatch:
		v, err := h.cfg.Source.Batch(limited, k.batch)
		h.finishBatch(j.topic, &v, err)
	case hive.TopicBatches:
		live, err := h.cfg.Source.Batches(limited)
		h.finishList(limited, j.topic, live, err)
	case hive.TopicExecutors:
		now, err := h.cfg.Source.Executors(limited)
		h.finishExecutors(j.topic, now, err)
	case hive.TopicPresence:
		h.finishPresence(j.topic)
	}
}

// finishLocked ends a read, and reports whether its result can be used. It first applies the inbox, so that changes
// which were observed before the end of the read are buffered and do not overwrite newer rows later.
func (h *Hub) finishLocked(f *topic, err error) bool {
	h.applyLocked()
	f.reading = false
	again := f.again
	f.again = false
	if h.marked[f] {
		h.in.wake()
	}
	switch {
	case h.topics[f.key] != f: // nobody follows it any more
		return false
	case err != nil && hive.CodeOf(err) == hive.CodeNotFound:
		f.shown = false
		for fo := range f.follows {
			fo.refuse = err
			fo.client.wake()
		}
		return false
	case err != nil:
		h.cfg.Log.Warn("what is followed cannot be read", "topic", f.key.topic, "batch", f.key.batch, "error", err)
		f.failed = true // the next sample tries again
		return false
	case again:
		h.readLocked(f)
		return false
	}
	return true
}

func (h *Hub) finishBatch(f *topic, v *View, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.finishLocked(f, err) {
		return
	}
	p := f.projection.(*batchProjection) //nolint:forcetypeassert // by the topic
	staged, restart, ok := p.read(v)
	if !ok {
		h.readLocked(f)
		return
	}
	h.showLocked(f, staged, restart)
}

// showLocked makes the result of a read visible. Staged changes wait for their flush only if the topic was shown
// before.
func (h *Hub) showLocked(f *topic, staged, restart bool) {
	if restart || f.version == 0 {
		f.version++
		f.restart()
	}
	if staged && !f.shown {
		if f.due = f.publish(h.cfg.Now()); !f.due.IsZero() {
			h.staged[f] = true
		}
		staged = false
	}
	if !f.shown || restart {
		f.shown = true
		f.changed()
	}
	if staged {
		h.stageLocked(f)
	}
}

func (h *Hub) finishList(ctx context.Context, f *topic, live []hive.Batch, err error) {
	h.mu.Lock()
	if !h.finishLocked(f, err) {
		h.mu.Unlock()
		return
	}
	p := f.projection.(*listProjection) //nolint:forcetypeassert // by the topic
	staged, gone := p.read(live)
	h.showLocked(f, staged, false)
	h.mu.Unlock()
	for _, id := range gone {
		b, err := h.cfg.Source.Row(ctx, id)
		if err != nil {
			continue // the next read of the list brings it
		}
		h.mu.Lock()
		if e := p.entries[id]; h.topics[f.key] == f && e != nil && e.now.Live {
			if p.stage(&b) {
				h.stageLocked(f)
			}
		}
		h.mu.Unlock()
	}
}

func (h *Hub) finishExecutors(f *topic, now string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.finishLocked(f, err) {
		return
	}
	p := f.projection.(*executorsProjection) //nolint:forcetypeassert // by the topic
	h.showLocked(f, p.stage(now), false)
}

// finishPresence shows who has a schedule open. There is nothing to read.
func (h *Hub) finishPresence(f *topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.finishLocked(f, nil) {
		h.showLocked(f, true, false)
	}
}

// sampleLocked forgets what no client needs any more, and schedules reads of everything that is never observed:
// progress, the reasons why runs wait, executors, batches of other servers, and topics whose last read failed.
func (h *Hub) sampleLocked() {
	now := h.cfg.Now()
	look := !now.Before(h.lookAt)
	if !h.sampling {
		h.sampling = true
		h.jobLocked(job{look: look})
	} else if look {
		look = false // with the next sample
	}
	if look {
		h.lookAt = now.Add(h.lookPause())
	}
	for k, f := range h.topics {
		f.dropBodies(h.epoch)
		switch {
		case f.reading:
		case f.failed, k.topic == hive.TopicExecutors, k.topic == hive.TopicBatches && h.cfg.Shared && look:
			h.readLocked(f)
		}
	}
}

// lookPause returns the time between two looks at batches of other servers.
func (h *Hub) lookPause() time.Duration {
	if h.listens {
		return looksSpared * h.cfg.LookEvery
	}
	return h.cfg.LookEvery
}

// sample asks the owner for values that it does not store, and the store for batches of other servers.
func (h *Hub) sample(ctx context.Context, look bool) {
	own, others := h.followed()
	if !look {
		others = nil
	}
	published, err := map[int64]hive.PublishedBatch{}, error(nil)
	if len(own) > 0 {
		published, err = h.cfg.Source.Published(ctx, own)
	}
	moved := h.moved(ctx, others)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.applyLocked()
	h.sampling = false
	if err != nil {
		return // the next sample is due soon
	}
	for _, id := range own {
		f := h.topics[key{topic: hive.TopicBatch, batch: id}]
		if f == nil || !f.shown {
			continue
		}
		p := f.projection.(*batchProjection) //nolint:forcetypeassert // by the topic
		if now := published[id]; p.sample(&now) {
			h.stageLocked(f)
		}
	}
	for _, id := range moved {
		if f := h.topics[key{topic: hive.TopicBatch, batch: id}]; f != nil {
			h.readLocked(f)
		}
	}
}

// followed lists the batches to sample: the live ones of this server, and all of other servers.
func (h *Hub) followed() (own []int64, others []hive.Batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k, f := range h.topics {
		p, ok := f.projection.(*batchProjection)
		switch {
		case !ok || !f.shown:
		case !p.mine:
			b := p.row
			b.ID = k.batch
			others = append(others, b)
		case p.row.Live || p.stuck.Text != "":
			own = append(own, k.batch)
		}
	}
	return own, others
}

// moved returns the batches of other servers that may have changed.
func (h *Hub) moved(ctx context.Context, others []hive.Batch) (ids []int64) {
	for i := range others {
		b := &others[i]
		if !b.Live {
			if row, err := h.cfg.Source.Row(ctx, b.ID); err != nil || sameBatch(&row, b) && row.Owner == b.Owner {
				continue
			}
		}
		ids = append(ids, b.ID)
	}
	return ids
}
