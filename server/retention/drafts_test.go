package retention

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// TestDrafts: a draft goes by the days of its schedule since its last change, one of a new schedule by the server's.
func TestDrafts(t *testing.T) {
	t.Parallel()
	s := newStore()
	thirty, none := 30, 0
	s.schedule("a", 1, keep(hive.Keep{Days: &thirty}))
	s.schedule("b", 1, keep(hive.Keep{Days: &none}))
	for _, name := range []string{"a", "b", ""} {
		s.drafts[name] = []time.Time{now().Add(-100 * day), now().Add(-31 * day), now().Add(-29 * day), now()}
	}
	svc := s.service(Limits{Days: 90})
	for _, dry := range []bool{true, false} {
		got, err := svc.Prune(t.Context(), hive.PruneRequest{DryRun: dry})
		if err != nil || got.Drafts != 2+0+1 {
			t.Errorf("dry run %t: %+v, %v", dry, got, err)
		}
	}
	for name, want := range map[string]int{"a": 2, "b": 4, "": 3} {
		if got := len(s.drafts[name]); got != want {
			t.Errorf("%d drafts of %q are left, want %d", got, name, want)
		}
	}
}
