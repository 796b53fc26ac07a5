package service_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/service"
)

func TestReconcilerAdvancesAllThatIsUnfinished(t *testing.T) {
	t.Parallel()
	var advanced, failed []int64
	ids, listErr := []int64{3, 4, 5}, error(nil)
	r := service.NewReconciler(service.ReconcilerConfig{
		List: func(context.Context) ([]int64, error) { return ids, listErr },
		Advance: func(_ context.Context, id int64) error {
			advanced = append(advanced, id)
			if id == 4 {
				return errors.New("not now")
			}
			return nil
		},
		Failed: func(_ context.Context, id int64, _ error) { failed = append(failed, id) },
	})
	assert.True(t, r.RunOnce(t.Context()))
	assert.Equal(t, []int64{3, 4, 5}, advanced, "one that fails holds up no other")
	assert.Equal(t, []int64{4}, failed)

	listErr = errors.New("out of reach")
	assert.True(t, r.RunOnce(t.Context()), "nobody knows, so it looks as often as before")
	assert.Equal(t, []int64{4, 0}, failed)

	ids, listErr = nil, nil
	assert.False(t, r.RunOnce(t.Context()))
	assert.Len(t, advanced, 3)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	listErr = context.Canceled
	assert.False(t, r.RunOnce(ctx))
	assert.Len(t, failed, 2, "the end of the service is no failure")
}
