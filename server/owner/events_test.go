package owner

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// A success whose outputs are too many is none: later tasks would read what is not there.
func TestOutputsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]hive.Outcome{maxOutputs - 1: hive.OutcomeSuccess, maxOutputs: hive.OutcomeFailure} {
		e, _ := translate(time.Now(), &hive.Attempt{ID: 7}, &hive.AttemptEvent{
			Attempt: 7, Kind: hive.EventEnded, Outcome: hive.OutcomeSuccess,
			Outputs: map[string]string{"k": strings.Repeat("v", size)},
		})
		ended, ok := e.(state.Ended)
		require.True(t, ok)
		assert.Equal(t, want, ended.Outcome, size)
		assert.Equal(t, want == hive.OutcomeSuccess, len(ended.Outputs) == 1)
		assert.Equal(t, want != hive.OutcomeSuccess, ended.Error.Text == tooMuchOutput().Text)
	}
}
