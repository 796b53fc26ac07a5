package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// A temporary failure is not an internal error: the answer has the reason, and when to try again.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	full := &hive.Error{
		Code: hive.CodeUnavailable, Words: "full", Reason: hive.ErrorDiskFull,
		Wait: 30 * time.Second,
	}
	damaged := &hive.Error{Code: hive.CodeUnavailable, Words: "restore a backup", Reason: hive.ErrorDamaged}
	for name, tc := range map[string]struct {
		err    error
		reason hive.ErrorReason
		wait   string
	}{
		"a lost session": {fmt.Errorf("create batches: %w", hive.ErrSessionLost), hive.ErrorServerSession, "2"},
		"a full disk":    {fmt.Errorf("create batches: %w", full), hive.ErrorDiskFull, "30"},
		"a damaged base": {damaged, hive.ErrorDamaged, ""},
		"a stopping place": {
			hive.Errorf(hive.CodeUnavailable, "stopping").WithReason(hive.ErrorStopping),
			hive.ErrorStopping, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.CreateF = func(hive.RunRequest) (hive.BatchView, error) { return hive.BatchView{}, tc.err }
			w.RepairF = func(hive.RepairRequest) (hive.Command, error) { return hive.Command{}, tc.err }
			w.WishF = func(hive.WishRequest) (hive.Command, error) { return hive.Command{}, tc.err }
			w.SaveF = func(hive.SaveRequest) (hive.Saved, error) { return hive.Saved{}, tc.err }
			for _, id := range []string{"runSchedule", "repair", "setWish", "putSchedule"} {
				a := w.do(samples()[id])
				p := a.problem(t)
				if a.StatusCode != http.StatusServiceUnavailable || p.Code != "unavailable" ||
					p.Reason != string(tc.reason) ||
					a.Header.Get("Retry-After") != tc.wait {
					t.Errorf("%s: %d %s, Retry-After %q", id, a.StatusCode, a.body, a.Header.Get("Retry-After"))
				}
			}
		})
	}
}

// The readiness check gives the reason, without details for clients without a token.
func TestReadinessNamesTheReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ReadyF = func() []hive.Check {
		return []hive.Check{
			{Name: "database", Err: hive.Errorf(hive.CodeUnavailable,
				"restore a backup").WithReason(hive.ErrorDamaged)},
			{Name: "engine", Err: fmt.Errorf("secret %s", "words")},
		}
	}
	a := w.do(call{method: http.MethodGet, path: "/readyz"})
	if body := string(a.body); a.StatusCode != http.StatusServiceUnavailable || strings.Contains(body, "secret") ||
		!strings.Contains(body, `"reason":"database_damaged"`) ||
		!strings.Contains(body, `"detail":"restore a backup"`) {
		t.Errorf("%d %s", a.StatusCode, body)
	}
}

// A server whose ticks are not decided stays ready, because batches go on. The overview shows the schedules and the
// reasons.
func TestReadinessIsDegradedByAlarms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ReadyF = func() []hive.Check {
		err := hive.Errorf(hive.CodeUnavailable, "the clock jumped").WithReason(hive.ErrorClockJumped)
		return []hive.Check{{Name: "database"}, {Name: "ticks", Err: err, Degraded: true}}
	}
	a := w.do(call{method: http.MethodGet, path: "/readyz"})
	want := `{"degraded":true,"detail":"the clock jumped","name":"ticks","ok":true,"reason":"clock_jumped"}`
	if body := string(a.body); a.StatusCode != http.StatusOK || !strings.Contains(body, want) ||
		!strings.Contains(body, `{"name":"database","ok":true}`) {
		t.Errorf("%d %s", a.StatusCode, body)
	}
	a = w.do(call{method: http.MethodGet, path: "/api/v1/overview"})
	if body := string(a.body); !strings.Contains(body, `"alarms":[{"detail":"it is ahead",`) ||
		!strings.Contains(body, `"reason":"ledger_ahead","schedule":"warehouse"`) {
		t.Errorf("%d %s", a.StatusCode, body)
	}
}
