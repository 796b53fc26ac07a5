package outbox_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/alert/channel"
	"github.com/rprp/hivego/server/alert/outbox"
	"github.com/rprp/hivego/server/hive"
)

// renewals is a store that reports each renewal of a lease. It loses the lease on demand.
type renewals struct {
	*db.Store
	renewed chan struct{}
	lost    bool
}

func (r *renewals) RenewDeliveries(ctx context.Context, server string, ids []int64, lease time.Duration) (bool, error) {
	held, err := r.Store.RenewDeliveries(ctx, server, ids, lease)
	select {
	case r.renewed <- struct{}{}:
	case <-ctx.Done():
	}
	return held && !r.lost, err
}

// A message that takes longer than its lease is still sent once, because the lease is renewed meanwhile. Once the lease
// is lost, sending stops.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		w := newWorld(t)
		w.rule("night", "on: [failed]\nchannels: [mail]\ngroup: 0s\n")
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&img, hive.BatchFailed)
		w.watcher.RunOnce(t.Context())

		store := &renewals{Store: w.store, renewed: make(chan struct{}), lost: lost}
		sent := 0
		d := outbox.NewDeliverer(outbox.DelivererConfig{
			Store: store, Documents: w.documents, Server: "server-1", Renewal: time.Millisecond, Now: w.clock,
			Base: func() string { return "" }, Log: slog.New(slog.DiscardHandler),
			Send: func(ctx context.Context, _ *hive.ChannelDefinition, _ map[string]string, _ *alert.Message) (
				string, error,
			) {
				sent++
				<-store.renewed
				if lost {
					<-ctx.Done()
					return "", &channel.Error{Detail: "the time was over", Retry: true}
				}
				<-store.renewed
				assert.NoError(t, w.newDeliverer("server-2").RunOnce(ctx))
				return "250 OK", nil
			},
		})
		require.NoError(t, d.RunOnce(t.Context()))
		assert.Equal(t, 1, sent)
		assert.Empty(t, w.sent, "the other server sends nothing")
	}
}
