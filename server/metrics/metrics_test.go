package metrics

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// fakeSource is a server in some state.
type fakeSource struct {
	totals    hive.LiveTotals
	executors []Executor
	loop      error // of the loop
	database  error
	hangs     bool // the database does not answer at all
	failing   bool
}

var _ Source = (*fakeSource)(nil)

func (f *fakeSource) Totals(ctx context.Context) (hive.LiveTotals, error) {
	return f.totals, cmp.Or(f.loop, ctx.Err())
}

func (f *fakeSource) Executors(context.Context) ([]Executor, error) { return f.executors, f.loop }

func (f *fakeSource) DatabaseSize(ctx context.Context) (int64, error) {
	if f.hangs {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	return 4096, f.database
}

func (f *fakeSource) Disks() []Disk { return []Disk{{Folder: "data", Free: 10, Total: 100}} }

func (f *fakeSource) Clients() int { return 3 }

func (f *fakeSource) Alarms() []hive.TickAlarm {
	return []hive.TickAlarm{{Reason: hive.AlarmUnreadable}, {Reason: hive.AlarmUnreadable}}
}

func (f *fakeSource) Failing() bool { return f.failing }

func (f *fakeSource) Exports() Exports {
	return Exports{
		SpansSent: 70, SpansDropped: 7,
		Logs: LogMoves{Moved: 5, Bytes: 70, Failed: 2, Waiting: 1, Away: true},
	}
}

// scrape reads the metrics as Prometheus does, and returns the lines of hivego by their names with labels.
func scrape(t *testing.T, m *Metrics) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler("").ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://127.0.0.1:9100/metrics", http.NoBody))
	require.Equal(t, http.StatusOK, w.Code)
	values := map[string]string{}
	for line := range strings.Lines(w.Body.String()) {
		if at := strings.LastIndexByte(line, ' '); strings.HasPrefix(line, "hivego_") && at > 0 {
			values[line[:at]] = strings.TrimSpace(line[at:])
		}
	}
	return values
}

// contains checks some of the scraped values.
func contains(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, value := range want {
		assert.Equal(t, value, got[name], name)
	}
}

func start() time.Time { return time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC) }

// group is a commit of batch 1 in an epoch.
func group(epoch int64, w hive.BatchWrite) *hive.Group {
	return &hive.Group{Epoch: epoch, Batches: []hive.BatchWrite{w}}
}

func offer(id int64) hive.BatchWrite {
	return hive.BatchWrite{Offers: []hive.Attempt{{ID: id, Key: "k", OfferedAt: start()}}}
}

// change is a stored change of an attempt that started some time after its offer.
func change(id int64, state hive.AttemptState, outcome hive.Outcome, started time.Duration) hive.BatchWrite {
	a := hive.Attempt{ID: id, Key: "k", State: state, Outcome: outcome, OfferedAt: start()}
	if started > 0 {
		a.StartedAt = start().Add(started)
	}
	return hive.BatchWrite{Attempts: []hive.AttemptChange{{To: a}}}
}

// Everything is counted once, when it is stored.
func TestCommitted(t *testing.T) {
	t.Parallel()
	m := New("v1", &fakeSource{})
	before := scrape(t, m)
	contains(t, before, map[string]string{
		`hivego_batches_ended_total{state="failed"}`: "0", `hivego_task_runs_ended_total{state="skipped"}`: "0",
		`hivego_attempts_ended_total{outcome="lost"}`: "0", `hivego_ticks_total{decision="missed"}`: "0",
		`hivego_commit_duration_seconds_count`: "0", `hivego_dispatch_latency_seconds_count`: "0",
	})
	m.Committed(group(1, offer(1)), 3*time.Millisecond, nil)
	m.Committed(group(1, offer(2)), time.Millisecond, errors.New("the disk is full"))
	m.Committed(group(1, change(1, hive.AttemptRunning, "", 20*time.Millisecond)), time.Millisecond, nil)
	m.Committed(group(1, change(1, hive.AttemptEnded, hive.OutcomeSuccess, 20*time.Millisecond)), time.Millisecond, nil)
	m.Committed(group(1, hive.BatchWrite{
		Batch: &hive.BatchChange{From: hive.BatchRunning, To: hive.Batch{State: hive.BatchSucceeded}},
		Runs: []hive.RunChange{
			{From: hive.RunRunning, To: hive.Run{State: hive.RunSucceeded}},
			{From: hive.RunSucceeded, To: hive.Run{State: hive.RunSucceeded}}, // another column has changed
			{From: hive.RunWaiting, To: hive.Run{State: hive.RunRunning}},
		},
	}), time.Millisecond, nil)
	m.Committed(group(1, hive.BatchWrite{ // a person closes it
		Batch: &hive.BatchChange{From: hive.BatchFailed, To: hive.Batch{State: hive.BatchFailed}},
	}), time.Millisecond, nil)
	contains(t, scrape(t, m), map[string]string{
		`hivego_commit_duration_seconds_count`: "5", `hivego_commit_failures_total`: "1",
		`hivego_batches_ended_total{state="succeeded"}`: "1", `hivego_batches_ended_total{state="failed"}`: "0",
		`hivego_task_runs_ended_total{state="succeeded"}`:    "1",
		`hivego_attempts_ended_total{outcome="success"}`:     "1",
		`hivego_dispatch_latency_seconds_count`:              "1",
		`hivego_dispatch_latency_seconds_sum`:                "0.02",
		`hivego_dispatch_latency_seconds_bucket{le="0.01"}`:  "0",
		`hivego_dispatch_latency_seconds_bucket{le="0.025"}`: "1",
	})
}

