package chainrepair

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// Reader reads batches and their revisions.
type Reader interface {
	Batch(ctx context.Context, id int64) (hive.Batch, error)
	Revision(ctx context.Context, id int64) (hive.Revision, error)
	UsualDurations(ctx context.Context, schedules []int64) (map[int64]time.Duration, error)
}

// Store stores chain repairs.
type Store interface {
	// CreateChainRepair stores a chain repair with the command for its first batch, or finds the one with the same key.
	CreateChainRepair(ctx context.Context, n hive.NewChainRepair) (r hive.ChainRepair, first hive.Command, existed bool,
		err error)
	ChainRepairByKey(ctx context.Context, key string) (r hive.ChainRepair, first hive.Command, found bool, err error)
	// OpenChainRepair finds one under way that may run one of the batches again; 0 if there is none.
	OpenChainRepair(ctx context.Context, batches []int64) (int64, error)
	ChainRepair(ctx context.Context, id int64) (hive.ChainRepair, error)
	ChainRepairs(ctx context.Context, f hive.ChainRepairFilter) ([]hive.ChainRepair, error)
	CancelChainRepair(ctx context.Context, id int64, by string, now time.Time) (hive.ChainRepair, error)
}

// Repairs repairs single batches.
type Repairs interface {
	// RepairCommand makes the command of a repair, and stores nothing.
	RepairCommand(ctx context.Context, r hive.RepairRequest) (hive.Command, error)
	// Await wakes the owner of a stored command's batch and waits for the answer, for a time.
	Await(ctx context.Context, c hive.Command) (hive.Command, error)
	Repair(ctx context.Context, r hive.RepairRequest) (hive.Command, error)
}

// Config holds the dependencies of a Service.
type Config struct {
	Reader  Reader
	Store   Store
	Repairs Repairs
	// Followers returns a function that finds what refers to a batch in other schedules.
	Followers func(ctx context.Context) (func(hive.Batch) ([]hive.Follower, error), error)
	Graphs    *document.Graphs
	Now       func() time.Time
	Changed   func() // a chain repair was made or changed; it must not block
}

// Service implements the use cases of chain repairs.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Preview tells what followed a batch in other schedules, and what a chain repair would do with it. It changes nothing.
func (s *Service) Preview(ctx context.Context, batch int64) (hive.ChainPreview, error) {
	first, err := s.Reader.Batch(ctx, batch)
	if err != nil {
		return hive.ChainPreview{}, err
	}
	followers := func(hive.Batch) ([]hive.Follower, error) { return nil, nil } // of an adhoc batch
	if first.ScheduleID != 0 {
		if followers, err = s.Followers(ctx); err != nil {
			return hive.ChainPreview{}, err
		}
	}
	p := hive.ChainPreview{}
	if p.Steps, err = walk(&first, followers); err != nil {
		return p, err
	}
	p.Hash = hashOf(p.Steps)
	if err := s.describe(ctx, p.Steps); err != nil {
		return p, err
	}
	p.Busy, err = s.Store.OpenChainRepair(ctx, batchesOf(p.Steps))
	return p, err
}

// describe fills in the numbers of tasks and the usual durations.
func (s *Service) describe(ctx context.Context, steps []hive.ChainStep) error {
	tasks := map[int64]int{}
	schedules := make([]int64, len(steps))
	for i := range steps {
		step := &steps[i]
		schedules[i] = step.ScheduleID
		if _, known := tasks[step.RevisionID]; !known && step.RevisionID != 0 {
			rev, err := s.Reader.Revision(ctx, step.RevisionID)
			if err != nil {
				return err
			}
			g, err := s.Graphs.Compile(&rev)
			if err != nil {
				return err
			}
			tasks[step.RevisionID] = len(g.Tasks)
		}
		step.Tasks = tasks[step.RevisionID]
	}
	usual, err := s.Reader.UsualDurations(ctx, schedules)
	if err != nil {
		return err
	}
	for i := range steps {
		steps[i].Usual = usual[steps[i].ScheduleID]
	}
	return nil
}

// batchesOf lists the batches that would run again.
func batchesOf(steps []hive.ChainStep) []int64 {
	var ids []int64
	for i := range steps {
		if steps[i].Fate == hive.StepRerun {
			ids = append(ids, steps[i].Batch)
		}
	}
	return ids
}

