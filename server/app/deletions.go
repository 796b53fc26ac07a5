package app

import (
	"time"

	"github.com/rprp/hivego/server/deletion"
)

// buildDeletions makes the part that deletes schedules. It uses parts that are made after it only once it runs.
func (a *App) buildDeletions() {
	a.deleter = deletion.New(deletion.Config{
		Store: a.store, Server: a.session, Now: time.Now, Log: a.log,
		RemoveLogs: a.removeLogs,
		Done:       func() { a.ticker.Notify() },
	})
}
