package logs

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rprp/hivego/internal/heap"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// The pace and size of copying.
const (
	copyEvery = 5 * time.Second
	copyAgain = 100 * time.Millisecond // the first pause before a log is tried again; doubled up to copyEvery
	sealAt    = 64                     // number of logs that are made durable together
)

// copyQueue holds the logs to copy from one executor.
type copyQueue struct {
	exec    hive.Executor
	finish  *heap.Heap[*copyJob]     // logs of ended attempts, by when they are due
	queued  map[hive.AttemptRef]bool // attempts in finish, or on their way from there into the store
	follow  []hive.AttemptRef        // running attempts with logs to copy in this round
	pauseTo time.Time                // no copy before: the executor does not answer
	failing bool
	working bool // a worker processes the queue
	gone    bool // the executor is unknown now
	signal  chan struct{}
	added   uint64 // jobs in finish so far
}

// copyJob is one log to copy.
type copyJob struct {
	attempt hive.AttemptRef
	whole   bool // the attempt has ended: copy to the end; else copy the present content
	due     time.Time
	number  uint64 // jobs that are due at the same time stay in order
	tries   int
}

// newJobs makes an empty heap of jobs.
func newJobs() *heap.Heap[*copyJob] {
	return heap.New(func(a, b *copyJob) bool {
		return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.number, b.number)) < 0
	}, nil)
}

func (q *copyQueue) add(j *copyJob) {
	q.added++
	j.number = q.added
	q.finish.Push(j)
}

func (q *copyQueue) empty() bool { return q.finish.Len()+len(q.follow) == 0 }

// Run copies until ctx ends.
func (s *Store) Run(ctx context.Context) {
	s.mu.Lock()
	s.ctx = ctx
	for _, q := range s.queues {
		s.wake(q)
	}
	s.mu.Unlock()
	if s.mover.archive != nil {
		s.workers.Go(func() { s.moveAll(ctx) })
	}
	s.followAll(ctx)
	s.mu.Lock()
	s.ctx = nil // no worker begins any more
	s.mu.Unlock()
	s.workers.Wait()
}

// followAll periodically copies the growing logs, so that they survive the loss of an executor, and updates the
// executors.
func (s *Store) followAll(ctx context.Context) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if v, ok := s.cfg.View(ctx); ok {
			s.update(v)
		}
	}
}

// Finish starts to copy the complete logs of ended attempts. It does not block.
func (s *Store) Finish(logs []fleet.AttemptLog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range logs {
		q := s.queue(l.Executor)
		if !q.queued[l.Attempt] {
			q.queued[l.Attempt] = true
			q.add(&copyJob{attempt: l.Attempt, whole: true})
		}
		s.wake(q)
	}
}

// update sets the present addresses and running attempts of executors. Existing copies of logs of a removed executor
// stay.
func (s *Store) update(v fleet.LogView) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, q := range s.queues {
		e, ok := v.Executors[id]
		if !ok {
			if n := q.finish.Len(); n > 0 {
				s.cfg.Log.Warn("an executor was deleted before its logs were copied", "executor", q.exec.Name,
					"logs", n)
			}
			q.gone, q.finish, q.follow = true, newJobs(), nil
			delete(s.queues, id)
			s.wake(q)
			continue
		}
		q.exec, q.follow = e, nil
	}
	for _, l := range v.Running {
		q := s.queue(l.Executor)
		q.follow = append(q.follow, l.Attempt)
		s.wake(q)
	}
}

// queue returns the queue of an executor, and creates it if needed.
func (s *Store) queue(e hive.Executor) *copyQueue {
	q := s.queues[e.ID]
	if q == nil {
		q = &copyQueue{finish: newJobs(), queued: map[hive.AttemptRef]bool{}, signal: make(chan struct{}, 1)}
		s.queues[e.ID] = q
	}
	q.exec = e
	return q
}

// wake wakes the worker of a queue, or starts one.
func (s *Store) wake(q *copyQueue) {
	if q.working {
		select {
		case q.signal <- struct{}{}:
		default:
		}
	} else if s.ctx != nil && !q.gone {
		q.working = true
		ctx := s.ctx
		s.workers.Go(func() { s.work(ctx, q) })
	}
}

