package session

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// A batch that the database alone keeps out comes back with it; one that cannot be read is not asked for all the time.
func TestStuckPatience(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	for why, want := range map[error]time.Duration{
		fmt.Errorf("it cannot be loaded: %w", hive.ErrConnection): retryRead,
		errors.New("its revision cannot be read any more"):        retryStuck,
		hive.Errorf(hive.CodeUnavailable, "the database is damaged").
			WithReason(hive.ErrorDamaged): retryStuck,
	} {
		k := New(Config{Limits: DefaultLimits()})
		k.markStuck(now, 1, why)
		if got := k.stuck.next().Sub(now); got != want || k.stuck.why(1) == "" {
			t.Errorf("%v: tried again after %s, expected %s; shown as %q", why, got, want, k.stuck.why(1))
		}
		if ids := k.stuck.due(now.Add(want)); len(ids) != 1 {
			t.Errorf("%v: %v are due", why, ids)
		}
	}
}
