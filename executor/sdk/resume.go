package sdk

import (
	"context"
	"errors"
	"os"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/ledger"
)

// survives reports whether attempts of a handler may continue after a restart of the executor.
func (e *Executor) survives(handler string) bool {
	_, resumes := e.handlers[handler].(Resumer)
	return resumes || e.durables[handler] != nil
}

// prepareResume finds the attempts that have a checkpoint; the others are lost. The returned function runs their
// handlers.
func (e *Executor) prepareResume(survivors []ledger.Survivor) (resume func()) {
	type resumed struct {
		t     *Task
		state []byte
		kill  *ledger.KillOrder
	}
	var list []resumed
	var leases []ledger.Resumed
	for _, s := range survivors {
		t, k, err := e.readCheckpoint(s)
		if err != nil {
			why := ledger.LostAtRestart()
			if !errors.Is(err, os.ErrNotExist) {
				why = message.Quote(message.LostCheckpoint,
					"the executor was restarted, and what it had kept to go on with cannot be read: ‹words›",
					message.Of(err))
			}
			e.ended(s.Attempt, ended(Lost, why.Err()), false)
			continue
		}
		list = append(list, resumed{t, k.State, s.Kill})
		leases = append(leases, ledger.Resumed{Attempt: s.Attempt, Orphan: k.Orphan})
	}
	if len(list) == 0 {
		return func() {}
	}
	e.log.Info("executor: resuming attempts from their checkpoints", "attempts", len(list))
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range list {
		e.tasks[r.t.ref()] = r.t
	}
	e.commit(e.ledger.Resume(clock(), leases), nil)
	return func() {
		for _, r := range list {
			h, _ := e.handlers[r.t.Handler].(Resumer)
			e.launch(r.t, r.kill, "is taken up again", func(ctx context.Context) error {
				_ = r.t.writer() // there is a log already: it goes on too
				return h.Resume(ctx, r.t, r.state)
			})
		}
	}
}
