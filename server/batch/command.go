package batch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// CommandStore stores commands and reads their answers.
type CommandStore interface {
	// AddCommand stores a command. If there is one with its key already, it answers that one.
	AddCommand(ctx context.Context, c hive.Command) (stored hive.Command, existed bool, err error)
	Command(ctx context.Context, id int64) (hive.Command, error)
	// CommandByKey finds a command by its idempotency key, CodeNotFound if there is none.
	CommandByKey(ctx context.Context, key string) (hive.Command, error)
}

// How long, and how often, await reads a command until its owner has answered.
const (
	patience  = 10 * time.Second
	firstLook = 2 * time.Millisecond
	lastLook  = 100 * time.Millisecond
)

// Repair hands a repair to the batch's owner. What comes back is still pending if the owner did not answer in time.
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
	return s.command(ctx, hive.Command{BatchID: r.Batch, Kind: hive.CommandRepair, CreatedBy: r.By}, r.Key, req)
}

// Wish hands a wish to the batch's owner, as Repair does. Of a batch that has ended nobody needs to be asked, unless
// the wish was given before that and is sent again.
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
	return s.command(ctx, c, r.Key, hive.WishPayload{Wish: r.Wish, Note: r.Note})
}

// knows says whether a command with this key was stored before.
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

// command stores a command, wakes the owner, and waits for the answer.
func (s *Service) command(ctx context.Context, c hive.Command, key string, payload any) (hive.Command, error) {
	var err error
	if c.Payload, err = json.Marshal(payload); err != nil {
		return c, fmt.Errorf("write the command: %w", err)
	}
	if c.Key = keyOf(&c, key); c.Key == "" {
		c.Key = "auto:" + rand.Text()
	}
	c.State, c.CreatedAt = hive.CommandPending, s.moment()
	stored, _, err := s.commands.AddCommand(ctx, c)
	if err != nil {
		return stored, err
	}
	s.engine.Notify(c.BatchID)
	return s.await(ctx, stored)
}

func keyOf(c *hive.Command, key string) string {
	return scoped(c.CreatedBy, fmt.Sprintf("%s:%d", c.Kind, c.BatchID), key)
}

// scoped keeps keys of different people and of different calls apart; empty if there is none.
func scoped(by, call, key string) string {
	if key == "" {
		return ""
	}
	return by + "/" + call + "/" + key
}

// await reads the command until it is done. The answer is read from the store because only there it is durable, and
// because the owner may be another server.
func (s *Service) await(ctx context.Context, c hive.Command) (hive.Command, error) {
	giveUp := time.NewTimer(patience)
	defer giveUp.Stop()
	for pause := firstLook; c.State == hive.CommandPending; pause = min(2*pause, lastLook) {
		look := time.NewTimer(pause)
		select {
		case <-look.C:
		case <-giveUp.C:
			look.Stop()
			return c, nil
		case <-ctx.Done():
			look.Stop()
			return c, fmt.Errorf("wait for the owner of batch %d: %w", c.BatchID, ctx.Err())
		}
		var err error
		if c, err = s.commands.Command(ctx, c.ID); err != nil {
			return c, err
		}
	}
	return c, nil
}
