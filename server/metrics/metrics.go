// Package metrics keeps the numbers of one server for Prometheus, in a registry of its own. Events are counted where
// they become durable; everything else is read from the server at each scrape. No label has a value that grows with
// the number of schedules, batches or executors.
package metrics

import (
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/rprp/hivego/server/hive"
)

// Metrics are the numbers of one server. Its methods may be called from any goroutine.
type Metrics struct {
	registry *prometheus.Registry

	commits        prometheus.Histogram
	commitFailures prometheus.Counter
	ticks          *prometheus.CounterVec
	lateness       prometheus.Histogram
	batches        *prometheus.CounterVec
	runs           *prometheus.CounterVec
	attempts       *prometheus.CounterVec
	dispatch       prometheus.Histogram

	mu      sync.Mutex
	epoch   int64                         // of the session that the offers below belong to
	offered map[hive.AttemptRef]time.Time // attempts without a receipt so far, and when they were offered
}

// New makes the metrics of a server with a version. src tells its present state.
func New(version string, src Source) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), offered: map[hive.AttemptRef]time.Time{},
		commits: histogram("commit_duration_seconds", "How long the database took to store a group of changes.",
			.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10),
		commitFailures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "hivego_commit_failures_total",
			Help: "Groups of changes that could not be stored. Most are tried again.",
		}),
		ticks: counters("ticks_total", "Stored decisions about ticks, by decision.", "decision",
			hive.DecisionFired, hive.DecisionQueued, hive.DecisionSkipped, hive.DecisionMerged, hive.DecisionMissed,
			hive.DecisionWaiting),
		lateness: histogram("tick_lateness_seconds",
			"How long after its time the decision of a tick with a batch was stored.",
			.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 3600),
		batches: counters("batches_ended_total", "Batches that have ended, by state. A resumed batch ends again.",
			"state", hive.BatchSucceeded, hive.BatchFailed, hive.BatchCanceled),
		runs: counters("task_runs_ended_total", "Task runs that have become final, by state.", "state",
			finalRunStates()...),
		attempts: counters("attempts_ended_total", "Attempts that have ended, by outcome.", "outcome",
			hive.OutcomeSuccess, hive.OutcomeFailure, hive.OutcomeTimeout, hive.OutcomeKilled, hive.OutcomeRefused,
			hive.OutcomeLost, hive.OutcomeReturned),
		dispatch: histogram("dispatch_latency_seconds",
			"Time from the offer of an attempt, when an executor is chosen, to its start there.",
			.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "hivego_build_info", Help: "1, with the version of the program and of Go as labels.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(build, m.commits, m.commitFailures, m.ticks, m.lateness, m.batches, m.runs, m.attempts,
		m.dispatch, newState(src), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func histogram(name, help string, buckets ...float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: "hivego_" + name, Help: help, Buckets: buckets})
}

// counters makes a counter for each value of a label. All begin at 0, so that the first event is an increase.
func counters[V ~string](name, help, label string, values ...V) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "hivego_" + name, Help: help}, []string{label})
	for _, v := range values {
		c.WithLabelValues(string(v))
	}
	return c
}

func finalRunStates() []hive.RunState {
	var out []hive.RunState
	for _, s := range hive.RunStates() {
		if s.Final() {
			out = append(out, s)
		}
	}
	return out
}

// Committed counts the result of a commit, which took some time.
func (m *Metrics) Committed(g *hive.Group, took time.Duration, err error) {
	if err != nil {
		m.commitFailures.Inc()
		return
	}
	m.commits.Observe(took.Seconds())
	m.mu.Lock()
	defer m.mu.Unlock()
	if g.Epoch != m.epoch { // another server may have the attempts of the former session
		m.epoch = g.Epoch
		clear(m.offered)
	}
	for i := range g.Batches {
		m.storedLocked(&g.Batches[i])
	}
}

// storedLocked counts what a commit has stored of one batch.
func (m *Metrics) storedLocked(w *hive.BatchWrite) {
	if c := w.Batch; c != nil && c.To.State.Final() && !c.From.Final() {
		m.batches.WithLabelValues(string(c.To.State)).Inc()
	}
	for i := range w.Runs {
		if c := &w.Runs[i]; c.To.Shard == 0 && c.To.State.Final() && c.To.State != c.From {
			m.runs.WithLabelValues(string(c.To.State)).Inc()
		}
	}
	for i := range w.Offers {
		m.offered[w.Offers[i].Ref()] = w.Offers[i].OfferedAt
	}
	for i := range w.Attempts {
		m.attemptLocked(&w.Attempts[i].To)
	}
}

// attemptLocked counts the end of an attempt, and how long its start took. Each attempt ends once, and its start is
// counted once, by the server that has offered it.
func (m *Metrics) attemptLocked(a *hive.Attempt) {
	if at, waits := m.offered[a.Ref()]; waits {
		if !a.StartedAt.IsZero() {
			m.dispatch.Observe(max(a.StartedAt.Sub(at), 0).Seconds())
		}
		if !a.StartedAt.IsZero() || a.State == hive.AttemptEnded {
			delete(m.offered, a.Ref())
		}
	}
	if a.State == hive.AttemptEnded {
		m.attempts.WithLabelValues(string(a.Outcome)).Inc()
	}
}

// Decided counts decisions about ticks that were stored at a time.
func (m *Metrics) Decided(writes []hive.TickWrite, at time.Time) {
	for i := range writes {
		w := &writes[i]
		if w.Passed {
			continue // it has a tick already
		}
		m.ticks.WithLabelValues(string(w.Tick.Decision)).Add(float64(max(w.Tick.Count, 1)))
		if w.Batch != nil && !w.Due.IsZero() {
			m.lateness.Observe(max(at.Sub(w.Due), 0).Seconds())
		}
	}
}
