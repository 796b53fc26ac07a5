package retention

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// stored lists logs in two parts.
type stored struct{ parts map[string][]hive.StoredLog }

func (s stored) StoredLogs(_ context.Context, from string) ([]hive.StoredLog, string, error) {
	next := ""
	if from == "" {
		next = "b"
	}
	return s.parts[from], next, nil
}

// evens knows the attempts with an even id.
type evens struct{}

func (evens) KnownAttempts(_ context.Context, list []hive.AttemptRef) (map[hive.AttemptRef]bool, error) {
	known := map[hive.AttemptRef]bool{}
	for _, a := range list {
		known[a] = a.ID%2 == 0
	}
	return known, nil
}

// TestOrphans deletes old logs whose attempt is unknown, and no others.
func TestOrphans(t *testing.T) {
	t.Parallel()
	s := newStore()
	svc := s.service(Limits{})
	log := func(id int64, age time.Duration) hive.StoredLog {
		return hive.StoredLog{Attempt: hive.AttemptRef{ID: id}, Size: 10, At: now().Add(-age)}
	}
	svc.config.Stored = stored{map[string][]hive.StoredLog{
		"": {log(1, 25*time.Hour), log(2, 25*time.Hour), log(3, 23*time.Hour)}, "b": {log(5, 99*day), log(6, 99*day)},
	}}
	svc.config.Attempts = evens{}
	want := hive.PruneReport{OrphanLogs: 2, OrphanBytes: 20}
	got, err := svc.Prune(t.Context(), hive.PruneRequest{Orphans: true, DryRun: true})
	if err != nil || got != want || len(s.logs) > 0 {
		t.Errorf("dry run: %+v, %v, %v", got, err, s.logs)
	}
	got, err = svc.Prune(t.Context(), hive.PruneRequest{Orphans: true})
	if err != nil || got != want || !slices.Equal(s.logs, []int64{1, 5}) {
		t.Errorf("%+v, %v, %v", got, err, s.logs)
	}

	at := now() // each part takes longer than a request may
	svc.config.Now = func() time.Time { at = at.Add(turn); return at }
	got, err = svc.Prune(t.Context(), hive.PruneRequest{Orphans: true, DryRun: true})
	if err != nil || got != (hive.PruneReport{OrphanLogs: 1, OrphanBytes: 10, Next: "b", More: true}) {
		t.Errorf("the first part: %+v, %v", got, err)
	}
	s.doubt = true
	if _, err := svc.Prune(t.Context(), hive.PruneRequest{Orphans: true}); hive.CodeOf(err) != hive.CodeUnavailable {
		t.Errorf("with a clock that has jumped: %v", err)
	}
}
