package sim

import (
	"encoding/json"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// clerk reads what the loop asks for, one job after another, as the engine's does.
type clerk struct {
	s     *server
	jobs  []func(done func())
	busy  bool
	stuck map[int64]bool
}

func (c *clerk) do(job func(done func())) {
	c.jobs = append(c.jobs, job)
	c.next()
}

func (c *clerk) next() {
	if c.busy || len(c.jobs) == 0 {
		return
	}
	c.busy = true
	job := c.jobs[0]
	c.jobs = c.jobs[1:]
	job(func() {
		c.busy = false
		c.next()
	})
}

// load brings a batch into the owner.
func (c *clerk) load(id int64) {
	c.do(func(done func()) { c.loadNow(id, done) })
}

func (c *clerk) loadNow(id int64, done func()) {
	c.read(id, func(img hive.BatchSnapshot, epoch int64, ok bool) {
		if ok {
			c.give(img, epoch)
		}
		done()
	})
}

// read gets the image of a batch. It holds good in the session in which it was read.
func (c *clerk) read(id int64, then func(img hive.BatchSnapshot, epoch int64, ok bool)) {
	s, st := c.s, c.s.w.store
	s.post(func(time.Time) {
		epoch := s.epoch
		var img hive.BatchSnapshot
		s.owner.BeginRead(id)
		st.call(s, "image", func() (err error) { img, err = st.image(id); return err }, func(err error) {
			if err != nil {
				s.post(func(time.Time) { s.stuck(id) })
			}
			then(img, epoch, err == nil)
		})
	})
}

func (c *clerk) give(img hive.BatchSnapshot, epoch int64) {
	s, id := c.s, img.Batch.ID
	s.post(func(now time.Time) {
		switch {
		case s.lapsed: // the next session loads what it owns
		case s.epoch != epoch, !s.owner.ReadStillValid(id):
			c.load(id)
		case img.Batch.Owner != s.name:
			delete(c.stuck, id)
			s.owner.Disown(now, id)
		default:
			delete(c.stuck, id)
			if err := s.owner.Load(now, img); err != nil {
				s.w.failf("load", "batch %d: %v", id, err)
			}
		}
	})
}

// claim loads all batches that this server owns now, those that wait for others last.
func (c *clerk) claim() {
	c.do(func(done func()) {
		s, st := c.s, c.s.w.store
		var ids []int64
		var hosts []hive.Executor
		asked := s.now()
		list := func() error {
			ids = st.liveBatches(s.name)
			for _, h := range s.w.hosts {
				hosts = append(hosts, st.hosts[h.id])
			}
			return nil
		}
		st.call(s, "live batches", list, func(err error) {
			if err != nil {
				s.after(time.Second, func() { c.claim(); done() })
				return
			}
			s.post(func(now time.Time) { s.fleet.Learn(now, hosts, asked) })
			c.each(ids, nil, func() { c.sweep(); done() })
		})
	})
}

// each loads batches, queued ones when all others are there.
func (c *clerk) each(ids, queued []int64, done func()) {
	if len(ids) == 0 {
		if len(queued) == 0 {
			done()
			return
		}
		c.loadNow(queued[0], func() { c.each(nil, queued[1:], done) })
		return
	}
	c.read(ids[0], func(img hive.BatchSnapshot, epoch int64, ok bool) {
		switch {
		case !ok:
		case img.Batch.State == hive.BatchQueued:
			queued = append(queued, ids[0])
		default:
			c.give(img, epoch)
		}
		c.each(ids[1:], queued, done)
	})
}

// command handles what people want of a batch.
func (c *clerk) command(batch int64) {
	c.fetch("commands", func() []hive.Command { return c.s.w.store.pending(batch) })
}

// sweep looks for commands that were stored while nobody listened.
func (c *clerk) sweep() {
	c.fetch("sweep", func() []hive.Command { return c.s.w.store.pendingOf(c.s.name) })
}

func (c *clerk) sweepOften() {
	c.s.after(5*time.Second, func() {
		c.sweep()
		c.sweepOften()
	})
}

func (c *clerk) fetch(what string, read func() []hive.Command) {
	c.do(func(done func()) {
		var list []hive.Command
		c.s.w.store.call(c.s, what, func() error { list = read(); return nil }, func(err error) {
			if err != nil {
				done()
				return
			}
			c.handle(list, done)
		})
	})
}

// handle gives commands to the owner, with their batches and revisions.
func (c *clerk) handle(list []hive.Command, done func()) {
	if len(list) == 0 {
		done()
		return
	}
	s, cmd := c.s, list[0]
	latest, rev := c.revision(&cmd)
	give := func() {
		s.post(func(now time.Time) { s.owner.HandleCommand(now, cmd, latest, rev) })
		c.handle(list[1:], done)
	}
	s.post(func(time.Time) {
		switch {
		case c.stuck[cmd.BatchID]: // it waits with its batch, and is found again
			c.handle(list[1:], done)
		case s.owner.Has(cmd.BatchID):
			give()
		default:
			c.loadNow(cmd.BatchID, give)
		}
	})
}

// revision reads the revision that a repair asks for; nil if it asks for none.
func (c *clerk) revision(cmd *hive.Command) (*graph.Graph, hive.Revision) {
	var req hive.PlanRequest
	if cmd.Kind != hive.CommandRepair || json.Unmarshal(cmd.Payload, &req) != nil || req.RevisionID == 0 {
		return nil, hive.Revision{}
	}
	stored := c.s.w.store.revs[req.RevisionID]
	if stored == nil { // the store went back; so is the command gone
		return nil, hive.Revision{}
	}
	rev := stored.row
	doc, faults := document.Parse([]byte(rev.Document), document.Options{Stored: true})
	if doc == nil || hive.Refused(faults) {
		c.s.w.failf("document", "revision %d: %v", rev.ID, faults)
	}
	g, err := graph.Compile(doc.Definition)
	if err != nil {
		c.s.w.failf("document", "revision %d: %v", rev.ID, err)
	}
	return g, rev
}
