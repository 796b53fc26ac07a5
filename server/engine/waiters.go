package engine

import (
	"slices"
	"sync"

	"github.com/rprp/hivego/server/hive"
)

// commandWaiters holds the callers that wait for the answers of commands. Any goroutine may use it.
type commandWaiters struct {
	mu        sync.Mutex
	byCommand map[int64][]commandWaiter
	stopped   bool
}

type commandWaiter struct {
	batch  int64
	answer chan hive.CommandDone
}

func newCommandWaiters() *commandWaiters {
	return &commandWaiters{byCommand: map[int64][]commandWaiter{}}
}

// add registers a caller. Its channel is closed at once if the engine has stopped.
func (w *commandWaiters) add(batch, command int64) chan hive.CommandDone {
	w.mu.Lock()
	defer w.mu.Unlock()
	answer := make(chan hive.CommandDone, 1)
	if w.stopped {
		close(answer)
		return answer
	}
	w.byCommand[command] = append(w.byCommand[command], commandWaiter{batch: batch, answer: answer})
	return answer
}

// remove forgets a caller, if it still waits.
func (w *commandWaiters) remove(command int64, answer chan hive.CommandDone) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.byCommand[command] = slices.DeleteFunc(w.byCommand[command], func(c commandWaiter) bool {
		return c.answer == answer
	})
	if len(w.byCommand[command]) == 0 {
		delete(w.byCommand, command)
	}
}

// answer sends the answers that a commit has made durable to their callers.
func (w *commandWaiters) answer(done []hive.CommandDone) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range done {
		for _, c := range w.byCommand[d.ID] {
			c.answer <- d
		}
		delete(w.byCommand, d.ID)
	}
}

// release closes the channels of the callers that wait for a batch, because another server may store the answer.
func (w *commandWaiters) release(batch int64) {
	w.releaseIf(func(c commandWaiter) bool { return c.batch == batch })
}

// releaseAll closes all channels.
func (w *commandWaiters) releaseAll() { w.releaseIf(func(commandWaiter) bool { return true }) }

// stop closes all channels, also those of callers that come later.
func (w *commandWaiters) stop() {
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
	w.releaseAll()
}

func (w *commandWaiters) releaseIf(match func(commandWaiter) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for command, waiting := range w.byCommand {
		remaining := slices.DeleteFunc(waiting, func(c commandWaiter) bool {
			if !match(c) {
				return false
			}
			close(c.answer)
			return true
		})
		if w.byCommand[command] = remaining; len(remaining) == 0 {
			delete(w.byCommand, command)
		}
	}
}

// Await returns a channel that gets the answer of a command in the commit that applies the command. The channel is
// closed without an answer if the batch leaves this engine in between (another server may own it then), or is read
// again; the caller must read the command's row from then on. Call Await before Notify, and stop when the answer is not
// needed any more. Await does not report an answer that was stored earlier, so the caller must also read the row once.
func (e *Engine) Await(batch, command int64) (answer <-chan hive.CommandDone, stop func()) {
	ch := e.waiters.add(batch, command)
	return ch, func() { e.waiters.remove(command, ch) }
}
