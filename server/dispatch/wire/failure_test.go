package wire

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Exceptions of the contract are told in words, and are found again.
func TestCallErrors(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"poll: refused for session 5: no words": &hivego.StaleEpoch{Epoch: new(int64(5))},
		"poll: refused: wrong token":            &hivego.AccessDenied{Message: new("wrong token")},
		"poll: it cannot read the call: too big": &hivego.BadCall{
			Message: new("too big"),
		},
		"poll: EOF": errors.New("EOF"),
	} {
		is := callError("poll", err)
		assert.Equal(t, want, is.Error())
		require.ErrorIs(t, is, err)
	}
}

// The fleet is told which later session an executor knows.
func TestFailureOfLaterSession(t *testing.T) {
	t.Parallel()
	f := failureOf(callError("poll", &hivego.StaleEpoch{Epoch: new(int64(8))}))
	assert.True(t, f.Stale)
	assert.Equal(t, int64(8), f.LaterEpoch)
	assert.Contains(t, f.Trouble, "it has heard of a later session of this server")
}
