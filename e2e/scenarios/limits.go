package scenarios

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/server/hive"
)

// MainSchedule is the name of the scenario's own schedule in the limits of a file; the others have their own names.
const MainSchedule = "main"

// LimitDriver is a Driver that has limits on what runs, and runs batches of several schedules at the same time.
type LimitDriver interface {
	// Limit sets limits and pools, and removes those that are off.
	Limit(ctx context.Context, changes []LimitChange) error
	// Waits returns the limits and pools that tasks wait for, by task.
	Waits(ctx context.Context) (map[string]string, error)
}

// LimitChange sets a limit, or removes it.
type LimitChange struct {
	hive.LimitKey
	Most int
	Off  bool
}

// Limited reports whether the scenario needs a LimitDriver.
func (s *Scenario) Limited() bool { return len(s.Limits) > 0 }

// limitChanges reads limits in the order of the file: {server: 0, pool dw: 3, tag night: off}.
func limitChanges(n *yaml.Node) ([]LimitChange, error) {
	var out []LimitChange
	for i := 0; i+1 < len(n.Content); i += 2 {
		c := LimitChange{LimitKey: hive.ParseLimitKey(n.Content[i].Value)}
		if value := n.Content[i+1]; value.Value == "off" {
			c.Off = true
		} else if err := value.Decode(&c.Most); err != nil {
			return nil, fmt.Errorf("line %d: a limit is a number, or off: %w", value.Line, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// setLimits changes limits, if there is anything to change.
func setLimits(ctx context.Context, changes []LimitChange, d Driver) error {
	if len(changes) == 0 {
		return nil
	}
	l, ok := d.(LimitDriver)
	if !ok {
		return fmt.Errorf("a %T has no limits", d)
	}
	return l.Limit(ctx, changes)
}

// checkWaits compares what tasks wait for with what they must wait for. Tasks that are not named are not checked.
func checkWaits(ctx context.Context, want map[string]string, d Driver) error {
	if want == nil {
		return nil
	}
	l, ok := d.(LimitDriver)
	if !ok {
		return fmt.Errorf("a %T has no limits", d)
	}
	got, err := l.Waits(ctx)
	if err != nil {
		return err
	}
	return compare("waits", want, got, false)
}
