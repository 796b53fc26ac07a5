package db

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

const (
	// checkpointEvery is how often the write-ahead log is copied into the file. The writer never copies it.
	checkpointEvery = time.Second
	// checkpointFrom is the size of the log in bytes below which a checkpoint is not worth two fsyncs.
	checkpointFrom = 1 << 20
	// checkpointHard is the size from which the writer has to wait, so that the log cannot grow without end under a
	// load that never pauses.
	checkpointHard = 256 << 20
)

// checkpointer copies SQLite's write-ahead log into the database file, apart from the writer.
type checkpointer struct {
	db      *sql.DB
	wal     string
	watched *files
	log     *slog.Logger
	stop    chan struct{}
	once    sync.Once
	done    sync.WaitGroup
}

func startCheckpoints(db *sql.DB, wal string, watched *files, log *slog.Logger) io.Closer {
	c := &checkpointer{db: db, wal: wal, watched: watched, log: log, stop: make(chan struct{})}
	c.done.Go(c.run)
	return c
}

func (c *checkpointer) run() {
	tick := time.NewTicker(checkpointEvery)
	defer tick.Stop()
	var last time.Time
	for {
		select {
		case <-c.stop:
			return
		case <-tick.C:
			last = c.runOnce(last)
		}
	}
}

// runOnce makes a checkpoint if the log is large enough and has changed since last. It returns when the log was last
// written.
func (c *checkpointer) runOnce(last time.Time) time.Time {
	if c.watched.intact() != nil {
		return last
	}
	info, err := os.Stat(c.wal)
	if err != nil || info.Size() < checkpointFrom || info.ModTime().Equal(last) {
		return last
	}
	mode := "PASSIVE"
	if info.Size() > checkpointHard {
		mode = "TRUNCATE"
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var busy, frames, copied int
	row := c.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")")
	if err := row.Scan(&busy, &frames, &copied); err != nil {
		c.log.Warn("checkpoint of the database failed; it is tried again", "mode", mode, "error", err)
		return last
	}
	if copied < frames { // readers or the writer blocked the rest; the next checkpoint copies it
		return last
	}
	return info.ModTime()
}

// Close ends the checkpoints.
func (c *checkpointer) Close() error {
	c.once.Do(func() { close(c.stop) })
	c.done.Wait()
	return nil
}
