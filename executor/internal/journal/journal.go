package journal

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rprp/hivego/internal/mailbox"
)

// retryAfter is the pause after a failed write. Writes to a full disk are repeated until they succeed.
const retryAfter = time.Second

// lazyLimit is how many bytes may be written without being synced.
const lazyLimit = 1 << 20

// Journal appends records in its own goroutine. The items that arrive during one sync form one group and share the next
// sync.
type Journal struct {
	log   *slog.Logger
	queue *mailbox.Box[item]
	stop  chan struct{}
	done  chan struct{}

	mu     sync.Mutex
	closed bool  // queue takes nothing any more
	size   int64 // of the file, once all queued items are done

	file    *file
	written uint64        // records written to the file since Open
	durable atomic.Uint64 // how many of the written records are known to be on disk
	failing atomic.Pointer[error]
}

// item is one call of Add or Rewrite.
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
		log.Info("journal: cut off an unfinished record", "path", path, "bytes", damage.Torn)
	}
	if damage.Skipped > 0 {
		log.Error("journal: skipped damaged records", "path", path, "bytes", damage.Skipped)
	}
	j := &Journal{
		log: log, file: f, size: f.size,
		queue: mailbox.New[item](), done: make(chan struct{}), stop: make(chan struct{}),
	}
	go j.loop()
	return j, nil
}

// Add queues records and never blocks. Records are numbered from 1 in the order of Add. The journal calls then once all
// items queued before are done and record number after is durable; 0 waits for no record. It calls then in its own
// goroutine, in the order of Add, so then must not block. After Close, Add does nothing, and then is not called.
func (j *Journal) Add(payloads [][]byte, after uint64, then func()) {
	j.add(item{payloads: payloads, after: after, then: then})
}

// Durable reports whether record number n, counted as in Add, is on disk.
func (j *Journal) Durable(n uint64) bool { return n <= j.durable.Load() }

// WriteError returns the error of the last write if it failed and is being repeated, and nil otherwise.
func (j *Journal) WriteError() error {
	if err := j.failing.Load(); err != nil {
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
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	if x.rewrite {
		j.size = 0
	}
	for _, p := range x.payloads {
		j.size += headerSize + int64(len(p))
	}
	j.queue.Put(x)
}

// Size returns the number of bytes that the file has once all queued items are done. A queued Rewrite counts at once,
// so that a caller who compares the size with a limit does not queue another one.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Close writes and syncs the queued records, and ends the journal. If a write fails, Close does not repeat it.
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
		case <-j.queue.Wake():
		case <-j.stop:
			stopping = true
		}
		for j.commitQueue() {
		}
		if stopping {
			if err := j.file.close(); err != nil {
				j.log.Error("journal: close", "error", err)
			}
			return
		}
	}
}

// commitQueue commits the queued items. It returns false if there were none, or if a write failed while the journal is
// closing.
func (j *Journal) commitQueue() bool {
	items := j.queue.TakeAll()
	if len(items) == 0 {
		return false
	}
	start := 0
	for i, x := range items {
		if x.rewrite {
			if !j.commit(items[start:i]) || !j.persist(func() error { return j.file.rewrite(x.payloads) }) {
				return false
			}
			start = i + 1
			j.durable.Store(j.written)
		}
	}
	return j.commit(items[start:])
}

// commit writes one group, syncs it if an item waits for that, and calls the functions of the items.
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
		framed = nil // after the first try, the file has it in its tail
		return j.file.write(next)
	})
}

// syncAll writes the bytes that are left from an earlier failure, and syncs.
func (j *Journal) syncAll() error {
	if err := j.file.write(nil); err != nil {
		return err
	}
	return j.file.sync()
}

// persist repeats f until it succeeds: nothing may be reported before it is durable. It returns false if the journal is
// closed before f succeeds.
func (j *Journal) persist(f func() error) bool {
	for {
		err := f()
		if err == nil {
			j.failing.Store(nil)
			return true
		}
		j.failing.Store(&err)
		j.log.Error("journal: write failed, will try again", "path", j.file.path, "error", err)
		select {
		case <-time.After(retryAfter):
		case <-j.stop:
			return false
		}
	}
}
