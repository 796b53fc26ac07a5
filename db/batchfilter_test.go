package db

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// The batches of webhooks are few among many: the list of them must not walk over all batches.
func TestWebhookBatchesByIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	webhook := hive.ParseStarter("webhook")
	for name, f := range map[string]hive.BatchFilter{
		"all": {By: &webhook}, "a later page": {By: &webhook, Before: 100},
	} {
		var plan []struct {
			ID, Parent, Notused int64
			Detail              string
		}
		query := s.batchesQuery(new([]*batchRow), &f).String()
		if err := s.r.NewRaw("EXPLAIN QUERY PLAN "+query).Scan(t.Context(), &plan); err != nil {
			t.Fatal(err)
		}
		var steps []string
		for _, step := range plan {
			steps = append(steps, step.Detail)
		}
		all := strings.Join(steps, "\n")
		if !strings.Contains(all, "INDEX ticks_called") || strings.Contains(all, "SCAN b") {
			t.Errorf("%s: %s", name, all)
		}
	}
}
