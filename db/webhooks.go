package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type webhookSecretRow struct {
	bun.BaseModel `bun:"table:webhook_secrets"`

	ID         int64  `bun:"id,pk,autoincrement"`
	ScheduleID int64  `bun:"schedule_id"`
	Webhook    string `bun:"webhook"`
	Hash       string `bun:"hash"`
	CreatedAt  int64  `bun:"created_at"`
	CreatedBy  string `bun:"created_by"`
	ExpiresAt  int64  `bun:"expires_at"`
}

type webhookCallRow struct {
	bun.BaseModel `bun:"table:webhook_calls"`

	ID         int64  `bun:"id,pk,autoincrement"`
	ScheduleID int64  `bun:"schedule_id"`
	Webhook    string `bun:"webhook"`
	Key        string `bun:"key"`
	Moment     int64  `bun:"moment"`
	Params     string `bun:"params"`
	Pending    bool   `bun:"pending"`
}

func (r *webhookCallRow) hive() (hive.WebhookCall, error) {
	params, err := unpackParams(r.Params)
	return hive.WebhookCall{
		ScheduleID: r.ScheduleID, Webhook: r.Webhook, Key: r.Key, Moment: at(r.Moment), Params: params,
	}, err
}

// AddWebhookSecret stores a new secret of a webhook. Its other secrets expire at until, if not before.
func (s *Store) AddWebhookSecret(ctx context.Context, in hive.WebhookSecret, until time.Time) error {
	return s.write(ctx, "store a secret of a webhook", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("DELETE FROM webhook_secrets WHERE schedule_id = ? AND webhook = ? AND "+
			"expires_at > 0 AND expires_at <= ?", in.ScheduleID, in.Webhook, ms(in.CreatedAt)).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("UPDATE webhook_secrets SET expires_at = ? WHERE schedule_id = ? AND webhook = ? AND "+
			"(expires_at = 0 OR expires_at > ?)", ms(until), in.ScheduleID, in.Webhook, ms(until)).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewInsert().Model(&webhookSecretRow{
			ScheduleID: in.ScheduleID, Webhook: text(in.Webhook), Hash: in.Hash, CreatedAt: ms(in.CreatedAt),
			CreatedBy: text(in.CreatedBy), ExpiresAt: ms(in.ExpiresAt),
		}).Exec(ctx)
		return err
	})
}

// WebhookSecrets lists the secrets of a schedule's webhooks that have not expired, newest first.
func (s *Store) WebhookSecrets(ctx context.Context, scheduleID int64, now time.Time) ([]hive.WebhookSecret, error) {
	var rows []webhookSecretRow
	err := s.r.NewSelect().Model(&rows).Where("schedule_id = ?", scheduleID).
		Where("expires_at = 0 OR expires_at > ?", ms(now)).Order("id DESC").Scan(ctx)
	out := make([]hive.WebhookSecret, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = hive.WebhookSecret{
			ScheduleID: r.ScheduleID, Webhook: r.Webhook, Hash: r.Hash, CreatedAt: at(r.CreatedAt),
			CreatedBy: r.CreatedBy, ExpiresAt: at(r.ExpiresAt),
		}
	}
	return out, s.fault("list secrets of webhooks", err)
}

