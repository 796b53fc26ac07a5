package journal

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// retryAfter is the pause after a failed write: a full disk is tried again until it takes the records.
const retryAfter = time.Second

// lazyLimit is how many bytes may be written without being synced.
const lazyLimit = 1 << 20

// Journal appends records from one goroutine of its own. What comes while a sync runs is one group of the next.
type Journal struct {
	log *slog.Logger

	mu     sync.Mutex
	queue  []item
	kick   chan struct{}
	closed bool
	done   chan struct{}
	size   int64
	stop   chan struct{}

	file    *file
	written uint64        // records given to the file in this life
	durable atomic.Uint64 // of those, how many are known to be on disk
	stuck   atomic.Pointer[error]
}

// item is one entry of the queue.
type item struct {
	payloads [][]byte
	after    uint64
	rewrite  bool
	then     func()
}

// Open reads the journal at path and starts its writer.
func Open(path string, log *slog.Logger, replay func(payload []byte) error) (*Journal, error) {
	f, damage, err := openFile(path, replay)
	if err != nil {
		return nil, err
	}
	if damage.Torn > 0 {
		log.Info("journal: cut off an unfinished write", "path", path, "bytes", damage.Torn)
	}
	if damage.Skipped > 0 {
		log.Error("journal: damaged; what could not be read was left out", "path", path, "bytes", damage.Skipped)
	}
	j := &Journal{
		log: log, file: f, size: f.size,
		kick: make(chan struct{}, 1), done: make(chan struct{}), stop: make(chan struct{}),
	}
	go j.loop()
	return j, nil
}

// Add queues records, which are numbered from 1 in the order of Add. Once record number after (0: none) and all that
// was queued before are durable, then is called, from the journal's goroutine, in the order of Add. It must not
// block. Add never blocks. After Close nothing is taken, and then is not called.
func (j *Journal) Add(payloads [][]byte, after uint64, then func()) {
	j.add(item{payloads: payloads, after: after, then: then})
}

// Durable says whether record number n, counted as in Add, is on disk.
func (j *Journal) Durable(n uint64) bool { return n <= j.durable.Load() }

// Stuck is why the disk does not take what is queued; nil while it does.
func (j *Journal) Stuck() error {
	if err := j.stuck.Load(); err != nil {
		return *err
	}
	return nil
}

// Rewrite queues the replacement of all records queued so far by payloads, which are not numbered.
func (j *Journal) Rewrite(payloads [][]byte) { j.add(item{payloads: payloads, rewrite: true}) }

func (j *Journal) add(x item) {
	if len(x.payloads) == 0 && x.then == nil && !x.rewrite {
		return
	}
	j.mu.Lock()
	if !j.closed {
		j.queue = append(j.queue, x)
	}
	j.mu.Unlock()
	select {
	case j.kick <- struct{}{}:
	default:
	}
}

// Size is the number of bytes in the file.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Close writes and syncs what is queued, and ends. If the disk does not take it, it gives up after one try.
func (j *Journal) Close() {
	j.mu.Lock()
	first := !j.closed
	j.closed = true
	j.mu.Unlock()
	if first {
		close(j.stop)
	}
	<-j.done
}

func (j *Journal) loop() {
	defer close(j.done)
	for {
		stopping := false
		select {
		case <-j.kick:
		case <-j.stop:
			stopping = true
		}
		for j.group() {
		}
		if stopping {
			if err := j.file.close(); err != nil {
				j.log.Error("journal: close", "error", err)
			}
			return
		}
	}
}

// group commits what is queued now; false: nothing was, or the journal is closing and the disk refuses.
func (j *Journal) group() bool {
	j.mu.Lock()
	queue := j.queue
	j.queue = nil
	j.mu.Unlock()
	if len(queue) == 0 {
		return false
	}
	start := 0
	for i, x := range queue {
		if x.rewrite {
			if !j.commit(queue[start:i]) || !j.persist(func() error { return j.file.rewrite(x.payloads) }) {
				return false
			}
			start = i + 1
			j.durable.Store(j.written)
		}
	}
	return j.commit(queue[start:])
}

// commit writes one group, syncs it if anybody waits for that, and calls back.
func (j *Journal) commit(group []item) bool {
	var framed []byte
	var need uint64
	for _, x := range group {
		for _, p := range x.payloads {
			framed = frame(framed, p)
		}
		j.written += uint64(len(x.payloads))
		need = max(need, x.after)
	}
	if len(framed) > 0 && !j.persistWrite(framed) {
		return false
	}
	if need > j.durable.Load() || len(j.file.tail) > lazyLimit {
		if !j.persist(j.syncAll) {
			return false
		}
		j.durable.Store(j.written)
	}
	j.mu.Lock()
	j.size = j.file.size
	j.mu.Unlock()
	for _, x := range group {
		if x.then != nil {
			x.then()
		}
	}
	return true
}

func (j *Journal) persistWrite(framed []byte) bool {
	return j.persist(func() error {
		next := framed
		framed = nil // kept in the file's tail from the first try on
		return j.file.write(next)
	})
}

// syncAll syncs, and writes first what an earlier failure left unwritten.
func (j *Journal) syncAll() error {
	if err := j.file.write(nil); err != nil {
		return err
	}
	return j.file.sync()
}

// persist repeats f until it succeeds. Nothing may go on without it: what is not durable may not be told.
func (j *Journal) persist(f func() error) bool {
	for {
		err := f()
		if err == nil {
			j.stuck.Store(nil)
			return true
		}
		j.stuck.Store(&err)
		j.log.Error("journal: not written, will try again", "path", j.file.path, "error", err)
		select {
		case <-time.After(retryAfter):
		case <-j.stop:
			return false
		}
	}
}