// The latency of an attempt is counted by the server that has offered it, once, whatever is stored in which order.
func TestDispatchLatency(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		epochs []int64
		writes []hive.BatchWrite
		count  string
	}{
		"its end overtakes its receipt": {
			[]int64{1, 1}, []hive.BatchWrite{offer(1), change(1, hive.AttemptEnded, hive.OutcomeFailure,
				time.Second)}, "1",
		},
		"never started": {
			[]int64{1, 1, 1}, []hive.BatchWrite{
				offer(1), change(1, hive.AttemptEnded, hive.OutcomeReturned, 0),
				change(1, hive.AttemptEnded, hive.OutcomeReturned, time.Second),
			}, "0",
		},
		"offered by a former session": {
			[]int64{1, 2}, []hive.BatchWrite{offer(1), change(1, hive.AttemptRunning, "", time.Second)}, "0",
		},
		"only noted": {
			[]int64{1, 1}, []hive.BatchWrite{offer(1), change(1, hive.AttemptOffered, "", 0)}, "0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := New("v1", &fakeSource{})
			for i, w := range c.writes {
				m.Committed(group(c.epochs[i], w), time.Millisecond, nil)
			}
			assert.Equal(t, c.count, scrape(t, m)["hivego_dispatch_latency_seconds_count"])
		})
	}
}

// Lateness is that of ticks which a trigger wanted at a time, and which made a batch.
func TestDecided(t *testing.T) {
	t.Parallel()
	m := New("v1", &fakeSource{})
	due := start()
	m.Decided([]hive.TickWrite{
		{Tick: hive.Tick{Decision: hive.DecisionFired, Count: 1}, Batch: &hive.NewBatch{}, Due: due},
		{Tick: hive.Tick{Decision: hive.DecisionFired, Count: 1}, Batch: &hive.NewBatch{}}, // of a webhook
		{Tick: hive.Tick{Decision: hive.DecisionSkipped, Count: 1}, Due: due},
		{Tick: hive.Tick{Decision: hive.DecisionMissed, Count: 40}, Due: due},
		{Tick: hive.Tick{Decision: hive.DecisionSkipped, Count: 1}, Passed: true},
	}, due.Add(40*time.Millisecond))
	contains(t, scrape(t, m), map[string]string{
		`hivego_ticks_total{decision="fired"}`: "2", `hivego_ticks_total{decision="skipped"}`: "1",
		`hivego_ticks_total{decision="missed"}`: "40", `hivego_tick_lateness_seconds_count`: "1",
		`hivego_tick_lateness_seconds_sum`: "0.04",
	})
}

