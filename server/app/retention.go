package app

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/logs"
	"github.com/rprp/hivego/server/retention"
)

// buildRetention makes the part that deletes what is old. It uses parts that are made after it only once it runs.
func (a *App) buildRetention(graphs *document.Graphs) {
	a.retention = retention.New(retention.Config{
		Schedules: a.store, Batches: a.store, Logs: a.store, Drafts: a.store, Lease: a.store, Disk: a.store,
		Parse:  parser(graphs),
		Limits: retention.Limits{Batches: a.cfg.KeepBatches, Days: a.cfg.KeepDays, Logs: a.cfg.KeepLogs},
		Server: a.session, Now: time.Now, Log: a.log, Folder: &logDisk{a},
		Doubt:      a.clockInDoubt,
		RemoveLogs: a.removeLogs, Stored: a.fleet, Attempts: a.store,
	})
	a.pruner = retention.NewDriver(a.retention)
}

// removeLogs deletes logs. It may be used before the fleet is made.
func (a *App) removeLogs(ctx context.Context, attempts []hive.AttemptRef) error {
	return a.fleet.RemoveLogs(ctx, attempts)
}

// clockInDoubt reports that the ticker does not trust the clock.
func (a *App) clockInDoubt() bool {
	return slices.ContainsFunc(a.ticker.Alarms(), func(t hive.TickAlarm) bool {
		return t.Reason == hive.AlarmClockJumped || t.Reason == hive.AlarmLedgerAhead
	})
}

// logDisk measures the folder of the logs, which is in the data folder unless the configuration says otherwise.
type logDisk struct{ app *App }

// LogBytes sums up the logs.
func (f *logDisk) LogBytes(ctx context.Context) (int64, error) {
	return logs.Size(ctx, logFolder(f.app.cfg))
}

// Space returns the space of the disk of the logs.
func (f *logDisk) Space() (free, total uint64, err error) {
	return logs.MeasureDisk(logFolder(f.app.cfg))
}

// HasDatabase reports whether the database is a file of this server.
func (f *logDisk) HasDatabase() bool { return !f.app.cfg.Shared() }
