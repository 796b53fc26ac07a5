// Package limit has the use cases of limits on what runs at the same time, and of pools: lists, sets and removes them,
// and tells what counts for them.
package limit

import (
	"context"
	"fmt"
	"slices"
	"time"

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
		if out.Limits[i].Schedules, err = s.schedules(ctx, list[i].LimitKey); err != nil {
			return hive.LimitState{}, err
		}
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

// schedules returns the schedules that a limit concerns.
func (s *Service) schedules(ctx context.Context, k hive.LimitKey) ([]int64, error) {
	switch k.Kind {
	case hive.LimitTag:
		ids, err := s.config.Labeled(ctx, k.Name, "")
		ids = slices.Clone(ids)
		slices.Sort(ids)
		return ids, err
	case hive.LimitSchedule:
		list, err := s.config.Store.SchedulesNamed(ctx, []string{k.Name})
		if err != nil || len(list) == 0 {
			return nil, err
		}
		return []int64{list[0].ID}, nil
	default:
		return nil, nil
	}
}

// List lists the limits by kind and name, pools last, with what counts for each.
func (s *Service) List(ctx context.Context) ([]hive.LimitUse, error) {
	state, err := s.State(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]hive.LimitUse, len(state.Limits))
	for i := range state.Limits {
		out[i].Limit = state.Limits[i].Limit
		for h := range state.Held {
			out[i].Used += state.Limits[i].Uses(&state.Held[h])
		}
	}
	return out, nil
}

// Set stores a limit. It holds for the next dispatch of this server, and within seconds for those of other servers.
func (s *Service) Set(ctx context.Context, l hive.Limit) (hive.LimitUse, error) {
	l.SetAt = s.config.Now().UTC().Truncate(time.Millisecond)
	if err := s.config.Store.SetLimit(ctx, l); err != nil {
		return hive.LimitUse{}, err
	}
	s.config.Changed()
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

// Delete removes a limit: what it limited runs without it. Tasks of a pool that is removed wait.
func (s *Service) Delete(ctx context.Context, k hive.LimitKey) error {
	if err := s.config.Store.DeleteLimit(ctx, k); err != nil {
		return err
	}
	s.config.Changed()
	return nil
}

// Holders returns a limit with what counts for it, and the attempts that do, oldest first. The limit is nil if there is
// none.
func (s *Service) Holders(ctx context.Context, k hive.LimitKey) (*hive.LimitUse, []hive.HeldView, error) {
	list, err := s.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(list, func(u hive.LimitUse) bool { return u.LimitKey == k })
	if at < 0 {
		return nil, nil, nil
	}
	schedules, err := s.schedules(ctx, k)
	if err != nil {
		return nil, nil, err
	}
	held, err := s.config.Store.LimitHolders(ctx, k, schedules)
	return &list[at], held, err
}
