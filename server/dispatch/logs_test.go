package dispatch

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/dispatch/wiretest"
	"github.com/rprp/hivego/server/logs"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// An executor that answers and refuses a log causes another error than one that does not answer.
func TestRefusedLogs(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	s := newLoop(t, nil)
	for name, refusal := range map[string]error{
		"declared":   &hivego.BadCall{},
		"undeclared": wiretest.ErrUnexpected,
	} {
		x.OnReadLog = func(*hivego.LogCall) (*hivego.LogReply, error) { return nil, refusal }
		_, _, err := logSource{s.Service}.ReadLog(t.Context(), x.Row(), true, ref(1), 0, 10)
		_, refused := errors.AsType[*logs.RefusedError](err)
		assert.True(t, refused, name)
	}
	x.Close()
	_, _, err := logSource{s.Service}.ReadLog(t.Context(), x.Row(), true, ref(1), 0, 10)
	require.Error(t, err)
	_, refused := errors.AsType[*logs.RefusedError](err)
	assert.False(t, refused)
}
