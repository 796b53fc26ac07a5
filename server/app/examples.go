package app

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/rprp/hivego/docs/examples"
	"github.com/rprp/hivego/server/hive"
)

// metaExamples records that the examples were added once. Users who delete them do not get them again.
const metaExamples = "examples"

// examples adds the example schedules and their data to a new server.
func (a *App) examples(ctx context.Context) error {
	if done, err := a.store.Meta(ctx, metaExamples); err == nil && done != "" {
		return nil
	} else if err != nil && hive.CodeOf(err) != hive.CodeNotFound {
		return fmt.Errorf("look for the examples: %w", err)
	}
	if a.cfg.NoExecutor {
		return nil // their data belongs into the embedded executor's workspace
	}
	if x, ok := a.executor.(*separate); ok {
		x.orders.Examples = true // root must not write into a folder of another user, where a link could lead anywhere
	} else if err := examples.Install(filepath.Join(executorData(a.cfg), "workspace")); err != nil {
		return fmt.Errorf("bring in the examples' data: %w", err)
	}
	for _, f := range examples.Definitions() {
		if _, err := a.catalog.Save(ctx,
			hive.SaveRequest{Name: f.Schedule, Document: []byte(f.Document), By: "hivego"}); err != nil {
			return fmt.Errorf("bring in the example %s: %w", f.Name, err)
		}
	}
	if err := a.store.SetMeta(ctx, metaExamples, time.Now().UTC().Format(time.RFC3339)); err != nil {
		return fmt.Errorf("note the examples: %w", err)
	}
	return nil
}
