package hook_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/hook"
)

const text = `apiVersion: hivego/v1
kind: Schedule
name: warehouse
timezone: Asia/Shanghai
params: {region: east}
onFailure:
  - {handler: shell, group: ops, params: {command: "one"}, timeout: 10s, retry: {max: 2}}
  - {handler: http, params: {url: "two"}}
onEnd:
  - {handler: shell, params: {command: "three"}}
jobs:
  - key: j
    onSuccess:
      - {handler: shell, params: {command: "four"}}
    tasks:
      - key: a
        handler: shell
        onEnd:
          - {handler: shell, params: {command: "five"}}
`

func compiled(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := new(document.Graphs).Compile(&hive.Revision{ID: 7, Document: text})
	require.NoError(t, err)
	return g
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		event hive.HookEvent
		want  []string
	}{
		"a failed batch": {
			hive.HookEvent{Scope: hive.HookOfBatch, State: hive.BatchFailed},
			[]string{"onFailure-1", "onFailure-2", "onEnd-1"},
		},
		"a canceled batch": {hive.HookEvent{Scope: hive.HookOfBatch, State: hive.BatchCanceled}, []string{"onEnd-1"}},
		"a job": {
			hive.HookEvent{Scope: hive.HookOfJob, Key: "j", State: hive.BatchSucceeded}, []string{"onSuccess-1"},
		},
		"a job that failed": {hive.HookEvent{Scope: hive.HookOfJob, Key: "j", State: hive.BatchFailed}, nil},
		"a task": {
			hive.HookEvent{Scope: hive.HookOfTask, Key: "a", State: hive.BatchFailed}, []string{"onEnd-1"},
		},
		"an unknown task": {hive.HookEvent{Scope: hive.HookOfTask, Key: "b", State: hive.BatchFailed}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			def := hook.Definition(compiled(t), &tt.event)
			if tt.want == nil {
				require.Nil(t, def)
				return
			}
			var keys []string
			for i, job := range def.Jobs {
				require.Len(t, job.Tasks, 1)
				keys = append(keys, job.Tasks[0].Key)
				require.Equal(t, i > 0, job.Tasks[0].Rule == hive.RuleAllDone)
			}
			require.Equal(t, tt.want, keys)
			require.Equal(t, "Asia/Shanghai", def.Timezone)
			_, err := graph.Compile(def)
			require.NoError(t, err)
		})
	}
}

// store keeps what the driver stores. fail makes the deletion of a call fail, as if the server died before it.
type store struct {
	calls   []hive.HookCall
	batches map[string]hive.Batch
	made    int
	missing bool
	bad     int // the round of an end whose batch cannot be stored
	fail    bool
	text    string
}

func (s *store) HookCalls(_ context.Context, after int64, limit int) ([]hive.HookCall, error) {
	var out []hive.HookCall
	for _, c := range s.calls {
		if c.ID > after && len(out) < limit {
			out = append(out, c)
		}
	}
	return out, nil
}

func (s *store) EndHookCall(_ context.Context, id int64) error {
	if s.fail {
		return errors.New("the server dies")
	}
	for i := range s.calls {
		if s.calls[i].ID == id {
			s.calls = append(s.calls[:i:i], s.calls[i+1:]...)
			return nil
		}
	}
	return nil
}

func (s *store) Batch(_ context.Context, id int64) (hive.Batch, error) {
	if s.missing {
		return hive.Batch{}, hive.Errorf(hive.CodeNotFound, "there is no batch %d", id)
	}
	return hive.Batch{ID: id, Params: map[string]any{"region": "west"}, CreatedBy: "ada", ScheduleID: 3}, nil
}

func (s *store) Revision(_ context.Context, id int64) (hive.Revision, error) {
	return hive.Revision{ID: id, Document: text}, nil
}

func (s *store) AdhocRevision(_ context.Context, text, hash, _ string, _ time.Time) (hive.Revision, error) {
	s.text = text
	return hive.Revision{ID: 100, Document: text, Hash: hash}, nil
}

