package otlp

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	pb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a store of one batch, number 7, and of its cause, number 3.
type memory struct {
	attempts []hive.Attempt
	runs     []hive.Run
	hook     *hive.HookEvent
	err      error
}

var _ Store = (*memory)(nil)

func at(seconds int) time.Time { return time.Unix(1_700_000_000+int64(seconds), 0).UTC() }

func (m *memory) Batch(_ context.Context, id int64) (hive.Batch, error) {
	if id == 99 {
		return hive.Batch{}, hive.Errorf(hive.CodeNotFound, "no batch")
	}
	return hive.Batch{
		ID: id, ScheduleID: 1, Schedule: "warehouse", Revision: 4, RevisionID: 40, Kind: hive.KindScheduled,
		Moment: at(0), CreatedAt: at(1), CreatedBy: "ada", Hook: m.hook, Params: map[string]any{"password": "hidden"},
	}, m.err
}

func (m *memory) Revision(context.Context, int64) (hive.Revision, error) {
	return hive.Revision{}, m.err
}

func (m *memory) Runs(context.Context, int64) ([]hive.Run, error) { return m.runs, m.err }

func (m *memory) Attempts(context.Context, int64) ([]hive.Attempt, error) { return m.attempts, m.err }

func (m *memory) Causes(context.Context, int64, int) (causes, effects []hive.BatchLink, err error) {
	return []hive.BatchLink{{ID: 3}, {ID: 99}}, nil, m.err
}

func definition(*hive.Revision) (*hive.Definition, error) {
	return &hive.Definition{Jobs: []hive.Job{{Key: "load", Tasks: []hive.Task{
		{Key: "extract", Handler: "shell", Group: "etl"}, {Key: "report", Handler: "http"},
	}}}}, nil
}

func config(m *memory, to Collector) Config {
	return Config{
		Collector: to, Cluster: trace.Cluster{ID: "c", Sampled: true}, Server: "s", Version: "v1", Store: m,
		Definition: definition, Log: slog.New(slog.DiscardHandler), Every: time.Millisecond, Pause: time.Millisecond,
	}
}

func attempt(id int64, number int, outcome hive.Outcome, from int) hive.Attempt {
	exit := 3
	return hive.Attempt{
		ID: id, Key: "k" + strconv.FormatInt(id, 10), BatchID: 7, RunID: 70, Number: number, Round: 1,
		ExecutorName: "e1",
		State:        hive.AttemptEnded, Outcome: outcome, ExitCode: &exit, Error: "exit code 3", OfferedAt: at(from),
		StartedAt: at(from + 1), FinishedAt: at(from + 2), Outputs: map[string]string{"o": "hidden"},
	}
}

func run(state hive.RunState) hive.Run {
	return hive.Run{
		ID: 70, BatchID: 7, Number: 0, Job: "load", Task: "extract", State: state, Round: 1, Attempts: 2, Failures: 1,
		StartedAt: at(21), FinishedAt: at(22), Outputs: map[string]string{"o": "hidden"},
	}
}

// group is what a commit stores of batch 7.
func group(w hive.BatchWrite) *hive.Group {
	w.BatchID = 7
	return &hive.Group{Batches: []hive.BatchWrite{w}}
}

func endOf(state hive.BatchState, round int) *hive.BatchChange {
	return &hive.BatchChange{From: hive.BatchRunning, To: hive.Batch{
		ID: 7, State: state, Round: round, RoundAt: at(2), FinishedAt: at(30), Reason: "task_failed",
	}}
}

