package manage

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Log reads what was reported, and notes what people do about it.
type Log interface {
	AlertEvents(ctx context.Context, f hive.AlertFilter) ([]hive.AlertEvent, error)
	Deliveries(ctx context.Context, events []int64) (map[int64][]hive.AlertDelivery, error)
	TakeAlerts(ctx context.Context, in hive.TakeAlerts) ([]hive.AlertEvent, error)
	SendAgain(ctx context.Context, delivery int64, now time.Time) (hive.AlertDelivery, error)
	AlertTries(ctx context.Context, delivery int64) ([]hive.AlertTry, error)
}

// Events lists the events that a filter selects with their deliveries, latest first.
func (s *Service) Events(ctx context.Context, f hive.AlertFilter) ([]hive.AlertLogEntry, error) {
	all, err := s.config.Log.AlertEvents(ctx, f)
	if err != nil {
		return nil, err
	}
	return s.withDeliveries(ctx, all)
}

// Take notes that a person is on a problem, or on all of a batch; without a person, that nobody is any more. Batches
// may have problems that no rule has. CodeConflict: there is no open problem.
func (s *Service) Take(ctx context.Context, in hive.TakeAlerts) ([]hive.AlertLogEntry, error) {
	if in.Batch != 0 {
		if err := s.config.Ensure(ctx, in.Batch); err != nil {
			return nil, err
		}
	}
	in.Now = s.now()
	all, err := s.config.Log.TakeAlerts(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.By == "" {
		s.config.Due() // escalations go on
	}
	return s.withDeliveries(ctx, all)
}

// SendAgain makes a delivery due now. CodeConflict: it is pending already.
func (s *Service) SendAgain(ctx context.Context, delivery int64) (hive.AlertDelivery, error) {
	d, err := s.config.Log.SendAgain(ctx, delivery, s.now())
	if err == nil {
		s.config.Due()
	}
	return d, err
}

func (s *Service) withDeliveries(ctx context.Context, all []hive.AlertEvent) ([]hive.AlertLogEntry, error) {
	ids := make([]int64, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	deliveries, err := s.config.Log.Deliveries(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]hive.AlertLogEntry, len(all))
	for i := range all {
		out[i] = hive.AlertLogEntry{Event: all[i], Deliveries: deliveries[all[i].ID]}
	}
	return out, nil
}

// Tries lists the tries of a delivery, oldest first.
func (s *Service) Tries(ctx context.Context, delivery int64) ([]hive.AlertTry, error) {
	return s.config.Log.AlertTries(ctx, delivery)
}
