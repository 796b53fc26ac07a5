package engine

import (
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

// watchers are those who wait for the answer of a command, and what other goroutines may know of the session.
type watchers struct {
	mu    sync.Mutex
	now   int64
	over  bool      // the session was lost, the next has not begun
	until time.Time // by this server's clock: the session's lease ends in the store then, at the earliest
	waits map[int64][]chan hive.CommandDone
}

func newWatchers() *watchers { return &watchers{waits: map[int64][]chan hive.CommandDone{}} }

func (w *watchers) begin(epoch int64, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now, w.until, w.over = epoch, until, false
}

// lapse says that the session is over.
func (w *watchers) lapse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over, w.until = true, time.Time{}
}

// session is the epoch, and whether it is still in force as far as is known here.
func (w *watchers) session() (epoch int64, in bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now, !w.over
}

// extend notes a renewed lease, if the session is still the one that renewed it.
func (w *watchers) extend(epoch int64, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == epoch && !w.over && until.After(w.until) {
		w.until = until
	}
}

// leased says that nobody can have taken this session over.
func (w *watchers) leased(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return now.Before(w.until)
}

func (w *watchers) epoch() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *watchers) answer(done []hive.CommandDone) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range done {
		for _, ch := range w.waits[d.ID] {
			ch <- d
		}
		delete(w.waits, d.ID)
	}
}

// Session is this server's right to write now.
func (e *Engine) Session() owner.Session {
	return owner.Session{Server: e.cfg.Server.ID, Epoch: e.watch.epoch()}
}

// Await answers a channel that gets the answer of a command once it is durable. Call it before Notify; stop when it
// is not needed any more. A command that was answered before never comes: look at its row as well.
func (e *Engine) Await(command int64) (answer <-chan hive.CommandDone, stop func()) {
	ch := make(chan hive.CommandDone, 1)
	e.watch.mu.Lock()
	defer e.watch.mu.Unlock()
	e.watch.waits[command] = append(e.watch.waits[command], ch)
	return ch, func() {
		e.watch.mu.Lock()
		defer e.watch.mu.Unlock()
		rest := e.watch.waits[command][:0]
		for _, c := range e.watch.waits[command] {
			if c != ch {
				rest = append(rest, c)
			}
		}
		if len(rest) == 0 {
			delete(e.watch.waits, command)
		} else {
			e.watch.waits[command] = rest
		}
	}
}
