// Package limit has the use cases of limits on what runs at the same time, and of pools: lists, sets and removes them,
// and tells what counts for them.
package limit

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Store keeps the limits and knows what counts for them.
type Store interface {
	Limits(ctx context.Context) ([]hive.Limit, error)
	SetLimit(ctx context.Context, l hive.Limit) error
	DeleteLimit(ctx context.Context, k hive.LimitKey) error
	// HeldSlots counts the attempts of all servers that have not ended.
	HeldSlots(ctx context.Context) ([]hive.HeldSlots, error)
	// LimitHolders lists the attempts that count for a limit, oldest first. schedules are those of hive.ActiveLimit.
	LimitHolders(ctx context.Context, k hive.LimitKey, schedules []int64) ([]hive.HeldView, error)
	SchedulesNamed(ctx context.Context, names []string) ([]hive.Schedule, error)
	Executors(ctx context.Context) ([]hive.Executor, error)
}

// Config holds the dependencies of a Service.
type Config struct {
	Store Store
	// Labeled lists the ids of the schedules whose newest revision has a tag and an owner; an empty one is any.
	Labeled func(ctx context.Context, tag, owner string) ([]int64, error)
	Changed func() // is called after a change, and must not block
	Now     func() time.Time
	Log     *slog.Logger
}

// Service implements the use cases.
type Service struct{ config Config }

// New makes a Service.
func New(c Config) *Service { return &Service{config: c} }

// State returns all limits and what counts for them. Without limits, that is one small query.
func (s *Service) State(ctx context.Context) (hive.LimitState, error) {
	list, err := s.config.Store.Limits(ctx)
	if err != nil || len(list) == 0 {
		return hive.LimitState{}, err
	}
	out := hive.LimitState{Limits: make([]hive.ActiveLimit, len(list))}
	for i := range list {
		out.Limits[i].Limit = list[i]
		if list[i].Kind == hive.LimitTag {
			if out.Limits[i].Schedules, err = s.tagged(ctx, list[i].Name); err != nil {
				return hive.LimitState{}, err
			}
		}
	}
	if err := s.findSchedules(ctx, out.Limits); err != nil {
		return hive.LimitState{}, err
	}
	if out.Groups, err = s.groups(ctx, list); err != nil {
		return hive.LimitState{}, err
	}
	out.Held, err = s.config.Store.HeldSlots(ctx)
	return out, err
}

// groups returns the groups of all executors by their ids, or nil if no limit counts by group.
func (s *Service) groups(ctx context.Context, list []hive.Limit) (map[string]string, error) {
	if !slices.ContainsFunc(list, func(l hive.Limit) bool { return l.Kind == hive.LimitGroup }) {
		return nil, nil
	}
	executors, err := s.config.Store.Executors(ctx)
	out := make(map[string]string, len(executors))
	for i := range executors {
		out[executors[i].ID] = executors[i].Group
	}
	return out, err
}

// tagged returns the ids of the schedules with a tag, ascending.
func (s *Service) tagged(ctx context.Context, tag string) ([]int64, error) {
	ids, err := s.config.Labeled(ctx, tag, "")
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return ids, err
}

// findSchedules sets the schedules of the limits that name one.
func (s *Service) findSchedules(ctx context.Context, list []hive.ActiveLimit) error {
	byName := map[string]*hive.ActiveLimit{}
	var names []string
	for i := range list {
		if list[i].Kind == hive.LimitSchedule {
			byName[list[i].Name] = &list[i]
			names = append(names, list[i].Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	found, err := s.config.Store.SchedulesNamed(ctx, names)
	for i := range found {
		if l := byName[found[i].Name]; l != nil {
			l.Schedules = []int64{found[i].ID}
		}
	}
	return err
}

// List lists the limits by kind and name, pools last, with what counts for each.
func (s *Service) List(ctx context.Context) ([]hive.LimitUse, error) {
	state, err := s.State(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]hive.LimitUse, len(state.Limits))
	for i := range state.Limits {
		out[i] = use(&state, i)
	}
	return out, nil
}

// use counts for limit i of a state.
func use(state *hive.LimitState, i int) hive.LimitUse {
	l := &state.Limits[i]
	out := hive.LimitUse{Limit: l.Limit}
	for h := range state.Held {
		out.Used += l.Uses(&state.Held[h])
	}
	return out
}

// Set stores a limit. It holds for the next dispatch of this server, and within seconds for those of other servers.
// hive.CodeInvalid if no document can name the pool or the group.
func (s *Service) Set(ctx context.Context, l hive.Limit) (hive.LimitUse, error) {
	if (l.Kind == hive.LimitPool || l.Kind == hive.LimitGroup) && !graph.IsSiteName(l.Name) {
		return hive.LimitUse{}, hive.Errorf(hive.CodeInvalid,
			"%.80q cannot be the name of a %s: use letters, digits, _, . and -, beginning with a letter or a digit",
			l.Name, l.Kind).WithReason(hive.ErrorLimitForm, "kind", l.Kind, "name", l.Name)
	}
	l.SetAt = s.config.Now().UTC().Truncate(time.Millisecond)
	if err := s.config.Store.SetLimit(ctx, l); err != nil {
		return hive.LimitUse{}, err
	}
	s.config.Changed()
	s.config.Log.Info("a limit was set", "limit", l.LimitKey, "most", l.Most, "by", l.SetBy, "reason", l.Reason)
	list, err := s.List(ctx)
	if err != nil {
		return hive.LimitUse{}, fmt.Errorf("%s is set, and what runs is not counted: %w", l.LimitKey, err)
	}
	at := slices.IndexFunc(list, func(u hive.LimitUse) bool { return u.LimitKey == l.LimitKey })
	if at < 0 { // it was removed meanwhile
		return hive.LimitUse{Limit: l}, nil
	}
	return list[at], nil
}

// Delete removes a limit for a user: what it limited runs without it. Tasks of a pool that is removed wait.
func (s *Service) Delete(ctx context.Context, k hive.LimitKey, by string) error {
	if err := s.config.Store.DeleteLimit(ctx, k); err != nil {
		return err
	}
	s.config.Changed()
	s.config.Log.Info("a limit was removed", "limit", k, "by", by)
	return nil
}

// Holders returns a limit with what counts for it, and the attempts that do, oldest first. The limit is nil if there is
// none.
func (s *Service) Holders(ctx context.Context, k hive.LimitKey) (*hive.LimitUse, []hive.HeldView, error) {
	state, err := s.State(ctx)
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(state.Limits, func(l hive.ActiveLimit) bool { return l.LimitKey == k })
	if at < 0 {
		return nil, nil, nil
	}
	used := use(&state, at)
	held, err := s.config.Store.LimitHolders(ctx, k, state.Limits[at].Schedules)
	return &used, held, err
}
