package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type alertDeliveryRow struct {
	bun.BaseModel `bun:"table:alert_deliveries,alias:d"`

	ID          int64  `bun:"id,pk,autoincrement"`
	EventID     int64  `bun:"event_id"`
	Rule        string `bun:"rule"`
	Channel     string `bun:"channel"`
	Subject     string `bun:"subject"`
	State       string `bun:"state"`
	DueAt       int64  `bun:"due_at"`
	Tries       int    `bun:"tries"`
	Error       string `bun:"error"`
	LeasedBy    string `bun:"leased_by"`
	LeasedUntil int64  `bun:"leased_until"`
	CreatedAt   int64  `bun:"created_at"`
	DoneAt      int64  `bun:"done_at"`
	Escalation  bool   `bun:"escalation"`
}

func (r *alertDeliveryRow) hive() hive.AlertDelivery {
	return hive.AlertDelivery{
		ID: r.ID, EventID: r.EventID, AlertPair: hive.AlertPair{Rule: r.Rule, Channel: r.Channel}, Subject: r.Subject,
		State: hive.DeliveryState(r.State), DueAt: at(r.DueAt), Tries: r.Tries, Error: r.Error,
		CreatedAt: at(r.CreatedAt), DoneAt: at(r.DoneAt), Escalation: r.Escalation,
	}
}

type alertTryRow struct {
	bun.BaseModel `bun:"table:alert_tries"`

	ID         int64  `bun:"id,pk,autoincrement"`
	DeliveryID int64  `bun:"delivery_id"`
	Message    string `bun:"message"`
	Server     string `bun:"server"`
	At         int64  `bun:"at"`
	Took       int64  `bun:"took"`
	Done       bool   `bun:"done"`
	Detail     string `bun:"detail"`
}

func insertDeliveries(ctx context.Context, tx bun.Tx, event int64, all []hive.AlertDelivery) error {
	rows := make([]*alertDeliveryRow, len(all))
	for i := range all {
		d := &all[i]
		rows[i] = &alertDeliveryRow{
			EventID: event, Rule: text(d.Rule), Channel: text(d.Channel), Subject: text(d.Subject),
			State: string(d.State), DueAt: ms(d.DueAt), CreatedAt: ms(d.CreatedAt), DoneAt: ms(d.DoneAt),
			Escalation: d.Escalation,
		}
	}
	return insertAll(ctx, tx, rows)
}

// ReportedTo lists the rules and channels that an event was reported to, or will be.
func (s *Store) ReportedTo(ctx context.Context, event int64) ([]hive.AlertPair, error) {
	var rows []alertDeliveryRow
	err := s.r.NewSelect().Model(&rows).Column("rule", "channel").Where("event_id = ?", event).
		Where("state = 'sent' OR state = 'pending' AND NOT escalation").Order("id").Scan(ctx)
	out := make([]hive.AlertPair, len(rows))
	for i := range rows {
		out[i] = hive.AlertPair{Rule: rows[i].Rule, Channel: rows[i].Channel}
	}
	return out, s.fault("read who was notified of an event", err)
}

// LastReported returns when a subject was last reported, or is to be reported, by rule and channel.
func (s *Store) LastReported(ctx context.Context, subject string) (map[hive.AlertPair]time.Time, error) {
	var rows []struct {
		Rule    string `bun:"rule"`
		Channel string `bun:"channel"`
		Last    int64  `bun:"last"`
	}
	err := s.r.NewRaw("SELECT rule, channel, MAX(created_at) AS last FROM alert_deliveries WHERE subject = ? "+
		"AND state IN ('pending', 'sent') AND NOT escalation GROUP BY rule, channel", text(subject)).Scan(ctx, &rows)
	out := make(map[hive.AlertPair]time.Time, len(rows))
	for _, r := range rows {
		out[hive.AlertPair{Rule: r.Rule, Channel: r.Channel}] = at(r.Last)
	}
	return out, s.fault("read what was reported before", err)
}

