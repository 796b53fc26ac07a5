package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rprp/hivego/executor/internal/journal"
	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/ledger"
)

// open reads the journal and recovers the attempts of the previous process. The returned function resumes those that
// this process continues.
func (e *Executor) open(ctx context.Context) (resume func(), err error) {
	if err := os.MkdirAll(filepath.Join(e.cfg.Data, "attempts"), 0o700); err != nil {
		return nil, fmt.Errorf("executor data folder: %w", err)
	}
	e.ledger = ledger.New(ledger.Config{Slots: e.cfg.Slots, OrphanTimeout: e.cfg.OrphanTimeout})
	now := clock()
	j, err := journal.Open(filepath.Join(e.cfg.Data, "journal"), e.log, func(payload []byte) error {
		var r ledger.Record
		if err := json.Unmarshal(payload, &r); err != nil {
			return err
		}
		e.ledger.Replay(now, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.journal = j
	e.effects = newQueue()
	e.mu.Lock()
	st, survivors := e.ledger.Boot(now)
	done := e.commit(st, nil)
	e.compact()
	e.mu.Unlock()
	<-done
	resumable, err := e.recover(ctx, survivors)
	if err != nil {
		return nil, err
	}
	e.abandonRuns()
	if err := e.removeReleased(); err != nil {
		return nil, err
	}
	return e.prepareResume(resumable), nil
}

// recover lets each durable handler recover its attempts, and returns the attempts of handlers in this process that may
// have a checkpoint. Attempts of a handler that this executor does not have any more are lost.
func (e *Executor) recover(ctx context.Context, survivors []ledger.Survivor) (resumable []ledger.Survivor, err error) {
	by := map[string][]ledger.Survivor{}
	for _, s := range survivors {
		by[s.Handler] = append(by[s.Handler], s)
	}
	for name, h := range e.durables {
		leases, err := h.Recover(ctx, attemptsOf(by[name]), reporter{e})
		if err != nil {
			return nil, fmt.Errorf("executor: handler %s: %w", name, err)
		}
		e.mu.Lock()
		for _, l := range leases {
			e.ledger.AdoptLease(ledger.Lease(l))
		}
		e.mu.Unlock()
		for _, s := range by[name] {
			if s.Kill != nil {
				e.effects.add(func() { h.Kill(Ref(s.Attempt), s.Kill.Grace, s.Kill.Reason) })
			}
		}
		delete(by, name)
	}
	for name, left := range by {
		if _, ok := e.handlers[name].(Resumer); ok {
			resumable = append(resumable, left...)
			continue
		}
		for _, s := range left {
			why := message.New(message.LostHandler, "the executor was restarted without its handler ‹name›",
				"name", strconv.Quote(name))
			e.ended(s.Attempt, ended(Lost, why.Err()), false)
		}
	}
	return resumable, nil
}

// attemptsOf returns the references of survivors.
func attemptsOf(survivors []ledger.Survivor) []Ref {
	out := make([]Ref, 0, len(survivors))
	for _, s := range survivors {
		out = append(out, Ref(s.Attempt))
	}
	return out
}

// removeReleased removes the folders of attempts that the ledger does not have any more. The previous process ended
// before it could remove them.
func (e *Executor) removeReleased() error {
	dir := filepath.Join(e.cfg.Data, "attempts")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("executor data folder: %w", err)
	}
	for _, x := range entries {
		attempt, ok := ledger.ParseRef(x.Name())
		e.mu.Lock()
		known := ok && e.ledger.State(attempt).Known
		e.mu.Unlock()
		if !known {
			e.remove(filepath.Join(dir, x.Name()))
		}
	}
	return nil
}

// remove removes a folder and its content.
func (e *Executor) remove(folder string) {
	if err := os.RemoveAll(folder); err != nil {
		e.log.Warn("executor: a folder cannot be removed", "folder", folder, "error", err)
	}
}
