package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// How often and how much is copied.
const (
	copyEvery = 5 * time.Second
	copyChunk = hivego.MAX_READ_BYTES
	copyAgain = 100 * time.Millisecond // the first pause before a log is tried again; doubled up to every
	sealAt    = 64                     // logs that are made durable together
	sealers   = 8
)

// copier brings the logs of attempts from the executors into the log store, a folder: while they run every few
// seconds, and whole once they have ended. Only then may the executor forget its own. Each executor has a tray of its
// own with one worker, so one that does not answer holds nobody else up.
type copier struct {
	dir      string
	every    time.Duration
	room     *room
	pool     *pool
	log      *slog.Logger
	caller   func(*hive.Executor) caller
	released func(executor string, attempts []hive.AttemptRef)
	view     func(ctx context.Context) (fleet.LogView, bool) // false: there is none, the loop has ended

	mu      sync.Mutex
	ctx     context.Context //nolint:containedctx // of the workers; nil before the start and after the end
	workers sync.WaitGroup
	trays   map[string]*tray
}

// tray is what is to be copied from one executor.
type tray struct {
	exec    hive.Executor
	finish  []*copyJob
	queued  map[hive.AttemptRef]bool // attempts in finish, or on their way from there into the store
	follow  []hive.AttemptRef
	pause   time.Time // the executor is away: nothing before
	failing bool
	working bool
	gone    bool // the executor is not known any more
	signal  chan struct{}
}

// copyJob is one log to copy.
type copyJob struct {
	attempt hive.AttemptRef
	whole   bool // it has ended: to its end; else what there is now
	due     time.Time
	tries   int
}

func newCopier(dir string, p *pool, log *slog.Logger, c func(*hive.Executor) caller) *copier {
	return &copier{
		dir: dir, every: copyEvery, room: newRoom(dir), pool: p, log: log, caller: c,
		trays: map[string]*tray{},
	}
}

// run works until ctx ends.
func (c *copier) run(ctx context.Context) {
	c.mu.Lock()
	c.ctx = ctx
	for _, t := range c.trays {
		c.wake(t)
	}
	c.mu.Unlock()
	c.look(ctx)
	c.mu.Lock()
	c.ctx = nil // no worker begins any more
	c.mu.Unlock()
	c.workers.Wait()
}

// look asks now and then what runs, so that a burnt executor's log is not gone, and who is there.
func (c *copier) look(ctx context.Context) {
	tick := time.NewTicker(c.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if v, ok := c.view(ctx); ok {
			c.pool.keep(v.Executors)
			c.update(v)
		}
	}
}

// finish asks for the whole logs of ended attempts. It does not block.
func (c *copier) finish(work []fleet.AttemptLog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range work {
		t := c.tray(w.Executor)
		if !t.queued[w.Attempt] {
			t.queued[w.Attempt] = true
			t.finish = append(t.finish, &copyJob{attempt: w.Attempt, whole: true})
		}
		c.wake(t)
	}
}

// update takes what is true now: where the executors are, and what they run. What was to be copied from one that is
// not known any more stays as far as it has come.
func (c *copier) update(v fleet.LogView) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, t := range c.trays {
		e, ok := v.Executors[id]
		if !ok {
			if len(t.finish) > 0 {
				c.log.Warn("an executor was deleted before its logs were copied", "executor", t.exec.Name, "logs",
					len(t.finish))
			}
			t.gone, t.finish, t.follow = true, nil, nil
			delete(c.trays, id)
			c.wake(t)
			continue
		}
		t.exec, t.follow = e, nil
	}
	for _, w := range v.Running {
		t := c.tray(w.Executor)
		t.follow = append(t.follow, w.Attempt)
		c.wake(t)
	}
}

func (c *copier) tray(e hive.Executor) *tray {
	t := c.trays[e.ID]
	if t == nil {
		t = &tray{queued: map[hive.AttemptRef]bool{}, signal: make(chan struct{}, 1)}
		c.trays[e.ID] = t
	}
	t.exec = e
	return t
}

// wake has somebody work on a tray.
func (c *copier) wake(t *tray) {
	if t.working {
		select {
		case t.signal <- struct{}{}:
		default:
		}
	} else if c.ctx != nil && !t.gone {
		t.working = true
		ctx := c.ctx
		c.workers.Go(func() { c.work(ctx, t) })
	}
}

