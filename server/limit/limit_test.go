package limit_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/limit"
)

// store is limits in memory. Three attempts run: two of schedule 1, with the slots of a pool, and one without schedule.
type store struct {
	limits    []hive.Limit
	schedules []int64 // of the last question for holders
	broken    error
	asked     int // for executors
}

func (s *store) Limits(context.Context) ([]hive.Limit, error) { return s.limits, s.broken }

func (s *store) SetLimit(_ context.Context, l hive.Limit) error {
	s.limits = append(s.limits, l)
	return s.broken
}

func (s *store) DeleteLimit(context.Context, hive.LimitKey) error { return s.broken }

func (*store) HeldSlots(context.Context) ([]hive.HeldSlots, error) {
	return []hive.HeldSlots{
		{Batch: 1, Schedule: 1, Group: "etl", Pool: "dw", Attempts: 2, Slots: 5},
		{Batch: 2, Group: "default", Attempts: 1},
	}, nil
}

func (s *store) LimitHolders(_ context.Context, _ hive.LimitKey, schedules []int64) ([]hive.HeldView, error) {
	s.schedules = schedules
	return []hive.HeldView{{Task: "a"}}, nil
}

func (*store) SchedulesNamed(_ context.Context, names []string) ([]hive.Schedule, error) {
	if slices.Contains(names, "warehouse") {
		return []hive.Schedule{{ID: 1, Name: "warehouse"}}, nil
	}
	return nil, nil
}

func (s *store) Executors(context.Context) ([]hive.Executor, error) {
	s.asked++
	return []hive.Executor{{ID: "x1", Group: "etl"}}, nil
}

func key(text string) hive.Limit { return hive.Limit{LimitKey: hive.ParseLimitKey(text), Most: 9} }

func newService(s *store) (service *limit.Service, changes *int) {
	changes = new(int)
	return limit.New(limit.Config{
		Store: s, Changed: func() { *changes++ }, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Unix(5, 678_900_000) },
		Labeled: func(_ context.Context, tag, _ string) ([]int64, error) {
			return map[string][]int64{"night": {3, 1}}[tag], nil
		},
	}), changes
}

// Each kind of limit counts its own attempts.
func TestList(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"server": 3, "group etl": 2, "group default": 1, "group none": 0, "tag night": 2, "tag none": 0,
		"schedule warehouse": 2, "schedule none": 0, "pool dw": 5, "pool none": 0,
	} {
		s, _ := newService(&store{limits: []hive.Limit{key(text)}})
		list, err := s.List(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []hive.LimitUse{{Limit: key(text), Used: want}}, list, text)
	}
}

// The groups of executors are only read where a limit counts by group, and nothing is read without limits.
func TestState(t *testing.T) {
	t.Parallel()
	db := &store{}
	s, _ := newService(db)
	state, err := s.State(t.Context())
	require.NoError(t, err)
	assert.Zero(t, state)
	db.limits = []hive.Limit{key("tag night"), key("pool dw")}
	state, err = s.State(t.Context())
	require.NoError(t, err)
	assert.Nil(t, state.Groups)
	assert.Equal(t, []int64{1, 3}, state.Limits[0].Schedules, "ascending")
	assert.Zero(t, db.asked)
	db.limits = []hive.Limit{key("group etl")}
	state, err = s.State(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"x1": "etl"}, state.Groups)
}

// A change is stored with its moment, and everybody who counts is notified, unless it could not be stored.
func TestChanges(t *testing.T) {
	t.Parallel()
	db := &store{}
	s, changes := newService(db)
	use, err := s.Set(t.Context(), key("pool dw"))
	require.NoError(t, err)
	assert.Equal(t, 5, use.Used)
	assert.Equal(t, time.Unix(5, 678_000_000).UTC(), use.SetAt)
	require.NoError(t, s.Delete(t.Context(), use.LimitKey, "ada"))
	assert.Equal(t, 2, *changes)
	db.broken = errors.New("away")
	_, err = s.Set(t.Context(), key("pool dw"))
	require.ErrorIs(t, err, db.broken)
	require.ErrorIs(t, s.Delete(t.Context(), use.LimitKey, "ada"), db.broken)
	assert.Equal(t, 2, *changes)
}

// A pool or a group with a name that no document can have is refused; tags and schedules are not checked.
func TestNames(t *testing.T) {
	t.Parallel()
	s, changes := newService(&store{})
	for _, text := range []string{"pool ", "pool dw x", "pool -dw", "group a/b"} {
		_, err := s.Set(t.Context(), key(text))
		require.Equal(t, hive.CodeInvalid, hive.CodeOf(err), text)
	}
	assert.Zero(t, *changes)
	for _, text := range []string{"pool dw.2", "group etl_1", "tag every night", "server"} {
		_, err := s.Set(t.Context(), key(text))
		require.NoError(t, err, text)
	}
}

// The holders of a limit are asked for with the schedules that it concerns; a limit that does not exist has none.
func TestHolders(t *testing.T) {
	t.Parallel()
	db := &store{limits: []hive.Limit{key("schedule warehouse")}}
	s, _ := newService(db)
	use, held, err := s.Holders(t.Context(), key("schedule warehouse").LimitKey)
	require.NoError(t, err)
	assert.Equal(t, 2, use.Used)
	assert.Len(t, held, 1)
	assert.Equal(t, []int64{1}, db.schedules)
	use, held, err = s.Holders(t.Context(), key("pool none").LimitKey)
	require.NoError(t, err)
	assert.Nil(t, use)
	assert.Empty(t, held)
}