// A batch with a retry: the ids, the parents, the times and the attributes of all spans. The first attempt ended at
// another server, so that the run begins with it only by the stored rows.
func TestSpansOfBatch(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	first, second := attempt(1, 1, hive.OutcomeFailure, 10), attempt(2, 2, hive.OutcomeSuccess, 20)
	m := &memory{attempts: []hive.Attempt{first, second}}
	to := r.collector()
	to.Headers = map[string]string{"X-Key": "secret"}
	x := start(t, New(config(m, to)))
	x.Committed(group(hive.BatchWrite{
		Attempts: []hive.AttemptChange{{To: second}},
		Runs:     []hive.RunChange{{From: hive.RunRunning, To: run(hive.RunSucceeded)}},
		Batch:    endOf(hive.BatchSucceeded, 1),
	}))
	eventually(t, "all spans", func() bool { return len(r.all()) == 4 })
	x.Stop()
	spans := r.all()
	names := []string{"attempt", "extract", "round 1", "batch warehouse"}
	id := trace.Cluster{ID: "c"}.Of(&hive.Batch{ID: 7, CreatedAt: at(1)})
	ids := []trace.SpanID{id.Attempt(second.Ref()), id.Run(0, 1), id.Round(1), id.Batch()}
	starts := []int{20, 10, 2, 1}
	ends := []int{22, 22, 30, 30}
	for i, s := range spans {
		assert.Equal(t, names[i], s.GetName())
		assert.Equal(t, hexOf(id[:]), hexOf(s.GetTraceId()), s.GetName())
		assert.Equal(t, hexOf(ids[i][:]), hexOf(s.GetSpanId()), s.GetName())
		if i+1 < len(ids) {
			assert.Equal(t, hexOf(ids[i+1][:]), hexOf(s.GetParentSpanId()), s.GetName())
		}
		assert.Equal(t, uint64(at(starts[i]).UnixNano()), s.GetStartTimeUnixNano(), s.GetName())
		assert.Equal(t, uint64(at(ends[i]).UnixNano()), s.GetEndTimeUnixNano(), s.GetName())
		assert.Equal(t, pb.Status_STATUS_CODE_OK, s.GetStatus().GetCode(), s.GetName())
		assert.NotContains(t, s.String(), "hidden", "no params and no outputs")
	}
	assert.Empty(t, spans[3].GetParentSpanId())
	require.Len(t, spans[3].GetLinks(), 1, "the deleted cause has none")
	cause := trace.Cluster{ID: "c"}.Of(&hive.Batch{ID: 3, CreatedAt: at(1)})
	assert.Equal(t, hexOf(cause[:]), hexOf(spans[3].GetLinks()[0].GetTraceId()))
	assert.Equal(t, map[string]string{
		"hivego.batch": "#7ns", "hivego.kind": "scheduled", "hivego.schedule": "warehouse", "hivego.revision": "#4ns",
		"hivego.moment": "2023-11-14T22:13:20Z", "hivego.job": "load", "hivego.task": "extract", "hivego.round": "#1ns",
		"hivego.handler": "shell", "hivego.group": "etl", "hivego.attempt": "#2ns", "hivego.attempt_id": "#2ns",
		"hivego.executor": "e1", "hivego.outcome": "success", "hivego.exit_code": "#3ns",
	}, values(spans[0].GetAttributes()))
	assert.Equal(t, map[string]string{
		"service.name": "hivego", "service.version": "v1", "service.instance.id": "s",
	}, r.resource)
	assert.Equal(t, "secret", r.headers.Get("X-Key"))
	sent, dropped := x.Spans()
	assert.Equal(t, [2]int64{4, 0}, [2]int64{sent, dropped})
}

// What ends badly says why. Only the first round sends the batch's own span.
func TestFailures(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	m := &memory{hook: &hive.HookEvent{Batch: 5}, runs: []hive.Run{run(hive.RunReady)}}
	x := start(t, New(config(m, r.collector())))
	failedAttempt, skipped := attempt(1, 1, hive.OutcomeFailure, 10), run(hive.RunSkipped)
	skipped.Task, skipped.Reason, skipped.Failures, skipped.StartedAt = "report", "upstream", 0, time.Time{}
	x.Committed(group(hive.BatchWrite{Attempts: []hive.AttemptChange{{To: failedAttempt}}})) // without its run
	x.Committed(group(hive.BatchWrite{
		Runs: []hive.RunChange{
			{From: hive.RunRunning, To: run(hive.RunFailed)},
			{From: hive.RunFailed, To: run(hive.RunSucceeded)}, // a mark
			{From: hive.RunWaiting, To: skipped},
		},
		Batch: endOf(hive.BatchFailed, 1),
	}))
	x.Committed(group(hive.BatchWrite{Batch: endOf(hive.BatchCanceled, 2)}))
	eventually(t, "all spans", func() bool { return len(r.all()) == 6 })
	got := map[string]string{}
	for _, s := range r.all() {
		got[s.GetName()] = fmt.Sprintf("%d %s", s.GetStatus().GetCode(), s.GetStatus().GetMessage())
		if s.GetName() == "batch warehouse" {
			assert.Len(t, s.GetLinks(), 2, "the batch that the hooks follow, and the cause")
		}
		if s.GetName() == "report" {
			assert.Equal(t, s.GetStartTimeUnixNano(), s.GetEndTimeUnixNano(), "it was never offered")
		}
	}
	assert.Equal(t, map[string]string{
		"attempt": "2 exit code 3", "extract": "2 failed", "report": "0 ", "round 1": "2 task_failed",
		"batch warehouse": "2 task_failed", "round 2": "0 ",
	}, got)
}

