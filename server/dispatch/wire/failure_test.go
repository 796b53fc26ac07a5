package wire

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// An error has the words of an exception of the contract, and wraps it.
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

// A failure has the later session that an executor knows.
func TestFailureOfLaterSession(t *testing.T) {
	t.Parallel()
	f := failureOf(callError("poll", &hivego.StaleEpoch{Epoch: new(int64(8))}))
	assert.True(t, f.Stale)
	assert.Equal(t, int64(8), f.LaterEpoch)
	assert.Contains(t, f.Trouble.Text, "it has heard of a later session of this server")
}
