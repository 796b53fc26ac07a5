package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rprp/hivego/server/hive"
)

// Source tells the present state of a server. Each scrape calls its methods, which must not block beyond their context.
type Source interface {
	// Totals counts what is in memory. An error means that the server's loop does not answer.
	Totals(ctx context.Context) (hive.LiveTotals, error)
	// Executors lists the executors that the server knows.
	Executors(ctx context.Context) ([]Executor, error)
	// DatabaseSize returns the size of the database in bytes. An error means that it cannot be reached.
	DatabaseSize(ctx context.Context) (int64, error)
	Disks() []Disk
	// Clients returns the number of websocket clients.
	Clients() int
	Alarms() []hive.TickAlarm
	// Failing reports whether nothing can be stored now.
	Failing() bool
	Exports() Exports
}

// Exports counts what the server has sent to other systems.
type Exports struct {
	SpansSent, SpansDropped int64 // spans that the collector of traces has taken, and those that were dropped
	Logs                    LogMoves
}

// LogMoves is what the server knows of moving logs to the store of logs.
type LogMoves struct {
	Moved, Bytes, Failed int64 // since the start
	Waiting              int64 // logs that are due and have not moved
	Away                 bool  // the store cannot be used
}

// Executor is what the metrics need of an executor.
type Executor struct {
	Group string
	State hive.ExecutorState
	Slots int
	Used  int // slots that hold attempts of this server
}

// Disk is the file system of a folder.
type Disk struct {
	Folder      string // the word for it: data or logs
	Free, Total uint64 // in bytes
}

// answerWithin is how long a scrape waits for one answer of the server's loop or of the database. Three answers take
// less than the 10 s that Prometheus waits by default.
const answerWithin = 2 * time.Second

// within asks one question. A database that hangs must not make the loop look as if it did.
func within[T any](ask func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	return ask(ctx)
}

// noExecutor is the group of runs whose group has no executor. Schedules name groups, so their number has no limit. The
// name of a group has no space.
const noExecutor = "(no executor)"

// gauge is one number, or one for each value of a label. Some are counters, whose number another part keeps.
type gauge struct {
	desc *prometheus.Desc
}

func newGauge(name, help string, labels ...string) gauge {
	return gauge{prometheus.NewDesc("hivego_"+name, help, labels, nil)}
}

func (g gauge) send(to chan<- prometheus.Metric, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value, labels...)
}

// count sends a number that never gets smaller while the server runs.
func (g gauge) count(to chan<- prometheus.Metric, value int64) {
	to <- prometheus.MustNewConstMetric(g.desc, prometheus.CounterValue, float64(value))
}

// state collects the present state of the server.
type state struct {
	src Source

	engineUp, failing, lease       gauge
	batches, paused, stuck, runs   gauge
	queue, waits                   gauge
	executors, slots, used, leases gauge
	alarms, clients                gauge
	diskSize, diskFree             gauge
	databaseUp, databaseSize       gauge
	spansSent, spansDropped        gauge
	moved, movedBytes, moveFailed  gauge
	unmoved, logStoreUp            gauge
}

func newState(src Source) *state {
	return &state{
		src: src,
		engineUp: newGauge("engine_up", "1 if the loop that decides everything answers, else 0. "+
			"Without it, the numbers that only the loop knows are missing."),
		failing: newGauge("commit_failing", "1 while nothing can be stored in the database, else 0."),
		lease: newGauge("session_lease_seconds",
			"How long the lease of this server's session still runs; 0 without one."),
		batches: newGauge("batches_live", "Batches in the memory of this server, their owner, by state.", "state"),
		paused:  newGauge("batches_paused", "Those of them that a person has paused."),
		stuck:   newGauge("batches_stuck", "Batches that cannot be loaded or stored; the log has the reason."),
		runs:    newGauge("task_runs_live", "Task runs of the live batches, by state.", "state"),
		queue: newGauge("queue_task_runs", "Ready task runs that no executor has taken, by group. "+
			"Groups without an executor count together.", "group"),
		waits: newGauge("queue_waiting_task_runs",
			"The same task runs, by the reason why no executor takes them.", "reason"),
		executors:  newGauge("executors", "Known executors, by state.", "state"),
		slots:      newGauge("slots", "Slots of the executors that are in contact, by group.", "group"),
		used:       newGauge("slots_used", "Slots that hold attempts of this server, by group.", "group"),
		leases:     newGauge("executor_leases", "Executors that hold attempts of this server under a lease."),
		alarms:     newGauge("tick_alarms", "Reasons why ticks are not decided, by reason.", "reason"),
		clients:    newGauge("websocket_clients", "Connected clients that follow live changes."),
		diskSize:   newGauge("disk_size_bytes", "Size of the file system of a folder of the server.", "folder"),
		diskFree:   newGauge("disk_free_bytes", "Free bytes of the file system of a folder of the server.", "folder"),
		databaseUp: newGauge("database_up", "1 if the database answers, else 0."),
		databaseSize: newGauge("database_size_bytes",
			"Size of the database: of its files (SQLite), or as PostgreSQL reports it."),
		spansSent: newGauge("trace_spans_sent_total", "Spans that the collector of traces has taken."),
		spansDropped: newGauge("trace_spans_dropped_total",
			"Spans that the collector has not taken: it was away for too long, or it refused them."),
		moved:      newGauge("logs_moved_total", "Logs that this server has moved to the store of logs (S3)."),
		movedBytes: newGauge("logs_moved_bytes_total", "Size of the logs that this server has moved."),
		moveFailed: newGauge("logs_move_failures_total", "Moves of logs that failed. Each is tried again."),
		unmoved:    newGauge("logs_waiting", "Logs that are due to move, and have not moved yet."),
		logStoreUp: newGauge("log_store_up",
			"0 while logs cannot move because the store of logs cannot be used, else 1."),
	}
}