// work processes the jobs of a queue until it is empty.
func (s *Store) work(ctx context.Context, q *copyQueue) {
	var done []*copied
	defer func() { closeAll(done) }()
	for ctx.Err() == nil {
		j, exec, wait := s.next(q)
		if j == nil || len(done) >= sealAt {
			s.finishCopies(q, exec, done)
			done = nil
		}
		switch {
		case j != nil:
			l, err := s.copy(ctx, exec, j)
			s.tried(ctx, q, j, l, err)
			if l != nil {
				done = append(done, l)
			}
		case wait > 0:
			timer := time.NewTimer(wait)
			select {
			case <-ctx.Done():
			case <-q.signal:
			case <-timer.C:
			}
			timer.Stop()
		case s.stopWorking(q):
			return
		}
	}
}

// next removes a due job from a queue and returns it, or returns how long to wait for one; 0: the queue is empty.
func (s *Store) next(q *copyQueue) (j *copyJob, exec hive.Executor, wait time.Duration) {
	full := s.mayCopy() // without the lock, on which the owner's loop waits: a network file system may not answer
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if q.empty() {
		return nil, q.exec, 0
	}
	if full != nil {
		return nil, q.exec, s.every
	}
	if d := q.pauseTo.Sub(now); d > 0 {
		return nil, q.exec, d
	}
	soonest := s.every
	if first, ok := q.finish.First(); ok {
		d := first.due.Sub(now)
		if d <= 0 {
			q.finish.Pop()
			return first, q.exec, 0
		}
		soonest = min(soonest, d)
	}
	if len(q.follow) == 0 {
		return nil, q.exec, soonest
	}
	j = &copyJob{attempt: q.follow[0]}
	q.follow = q.follow[1:]
	return j, q.exec, 0
}

// stopWorking ends the work on a queue if it is empty.
func (s *Store) stopWorking(q *copyQueue) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !q.empty() {
		return false
	}
	q.working = false
	if s.queues[q.exec.ID] == q && !q.failing {
		delete(s.queues, q.exec.ID)
	}
	return true
}

// tried handles the result of a job: l is the complete log, if it is here.
func (s *Store) tried(ctx context.Context, q *copyQueue, j *copyJob, l *copied, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, refused := errors.AsType[*RefusedError](err)
	switch {
	case err == nil || refused:
		q.failing = false
	case errors.Is(err, errNoSpace): // mayCopy has logged it
	default:
		// The executor does not answer, or the disk is full: pause.
		q.pauseTo = time.Now().Add(s.every)
		if !q.failing {
			s.cfg.Log.Warn("logs are not copied; it will be tried again", "executor", q.exec.Name,
				"attempt", j.attempt.ID, "error", err)
		}
		q.failing = true
	}
	if l != nil || !j.whole || q.gone {
		return
	}
	if refused && j.tries == 0 {
		s.cfg.Log.Warn("a log is not copied; it will be tried again", "executor", q.exec.Name,
			"attempt", j.attempt.ID, "error", err)
	}
	s.again(q, j)
}

// again adds a job again, to run later.
func (s *Store) again(q *copyQueue, j *copyJob) {
	j.due = time.Now().Add(min(copyAgain<<min(j.tries, 10), s.every))
	j.tries++
	q.add(j)
}

// finishCopies makes copied logs durable, and then allows their executor to delete its own.
func (s *Store) finishCopies(q *copyQueue, exec hive.Executor, done []*copied) {
	if len(done) == 0 {
		return
	}
	stored, failed := s.seal(done)
	s.mu.Lock()
	for _, ref := range stored {
		delete(q.queued, ref)
	}
	for _, l := range failed {
		s.cfg.Log.Error("a log cannot be stored; it will be tried again", "attempt", l.job.attempt.ID, "error", l.err)
		if !q.gone {
			l.job.tries = max(l.job.tries, 6)
			s.again(q, l.job)
		}
	}
	s.mu.Unlock()
	if len(stored) > 0 {
		s.mover.completed()
		slices.SortFunc(stored, hive.AttemptRef.Compare)
		s.cfg.Copied(exec.ID, stored)
	}
}
