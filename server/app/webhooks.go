package app

import (
	"time"

	"github.com/rprp/hivego/server/auth"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/webhook"
)

// buildStarters makes the parts that start batches beside people and the ticker.
func (a *App) buildStarters(graphs *document.Graphs) {
	a.buildBackfills(graphs)
	a.buildChainRepairs(graphs)
	a.buildWebhooks(graphs)
	a.buildHooks(graphs)
	a.buildDeletions()
	a.buildRetention(graphs)
	a.buildAlerts(graphs)
}

// buildWebhooks makes the use cases of webhooks. The ticker is made after them.
func (a *App) buildWebhooks(graphs *document.Graphs) {
	a.webhooks = webhook.New(webhook.Config{
		Store: a.store, Secrets: auth.WebhookSecrets{}, Parse: parser(graphs), Now: time.Now,
		Called: func(schedule int64) { a.ticker.Notify(schedule) },
	})
}
