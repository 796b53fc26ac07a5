package fault

import (
	"fmt"
	"testing"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

// A standby that lagged is promoted after its primary has died. The server is started on it, or continues with a URL
// that names both.
func TestStandbyPromoted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		restarts            int
		separate, surviving bool
	}{
		{restarts: 2},
		{restarts: 1, separate: true, surviving: true},
		{restarts: 0, surviving: true}, // the standby has its session, too
	} {
		t.Run(fmt.Sprintf("restarts=%d,separate=%t,surviving=%t", c.restarts, c.separate, c.surviving),
			func(t *testing.T) {
				t.Parallel()
				pair := dbtest.NewPair(t)
				opts := harness.Options{DatabaseURL: pair.Primary}
				if c.surviving {
					opts.DatabaseURL = pair.Either
				}
				w := newRewound(t, opts, c.separate)
				pair.Lag()
				w.goOn(c.restarts)
				if !c.surviving {
					w.s.Kill()
				}
				pair.Fail()
				w.endTails()
				pair.Promote()
				if c.surviving {
					harness.EventuallyOr(t, "the server has found the promoted one",
						func() bool { return w.s.Ready() == 200 }, w.s.Output)
					w.honest(c.restarts > 0, false) // numbers are left
					w.s.Kill()
					w.s.Start()
					w.fresh() // no number from before the primary's death collides
					return
				}
				w.s.Move(pair.Standby)
				w.s.Start()
				w.honest(true, true)
			})
	}
}
