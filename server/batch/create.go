package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Create makes and starts a manual batch of a schedule's newest revision, or an adhoc batch of one of its tasks.
// CodeInvalid names every wrong param. If the key was used before, it returns the batch of that call.
func (s *Service) Create(ctx context.Context, r hive.RunRequest) (hive.BatchView, error) {
	schedule, err := s.revisions.Schedule(ctx, r.Schedule)
	if err != nil {
		return hive.BatchView{}, err
	}
	rev, err := s.revisions.RevisionAt(ctx, schedule.ID, schedule.Revision)
	if err != nil {
		return hive.BatchView{}, err
	}
	g, err := s.graphs.Compile(&rev)
	if err != nil {
		return hive.BatchView{}, err
	}
	now := s.moment()
	b := hive.Batch{
		ScheduleID: schedule.ID, Schedule: schedule.Name, RevisionID: rev.ID, Revision: rev.Number,
		Kind:  hive.KindManual,
		State: hive.BatchQueued, Wish: hive.WishRun, Round: 1, Moment: r.At, CreatedAt: now, CreatedBy: r.By,
		Owner: s.server().ID, Live: true,
	}
	if b.Moment.IsZero() {
		b.Moment = now
	}
	if b.Params, err = document.Params(g.Def, r.Params); err != nil {
		return hive.BatchView{}, err
	}
	if r.Task != "" {
		if g, err = s.makeAdhoc(ctx, &b, g, r); err != nil {
			return hive.BatchView{}, err
		}
	}
	return s.begin(ctx, b, g, r, schedule.ID)
}

// begin stores a new batch and notifies its owner. A schedule that is renamed keeps its idempotency keys.
func (s *Service) begin(ctx context.Context, b hive.Batch, g *graph.Graph, r hive.RunRequest, schedule int64) (
	hive.BatchView, error,
) {
	runs := NewRuns(g)
	if b.Kind == hive.KindAdhoc {
		for i := range runs {
			runs[i].Job = ""
		}
	}
	key := scoped(r.By, fmt.Sprintf("run:#%d", schedule), r.Key)
	made, err := s.insert(ctx, hive.NewBatch{Batch: b, Runs: runs, Key: key})
	if err != nil {
		return hive.BatchView{}, err
	}
	if made.Live {
		s.engine.Adopt(made.ID)
	}
	v, err := s.View(ctx, made.ID, true)
	if err != nil {
		return v, fmt.Errorf("read the new batch: %w", err)
	}
	if r.Key != "" && !answers(&v, &b, r) {
		return hive.BatchView{}, hive.Errorf(hive.CodeConflict,
			"the idempotency key %q was used for another run of %q; use a new key", r.Key, r.Schedule).
			WithReason(hive.ErrorKeyReused)
	}
	return v, nil
}

// For a moment between two sessions, a server has no valid one.
const (
	sessionWithin = 5 * time.Second
	sessionAgain  = 20 * time.Millisecond
)

// insert stores a new batch. If the session has just ended, nothing was stored, and insert tries again until the
// server's next session stores the batch.
func (s *Service) insert(ctx context.Context, b hive.NewBatch) (hive.Batch, error) {
	limited, cancel := context.WithTimeout(ctx, sessionWithin)
	defer cancel()
	for {
		made, err := s.batches.CreateBatch(ctx, s.server(), b)
		if !errors.Is(err, hive.ErrSessionLost) {
			return made, err
		}
		select {
		case <-limited.Done():
			return made, err
		case <-time.After(sessionAgain):
		}
	}
}

// answers reports whether a stored batch satisfies r. It does not compare what r leaves open (the newest revision, the
// defaults of params), because that may have changed since.
func answers(v *hive.BatchView, b *hive.Batch, r hive.RunRequest) bool {
	if v.Batch.Kind != b.Kind || !r.At.IsZero() && v.Batch.Moment.UnixMilli() != r.At.UnixMilli() ||
		r.Task != "" && (len(v.Runs) == 0 || v.Runs[0].Task != r.Task) {
		return false
	}
	for name := range r.Params {
		if !same(v.Batch.Params[name], b.Params[name]) {
			return false
		}
	}
	return true
}

// same reports whether two values of params have the same JSON.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
