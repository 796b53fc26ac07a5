package batch

import (
	"context"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// adhocJob is the key of the only job in the definition of an adhoc batch. Users never see it.
const adhocJob = "adhoc"

// makeAdhoc turns b into an adhoc batch of one task of g. Its definition is a revision of its own.
func (s *Service) makeAdhoc(ctx context.Context, b *hive.Batch, g *graph.Graph,
	r hive.RunRequest,
) (*graph.Graph, error) {
	n, ok := g.Lookup(r.Task)
	if !ok {
		return nil, hive.Errorf(hive.CodeNotFound, "schedule %q has no task %.80q in revision %d", r.Schedule, r.Task,
			b.Revision).
			WithReason(hive.ErrorNoScheduleTask, "schedule", r.Schedule, "task", r.Task)
	}
	def := single(g.Def, g.Tasks[n].Spec)
	text, hash, err := write(def)
	if err != nil {
		return nil, err
	}
	rev, err := s.revisions.AdhocRevision(ctx, text, hash, r.By, b.CreatedAt)
	if err != nil {
		return nil, err
	}
	b.ScheduleID, b.Schedule, b.RevisionID, b.Revision, b.Kind = 0, "", rev.ID, 0, hive.KindAdhoc
	return graph.Compile(def)
}

// single makes a definition with one task only. It drops the task's connections to others: needs, rule and condition. A
// disabled task is enabled, because a person asked for this very task. The name stays: it names the folder that the
// tasks of the schedule share.
func single(def *hive.Definition, task *hive.Task) *hive.Definition {
	t := *task
	t.Needs, t.Rule, t.When, t.Disabled = nil, "", "", false
	return &hive.Definition{
		APIVersion: def.APIVersion, Kind: def.Kind, Name: def.Name, Timezone: def.Timezone, Params: def.Params,
		Jobs: []hive.Job{{Key: adhocJob, Tasks: []hive.Task{t}}},
	}
}

// CreateAdhoc makes and starts an adhoc batch of a definition of the server's own.
func (s *Service) CreateAdhoc(ctx context.Context, def *hive.Definition, by string) (hive.BatchView, error) {
	text, hash, err := write(def)
	if err != nil {
		return hive.BatchView{}, err
	}
	g, err := graph.Compile(def)
	if err != nil {
		return hive.BatchView{}, err
	}
	now := s.moment()
	rev, err := s.revisions.AdhocRevision(ctx, text, hash, by, now)
	if err != nil {
		return hive.BatchView{}, err
	}
	b := hive.Batch{
		RevisionID: rev.ID, Kind: hive.KindAdhoc, State: hive.BatchQueued, Wish: hive.WishRun, Round: 1, Moment: now,
		CreatedAt: now, CreatedBy: by, Owner: s.server().ID, Live: true,
	}
	return s.begin(ctx, b, g, hive.RunRequest{By: by}, 0)
}
