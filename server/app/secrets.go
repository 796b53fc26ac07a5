package app

import (
	"time"

	"github.com/rprp/hivego/server/connection/manage"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/secret"
)

// buildSecrets makes the use cases of the secrets of tasks and of connections. They use the batches, which are made
// after them, only once they run.
func (a *App) buildSecrets(graphs *document.Graphs) {
	config := secret.Config{Store: a.store, Parse: parser(graphs), Now: time.Now, Log: a.log}
	a.connections = manage.New(manage.Config{
		Store: a.store, Secrets: secret.New(config), Trials: trials{a}, Parse: parser(graphs), Now: time.Now,
		Log: a.log,
	})
	config.Connections = a.connections.WithSecret
	a.secrets = secret.New(config)
	a.rotator = &rotator{source: keySourceOf(a.cfg), store: a.store, server: a.server.ID, log: a.log}
}
