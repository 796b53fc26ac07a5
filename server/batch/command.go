package batch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// CommandStore stores commands and reads their answers.
type CommandStore interface {
	// AddCommand stores a command. If there is one with its key already, it returns that one.
	AddCommand(ctx context.Context, c hive.Command) (stored hive.Command, existed bool, err error)
	Command(ctx context.Context, id int64) (hive.Command, error)
	// CommandByKey finds a command by its idempotency key; CodeNotFound if there is none.
	CommandByKey(ctx context.Context, key string) (hive.Command, error)
	// Commands lists commands of a batch, newest first.
	Commands(ctx context.Context, f hive.CommandFilter) ([]hive.Command, error)
}

// How long await waits for an answer, and the shortest and longest pause between two reads of the command.
const (
	patience   = 10 * time.Second
	firstPause = 2 * time.Millisecond
	lastPause  = 100 * time.Millisecond
)

// RepairCommand makes the command of a repair, and stores nothing.
func (s *Service) RepairCommand(ctx context.Context, r hive.RepairRequest) (hive.Command, error) {
	b, err := s.batches.Batch(ctx, r.Batch)
	if err != nil {
		return hive.Command{}, err
	}
	rev, err := s.revision(ctx, &b, r)
	if err != nil {
		return hive.Command{}, err
	}
	req := r.PlanRequest
	req.RevisionID = rev.ID
	c := hive.Command{BatchID: r.Batch, Kind: hive.CommandRepair, CreatedBy: r.By}
	err = s.fill(&c, r.Key, req)
	return c, err
}

// Await wakes the owner of a stored command's batch and waits for the answer. The command is still pending if the owner
// did not answer in time.
func (s *Service) Await(ctx context.Context, c hive.Command) (hive.Command, error) {
	b, err := s.batches.Batch(ctx, c.BatchID)
	if err != nil {
		return c, err
	}
	return s.await(ctx, c, b.Owner == s.server().ID)
}

// Repair sends a repair to the batch's owner. The command is still pending if the owner did not answer in time.
func (s *Service) Repair(ctx context.Context, r hive.RepairRequest) (hive.Command, error) {
	b, err := s.batches.Batch(ctx, r.Batch)
	if err != nil {
		return hive.Command{}, err
	}
	rev, err := s.revision(ctx, &b, r)
	if err != nil {
		return hive.Command{}, err
	}
	req := r.PlanRequest
	req.RevisionID = rev.ID
	c := hive.Command{BatchID: r.Batch, Kind: hive.CommandRepair, CreatedBy: r.By}
	stored, err := s.command(ctx, &b, c, r.Key, req)
	if e, ok := errors.AsType[*hive.Error](err); !ok || e.Reason != hive.ErrorKeyReused || !r.Latest {
		return stored, err
	}
	// The request may be a repeat, and a newer revision was published since the first one.
	first, ferr := s.firstRevision(ctx, &c, r.Key)
	if ferr != nil {
		return hive.Command{}, ferr
	}
	if first == 0 {
		return stored, err
	}
	req.RevisionID = first
	return s.command(ctx, &b, c, r.Key, req)
}

// firstRevision returns the revision that the first repair with a key named; 0 if it named none.
func (s *Service) firstRevision(ctx context.Context, c *hive.Command, key string) (int64, error) {
	first, err := s.commands.CommandByKey(ctx, keyOf(c, key))
	if err != nil {
		return 0, err
	}
	var req hive.PlanRequest
	if err := json.Unmarshal(first.Payload, &req); err != nil {
		return 0, fmt.Errorf("read command %d: %w", first.ID, err)
	}
	return req.RevisionID, nil
}

// Wish sends a wish to the batch's owner, as Repair does. A wish for a batch that has ended is refused without the
// owner, unless it repeats a command that was stored before the end: then Wish returns the earlier answer.
func (s *Service) Wish(ctx context.Context, r hive.WishRequest) (hive.Command, error) {
	b, err := s.batches.Batch(ctx, r.Batch)
	if err != nil {
		return hive.Command{}, err
	}
	c := hive.Command{BatchID: r.Batch, Kind: hive.CommandWish, CreatedBy: r.By}
	if no := (state.Wish{Wish: r.Wish}).Refuse(&b); no != nil && !b.Live {
		known, err := s.knows(ctx, &c, r.Key)
		if err != nil {
			return hive.Command{}, err
		}
		if !known {
			return hive.Command{}, no
		}
	}
	return s.command(ctx, &b, c, r.Key, hive.WishPayload{Wish: r.Wish, Note: r.Note})
}