// AddWebhookCall stores a call that came at in.Moment, and returns it with the moment that its tick will have: the
// first one from then on that no other tick or call of the schedule has, and that is no whole second, because those
// belong to crons. If the webhook has had a call with the same key, nothing is stored, and the result is that call.
// hive.CodeConflict if the schedule is archived, hive.CodeTooMany if too many calls of the schedule wait for their
// decision.
func (s *Store) AddWebhookCall(ctx context.Context, in hive.WebhookCall) (c hive.WebhookCall, again bool, err error) {
	params, err := pack(in.Params, len(in.Params) == 0)
	if err != nil {
		return c, false, err
	}
	row := &webhookCallRow{
		ScheduleID: in.ScheduleID, Webhook: text(in.Webhook), Key: text(in.Key), Params: text(params), Pending: true,
	}
	err = s.write(ctx, "store a call of a webhook", func(ctx context.Context, tx bun.Tx) error {
		// The lock keeps calls, and decisions of ticks, from taking the same moment.
		archived := s.refuseArchived(ctx, tx, in.ScheduleID)
		if archived != nil && hive.CodeOf(archived) != hive.CodeConflict {
			return archived
		}
		if in.Key != "" {
			old := new(webhookCallRow)
			err := tx.NewSelect().Model(old).Where("schedule_id = ?", in.ScheduleID).
				Where("webhook = ?", row.Webhook).Where("key = ?", row.Key).Scan(ctx)
			if err == nil {
				row, again = old, true
				return nil
			}
			if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		err := cmp.Or(archived, checkPending(ctx, tx, in.ScheduleID))
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("DELETE FROM webhook_calls WHERE schedule_id = ? AND NOT pending AND moment < ?",
			in.ScheduleID, ms(in.Moment.Add(-hive.CallsKept))).Exec(ctx)
		if err != nil {
			return err
		}
		if row.Moment, err = freeMoment(ctx, tx, in.ScheduleID, in.Moment.UnixMilli()); err != nil {
			return err
		}
		_, err = tx.NewInsert().Model(row).Exec(ctx)
		return err
	})
	if err != nil {
		return c, false, err
	}
	c, err = row.hive()
	return c, again, err
}

func checkPending(ctx context.Context, tx bun.Tx, scheduleID int64) error {
	n, err := tx.NewSelect().Model((*webhookCallRow)(nil)).Where("schedule_id = ?", scheduleID).Where("pending").
		Count(ctx)
	if err != nil {
		return err
	}
	if n < hive.MaxPendingCalls {
		return nil
	}
	e := hive.Errorf(hive.CodeTooMany, "%d calls of the schedule wait for their decision; try again later", n).
		WithReason(hive.ErrorWebhookFlood, "calls", fmt.Sprint(n))
	e.Wait = time.Minute
	return e
}

// freeMoment finds the first moment from a time on that no tick and no call of a schedule has, and that is not a whole
// second.
func freeMoment(ctx context.Context, tx bun.Tx, scheduleID, from int64) (int64, error) {
	const span = 2 * hive.MaxPendingCalls
	var taken []int64
	err := tx.NewRaw("SELECT moment FROM ticks WHERE schedule_id = ? AND moment BETWEEN ? AND ? "+
		"UNION SELECT moment FROM webhook_calls WHERE schedule_id = ? AND moment BETWEEN ? AND ?",
		scheduleID, from, from+span, scheduleID, from, from+span).Scan(ctx, &taken)
	if err != nil {
		return 0, err
	}
	used := make(map[int64]bool, len(taken))
	for _, at := range taken {
		used[at] = true
	}
	at := from
	for used[at] || at%1000 == 0 {
		at++
	}
	return at, nil
}

// PendingCalls lists the calls of a schedule that have no tick yet, oldest first, at most limit.
func (s *Store) PendingCalls(ctx context.Context, scheduleID int64, limit int) ([]hive.WebhookCall, error) {
	var rows []webhookCallRow
	err := s.r.NewSelect().Model(&rows).Where("schedule_id = ?", scheduleID).Where("pending").Order("moment").
		Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, s.fault("list calls of webhooks", err)
	}
	out := make([]hive.WebhookCall, len(rows))
	for i := range rows {
		if out[i], err = rows[i].hive(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// LastCalls returns the moment of the last call of each webhook of a schedule, and how many calls have no tick yet.
func (s *Store) LastCalls(ctx context.Context, scheduleID int64) ([]hive.WebhookView, error) {
	var rows []struct {
		Webhook string
		Last    int64
		Pending int
	}
	err := s.r.NewRaw("SELECT webhook, MAX(moment) AS last, SUM(CASE WHEN pending THEN 1 ELSE 0 END) AS pending "+
		"FROM webhook_calls WHERE schedule_id = ? GROUP BY webhook", scheduleID).Scan(ctx, &rows)
	out := make([]hive.WebhookView, len(rows))
	for i, r := range rows {
		out[i] = hive.WebhookView{Name: r.Webhook, LastAt: at(r.Last), Pending: r.Pending}
	}
	return out, s.fault("read the last calls of webhooks", err)
}

// endCalls notes that the calls of new ticks have their decision.
func endCalls(ctx context.Context, tx bun.Tx, rows []*tickRow, all []decided) error {
	for i, row := range rows {
		if !all[i].write.Called {
			continue
		}
		_, err := tx.NewRaw("UPDATE webhook_calls SET pending = ? WHERE schedule_id = ? AND moment = ?", false,
			row.ScheduleID, row.Moment).Exec(ctx)
		if err != nil {
			return fmt.Errorf("end a call of a webhook: %w", err)
		}
	}
	return nil
}
