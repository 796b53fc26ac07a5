package registry

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// An executor that announces its stop proves its identity by its token and its secret.
func TestDeregistrationNeedsTokenAndSecret(t *testing.T) {
	t.Parallel()
	r := New("c", registrar{map[string]hive.Executor{}}, func(hive.Executor) {}, time.Now)
	var left []string
	r.OnLeave(func(_ context.Context, e hive.Executor) { left = append(left, e.ID+" "+e.BootID) })
	c := registration()
	_, err := r.RegisterExecutor(t.Context(), c)
	require.NoError(t, err)
	_, err = r.DeregisterExecutor(t.Context(),
		&hivego.DeregisterCall{Token: new("right"), ExecutorId: new("x1"), Secret: new("y")})
	require.Error(t, err)
	assert.Empty(t, left)
	_, err = r.DeregisterExecutor(t.Context(),
		&hivego.DeregisterCall{Token: new("right"), ExecutorId: new("x1"), Secret: new(secret)})
	require.NoError(t, err)
	assert.Equal(t, []string{"x1 " + c.GetBootId()}, left)
}

// A call that arrives after the next process has registered ends nothing. A call without a boot id ends the latest
// process.
func TestLateDeregistration(t *testing.T) {
	t.Parallel()
	store, now := registrar{map[string]hive.Executor{}}, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	r := New("c", store, func(hive.Executor) {}, func() time.Time { return now })
	var left []string
	r.OnLeave(func(_ context.Context, e hive.Executor) { left = append(left, e.BootID) })
	_, err := r.RegisterExecutor(t.Context(), registration())
	require.NoError(t, err)
	for _, boot := range []*string{new("b0"), new("no\nboot id"), new("b1"), nil} {
		now = now.Add(time.Minute)
		reply, err := r.DeregisterExecutor(t.Context(), &hivego.DeregisterCall{
			Token: new("right"), ExecutorId: new("x1"), Secret: new(secret), BootId: boot,
		})
		require.NoError(t, err)
		assert.True(t, reply.GetKnown())
		assert.Equal(t, "b1", store.stored["x1"].BootID)
		if boot != nil && *boot == "b0" {
			assert.NotEqual(t, now, store.stored["x1"].SeenAt, "the next life's row is left as it is")
		}
	}
	assert.Equal(t, []string{"b0", "b1", "b1", "b1"}, left)
}
