package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// HookDriver is a Driver that shows the hooks of the batch, of its jobs and of its tasks.
type HookDriver interface {
	// Hooks lists the tasks of the hooks in their order, by what they follow and its round, as in "task a 1". Each has
	// its state after its name, or none if the driver only knows that it was called.
	Hooks(ctx context.Context) (map[string][]string, error)
}

// hooksOf lists all hooks of a definition.
func hooksOf(def *hive.Definition) (all []*hive.Hook) {
	add := func(h hive.Hooks) {
		for _, list := range [][]hive.Hook{h.OnFailure, h.OnSuccess, h.OnEnd} {
			for i := range list {
				all = append(all, &list[i])
			}
		}
	}
	add(def.Hooks())
	for j := range def.Jobs {
		add(def.Jobs[j].Hooks())
		for t := range def.Jobs[j].Tasks {
			add(def.Jobs[j].Tasks[t].Hooks())
		}
	}
	return all
}

// hooksKey names what hooks follow, and its round.
func hooksKey(e *hive.HookEvent) string {
	if e.Scope == hive.HookOfBatch {
		return fmt.Sprintf("batch %d", e.Round)
	}
	return fmt.Sprintf("%s %s %d", e.Scope, e.Key, e.Round)
}

// checkHooks compares all hooks that were called with those that were to be called.
func checkHooks(ctx context.Context, want map[string]string, d Driver) error {
	if want == nil {
		return nil
	}
	h, ok := d.(HookDriver)
	if !ok {
		return fmt.Errorf("a %T shows no hooks", d)
	}
	got, err := h.Hooks(ctx)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			return fmt.Errorf("hooks of %s were called: %v", key, got[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		tasks := strings.Split(want[key], ", ")
		for i := range tasks {
			if i < len(got[key]) && !strings.Contains(got[key][i], " ") {
				tasks[i], _, _ = strings.Cut(tasks[i], " ")
			}
		}
		if !slices.Equal(tasks, got[key]) {
			return fmt.Errorf("the hooks of %s are %v, not %v", key, got[key], tasks)
		}
	}
	return nil
}
