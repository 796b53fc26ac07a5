package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/wire"
)

// TestPrintBatchTaken: who has taken an open problem of a batch stands above its tasks.
func TestPrintBatchTaken(t *testing.T) {
	t.Parallel()
	at := wire.At(time.Date(2026, 7, 15, 4, 0, 0, 0, time.UTC))
	for want, problems := range map[string][]model.Alert{
		"": {{ID: 1}},
		"\nada is on it since 2026-07-15 04:00:00Z\n": {
			{ID: 1}, {ID: 2, Taker: model.Taker{At: at, Name: "ada"}}, {ID: 3, Taker: model.Taker{At: at, Name: "bob"}},
		},
		"\nada is on it since 2026-07-15 04:00:00Z: two lines\n": {
			{ID: 2, Taker: model.Taker{At: at, Name: "ada", Note: "two\nlines"}},
		},
	} {
		var out strings.Builder
		printBatch(&out, &model.Batch{ID: 7}, problems)
		if got := out.String(); !strings.Contains(got, want) || strings.Contains(got, "is on it") != (want != "") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