// NextDelivery returns when the first pending delivery is due; the zero time if there is none.
func (s *Store) NextDelivery(ctx context.Context) (time.Time, error) {
	var due int64
	err := s.r.NewRaw("SELECT COALESCE(MIN(due_at), 0) FROM alert_deliveries WHERE state = 'pending'").Scan(ctx, &due)
	return at(due), s.fault("read when a delivery is due", err)
}

// LeaseDeliveries leases pending deliveries of one rule and channel to a server, if one of them is due and none is
// leased to another server. What waits for the same rule and channel comes with it, oldest first, at most limit.
// An escalation comes only when it is due itself. It is canceled if its problem is over, or if somebody has taken it.
// The result has no deliveries if nothing is due.
func (s *Store) LeaseDeliveries(
	ctx context.Context, server string, lease time.Duration, now time.Time, limit int,
) (out hive.DueDeliveries, err error) {
	err = s.write(ctx, "take due deliveries", func(ctx context.Context, tx bun.Tx) error {
		out = hive.DueDeliveries{}
		err := cancelEscalations(ctx, tx, now, "leased_until <= "+s.kind.now()+" AND due_at <= ? AND EXISTS "+
			"(SELECT 1 FROM alert_events AS e WHERE e.id = event_id AND (NOT e.open OR e.taken_at <> 0))", ms(now))
		if err != nil {
			return err
		}
		var pairs []struct {
			Rule       string `bun:"rule"`
			Channel    string `bun:"channel"`
			Escalation bool   `bun:"escalation"`
		}
		err = tx.NewRaw("SELECT rule, channel, escalation FROM alert_deliveries WHERE state = 'pending' AND "+
			"due_at <= ? GROUP BY rule, channel, escalation HAVING MAX(leased_until) <= "+s.kind.now()+
			" ORDER BY MIN(due_at), rule, channel, escalation LIMIT 1", ms(now)).Scan(ctx, &pairs)
		if err != nil || len(pairs) == 0 {
			return err
		}
		out.AlertPair = hive.AlertPair{Rule: pairs[0].Rule, Channel: pairs[0].Channel}
		out.Escalation = pairs[0].Escalation
		return s.leasePair(ctx, tx, leaseFor{server, lease, now, limit}, &out)
	})
	return out, err
}

// RenewDeliveries extends the lease of deliveries that a server holds. It returns false and extends none if another
// server has leased one of them meanwhile, or if one is pending no more.
func (s *Store) RenewDeliveries(ctx context.Context, server string, ids []int64, lease time.Duration) (
	held bool, err error,
) {
	err = s.write(ctx, "renew the lease of deliveries", func(ctx context.Context, tx bun.Tx) error {
		var mine []int64
		err := tx.NewRaw("SELECT id FROM alert_deliveries WHERE id IN (?) AND leased_by = ? AND state = 'pending' "+
			"ORDER BY id"+s.kind.lock("NO KEY UPDATE"), bun.List(ids), text(server)).Scan(ctx, &mine)
		if held = err == nil && len(mine) == len(ids); !held {
			return err
		}
		_, err = tx.NewRaw("UPDATE alert_deliveries SET leased_until = "+s.kind.now()+" + ? WHERE id IN (?)",
			lease.Milliseconds(), bun.List(ids)).Exec(ctx)
		return err
	})
	return held && err == nil, err
}

// leaseFor says to whom deliveries are leased, and until when.
type leaseFor struct {
	server string
	lease  time.Duration
	now    time.Time
	limit  int
}