// knows reports whether a command with this key was stored before.
func (s *Service) knows(ctx context.Context, c *hive.Command, key string) (bool, error) {
	if key == "" {
		return false, nil
	}
	_, err := s.commands.CommandByKey(ctx, keyOf(c, key))
	if hive.CodeOf(err) == hive.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// Command finds a command.
func (s *Service) Command(ctx context.Context, id int64) (hive.Command, error) {
	return s.commands.Command(ctx, id)
}

// Commands lists what persons and rules asked of a batch, newest first. CodeNotFound if there is no such batch.
func (s *Service) Commands(ctx context.Context, f hive.CommandFilter) ([]hive.Command, error) {
	if _, err := s.batches.Batch(ctx, f.Batch); err != nil {
		return nil, err
	}
	return s.commands.Commands(ctx, f)
}

// command stores a command for the owner of a batch, wakes the owner, and waits for the answer.
func (s *Service) command(
	ctx context.Context, b *hive.Batch, c hive.Command, key string, payload any,
) (hive.Command, error) {
	if err := s.fill(&c, key, payload); err != nil {
		return c, err
	}
	stored, _, err := s.commands.AddCommand(ctx, c)
	if err != nil {
		return stored, err
	}
	return s.await(ctx, stored, b.Owner == s.server().ID)
}

// fill completes a new command.
func (s *Service) fill(c *hive.Command, key string, payload any) (err error) {
	if c.Payload, err = json.Marshal(payload); err != nil {
		return fmt.Errorf("write the command: %w", err)
	}
	if c.Key = keyOf(c, key); c.Key == "" {
		c.Key = "auto:" + rand.Text()
	}
	c.State, c.CreatedAt = hive.CommandPending, s.moment()
	return nil
}

func keyOf(c *hive.Command, key string) string {
	return scoped(c.CreatedBy, fmt.Sprintf("%s:%d", c.Kind, c.BatchID), key)
}

// scoped makes a key that is unique for a person and a call. It is empty if there is no key.
func scoped(by, call, key string) string {
	if key == "" {
		return ""
	}
	return by + "/" + call + "/" + key
}

// await wakes the owner of a command's batch and waits for the answer. An owner in this process answers in the commit
// that applies the command. An owner on another server writes its answer into the command's row, so await reads the row
// until the answer is there.
func (s *Service) await(ctx context.Context, c hive.Command, ownerHere bool) (hive.Command, error) {
	giveUp := time.NewTimer(patience)
	defer giveUp.Stop()
	pause := firstPause
	reread := time.NewTimer(pause)
	defer reread.Stop()
	var answer <-chan hive.CommandDone // nil: this server does not own the batch
	if ownerHere {
		var stop func()
		answer, stop = s.engine.Await(c.BatchID, c.ID)
		defer stop()
		reread.Reset(0) // read once: the channel does not bring an answer from before Await
	}
	s.engine.Notify(c.BatchID)
	for c.State == hive.CommandPending {
		select {
		case done, ok := <-answer:
			if ok {
				c.State, c.Answer, c.DoneAt = done.State, done.Answer, done.At.UTC().Truncate(time.Millisecond)
				return c, nil
			}
			answer = nil // another server owns the batch now
			reread.Reset(0)
		case <-reread.C:
			var err error
			if c, err = s.commands.Command(ctx, c.ID); err != nil {
				return c, err
			}
			if answer == nil {
				reread.Reset(pause)
				pause = min(2*pause, lastPause)
			}
		case <-giveUp.C:
			return c, nil
		case <-ctx.Done():
			return c, fmt.Errorf("wait for the owner of batch %d: %w", c.BatchID, ctx.Err())
		}
	}
	return c, nil
}
