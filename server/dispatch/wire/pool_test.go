package wire

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/dispatch/wiretest"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func callerOf(e hive.Executor) Caller {
	return Caller{Token: e.Secret, Cluster: "c", Server: "s", Epoch: 1}
}

func newTestClient(t *testing.T) *Client {
	t.Helper()
	p := NewClient(nil)
	t.Cleanup(p.Close)
	return p
}

// describe asks an executor for its description.
func describe(ctx context.Context, p *Client, e hive.Executor, l line) error {
	return p.use(ctx, e, l, func(c *conn) error {
		_, err := c.client.Describe(ctx, &hivego.DescribeCall{Caller: callerOf(e).wire()})
		return err
	})
}

// A connection is kept after calls and declared errors, and closed after any other error.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	s, p := wiretest.New(t, "x"), newTestClient(t)
	e := s.Row()
	dialed := s.Dialed
	for range 3 {
		require.NoError(t, describe(t.Context(), p, e, lineControl))
	}
	assert.Equal(t, 1, dialed())

	for _, declared := range []error{&hivego.AccessDenied{}, &hivego.StaleEpoch{}, &hivego.BadCall{}} {
		s.OnPoll = func(context.Context, *hivego.PollCall) (*hivego.PollReply, error) { return nil, declared }
		err := p.use(t.Context(), e, lineControl, func(c *conn) error {
			_, err := c.poll(t.Context(), callerOf(e), &fleet.PollCall{})
			return err
		})
		require.ErrorContains(t, err, "poll")
		assert.Equal(t, 1, dialed(), "%T is an answer", declared)
	}

	s.OnPoll = nil // an error that the contract does not know
	require.Error(t, p.use(t.Context(), e, lineControl, func(c *conn) error {
		_, err := c.poll(t.Context(), callerOf(e), &fleet.PollCall{})
		return err
	}))
	require.NoError(t, describe(t.Context(), p, e, lineControl))
	assert.Equal(t, 2, dialed())

	require.NoError(t, describe(t.Context(), p, e, linePoll))
	assert.Equal(t, 3, dialed(), "each line has its own")
}

// Between two calls minutes may pass. A connection that the executor has closed meanwhile, or that is old, is not used
// for the next call, which would fail although the executor is well.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	s, p := wiretest.New(t, "x"), newTestClient(t)
	dialed := s.Dialed
	require.NoError(t, describe(t.Context(), p, s.Row(), lineControl))
	s.HangUp()
	require.Eventually(t,
		func() bool { return !p.conns[connKey{executor: "x", line: lineControl}].conn.transport.IsOpen() },
		2*time.Minute, time.Millisecond, "the end is heard of")
	require.NoError(t, describe(t.Context(), p, s.Row(), lineControl))
	assert.Equal(t, 2, dialed())

	p.idle = 0
	require.NoError(t, describe(t.Context(), p, s.Row(), lineControl))
	assert.Equal(t, 3, dialed())
}

// An executor that moved is called at its new address.
func TestMovedExecutor(t *testing.T) {
	t.Parallel()
	a, b, p := wiretest.New(t, "x"), wiretest.New(t, "x"), newTestClient(t)
	require.NoError(t, describe(t.Context(), p, a.Row(), lineControl))
	require.NoError(t, describe(t.Context(), p, b.Row(), lineControl))
	assert.Equal(t, 1, b.Dialed())
}

// An executor that accepts calls and never answers delays no other, and a call ends at its timeout.
func TestHangingExecutor(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts connections, and nobody answers
	require.NoError(t, err)
	defer ln.Close()
	other, p := wiretest.New(t, "y"), newTestClient(t)
	hangs := hive.Executor{ID: "x", Address: ln.Addr().String()}

	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- describe(ctx, p, hangs, lineControl) }()
	go func() { second <- describe(ctx, p, hangs, lineControl) }() // it waits for the line
	require.NoError(t, describe(t.Context(), p, other.Row(), lineControl))
	began := time.Now()
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	require.ErrorIs(t, <-second, context.Canceled)
	assert.Less(t, time.Since(began), socketTimeout, "it does not wait for the next look at the context")
}

// If nobody listens, or the other side does not use TLS, the error comes in time and names the address.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	s, p := wiretest.New(t, "x"), newTestClient(t)
	e := s.Row()
	e.TLS = true
	require.ErrorContains(t, describe(t.Context(), p, e, lineControl), e.Address)
	s.Close()
	e.TLS = false
	err := describe(t.Context(), p, e, lineControl)
	require.ErrorContains(t, err, fmt.Sprintf("connect to %s", e.Address))
	require.NotErrorIs(t, err, context.Canceled)
}

// A closed client makes no connection. Connections to deleted executors are closed.
func TestClosedClient(t *testing.T) {
	t.Parallel()
	s, p := wiretest.New(t, "x"), NewClient(nil)
	e := s.Row()
	require.NoError(t, describe(t.Context(), p, e, lineControl))
	p.Keep(map[string]hive.Executor{"x": e})
	assert.Len(t, p.conns, 1)
	p.Keep(nil)
	assert.Empty(t, p.conns)
	require.NoError(t, describe(t.Context(), p, e, lineControl))
	p.Close()
	p.Close()
	require.ErrorIs(t, describe(t.Context(), p, e, lineControl), context.Canceled)
	assert.Equal(t, 2, s.Dialed())
}