// work empties a tray.
func (c *copier) work(ctx context.Context, t *tray) {
	var done []*copied
	defer func() { closeAll(done) }()
	for ctx.Err() == nil {
		j, exec, wait := c.next(t)
		if j == nil || len(done) >= sealAt {
			c.seal(t, exec, done)
			done = nil
		}
		switch {
		case j != nil:
			l, err := c.copy(ctx, exec, j)
			c.judge(ctx, t, j, l, err)
			if l != nil {
				done = append(done, l)
			}
		case wait > 0:
			timer := time.NewTimer(wait)
			select {
			case <-ctx.Done():
			case <-t.signal:
			case <-timer.C:
			}
			timer.Stop()
		case c.rest(t):
			return
		}
	}
}

// next takes a job that is due out of a tray, or says how long there is none; 0: it is empty.
func (c *copier) next(t *tray) (j *copyJob, exec hive.Executor, wait time.Duration) {
	full := c.mayCopy() // not under the lock, for which the owner's loop waits: a folder in a network may not answer
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if len(t.finish)+len(t.follow) == 0 {
		return nil, t.exec, 0
	}
	if full != nil {
		return nil, t.exec, c.every
	}
	if d := t.pause.Sub(now); d > 0 {
		return nil, t.exec, d
	}
	soonest := c.every
	for i, j := range t.finish {
		d := j.due.Sub(now)
		if d <= 0 {
			if i == 0 {
				t.finish = t.finish[1:] // most often; without moving the rest
			} else {
				t.finish = slices.Delete(t.finish, i, i+1)
			}
			return j, t.exec, 0
		}
		soonest = min(soonest, d)
	}
	if len(t.follow) == 0 {
		return nil, t.exec, soonest
	}
	j = &copyJob{attempt: t.follow[0]}
	t.follow = t.follow[1:]
	return j, t.exec, 0
}

// rest ends the work on an empty tray.
func (c *copier) rest(t *tray) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(t.finish)+len(t.follow) > 0 {
		return false
	}
	t.working = false
	if c.trays[t.exec.ID] == t && !t.failing {
		delete(c.trays, t.exec.ID)
	}
	return true
}

// judge decides what follows from a try.
func (c *copier) judge(ctx context.Context, t *tray, j *copyJob, l *copied, err error) {
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil || answered(err):
		t.failing = false
	case errors.Is(err, errNoRoom): // this was said
	default:
		// The executor is away, or the disk is full: leave it time.
		t.pause = time.Now().Add(c.every)
		if !t.failing {
			c.log.Warn("logs are not copied; it will be tried again", "executor", t.exec.Name, "attempt", j.attempt.ID,
				"error", err)
		}
		t.failing = true
	}
	if l != nil || !j.whole || t.gone {
		return
	}
	if err != nil && answered(err) && j.tries == 0 {
		c.log.Warn("a log is not copied; it will be tried again", "executor", t.exec.Name, "attempt", j.attempt.ID,
			"error", err)
	}
	c.again(t, j)
}

// again puts a job back, for later.
func (c *copier) again(t *tray, j *copyJob) {
	j.due = time.Now().Add(min(copyAgain<<min(j.tries, 10), c.every))
	j.tries++
	t.finish = append(t.finish, j)
}

// answered says that an executor is there and did not do what it was asked.
func answered(err error) bool {
	_, ok := errors.AsType[thrift.TApplicationException](err)
	return ok || isDeclared(err)
}

// seal makes copied logs durable and lets their executor forget its own.
func (c *copier) seal(t *tray, exec hive.Executor, done []*copied) {
	if len(done) == 0 {
		return
	}
	free, failed := c.store(done)
	c.mu.Lock()
	for _, ref := range free {
		delete(t.queued, ref)
	}
	for _, l := range failed {
		c.log.Error("a log cannot be stored; it will be tried again", "attempt", l.job.attempt.ID, "error", l.err)
		if !t.gone {
			l.job.tries = max(l.job.tries, 6)
			c.again(t, l.job)
		}
	}
	c.mu.Unlock()
	if len(free) > 0 {
		slices.SortFunc(free, hive.AttemptRef.Compare)
		c.released(exec.ID, free)
	}
}
