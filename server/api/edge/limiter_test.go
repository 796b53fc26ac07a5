package edge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A clock that is set back does not make an address wait longer than a window.
func TestLimiterWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	l := newLimiter(func() time.Time { return now })
	for range limitFailures {
		require.Zero(t, l.failed("a"))
	}
	assert.Equal(t, limitWindow, l.failed("a"))
	now = now.Add(-24 * time.Hour)
	assert.Zero(t, l.failed("a"))
}