// The collector is away: nothing waits, the queue has an end, all that is lost is counted, and the log says it once.
func TestCollectorAway(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	to := r.collector()
	r.Close()
	var log bytes.Buffer
	cfg := config(&memory{}, to)
	cfg.Log, cfg.Queue, cfg.Pause = slog.New(slog.NewTextHandler(&log, nil)), 2, time.Microsecond
	x := start(t, New(cfg))
	const commits = 200
	for range commits {
		x.Committed(group(hive.BatchWrite{Batch: endOf(hive.BatchSucceeded, 1)}))
	}
	x.Stop()
	sent, dropped := x.Spans()
	assert.Equal(t, [2]int64{0, 2 * commits}, [2]int64{sent, dropped})
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("traces cannot be sent")), log.String())
}

// A busy collector gets the same spans again; one that refuses them does not.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer        func(request int, w http.ResponseWriter) bool
		requests      int
		sent, dropped int64
	}{
		"busy, then well": {func(n int, w http.ResponseWriter) bool {
			if n < 3 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return n < 3
		}, 3, 1, 0},
		"always busy": {func(_ int, w http.ResponseWriter) bool {
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}, tries, 0, 1},
		"refused": {func(_ int, w http.ResponseWriter) bool {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}, 1, 0, 1},
		"redirected": {func(_ int, w http.ResponseWriter) bool {
			w.Header().Set("Location", "/v1/traces")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}, 1, 0, 1},
		"rejected in part": {func(_ int, w http.ResponseWriter) bool {
			_, _ = w.Write([]byte{0x12, 0x01, 'x', 0x0a, 0x05, 0x12, 0x01, 'w', 0x08, 0x01}) // 1 rejected, and words
			return false
		}, 1, 0, 1},
		"rubbish": {func(_ int, w http.ResponseWriter) bool {
			_, _ = w.Write([]byte{0x0a, 0xff, 0xff})
			return false
		}, 1, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t)
			r.answer = c.answer
			cfg := config(&memory{}, r.collector())
			cfg.Pause = time.Microsecond
			x := start(t, New(cfg))
			x.Committed(group(hive.BatchWrite{Batch: endOf(hive.BatchSucceeded, 2)}))
			eventually(t, "an end", func() bool {
				sent, dropped := x.Spans()
				return sent+dropped > 0
			})
			sent, dropped := x.Spans()
			assert.Equal(t, [2]int64{c.sent, c.dropped}, [2]int64{sent, dropped})
			r.mu.Lock()
			defer r.mu.Unlock()
			assert.Equal(t, c.requests, r.requests)
		})
	}
}

// What waits at the end is sent at the end, even if the database knows nothing of it any more.
func TestStop(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	cfg := config(&memory{}, r.collector())
	cfg.Every = time.Hour
	x := start(t, New(cfg))
	for range 3 * spansAtOnce {
		x.Committed(group(hive.BatchWrite{Batch: endOf(hive.BatchSucceeded, 2)}))
	}
	x.Stop()
	assert.Len(t, r.all(), 3*spansAtOnce)

	lost := start(t, New(config(&memory{err: hive.Errorf(hive.CodeUnavailable, "away")}, r.collector())))
	lost.Committed(group(hive.BatchWrite{Batch: endOf(hive.BatchSucceeded, 1)}))
	lost.Stop()
	sent, dropped := lost.Spans()
	assert.Equal(t, [2]int64{0, 2}, [2]int64{sent, dropped})
	var none *Exporter
	none.Committed(group(hive.BatchWrite{}))
	sent, dropped = none.Spans()
	assert.Zero(t, sent+dropped)
}

// What is known of batches has a limit.
func TestBooksForget(t *testing.T) {
	t.Parallel()
	b := newBooks(config(&memory{}, Collector{}))
	for id := range int64(3 * maxKnown) {
		_, err := b.of(t.Context(), 100+id)
		require.NoError(t, err)
	}
	assert.Len(t, b.known, maxKnown)
	assert.Len(t, b.order, maxKnown)
	assert.True(t, slices.IsSorted(b.order))
}
