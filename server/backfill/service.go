package backfill

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// Limits of a backfill.
const (
	MaxMoments  = 10_000
	MaxParallel = 100
	maxNote     = 1000 // characters
)

// Schedules reads the schedules that backfills run, and their batches.
type Schedules interface {
	Schedule(ctx context.Context, name string) (hive.Schedule, error)
	RevisionAt(ctx context.Context, scheduleID, number int64) (hive.Revision, error)
	UsualDurations(ctx context.Context, schedules []int64) (map[int64]time.Duration, error)
	// ExistingBatches lists the latest batch for each moment of a schedule that has one.
	ExistingBatches(ctx context.Context, schedule int64, first, last time.Time) ([]hive.ExistingBatch, error)
}

// Store stores backfills.
type Store interface {
	CreateBackfill(ctx context.Context, n hive.NewBackfill) (hive.Backfill, error)
	Backfill(ctx context.Context, id int64) (hive.Backfill, error)
	Backfills(ctx context.Context, f hive.BackfillFilter) ([]hive.Backfill, error)
	PauseBackfill(ctx context.Context, id int64, by string, now time.Time) (hive.Backfill, error)
	ContinueBackfill(ctx context.Context, id int64, by string, now time.Time) (hive.Backfill, error)
	// CancelBackfill stores the commands that cancel makes for the live batches, which it returns.
	CancelBackfill(ctx context.Context, id int64, by string, now time.Time,
		cancel func(batch int64) (hive.Command, error)) (after hive.Backfill, batches []int64, err error)
}

// Config holds the dependencies of a Service.
type Config struct {
	Schedules Schedules
	Store     Store
	Graphs    *document.Graphs
	Now       func() time.Time
	Changed   func()            // a backfill was made or changed; it must not block
	Notify    func(batch int64) // called with a batch that got a command; it must not block
	// Calendars finds the newest revisions of calendars. failed tells whether one could not be read; none when nil.
	Calendars func(ctx context.Context) (find schedule.Calendars, failed func() error)
	// Dependants lists a schedule, and after it those that wait for it, directly or through others.
	Dependants func(ctx context.Context, name string) ([]schedule.FillMember, error)
}

// Service implements the use cases of backfills.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// prepared is a request that was checked.
type prepared struct {
	schedule hive.Schedule
	revision hive.Revision
	graph    *graph.Graph
	moments  []time.Time // of the schedule, oldest first
	params   map[string]any
	plan     schedule.FillPlan
	parts    []hive.BackfillSchedule // of plan
}

// Create makes a backfill, which begins at once. If the key was used before, it returns the backfill of that call.
func (s *Service) Create(ctx context.Context, r hive.BackfillRequest) (hive.Backfill, error) {
	p, err := s.prepare(ctx, &r)
	if err != nil {
		return hive.Backfill{}, err
	}
	now := s.now()
	n := hive.NewBackfill{Moments: p.inTurn(r.Order), Backfill: hive.Backfill{
		ScheduleID: p.schedule.ID, RevisionID: p.revision.ID, Revision: p.revision.Number,
		State: hive.BackfillRunning, First: p.moments[0], Last: p.moments[len(p.moments)-1], Order: r.Order,
		Parallel: r.Parallel, Existing: r.Existing, OnFailure: r.OnFailure, Params: p.params, Note: r.Note,
		CreatedAt: now, CreatedBy: r.By, ChangedAt: now, WithDependants: r.WithDependants, Schedules: p.parts,
	}}
	if r.Key != "" {
		n.Key = r.By + "/" + r.Schedule + "/" + r.Key
	}
	made, err := s.Store.CreateBackfill(ctx, n)
	if err != nil {
		return hive.Backfill{}, err
	}
	if !answers(&made, &n.Backfill) {
		return hive.Backfill{}, hive.Errorf(hive.CodeConflict,
			"the idempotency key %q was used for another backfill of %q; use a new key", r.Key, r.Schedule).
			WithReason(hive.ErrorKeyReused)
	}
	s.Changed()
	return made, nil
}

// answers reports whether a stored backfill is what a request asks for. It does not compare the revision, because a
// newer one may have been published since.
func answers(made, asked *hive.Backfill) bool {
	return made.First.Equal(asked.First) && made.Last.Equal(asked.Last) && made.Order == asked.Order &&
		made.Parallel == asked.Parallel && made.Existing == asked.Existing && made.OnFailure == asked.OnFailure &&
		made.WithDependants == asked.WithDependants
}

