package manage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/connection"
	"github.com/rprp/hivego/server/hive"
)

// Trials tries work on executors.
type Trials interface {
	Executors(ctx context.Context) ([]hive.ExecutorView, error)
	// Start makes an adhoc batch.
	Start(ctx context.Context, def *hive.Definition, by string) (hive.BatchView, error)
	// Wait returns the batch once it has ended; with the error of ctx, as it was last.
	Wait(ctx context.Context, batch int64) (hive.BatchView, error)
	// Forget ends a batch that waits or runs, and closes one that has failed, so that nobody is asked to repair it.
	Forget(ctx context.Context, v hive.BatchView, note, by string) error
}

// testTime is how long a test may take, and probeTime how long its task may run.
const (
	testTime  = 40 * time.Second
	probeTime = 30 * time.Second
)

// Test tries a connection on an executor of a group that may have it; of the first such group with an executor if group
// is empty. A failure is part of the result. Like any task, it takes the executor's own connection of that name, if
// there is one.
func (s *Service) Test(ctx context.Context, name, group, by string) (hive.ConnectionTest, error) {
	v, err := s.Get(ctx, name)
	if err != nil {
		return hive.ConnectionTest{}, err
	}
	kind, ok := connection.TypeOf(v.Definition.Type)
	if !ok {
		return hive.ConnectionTest{Detail: "this server does not know the type " + v.Definition.Type}, nil
	}
	groups := v.Definition.EffectiveGroups()
	if group != "" {
		if !v.Definition.Allows(group) {
			return hive.ConnectionTest{}, hive.Errorf(hive.CodeInvalid,
				"executors of group %.80q may not have the connection %s; its groups are %s", group, name,
				strings.Join(groups, ", ")).
				WithReason(hive.ErrorConnectionGroup, "connection", name, "group", hive.Clean(group, 80), "known",
					strings.Join(groups, ", "))
		}
		groups = []string{group}
	}
	if group, err = s.ready(ctx, groups, kind.Handler); err != nil {
		return hive.ConnectionTest{}, err
	}
	if group == "" {
		return hive.ConnectionTest{}, hive.Errorf(hive.CodeConflict,
			"no executor of %s is online and offers the handler %s", strings.Join(groups, ", "), kind.Handler).
			WithReason(hive.ErrorConnectionTest, "groups", strings.Join(groups, ", "), "handler", kind.Handler)
	}
	return s.try(ctx, probe(name, group, kind.Handler), group, by)
}

// ready returns the first of the groups with an executor that would take a task of a handler now; "" if there is none.
func (s *Service) ready(ctx context.Context, groups []string, handler string) (string, error) {
	all, err := s.config.Trials.Executors(ctx)
	if err != nil {
		return "", err
	}
	for _, group := range groups {
		for i := range all {
			e := &all[i]
			offers := slices.ContainsFunc(e.Handlers, func(h hive.Handler) bool { return h.Name == handler })
			if e.Group == group && e.State == hive.ExecutorOnline && !e.Offline && offers {
				return group, nil
			}
		}
	}
	return "", nil
}

// probe is the work that tries a connection.
func probe(name, group, handler string) *hive.Definition {
	return &hive.Definition{
		APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "connection-test",
		Jobs: []hive.Job{{Key: "adhoc", Tasks: []hive.Task{{
			Key: "test", Handler: handler, Group: group, Timeout: hive.Duration(probeTime),
			Params: map[string]any{field: name, "statement": "SELECT 1"},
		}}}},
	}
}

// shortError returns the first line of an error, with the last one if the first only announces it.
func shortError(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if lines := strings.Split(rest, "\n"); strings.HasSuffix(first, ":") {
		first += " " + strings.TrimSpace(lines[len(lines)-1])
	}
	return first
}

func (s *Service) try(ctx context.Context, def *hive.Definition, group, by string) (hive.ConnectionTest, error) {
	out := hive.ConnectionTest{Group: group}
	began := s.config.Now()
	batch, err := s.config.Trials.Start(ctx, def, by)
	if err != nil {
		return out, err
	}
	out.Batch = batch.Batch.ID
	waiting, cancel := context.WithTimeout(ctx, testTime)
	v, err := s.config.Trials.Wait(waiting, out.Batch)
	cancel()
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return out, err
	}
	out.Took, out.OK = s.config.Now().Sub(began), v.Batch.State == hive.BatchSucceeded
	for i := range v.Runs {
		r := &v.Runs[i]
		out.Executor = r.Executor
		out.Detail = shortError(r.Error)
		if !r.StartedAt.IsZero() && !r.FinishedAt.IsZero() {
			out.Took = r.FinishedAt.Sub(r.StartedAt)
		}
	}
	switch {
	case out.OK:
		out.Detail = ""
		return out, nil
	case !v.Batch.State.Final():
		out.Detail = fmt.Sprintf("there was no result within %s", testTime)
	}
	// The test is over for whoever asked, so an error here only leaves a failed batch in the lists.
	if err := s.config.Trials.Forget(context.WithoutCancel(ctx), v, "a test of the connection", by); err != nil {
		s.config.Log.Warn("the batch of a test of a connection is left as it is", "batch", out.Batch, "error", err)
	}
	return out, nil
}
