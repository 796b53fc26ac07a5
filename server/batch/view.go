package batch

import (
	"context"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// List selects batches, newest first. An unknown schedule is an error, not an empty list.
func (s *Service) List(ctx context.Context, f hive.BatchFilter) ([]hive.Batch, error) {
	if f.Schedule != "" {
		if _, err := s.revisions.Schedule(ctx, f.Schedule); err != nil {
			return nil, err
		}
	}
	if f.Labeled() {
		ids, err := s.labeled(ctx, f.Tag, f.Owner)
		if err != nil {
			return nil, err
		}
		f.Schedules = ids
	}
	if f.NeedsPerson {
		live, err := s.statistics.AllLive(ctx)
		if err != nil {
			return nil, err
		}
		f.Urgent = urgent(live, s.engine.Summaries(ctx))
	}
	f.Now = s.moment()
	list, err := s.batches.Batches(ctx, f)
	if err != nil {
		return nil, err
	}
	return list, s.Count(ctx, list)
}

// View returns a batch for people. It shows stored states, because a crash may still undo changes that only the owner's
// memory has. From memory it adds values that are never stored: the state ready, progress, and why no executor takes a
// task.
func (s *Service) View(ctx context.Context, id int64, runs bool) (hive.BatchView, error) {
	live, isLive := s.engine.Live(id)
	if !runs {
		b, err := s.batches.Batch(ctx, id)
		if err != nil {
			return hive.BatchView{}, err
		}
		one := []hive.Batch{b}
		err = s.Count(ctx, one)
		return hive.BatchView{Batch: one[0], Stuck: live.Stuck}, err
	}
	v, err := s.Stored(ctx, id)
	if err != nil {
		return v, err
	}
	v.Stuck = live.Stuck
	if isLive {
		overlay(&v, &live)
		count(&v)
	}
	v.Jobs = graph.RollUp(v.Runs, s.allowed(ctx, v.Batch.RevisionID), s.moment())
	return v, nil
}

// allowed returns which tasks of a revision may fail. A revision that cannot be read allows none: a batch is shown
// anyway.
func (s *Service) allowed(ctx context.Context, revision int64) func(task string) bool {
	none := func(string) bool { return false }
	rev, err := s.revisions.Revision(ctx, revision)
	if err != nil {
		return none
	}
	g, err := s.graphs.Compile(&rev)
	if err != nil {
		return none
	}
	return func(task string) bool {
		i, found := g.Lookup(task)
		return found && g.Tasks[i].Spec.AllowFailure
	}
}

// mostLinks is the number of links of a batch that people see.
const mostLinks = 100

// Links lists the batches of other schedules whose success let a batch start, and those that it let start.
func (s *Service) Links(ctx context.Context, id int64) (causes, caused []hive.BatchLink, err error) {
	return s.batches.Causes(ctx, id, mostLinks)
}

// count counts the shown runs by state.
func count(v *hive.BatchView) {
	v.Batch.Counts = hive.Counts{}
	for i := range v.Runs {
		if v.Runs[i].Shard == 0 {
			v.Batch.Counts[v.Runs[i].State]++
		}
	}
}

// Stored returns a batch from the store, without anything from its owner's memory.
func (s *Service) Stored(ctx context.Context, id int64) (hive.BatchView, error) {
	img, err := s.batches.BatchSnapshot(ctx, id)
	if err != nil {
		return hive.BatchView{}, err
	}
	attempts, err := s.batches.Attempts(ctx, id)
	if err != nil {
		return hive.BatchView{}, err
	}
	latest := latestAttempts(attempts)
	v := viewOf(&img, latest)
	count(&v)
	return v, nil
}

// StoredRuns returns a batch with some of its runs from the store, and without counts.
func (s *Service) StoredRuns(ctx context.Context, id int64, numbers []int) (hive.BatchView, error) {
	img, err := s.batches.BatchRuns(ctx, id, numbers)
	if err != nil {
		return hive.BatchView{}, err
	}
	return viewOf(&img, latestAttempts(img.Attempts)), nil
}

func viewOf(img *hive.BatchSnapshot, latest map[int64]*hive.Attempt) hive.BatchView {
	v := hive.BatchView{Batch: img.Batch, Runs: make([]hive.RunView, len(img.Runs))}
	for i := range img.Runs {
		v.Runs[i] = runView(&img.Runs[i], latest[img.Runs[i].ID])
	}
	return v
}

// latestAttempts finds for each run the latest attempt that an executor had. It compares numbers, not ids: each server
// takes ids from its own block, and a batch may move to another server.
func latestAttempts(attempts []hive.Attempt) map[int64]*hive.Attempt {
	latest := make(map[int64]*hive.Attempt, len(attempts))
	for i := range attempts {
		a := &attempts[i]
		if a.Outcome == hive.OutcomeReturned {
			continue
		}
		if l := latest[a.RunID]; l == nil || a.Number > l.Number {
			latest[a.RunID] = a
		}
	}
	return latest
}

func runView(r *hive.Run, a *hive.Attempt) hive.RunView {
	v := hive.RunView{Run: *r}
	if a != nil && a.Round == r.Round {
		v.Executor = a.ExecutorName
	}
	if r.State == hive.RunFailed || r.State == hive.RunUnknown {
		v.Error, v.ErrorReason = r.Detail, r.DetailReason
		if a != nil && a.Round == r.Round && a.Error != "" {
			v.Error, v.ErrorReason = a.Error, a.Reasons.OfError()
		}
	}
	return v
}

// overlay adds the values that only the owner's memory has.
func overlay(v *hive.BatchView, live *hive.LiveView) {
	byNumber := make(map[int]*hive.Run, len(live.Runs))
	for i := range live.Runs {
		byNumber[live.Runs[i].Number] = &live.Runs[i]
	}
	for i := range v.Runs {
		r := &v.Runs[i]
		l := byNumber[r.Number]
		if l == nil || l.Round != r.Round {
			continue
		}
		if r.State == hive.RunWaiting && l.State == hive.RunReady {
			r.State, r.ChangedAt = hive.RunReady, l.ChangedAt
		}
		if r.State == hive.RunReady && l.State == hive.RunReady {
			r.WaitReason, r.WaitFor = live.WaitReasons[r.Number], live.WaitFor[r.Number]
		}
		if p, ok := live.Progress[r.Number]; ok && r.State == hive.RunRunning {
			r.Progress = &p
		}
	}
}

// History lists the task runs of earlier rounds, each in its final state.
func (s *Service) History(ctx context.Context, id int64) ([]hive.Run, error) {
	if _, err := s.batches.Batch(ctx, id); err != nil {
		return nil, err
	}
	return s.batches.History(ctx, id)
}

// Attempts lists the attempts of a batch, or of one of its tasks or of one shard (see hive.ShardName), oldest first.
func (s *Service) Attempts(ctx context.Context, id int64, task string) ([]hive.AttemptView, error) {
	img, err := s.batches.BatchSnapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	runs := make(map[int64]*hive.Run, len(img.Runs)) // the asked ones
	for i := range img.Runs {
		if r := &img.Runs[i]; task == "" || r.Task == task || runName(r) == task {
			runs[r.ID] = r
		}
	}
	found := task == "" || len(runs) > 0
	if !found {
		return nil, noSuchTask(id, task)
	}
	attempts, err := s.batches.Attempts(ctx, id)
	if err != nil {
		return nil, err
	}
	out := make([]hive.AttemptView, 0, len(attempts))
	for i := range attempts {
		if r := runs[attempts[i].RunID]; r != nil {
			out = append(out, attemptView(&attempts[i], r))
		}
	}
	return out, nil
}

func attemptView(a *hive.Attempt, r *hive.Run) hive.AttemptView {
	v := hive.AttemptView{Attempt: *a, Task: r.Task}
	if r.Shard != 0 {
		index := r.Shard - 1
		v.Shard = &index
	}
	return v
}

// runName returns the name by which people ask for a run: the key of the task, or hive.ShardName.
func runName(r *hive.Run) string {
	if r.Shard == 0 {
		return r.Task
	}
	return hive.ShardName(r.Task, r.Shard-1)
}

func noSuchTask(batch int64, task string) error {
	return hive.Errorf(hive.CodeNotFound, "batch %d has no task %.80q", batch, task).
		WithReason(hive.ErrorNoTask, "batch", batch, "task", task)
}