// The state is read at each scrape. Groups that only schedules name do not become labels.
func TestState(t *testing.T) {
	t.Parallel()
	src := &fakeSource{
		totals: hive.LiveTotals{
			Batches: map[hive.BatchState]int{hive.BatchRunning: 4}, Paused: 1, Stuck: 2,
			Runs: hive.Counts{hive.RunWaiting: 9}, Queue: map[string]int{"etl": 5, "typo": 2, "tpyo": 1},
			Waits: map[hive.WaitReason]int{hive.WaitBusy: 5, hive.WaitNoGroup: 3}, LeaseLeft: 5 * time.Second,
		},
		executors: []Executor{
			{Group: "etl", State: hive.ExecutorOnline, Slots: 4, Used: 3},
			{Group: "etl", State: hive.ExecutorLost, Slots: 8, Used: 1},
			{Group: "gpu", State: hive.ExecutorSilent, Slots: 2},
		},
	}
	m := New("v1", src)
	contains(t, scrape(t, m), map[string]string{
		`hivego_engine_up`: "1", `hivego_commit_failing`: "0", `hivego_session_lease_seconds`: "5",
		`hivego_batches_live{state="running"}`: "4", `hivego_batches_live{state="queued"}`: "0",
		`hivego_batches_paused`: "1", `hivego_batches_stuck`: "2", `hivego_task_runs_live{state="waiting"}`: "9",
		`hivego_queue_task_runs{group="etl"}`: "5", `hivego_queue_task_runs{group="gpu"}`: "0",
		`hivego_queue_task_runs{group="(no executor)"}`: "3", `hivego_queue_task_runs{group="typo"}`: "",
		`hivego_queue_waiting_task_runs{reason="busy"}`: "5", `hivego_queue_waiting_task_runs{reason="silent"}`: "0",
		`hivego_executors{state="online"}`: "1", `hivego_executors{state="draining"}`: "0",
		`hivego_slots{group="etl"}`: "4", `hivego_slots{group="gpu"}`: "0", `hivego_slots_used{group="etl"}`: "4",
		`hivego_executor_leases`: "1", `hivego_tick_alarms{reason="unreadable"}`: "2",
		`hivego_tick_alarms{reason="clock_jumped"}`: "0", `hivego_websocket_clients`: "3",
		`hivego_disk_free_bytes{folder="data"}`: "10", `hivego_disk_size_bytes{folder="data"}`: "100",
		`hivego_database_up`: "1", `hivego_database_size_bytes`: "4096",
	})
	src.loop, src.database, src.failing = errors.New("busy"), errors.New("out of reach"), true
	contains(t, scrape(t, m), map[string]string{
		`hivego_engine_up`: "0", `hivego_database_up`: "0", `hivego_commit_failing`: "1",
		`hivego_batches_live{state="running"}`: "", `hivego_database_size_bytes`: "", `hivego_websocket_clients`: "3",
	})
}

// A database that does not answer at all costs a scrape its time, and not the numbers of the loop.
func TestHangingDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		contains(t, scrape(t, New("v1", &fakeSource{hangs: true})), map[string]string{
			`hivego_database_up`: "0", `hivego_engine_up`: "1", `hivego_batches_stuck`: "0",
		})
		assert.Equal(t, answerWithin, time.Since(began))
	})
}

// Without the token nothing is answered, and without any token only requests to this machine by its own names are.
func TestHandler(t *testing.T) {
	t.Parallel()
	m := New("v1", &fakeSource{})
	const token = "0123456789abcdef"
	for name, c := range map[string]struct {
		token, method, url, header string
		code                       int
	}{
		"loopback":         {"", "GET", "http://127.0.0.1:9100/metrics", "", 200},
		"loopback, IPv6":   {"", "GET", "http://[::1]:9100/metrics", "", 200},
		"localhost":        {"", "GET", "http://localhost/metrics", "", 200},
		"another name":     {"", "GET", "http://evil.example:9100/metrics", "", 421},
		"another path":     {"", "GET", "http://127.0.0.1:9100/", "", 404},
		"another method":   {"", "POST", "http://127.0.0.1:9100/metrics", "", 405},
		"with the token":   {token, "GET", "https://hivego.example:9100/metrics", "Bearer " + token, 200},
		"without one":      {token, "GET", "http://127.0.0.1:9100/metrics", "", 401},
		"with another one": {token, "GET", "http://127.0.0.1:9100/metrics", "Bearer " + token + "0", 401},
		"as another kind":  {token, "GET", "http://127.0.0.1:9100/metrics", "Basic " + token, 401},
		"no path without":  {token, "GET", "http://127.0.0.1:9100/", "", 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), c.method, c.url, http.NoBody)
			if c.header != "" {
				r.Header.Set("Authorization", c.header)
			}
			w := httptest.NewRecorder()
			m.Handler(c.token).ServeHTTP(w, r)
			body, err := io.ReadAll(w.Body)
			require.NoError(t, err)
			assert.Equal(t, c.code, w.Code)
			assert.Equal(t, c.code == http.StatusOK, strings.Contains(string(body), "hivego_build_info"))
		})
	}
}