// Apply repairs a batch, and stores that what followed it runs again after it. If nothing that followed would run
// again, it is a single repair, and the id of the chain repair is 0. A repeat with the same key returns the first
// answer.
func (s *Service) Apply(ctx context.Context, r hive.ChainRepairRequest) (c hive.Command, chain int64, err error) {
	if r.Action != hive.PlanRerun && r.Action != hive.PlanResume {
		return c, 0, hive.Errorf(hive.CodeInvalid, "only a rerun or a resume can include what followed, not %s",
			r.Action).WithReason(hive.ErrorChainAction, "action", r.Action)
	}
	key := ""
	if r.Key != "" {
		key = fmt.Sprintf("%s/chain-repair:%d/%s", r.By, r.Batch, r.Key)
	}
	known, first, found, err := s.Store.ChainRepairByKey(ctx, key)
	if err != nil {
		return c, 0, err
	}
	if found {
		return s.again(ctx, &r, &known, first)
	}
	p, err := s.Preview(ctx, r.Batch)
	if err != nil {
		return c, 0, err
	}
	if r.ChainHash != "" && r.ChainHash != p.Hash {
		return c, 0, hive.Errorf(hive.CodeConflict,
			"what followed batch %d has changed since the plan was made; look at the plan again", r.Batch).
			WithReason(hive.ErrorChainMoved, "batch", r.Batch)
	}
	if p.Reruns() == 0 {
		c, err = s.Repairs.Repair(ctx, r.RepairRequest)
		return c, 0, err
	}
	n := hive.NewChainRepair{Key: key, Repair: s.newRepair(&r, p.Steps)}
	if n.First, err = s.Repairs.RepairCommand(ctx, r.RepairRequest); err != nil {
		return c, 0, err
	}
	made, first, existed, err := s.Store.CreateChainRepair(ctx, n)
	if err != nil {
		return c, 0, err
	}
	if existed {
		return s.again(ctx, &r, &made, first)
	}
	s.Changed()
	return s.await(ctx, made.ID, first)
}

// await waits for the answer about the first batch. The driver hears of it too: a refusal ends the chain repair.
func (s *Service) await(ctx context.Context, chain int64, first hive.Command) (hive.Command, int64, error) {
	c, err := s.Repairs.Await(ctx, first)
	s.Changed()
	return c, chain, err
}

// again answers a repeated request.
func (s *Service) again(ctx context.Context, r *hive.ChainRepairRequest, known *hive.ChainRepair, first hive.Command) (
	hive.Command, int64, error,
) {
	var before hive.PlanRequest
	if err := json.Unmarshal(first.Payload, &before); err != nil {
		return first, 0, fmt.Errorf("read command %d: %w", first.ID, err)
	}
	asked := r.PlanRequest
	asked.RevisionID = before.RevisionID // a newer one may have been published since
	if !reflect.DeepEqual(before, asked) {
		return first, 0, hive.Errorf(hive.CodeConflict,
			"the idempotency key %q was used for another command; use a new key", r.Key).
			WithReason(hive.ErrorKeyReused)
	}
	return s.await(ctx, known.ID, first)
}

func (s *Service) newRepair(r *hive.ChainRepairRequest, found []hive.ChainStep) hive.ChainRepair {
	now := s.now()
	out := hive.ChainRepair{
		Batch: r.Batch, State: hive.ChainRepairRunning, Note: r.Note, CreatedAt: now, CreatedBy: r.By, ChangedAt: now,
	}
	place := make([]int, len(found)) // a tick that waits is no step
	for i := range found {
		if found[i].Fate == hive.StepFollows {
			continue
		}
		step := found[i]
		place[i] = len(out.Steps)
		step.Position, step.Needs = place[i], nil
		for _, n := range found[i].Needs {
			step.Needs = append(step.Needs, place[n])
		}
		switch {
		case i == 0:
			step.Act = hive.StepSent
		case step.Fate == hive.StepRerun:
			step.Act = hive.StepWaiting
		default:
			step.Act = hive.StepLeftOut
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// Get finds a chain repair, with the usual durations of its batches.
func (s *Service) Get(ctx context.Context, id int64) (hive.ChainRepair, error) {
	r, err := s.Store.ChainRepair(ctx, id)
	if err != nil {
		return r, err
	}
	list := []hive.ChainRepair{r}
	err = s.addUsual(ctx, list)
	return list[0], err
}

// List selects chain repairs, newest first.
func (s *Service) List(ctx context.Context, f hive.ChainRepairFilter) ([]hive.ChainRepair, error) {
	list, err := s.Store.ChainRepairs(ctx, f)
	if err != nil {
		return nil, err
	}
	return list, s.addUsual(ctx, list)
}

func (s *Service) addUsual(ctx context.Context, list []hive.ChainRepair) error {
	var schedules []int64
	for _, r := range list {
		for j := range r.Steps {
			schedules = append(schedules, r.Steps[j].ScheduleID)
		}
	}
	usual, err := s.Reader.UsualDurations(ctx, schedules)
	if err != nil {
		return err
	}
	for _, r := range list {
		for j := range r.Steps {
			r.Steps[j].Usual = usual[r.Steps[j].ScheduleID]
		}
	}
	return nil
}

// Cancel ends a chain repair: nothing more runs again, and what runs goes on.
func (s *Service) Cancel(ctx context.Context, id int64, by string) (hive.ChainRepair, error) {
	defer s.Changed()
	if _, err := s.Store.CancelChainRepair(ctx, id, by, s.now()); err != nil {
		return hive.ChainRepair{}, err
	}
	return s.Get(ctx, id)
}