// prepare checks a request, fills in its defaults, and finds its moments.
func (s *Service) prepare(ctx context.Context, r *hive.BackfillRequest) (prepared, error) {
	if err := setDefaults(r); err != nil {
		return prepared{}, err
	}
	var p prepared
	var err error
	if p.schedule, err = s.Schedules.Schedule(ctx, r.Schedule); err != nil {
		return p, err
	}
	if p.revision, err = s.Schedules.RevisionAt(ctx, p.schedule.ID, p.schedule.Revision); err != nil {
		return p, err
	}
	if p.graph, err = s.Graphs.Compile(&p.revision); err != nil {
		return p, err
	}
	if p.params, err = document.Params(p.graph.Def, r.Params); err != nil {
		return p, err
	}
	moments := schedule.Range{From: r.From, To: r.To, Step: r.Step.Std(), List: r.Moments}
	var find schedule.Calendars
	failed := func() error { return nil }
	if s.Calendars != nil {
		find, failed = s.Calendars(ctx)
	}
	p.moments, err = moments.Moments(p.graph.Def, p.schedule.CreatedAt, s.now(), MaxMoments, find)
	if unread := failed(); unread != nil {
		return p, unread
	}
	if err != nil {
		return p, err
	}
	err = s.withParts(ctx, &p, r.WithDependants)
	return p, err
}

// setDefaults fills in what a request leaves out, and refuses values that there are not.
func setDefaults(r *hive.BackfillRequest) error {
	if r.Order == "" {
		r.Order = hive.OrderAscending
	}
	if r.Parallel == 0 {
		r.Parallel = 1
	}
	if r.Existing == "" {
		r.Existing = hive.ExistingKeep
	}
	if r.OnFailure == "" {
		r.OnFailure = hive.OnFailureStop
	}
	switch {
	case r.Parallel < 1 || r.Parallel > MaxParallel:
		return hive.Errorf(hive.CodeInvalid, "parallel must be 1 to %d", MaxParallel).
			WithReason(hive.ErrorRange, "name", "parallel", "least", 1, "most", MaxParallel)
	case len([]rune(r.Note)) > maxNote:
		return hive.Errorf(hive.CodeInvalid, "note may have at most %d characters", maxNote).
			WithReason(hive.ErrorLong, "name", "note", "most", maxNote)
	}
	return nil
}

// Get finds a backfill.
func (s *Service) Get(ctx context.Context, id int64) (hive.Backfill, error) {
	return s.Store.Backfill(ctx, id)
}

// List selects backfills, newest first. An unknown schedule is an error, not an empty list.
func (s *Service) List(ctx context.Context, f hive.BackfillFilter) ([]hive.Backfill, error) {
	if f.Schedule != "" {
		if _, err := s.Schedules.Schedule(ctx, f.Schedule); err != nil {
			return nil, err
		}
	}
	return s.Store.Backfills(ctx, f)
}

// SetWish pauses, continues or cancels a backfill. A pause lets its live batches go on. A cancel cancels them too.
func (s *Service) SetWish(ctx context.Context, id int64, wish hive.Wish, by string) (hive.Backfill, error) {
	defer s.Changed()
	now := s.now()
	switch wish {
	case hive.WishPause:
		return s.Store.PauseBackfill(ctx, id, by, now)
	case hive.WishRun:
		return s.Store.ContinueBackfill(ctx, id, by, now)
	default:
		return s.cancel(ctx, id, by, now)
	}
}

func (s *Service) cancel(ctx context.Context, id int64, by string, now time.Time) (hive.Backfill, error) {
	payload, err := json.Marshal(hive.WishPayload{Wish: hive.WishCancel, Note: fmt.Sprintf("backfill %d", id)})
	if err != nil {
		return hive.Backfill{}, fmt.Errorf("write the command: %w", err)
	}
	after, batches, err := s.Store.CancelBackfill(ctx, id, by, now, func(batch int64) (hive.Command, error) {
		return hive.Command{
			BatchID: batch, Kind: hive.CommandWish, Key: fmt.Sprintf("backfill:%d:cancel:%d", id, batch),
			Payload: payload, CreatedAt: now, CreatedBy: by,
		}, nil
	})
	for _, batch := range batches {
		s.Notify(batch)
	}
	return after, err
}
