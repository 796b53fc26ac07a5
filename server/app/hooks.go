package app

import (
	"time"

	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hook"
)

// buildHooks makes the part that makes the batches of hooks. It uses the engine only once it runs.
func (a *App) buildHooks(graphs *document.Graphs) {
	a.hooks = hook.New(hook.Config{
		Store: a.store, Server: a.session, NewRuns: batch.NewRuns, Now: time.Now, Graphs: graphs, Log: a.log,
		Adopt: func(id int64) { a.engine.Adopt(id) },
	})
}