func (s *store) CreateBatch(_ context.Context, _ hive.Server, b hive.NewBatch) (hive.Batch, error) {
	if b.Batch.Hook.Round == s.bad {
		return hive.Batch{}, errors.New("it cannot be stored")
	}
	if old, ok := s.batches[b.Key]; ok {
		return old, nil
	}
	s.made++
	b.Batch.ID = int64(1000 + s.made)
	s.batches[b.Key] = b.Batch
	return b.Batch, nil
}

func driver(s *store) (*hook.Driver, *[]int64) {
	adopted := new([]int64)
	s.batches = map[string]hive.Batch{}
	return hook.New(hook.Config{
		Store: s, Server: func() hive.Server { return hive.Server{ID: "a"} }, NewRuns: batch.NewRuns,
		Adopt: func(id int64) { *adopted = append(*adopted, id) }, Now: time.Now, Graphs: new(document.Graphs),
		Log: slog.New(slog.DiscardHandler),
	}), adopted
}

func call(id int64, round int) hive.HookCall {
	return hive.HookCall{ID: id, RevisionID: 7, Event: hive.HookEvent{
		Batch: 5, Round: round, Scope: hive.HookOfBatch, State: hive.BatchFailed, Error: "no disk", Task: "a",
	}}
}

func TestDriverMakesABatchOfEachEnd(t *testing.T) {
	t.Parallel()
	s := &store{calls: []hive.HookCall{call(1, 1), call(2, 2)}}
	d, adopted := driver(s)
	d.RunOnce(t.Context())
	require.Empty(t, s.calls)
	require.Equal(t, []int64{1001, 1002}, *adopted)
	b := s.batches["hook:5:1:batch:"]
	require.Equal(t, hive.KindHook, b.Kind)
	require.Zero(t, b.ScheduleID, "nothing of the schedule sees it")
	require.Equal(t, "no disk", b.Hook.Error)
	require.Equal(t, map[string]any{"region": "west"}, b.Params)
	require.Contains(t, s.text, "key: onFailure-2")
}

func TestDriverThatDiesMakesNoSecondBatch(t *testing.T) {
	t.Parallel()
	s := &store{calls: []hive.HookCall{call(1, 1)}, fail: true}
	d, _ := driver(s)
	d.RunOnce(t.Context())
	require.Len(t, s.calls, 1)
	s.fail = false
	d.RunOnce(t.Context())
	require.Empty(t, s.calls)
	require.Equal(t, 1, s.made)
}

// If the answer of the store is lost, the owner of a batch does not know of it, whoever finds it first.
func TestDriverLeavesTheCallToTheOwner(t *testing.T) {
	t.Parallel()
	s := &store{calls: []hive.HookCall{call(1, 1)}}
	d, adopted := driver(s)
	key := s.calls[0].Event.BatchKey()
	s.batches[key] = hive.Batch{ID: 9, Owner: "b", Live: true, State: hive.BatchQueued}
	d.RunOnce(t.Context())
	require.Len(t, s.calls, 1)
	require.Empty(t, *adopted)

	s.batches[key] = hive.Batch{ID: 9, Owner: "a", Live: true, State: hive.BatchQueued} // taken over
	s.fail = true
	d.RunOnce(t.Context())
	require.Equal(t, []int64{9}, *adopted, "before the call is deleted")

	s.fail = false
	s.batches[key] = hive.Batch{ID: 9, Owner: "b", Live: true, State: hive.BatchRunning}
	d.RunOnce(t.Context())
	require.Empty(t, s.calls)
}

func TestDriverIsNotHeldUpByACall(t *testing.T) {
	t.Parallel()
	s := &store{bad: 1}
	for id := range int64(500) { // more than the driver reads at once
		s.calls = append(s.calls, call(id+1, int(id+1)))
	}
	d, _ := driver(s)
	d.RunOnce(t.Context())
	require.Len(t, s.calls, 1)
	require.Equal(t, 499, s.made)
	s.bad = 0
	d.RunOnce(t.Context())
	require.Empty(t, s.calls)
}

func TestDriverDropsTheCallOfABatchThatIsGone(t *testing.T) {
	t.Parallel()
	s := &store{calls: []hive.HookCall{call(1, 1)}, missing: true}
	d, adopted := driver(s)
	d.RunOnce(t.Context())
	require.Empty(t, s.calls)
	require.Empty(t, *adopted)
}
