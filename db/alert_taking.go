package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// TakeAlerts notes that a person is on one problem, or on all open ones of a batch; and without a person, that nobody
// is any more. Escalations of taken problems are canceled, and go on once nobody is on them. It returns the events.
// hive.CodeConflict if the problem is over, or if the batch has no open one.
func (s *Store) TakeAlerts(ctx context.Context, in hive.TakeAlerts) (out []hive.AlertEvent, err error) {
	err = s.write(ctx, "take a problem", func(ctx context.Context, tx bun.Tx) error {
		var rows []*alertEventRow
		where, id := "id = ?", in.Event
		if in.Event == 0 {
			where, id = "open AND batch_id = ?", in.Batch
		}
		err := tx.NewRaw("SELECT * FROM alert_events WHERE "+where+" ORDER BY id"+s.kind.lock("NO KEY UPDATE"), id).
			Scan(ctx, &rows)
		if err != nil {
			return err
		}
		if err := checkTaking(rows, in); err != nil {
			return err
		}
		taken := int64(0)
		if in.By != "" {
			taken = ms(in.Now)
		}
		ids := make([]int64, len(rows))
		for i, r := range rows {
			ids[i] = r.ID
			r.TakenBy, r.TakenAt, r.TakenNote = text(in.By), taken, text(in.Note)
		}
		_, err = tx.NewRaw("UPDATE alert_events SET taken_by = ?, taken_at = ?, taken_note = ? WHERE id IN (?)",
			text(in.By), taken, text(in.Note), bun.List(ids)).Exec(ctx)
		if err != nil {
			return err
		}
		if out, err = alertEvents(ctx, tx, rows); err != nil {
			return err
		}
		if in.By != "" {
			return cancelEscalations(ctx, tx, in.Now, "leased_until <= "+s.kind.now()+" AND event_id IN (?)",
				bun.List(ids))
		}
		_, err = tx.NewRaw("UPDATE alert_deliveries SET state = 'pending', done_at = 0 WHERE escalation AND "+
			"state = 'canceled' AND event_id IN (?)", bun.List(ids)).Exec(ctx)
		return err
	})
	return out, err
}

func checkTaking(rows []*alertEventRow, in hive.TakeAlerts) error {
	switch {
	case len(rows) == 0 && in.Event != 0:
		return hive.Errorf(hive.CodeNotFound, "there is no alert %d", in.Event).
			WithReason(hive.ErrorNoAlert, "alert", in.Event)
	case len(rows) == 0:
		return hive.Errorf(hive.CodeConflict, "batch %d has no open problem", in.Batch).
			WithReason(hive.ErrorNoProblem, "batch", in.Batch)
	case in.Event != 0 && !rows[0].Open:
		return hive.Errorf(hive.CodeConflict, "the problem of alert %d is over", in.Event).
			WithReason(hive.ErrorProblemOver, "alert", in.Event)
	default:
		return nil
	}
}

// cancelEscalations cancels pending escalations. where leaves out those that a server is sending at this moment; if
// such a try fails, LeaseDeliveries cancels the escalation when it is due again.
func cancelEscalations(ctx context.Context, tx bun.Tx, now time.Time, where string, args ...any) error {
	_, err := tx.NewRaw("UPDATE alert_deliveries SET state = 'canceled', done_at = ? WHERE state = 'pending' AND "+
		"escalation AND "+where, append([]any{ms(now)}, args...)...).Exec(ctx)
	return err
}

// SendAgain makes a delivery pending again, due now and with all its tries. hive.CodeConflict if it is pending already.
func (s *Store) SendAgain(ctx context.Context, delivery int64, now time.Time) (hive.AlertDelivery, error) {
	row := new(alertDeliveryRow)
	err := s.write(ctx, "send a delivery again", func(ctx context.Context, tx bun.Tx) error {
		err := tx.NewRaw("SELECT * FROM alert_deliveries WHERE id = ?"+s.kind.lock("NO KEY UPDATE"), delivery).
			Scan(ctx, row)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return hive.Errorf(hive.CodeNotFound, "there is no delivery %d", delivery).
				WithReason(hive.ErrorNoDelivery, "delivery", delivery)
		case err != nil:
			return err
		case row.State == string(hive.DeliveryPending):
			return hive.Errorf(hive.CodeConflict, "delivery %d is not sent yet; the server tries it by itself",
				delivery).
				WithReason(hive.ErrorDeliveryPending, "delivery", delivery)
		}
		// A person asks for it, whatever became of the problem.
		row.State, row.DueAt, row.Tries, row.DoneAt, row.Escalation = string(hive.DeliveryPending), ms(now), 0, 0, false
		row.LeasedBy, row.LeasedUntil = "", 0
		_, err = tx.NewUpdate().Model(row).
			Column("state", "due_at", "tries", "done_at", "escalation", "leased_by", "leased_until").WherePK().Exec(ctx)
		return err
	})
	return row.hive(), err
}
