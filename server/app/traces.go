package app

import (
	"context"
	"fmt"

	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/trace"
	"github.com/rprp/hivego/server/trace/otlp"
)

// buildTraces makes the exporter of spans; nil without --otlp-endpoint. Tasks get a trace context anyway.
func (a *App) buildTraces(graphs *document.Graphs) error {
	to, on, err := a.cfg.Traces()
	if err != nil {
		return err
	}
	a.names = trace.Cluster{ID: a.cluster, Sampled: on}
	if !on {
		return nil
	}
	a.traces = otlp.New(otlp.Config{
		Collector: collector(to), Cluster: a.names, Server: a.server.ID, Version: a.version, Store: a.store,
		Definition: func(rev *hive.Revision) (*hive.Definition, error) {
			g, err := graphs.Compile(rev)
			if err != nil {
				return nil, fmt.Errorf("read a revision for its spans: %w", err)
			}
			return g.Def, nil
		},
		Log: a.log,
	})
	a.log.Info("traces are sent", "collector", collector(to).Name())
	return nil
}

func collector(to config.Traces) otlp.Collector {
	return otlp.Collector{URL: to.URL, Headers: to.Headers, Service: to.Service}
}

// probeCollector asks the collector of the settings whether it takes spans. It returns "" if none are exported.
func probeCollector(ctx context.Context, cfg *config.Serve) (name string, err error) {
	to, on, err := cfg.Traces()
	if err != nil || !on {
		return "", nil // the check of the settings reports the error
	}
	ctx, cancel := context.WithTimeout(ctx, doctorWait)
	defer cancel()
	c := collector(to)
	return c.Name(), c.Probe(ctx)
}
