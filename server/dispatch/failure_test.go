package dispatch

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
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

// A key that no server made is one of no attempt: it becomes part of no name of a file.
func TestHostileKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", hivego.MAX_KEY_LENGTH+1)
	for _, key := range []string{"/../../etc/cron.d/x", "a/b", "..", "a\x00b", "a b", long, "é"} {
		line := &hivego.AttemptReport{AttemptId: new(int64(5)), Key: &key, State: new(hivego.AttemptState_RUNNING)}
		assert.Empty(t, reports([]*hivego.AttemptReport{line}), key)
		_, ok := eventOf(&hivego.Event{AttemptId: new(int64(5)), Key: &key, Kind: new(hivego.EventKind_ENDED)})
		assert.False(t, ok, key)
		c := newCopier("/logs", nil, quiet(), nil)
		assert.Equal(t, "/logs/0/5-invalid.log", c.path(hive.AttemptRef{ID: 5, Key: key}, wholeLog))
	}
	for _, key := range []string{"", "k", long[1:], "A-b_9"} {
		line := &hivego.AttemptReport{AttemptId: new(int64(5)), Key: &key, State: new(hivego.AttemptState_RUNNING)}
		assert.Len(t, reports([]*hivego.AttemptReport{line}), 1, key)
	}
}