// gauges lists all gauges.
func (s *state) gauges() []gauge {
	return []gauge{
		s.engineUp, s.failing, s.lease, s.batches, s.paused, s.stuck, s.runs, s.queue, s.waits, s.executors, s.slots,
		s.used, s.leases, s.alarms, s.clients, s.diskSize, s.diskFree, s.databaseUp, s.databaseSize,
		s.spansSent, s.spansDropped,
		s.moved, s.movedBytes, s.moveFailed, s.unmoved, s.logStoreUp,
	}
}

// Describe sends the descriptions of all gauges.
func (s *state) Describe(to chan<- *prometheus.Desc) {
	for _, g := range s.gauges() {
		to <- g.desc
	}
}

// Collect reads the state.
func (s *state) Collect(to chan<- prometheus.Metric) {
	s.failing.send(to, number(s.src.Failing()))
	s.clients.send(to, float64(s.src.Clients()))
	exports := s.src.Exports()
	s.spansSent.count(to, exports.SpansSent)
	s.spansDropped.count(to, exports.SpansDropped)
	alarms := map[hive.AlarmReason]int{}
	for _, a := range s.src.Alarms() {
		alarms[a.Reason]++
	}
	sendAll(s.alarms, to, alarms, hive.AlarmReasons())
	for _, d := range s.src.Disks() {
		s.diskSize.send(to, float64(d.Total), d.Folder)
		s.diskFree.send(to, float64(d.Free), d.Folder)
	}
	moves := exports.Logs
	s.moved.count(to, moves.Moved)
	s.movedBytes.count(to, moves.Bytes)
	s.moveFailed.count(to, moves.Failed)
	s.unmoved.send(to, float64(moves.Waiting))
	s.logStoreUp.send(to, number(!moves.Away))
	size, err := within(s.src.DatabaseSize)
	s.databaseUp.send(to, number(err == nil))
	if err == nil {
		s.databaseSize.send(to, float64(size))
	}
	totals, err := within(s.src.Totals)
	var executors []Executor
	if err == nil {
		executors, err = within(s.src.Executors)
	}
	s.engineUp.send(to, number(err == nil))
	if err == nil {
		s.collectLive(to, &totals)
		s.collectExecutors(to, executors, totals.Queue)
	}
}

func (s *state) collectLive(to chan<- prometheus.Metric, t *hive.LiveTotals) {
	s.lease.send(to, t.LeaseLeft.Seconds())
	sendAll(s.batches, to, t.Batches, []hive.BatchState{hive.BatchQueued, hive.BatchRunning})
	s.paused.send(to, float64(t.Paused))
	s.stuck.send(to, float64(t.Stuck))
	sendAll(s.runs, to, t.Runs, hive.RunStates())
	sendAll(s.waits, to, t.Waits, hive.WaitReasons())
}

func (s *state) collectExecutors(to chan<- prometheus.Metric, list []Executor, waiting map[string]int) {
	states, slots, used, queue := map[hive.ExecutorState]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	leases := 0
	for _, e := range list {
		states[e.State]++
		usable := 0
		if e.State == hive.ExecutorOnline || e.State == hive.ExecutorDraining {
			usable = e.Slots
		}
		slots[e.Group] += usable
		used[e.Group] += e.Used
		if e.Used > 0 && e.State != hive.ExecutorLost {
			leases++
		}
	}
	queue[noExecutor] = 0
	for group := range slots {
		queue[group] = 0
	}
	for group, n := range waiting {
		if _, known := slots[group]; !known {
			group = noExecutor
		}
		queue[group] += n
	}
	sendAll(s.executors, to, states, hive.ExecutorStates())
	s.leases.send(to, float64(leases))
	sendAll(s.slots, to, slots, nil)
	sendAll(s.used, to, used, nil)
	sendAll(s.queue, to, queue, nil)
}

// sendAll sends the counts by the value of a label, and 0 for those values that have none.
func sendAll[V ~string](g gauge, to chan<- prometheus.Metric, counts map[V]int, values []V) {
	for _, v := range values {
		if _, ok := counts[v]; !ok {
			g.send(to, 0, string(v))
		}
	}
	for v, n := range counts {
		g.send(to, float64(n), string(v))
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