// leasePair locks the pending deliveries of a rule and channel, and leases them.
func (s *Store) leasePair(ctx context.Context, tx bun.Tx, to leaseFor, out *hive.DueDeliveries) error {
	var rows []*alertDeliveryRow
	err := tx.NewRaw("SELECT * FROM alert_deliveries WHERE state = 'pending' AND rule = ? AND channel = ? AND "+
		"escalation = ? AND (NOT escalation OR due_at <= ?) AND leased_until <= "+s.kind.now()+" ORDER BY id LIMIT ?"+
		s.kind.lock("NO KEY UPDATE"), out.Rule, out.Channel, out.Escalation, ms(to.now), to.limit).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return err
	}
	ids, events := make([]int64, len(rows)), make([]int64, len(rows))
	for i, r := range rows {
		ids[i], events[i] = r.ID, r.EventID
		out.Deliveries = append(out.Deliveries, r.hive())
	}
	_, err = tx.NewRaw("UPDATE alert_deliveries SET leased_by = ?, leased_until = "+s.kind.now()+" + ? WHERE id IN (?)",
		text(to.server), to.lease.Milliseconds(), bun.List(ids)).Exec(ctx)
	if err != nil {
		return err
	}
	var found []*alertEventRow
	if err := tx.NewSelect().Model(&found).Where("id IN (?)", bun.List(events)).Scan(ctx); err != nil {
		return err
	}
	all, err := alertEvents(ctx, tx, found)
	if err != nil {
		return err
	}
	byID := make(map[int64]*hive.AlertEvent, len(all))
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	for _, id := range events {
		out.Events = append(out.Events, *byID[id])
	}
	return nil
}

// EndDeliveries notes a try to send deliveries that are leased to a server, and what becomes of them: sent, failed, or
// pending until due. Deliveries that another server has leased meanwhile, or that are gone, stay as they are.
func (s *Store) EndDeliveries(ctx context.Context, server string, ids []int64, state hive.DeliveryState,
	due time.Time, try hive.AlertTry,
) error {
	return s.write(ctx, "note a delivery", func(ctx context.Context, tx bun.Tx) error {
		var mine []int64
		err := tx.NewRaw("SELECT id FROM alert_deliveries WHERE id IN (?) AND leased_by = ? AND state = 'pending' "+
			"ORDER BY id"+s.kind.lock("NO KEY UPDATE"), bun.List(ids), text(server)).Scan(ctx, &mine)
		if err != nil || len(mine) == 0 {
			return err
		}
		failure, done := "", int64(0)
		if !try.Done {
			failure = text(try.Detail)
		}
		if state != hive.DeliveryPending {
			done = ms(try.At.Add(try.Took))
		}
		set := "UPDATE alert_deliveries SET state = ?, tries = tries + 1, error = ?, leased_by = '', " +
			"leased_until = 0, done_at = ?"
		args := []any{string(state), failure, done}
		if state == hive.DeliveryPending {
			set, args = set+", due_at = ?", append(args, ms(due))
		}
		if _, err = tx.NewRaw(set+" WHERE id IN (?)", append(args, bun.List(mine))...).Exec(ctx); err != nil {
			return err
		}
		rows := make([]*alertTryRow, len(mine))
		for i, id := range mine {
			rows[i] = &alertTryRow{
				DeliveryID: id, Message: try.Message, Server: text(try.Server), At: ms(try.At),
				Took: try.Took.Milliseconds(), Done: try.Done, Detail: text(try.Detail),
			}
		}
		return insertAll(ctx, tx, rows)
	})
}

// Deliveries lists the deliveries of events by the events' ids, oldest first.
func (s *Store) Deliveries(ctx context.Context, events []int64) (map[int64][]hive.AlertDelivery, error) {
	var rows []*alertDeliveryRow
	if len(events) == 0 {
		return nil, nil
	}
	err := s.r.NewSelect().Model(&rows).Where("event_id IN (?)", bun.List(events)).Order("id").Scan(ctx)
	if err != nil {
		return nil, s.fault("list deliveries", err)
	}
	out := make(map[int64][]hive.AlertDelivery, len(events))
	for _, r := range rows {
		out[r.EventID] = append(out[r.EventID], r.hive())
	}
	return out, nil
}

// AlertTries lists the tries of a delivery, oldest first.
func (s *Store) AlertTries(ctx context.Context, delivery int64) ([]hive.AlertTry, error) {
	var rows []alertTryRow
	err := s.r.NewSelect().Model(&rows).Where("delivery_id = ?", delivery).Order("id").Scan(ctx)
	out := make([]hive.AlertTry, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = hive.AlertTry{
			Message: r.Message, Server: r.Server, At: at(r.At), Took: time.Duration(r.Took) * time.Millisecond,
			Done: r.Done, Detail: r.Detail,
		}
	}
	return out, s.fault("list the tries of a delivery", err)
}
